"""Google's Gemini API: generateContent, in REST."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from redline.models.body import Body, merged
from redline.models.protocol import Finish, Message, Reply, Request, TextPart, Usage
from redline.models.reading import NOT_FETCHED, PictureCollector, count_at, list_at, text_at
from redline.models.remote import RemoteModel, Unreadable

_FINISH: Mapping[str, Finish] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "SAFETY": "content_filter",
    "RECITATION": "content_filter",
    "BLOCKLIST": "content_filter",
    "PROHIBITED_CONTENT": "content_filter",
    "SPII": "content_filter",
    "IMAGE_SAFETY": "content_filter",
    "IMAGE_PROHIBITED_CONTENT": "content_filter",
    "IMAGE_RECITATION": "content_filter",
}

STILL_THINKS = "thinking can't be switched off for this model; its lowest setting was asked for"


class GeminiModel(RemoteModel):
    """A model behind generateContent."""

    def url(self, request: Request) -> str:
        return f"{self._base_url}/models/{self._model}:generateContent"

    def headers(self) -> dict[str, str]:
        return {"x-goog-api-key": self._key.reveal()} if self._key else {}

    def body(self, request: Request) -> bytes:
        body = Body()
        document: dict[str, Any] = {"contents": [_content(m, body) for m in request.messages]}
        if request.system:
            document["systemInstruction"] = {"parts": [{"text": request.system}]}
        s = self._settings
        config: dict[str, Any] = {}
        for name, value in (
            ("temperature", s.temperature),
            ("maxOutputTokens", s.max_tokens),
            ("seed", s.seed),
            ("thinkingConfig", self._thinking()[0]),
        ):
            if value is not None:
                config[name] = value
        if request.schema is not None:
            config["responseMimeType"] = "application/json"
            config["responseJsonSchema"] = request.schema
        if request.want == "picture":
            config["responseModalities"] = ["TEXT", "IMAGE"]
        if config:
            document["generationConfig"] = config
        return body.encode(merged(document, s.extra_body))

    def _thinking(self) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
        """thinkingConfig, and what has to be said about it. Gemini 2.5 takes a budget of tokens
        (Pro: at least 128), Gemini 3 and later a level (Pro: not below low)."""
        if self._settings.thinking == "default":
            return None, ()
        found = re.search(r"gemini-(\d+)", self._model)
        budgets = found is not None and int(found[1]) < 3
        if self._settings.thinking == "on":
            how = {"thinkingBudget": -1} if budgets else {"thinkingLevel": "high"}
            return {**how, "includeThoughts": True}, ()
        if "pro" in self._model.split("-"):
            lowest = {"thinkingBudget": 128} if budgets else {"thinkingLevel": "low"}
            return lowest, (STILL_THINKS,)
        return ({"thinkingBudget": 0}, ()) if budgets else ({"thinkingLevel": "minimal"}, ())

    def read(self, body: Mapping[str, Any], request: Request) -> Reply:
        usage_of = body.get("usageMetadata")
        thoughts = count_at(usage_of, "thoughtsTokenCount")
        output = count_at(usage_of, "candidatesTokenCount")
        notes = list(self._thinking()[1])
        candidates = list_at(body, "candidates")
        candidate = candidates[0] if candidates else None
        blocked = text_at(body, "promptFeedback", "blockReason")
        if not isinstance(candidate, Mapping) and not blocked:
            raise Unreadable("no candidates")
        texts: list[str] = []
        thinking: list[str] = []
        found = PictureCollector()
        for part in list_at(candidate, "content", "parts"):
            is_thought = isinstance(part, Mapping) and part.get("thought") is True
            if (text := text_at(part, "text")) is not None:
                (thinking if is_thought else texts).append(text)
            data = text_at(part, "inlineData", "data")
            # Drafts made while thinking are not the answer.
            if data is not None and not is_thought:
                found.base64(data)
            if text_at(part, "fileData", "fileUri"):
                notes.append(NOT_FETCHED)
        reason = text_at(candidate, "finishReason")
        finish: Finish = _FINISH.get(reason or "", "other")
        if blocked:
            finish = "content_filter"
            notes.append(f"blocked: {blocked}")
        elif finish in ("content_filter", "other") and reason:
            notes.append(f"finish reason: {reason}")
        return Reply(
            text="".join(texts),
            finish=finish,
            pictures=tuple(found.pictures),
            thinking="".join(thinking) or None,
            usage=Usage(
                input_tokens=count_at(usage_of, "promptTokenCount"),
                # Thinking is billed as output but counted beside it.
                output_tokens=None if output is None and thoughts is None
                else (output or 0) + (thoughts or 0),
                thinking_tokens=thoughts,
                cached_tokens=count_at(usage_of, "cachedContentTokenCount"),
                pictures=len(found.pictures) if request.want == "picture" else None,
                picture_input_tokens=_of_pictures(usage_of, "promptTokensDetails"),
                picture_output_tokens=_of_pictures(usage_of, "candidatesTokensDetails"),
            ),
            model_id=text_at(body, "modelVersion"),
            notes=tuple(dict.fromkeys([*notes, *found.notes])),
        )  # fmt: skip


def _of_pictures(usage_of: Any, name: str) -> int | None:
    """Tokens of pictures among those counted by kind; None where they are not counted by kind."""
    kinds = list_at(usage_of, name)
    counts = [count_at(k, "tokenCount") for k in kinds if text_at(k, "modality") == "IMAGE"]
    if not kinds or None in counts:
        return None
    return sum(c for c in counts if c is not None)


def _content(message: Message, body: Body) -> dict[str, Any]:
    parts: list[dict[str, Any]] = []
    for part in message.parts:
        if isinstance(part, TextPart):
            parts.append({"text": part.text})
        else:
            data = {"mimeType": part.media_type, "data": body.base64(part)}
            parts.append({"inlineData": data})
    return {"role": "model" if message.role == "assistant" else "user", "parts": parts}
