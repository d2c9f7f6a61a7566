"""OpenAI's picture editing: /images/edits, pictures and a prompt in, one picture out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from redline.models.body import Body, merged
from redline.models.protocol import PicturePart, ProviderError, Reply, Request, TextPart, Usage
from redline.models.reading import PictureCollector, count_at, list_at, text_at
from redline.models.remote import RemoteModel, Unreadable


class PictureEditModel(RemoteModel):
    """A model of the gpt-image line."""

    def url(self, request: Request) -> str:
        return f"{self._base_url}/images/edits"

    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self._key.reveal()}"} if self._key else {}

    def body(self, request: Request) -> bytes:
        if request.want != "picture":
            raise ProviderError(
                "bad_request", f"{self._name} answers with pictures only; a text was asked for."
            )
        parts = [p for m in request.messages for p in m.parts]
        pictures = [p for p in parts if isinstance(p, PicturePart)]
        texts = [p.text for p in parts if isinstance(p, TextPart)]
        if not pictures:
            raise ProviderError("bad_request", f"{self._name} edits pictures; none was given.")
        # Pictures and text go apart here, so the text has to say which picture is which.
        order = ", ".join(f'{i} is "{p.label}"' for i, p in enumerate(pictures, 1))
        prompt = "\n\n".join(filter(None, [request.system, f"Of the pictures, {order}.", *texts]))
        body = Body()
        document = {
            "model": self._model,
            "prompt": prompt,
            "images": [{"image_url": body.data_url(p)} for p in pictures],
        }
        return body.encode(merged(document, self._settings.extra_body))

    def read(self, body: Mapping[str, Any], request: Request) -> Reply:
        if not isinstance(body.get("data"), list):
            raise Unreadable("no data")
        found = PictureCollector()
        for item in list_at(body, "data"):
            if isinstance(item, Mapping) and "b64_json" in item:
                found.base64(item["b64_json"])
            else:
                found.url(text_at(item, "url"))
        return Reply(
            text="",
            finish="stop",
            pictures=tuple(found.pictures),
            usage=Usage(
                input_tokens=count_at(body, "usage", "input_tokens"),
                output_tokens=count_at(body, "usage", "output_tokens"),
                pictures=len(found.pictures),
            ),
            model_id=text_at(body, "model"),
            notes=tuple(dict.fromkeys(found.notes)),
        )
