"""OpenAI's picture editing: /images/edits, pictures and a prompt in, one picture out.

Sent as multipart/form-data, the one form that OpenAI and the servers that imitate it all take.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from redline.models.protocol import PicturePart, ProviderError, Reply, Request, TextPart, Usage
from redline.models.reading import PictureCollector, count_at, list_at, text_at
from redline.models.remote import RemoteModel, Unreadable

MASK = "mask"
"""The label of a picture that says where to edit: white there, black elsewhere."""

NO_SEED = "the seed was not sent: this API has none"

# Random, so that no picture can hold it.
_BOUNDARY = f"redline-{secrets.token_hex(16)}"
_ENDINGS = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp"}


class PictureEditModel(RemoteModel):
    """A model behind /images/edits. `extra_body` may hold any field of the form (size, quality,
    output_format, n, input_fidelity, ...)."""

    def url(self, request: Request) -> str:
        return f"{self._base_url}/images/edits"

    def headers(self) -> dict[str, str]:
        key = {"authorization": f"Bearer {self._key.reveal()}"} if self._key else {}
        return {"content-type": f"multipart/form-data; boundary={_BOUNDARY}", **key}

    def body(self, request: Request) -> bytes:
        if request.want != "picture":
            raise ProviderError(
                "bad_request", f"{self._name} answers with pictures only; a text was asked for."
            )
        parts = [p for m in request.messages for p in m.parts]
        sent = [p for p in parts if isinstance(p, PicturePart)]
        pictures = [p for p in sent if p.label != MASK]
        masks = [p for p in sent if p.label == MASK]
        if not pictures:
            raise ProviderError("bad_request", f"{self._name} edits pictures; none was given.")
        texts = [p.text for p in parts if isinstance(p, TextPart)]
        order = ""
        if len(pictures) > 1:
            # Pictures and text go apart here, so the text has to say which picture is which.
            said = ", ".join(f'{i} is "{p.label}"' for i, p in enumerate(pictures, 1))
            order = f"Of the pictures, {said}."
        prompt = "\n\n".join(filter(None, [request.system, order, *texts]))
        fields: dict[str, Any] = {"model": self._model, "prompt": prompt}
        if self._settings.seed is not None and self._takes_seeds:
            fields["seed"] = self._settings.seed
        fields |= self._settings.extra_body
        name = "image[]" if len(pictures) > 1 else "image"
        files = [(name, p) for p in pictures] + [("mask", _cut_out(p)) for p in masks[:1]]
        return _form(fields, files)

    @property
    def _takes_seeds(self) -> bool:
        """OpenAI's own API has none; servers of one's own (vLLM-Omni, SGLang) take them."""
        return not self._name.startswith("openai/")

    def read(self, body: Mapping[str, Any], request: Request) -> Reply:
        if not isinstance(body.get("data"), list):
            raise Unreadable("no data")
        found = PictureCollector()
        for item in list_at(body, "data"):
            if isinstance(item, Mapping) and item.get("b64_json") is not None:
                found.base64(item["b64_json"])
            else:
                found.url(text_at(item, "url"))
        notes = list(found.notes)
        if self._settings.seed is not None and not self._takes_seeds:
            notes.append(NO_SEED)
        return Reply(
            text="",
            finish="stop",
            pictures=tuple(found.pictures),
            usage=picture_usage(body.get("usage"), len(found.pictures)),
            model_id=text_at(body, "model"),
            notes=tuple(dict.fromkeys(notes)),
        )


def picture_usage(usage: Any, pictures: int) -> Usage:
    """What OpenAI counts for an edit. All output tokens are tokens of the picture unless it counts
    them by kind."""
    output = count_at(usage, "output_tokens")
    drawn = count_at(usage, "output_tokens_details", "image_tokens")
    return Usage(
        input_tokens=count_at(usage, "input_tokens"),
        output_tokens=output,
        cached_tokens=count_at(usage, "input_tokens_details", "cached_tokens"),
        pictures=pictures,
        picture_input_tokens=count_at(usage, "input_tokens_details", "image_tokens"),
        picture_output_tokens=output if drawn is None else drawn,
    )


def _cut_out(mask: PicturePart) -> PicturePart:
    """The mask as this API wants it: transparent where the picture is to be edited."""
    import numpy as np

    from redline.pixels import PictureError, encode_png, load_picture

    try:
        grey = load_picture(mask.data).array.max(axis=2)
    except PictureError as e:
        raise ProviderError("bad_request", f"The mask: {e}") from None
    rgba = np.zeros((*grey.shape, 4), np.uint8)
    rgba[..., 3] = np.where(grey > 127, 0, 255)
    return replace(mask, data=encode_png(rgba), media_type="image/png")


def _form(fields: Mapping[str, Any], files: Iterable[tuple[str, PicturePart]]) -> bytes:
    """A multipart/form-data body (RFC 7578)."""
    pieces: list[bytes] = []
    for name, value in fields.items():
        text = value if isinstance(value, str) else json.dumps(value)
        pieces.append(_head(f'name="{name}"') + text.encode("utf-8", "replace") + b"\r\n")
    for name, picture in files:
        file = f"{_plain(picture.label)}.{_ENDINGS.get(picture.media_type, 'bin')}"
        about = f'name="{name}"; filename="{file}"\r\nContent-Type: {picture.media_type}'
        pieces += [_head(about), picture.data, b"\r\n"]
    return b"".join(pieces) + f"--{_BOUNDARY}--\r\n".encode()


def _head(about: str) -> bytes:
    return f"--{_BOUNDARY}\r\nContent-Disposition: form-data; {about}\r\n\r\n".encode()


def _plain(label: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in label) or "picture"
