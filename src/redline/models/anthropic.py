"""Anthropic's Messages API."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from redline.models.body import Body, merged
from redline.models.protocol import (
    Finish,
    Message,
    ProviderError,
    Reply,
    Request,
    TextPart,
    Usage,
)
from redline.models.reading import count_at, list_at, text_at
from redline.models.remote import RemoteModel, Unreadable

VERSION = "2023-06-01"
DEFAULT_MAX_TOKENS = 16384
"""The API wants a limit with every call; this one where the user names none."""

NO_SEED = "the seed was not sent: this API has none"

_FINISH: Mapping[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}

_UNKNOWN_WORDS = frozenset(
    {
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "pattern", "$schema"),
    }
)


class ClaudeModel(RemoteModel):
    """A model behind /messages."""

    def url(self, request: Request) -> str:
        return f"{self._base_url}/messages"

    def headers(self) -> dict[str, str]:
        key = {"x-api-key": self._key.reveal()} if self._key else {}
        return {"anthropic-version": VERSION, **key}

    def body(self, request: Request) -> bytes:
        if request.want == "picture":
            raise ProviderError(
                "bad_request", f"{self._name} answers with text only; a picture was asked for."
            )
        body = Body()
        s = self._settings
        document: dict[str, Any] = {
            "model": self._model,
            "max_tokens": s.max_tokens or DEFAULT_MAX_TOKENS,
            "messages": [_message(m, body) for m in request.messages],
        }
        if request.system:
            document["system"] = request.system
        if s.temperature is not None:
            document["temperature"] = s.temperature
        if s.thinking != "default":
            document["thinking"] = self._thinking(document["max_tokens"])
        if request.schema is not None:
            schema = constrainable(request.schema)
            document["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        return body.encode(merged(document, s.extra_body))

    def _thinking(self, max_tokens: int) -> dict[str, Any]:
        """From Claude 4.6 on the model decides how long it thinks; before, a budget does (at least
        1,024 tokens, and below max_tokens)."""
        if self._settings.thinking == "off":
            return {"type": "disabled"}
        found = re.search(r"-(\d+)(?:-(\d{1,2}))?(?!\d)", self._model)
        if found and (int(found[1]), int(found[2] or 0)) >= (4, 6):
            return {"type": "adaptive"}
        if max_tokens < 2048:
            raise ProviderError(
                "bad_request", f"Thinking of {self._name} needs max_tokens of 2048 or more."
            )
        return {"type": "enabled", "budget_tokens": max_tokens // 2}

    def read(self, body: Mapping[str, Any], request: Request) -> Reply:
        if not isinstance(body.get("content"), list):
            raise Unreadable("no content")
        texts: list[str] = []
        thinking: list[str] = []
        notes = [NO_SEED] if self._settings.seed is not None else []
        for block in list_at(body, "content"):
            kind = text_at(block, "type")
            if kind == "text":
                texts.append(text_at(block, "text") or "")
            elif kind == "thinking":
                thinking.append(text_at(block, "thinking") or "")
            elif kind != "redacted_thinking":
                notes.append(f"a block of type {kind} was left out")
        usage_of = body.get("usage")
        fresh = count_at(usage_of, "input_tokens")
        cached = count_at(usage_of, "cache_read_input_tokens") or 0
        written = count_at(usage_of, "cache_creation_input_tokens") or 0
        return Reply(
            text="".join(texts),
            finish=_FINISH.get(text_at(body, "stop_reason") or "", "other"),
            thinking="".join(thinking) or None,
            usage=Usage(
                input_tokens=None if fresh is None else fresh + cached + written,
                output_tokens=count_at(usage_of, "output_tokens"),
                cached_tokens=cached or None,
            ),
            model_id=text_at(body, "model"),
            notes=tuple(dict.fromkeys(notes)),
        )


def _message(message: Message, body: Body) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    for part in message.parts:
        if not isinstance(part, TextPart):
            source = {"type": "base64", "media_type": part.media_type, "data": body.base64(part)}
            content.append({"type": "image", "source": source})
        elif part.text.strip():
            # The API refuses blank texts.
            content.append({"type": "text", "text": part.text})
    return {"role": message.role, "content": content}


def constrainable(schema: Any) -> Any:
    """The schema in the words this API knows: objects closed, a short range of whole numbers
    spelled out as an enumeration, other bounds left to whoever reads the reply."""
    if isinstance(schema, list):
        return [constrainable(s) for s in schema]
    if not isinstance(schema, Mapping):
        return schema
    out: dict[str, Any] = {}
    for word, value in schema.items():
        if word in ("properties", "$defs"):
            out[word] = {k: constrainable(v) for k, v in value.items()}
        elif word in ("enum", "const", "default", "required"):
            out[word] = value
        elif word not in _UNKNOWN_WORDS:
            out[word] = constrainable(value)
    low, high = schema.get("minimum"), schema.get("maximum")
    if (
        schema.get("type") == "integer"
        and isinstance(low, int)
        and isinstance(high, int)
        and 0 <= high - low < 32
    ):
        out["enum"] = list(range(low, high + 1))
    if schema.get("type") == "object" or "properties" in schema:
        out["additionalProperties"] = False
    return out
