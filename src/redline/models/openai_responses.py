"""OpenAI's Responses API with its image_generation tool: a chat model that has a picture made.

A chat model of OpenAI's answers with text only; asked for a picture it is given the tool that
makes one, and told to use it. Texts go to /chat/completions as ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from redline.models.body import Body, merged
from redline.models.openai_chat import ChatModel
from redline.models.openai_pictures import NO_SEED
from redline.models.protocol import Finish, Message, Reply, Request, TextPart, Usage
from redline.models.reading import PictureCollector, count_at, list_at, text_at
from redline.models.remote import Unreadable

TOOL: Mapping[str, Any] = {"type": "image_generation"}


class ResponsesModel(ChatModel):
    """A chat model behind /responses for pictures and /chat/completions for texts.

    `extra_body` is laid over the request: {"tools": [{"type": "image_generation", "size": ...,
    "quality": ..., "model": ...}]} says how the picture is made."""

    def url(self, request: Request) -> str:
        if request.want == "picture":
            return f"{self._base_url}/responses"
        return super().url(request)

    def body(self, request: Request) -> bytes:
        if request.want != "picture":
            return super().body(request)
        body = Body()
        s = self._settings
        document: dict[str, Any] = {
            "model": self._model,
            "input": [_message(m, body) for m in request.messages],
            "tools": [dict(TOOL)],
            "tool_choice": dict(TOOL),
            "store": False,
        }
        if request.system:
            document["instructions"] = request.system
        for name, value in (
            ("temperature", s.temperature),
            ("max_output_tokens", s.max_tokens),
            ("reasoning", _reasoning(s.thinking)),
        ):
            if value is not None:
                document[name] = value
        return body.encode(merged(document, s.extra_body))

    def read(self, body: Mapping[str, Any], request: Request) -> Reply:
        if request.want != "picture":
            return super().read(body, request)
        if not isinstance(body.get("output"), list):
            raise Unreadable("no output")
        found = PictureCollector()
        texts: list[str] = []
        refusals: list[str] = []
        thinking: list[str] = []
        notes = [NO_SEED] if self._settings.seed is not None else []
        for item in list_at(body, "output"):
            kind = text_at(item, "type")
            if kind == "image_generation_call":
                if text_at(item, "result"):
                    found.base64(item["result"])
                elif text_at(item, "status") == "failed":
                    notes.append("the tool that makes pictures failed")
            elif kind == "message":
                for part in list_at(item, "content"):
                    texts.append(text_at(part, "text") or "")
                    refusals.append(text_at(part, "refusal") or "")
            elif kind == "reasoning":
                thinking += [text_at(p, "text") or "" for p in list_at(item, "summary")]
        refusal = "".join(refusals)
        return Reply(
            text="".join(texts) or refusal,
            finish="refusal" if refusal else _finish(body),
            pictures=tuple(found.pictures),
            thinking="".join(thinking) or None,
            # The picture is billed apart, at the price of the model that drew it, and that is not
            # told here. So the output is not counted either: half a count would be half a price.
            usage=Usage(
                input_tokens=count_at(body, "usage", "input_tokens"),
                thinking_tokens=count_at(
                    body, "usage", "output_tokens_details", "reasoning_tokens"
                ),
                cached_tokens=count_at(body, "usage", "input_tokens_details", "cached_tokens"),
                pictures=len(found.pictures),
            ),
            model_id=text_at(body, "model"),
            notes=tuple(dict.fromkeys([*notes, *found.notes])),
        )


def _finish(body: Mapping[str, Any]) -> Finish:
    if text_at(body, "status") == "completed":
        return "stop"
    reason = text_at(body, "incomplete_details", "reason")
    if reason == "max_output_tokens":
        return "length"
    return "content_filter" if reason == "content_filter" else "other"


def _reasoning(thinking: str) -> dict[str, str] | None:
    efforts = {"on": "medium", "off": "none"}
    return {"effort": efforts[thinking]} if thinking in efforts else None


def _message(message: Message, body: Body) -> dict[str, Any]:
    said = "output_text" if message.role == "assistant" else "input_text"
    content = [
        {"type": said, "text": p.text}
        if isinstance(p, TextPart)
        else {"type": "input_image", "image_url": body.data_url(p)}
        for p in message.parts
    ]
    return {"role": message.role, "content": content}
