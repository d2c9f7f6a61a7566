"""OpenAI's chat completions: OpenAI itself, OpenRouter, and any server that speaks the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from redline.models.body import Body, merged
from redline.models.keys import Key
from redline.models.protocol import (
    Finish,
    Message,
    PicturePart,
    Reply,
    Request,
    Settings,
    TextPart,
    Usage,
)
from redline.models.reading import PictureCollector, clean, count_at, list_at, text_at
from redline.models.remote import RemoteModel, Unreadable

Dialect = Literal["openai", "openrouter", "server", "ollama"]
"""They differ in how thinking is switched and what the token limit is called."""

_FINISH: Mapping[str, Finish] = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "length": "length",
    "max_tokens": "length",
    "content_filter": "content_filter",
    "refusal": "refusal",
}


class ChatModel(RemoteModel):
    """A model behind /chat/completions."""

    def __init__(
        self,
        name: str,
        model: str,
        base_url: str,
        settings: Settings,
        key: Key | None,
        dialect: Dialect = "server",
    ) -> None:
        super().__init__(name, model, base_url, settings, key)
        self._dialect = dialect

    def url(self, request: Request) -> str:
        return f"{self._base_url}/chat/completions"

    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self._key.reveal()}"} if self._key else {}

    def body(self, request: Request) -> bytes:
        body = Body()
        messages: list[dict[str, Any]] = []
        if request.system:
            messages.append({"role": "system", "content": request.system})
        messages += [_message(m, body) for m in request.messages]
        document: dict[str, Any] = {"model": self._model, "messages": messages}
        s = self._settings
        limit = "max_completion_tokens" if self._dialect == "openai" else "max_tokens"
        for name, value in (
            ("temperature", s.temperature),
            (limit, s.max_tokens),
            ("seed", s.seed),
        ):
            if value is not None:
                document[name] = value
        document |= self._thinking()
        if request.schema is not None:
            document["response_format"] = {
                "type": "json_schema",
                "json_schema": {
                    "name": "answer",
                    "schema": request.schema,
                    "strict": _is_strict(request.schema),
                },
            }
        if request.want == "picture":
            document["modalities"] = ["image", "text"]
        return body.encode(merged(document, s.extra_body))

    def _thinking(self) -> dict[str, Any]:
        if self._settings.thinking == "default":
            return {}
        on = self._settings.thinking == "on"
        if self._dialect == "openrouter":
            return {"reasoning": {"enabled": on}}
        if self._dialect == "server":
            # The switch of the chat templates of Qwen, GLM and Gemma in vLLM and SGLang.
            return {"chat_template_kwargs": {"enable_thinking": on}}
        return {"reasoning_effort": "medium" if on else "none"}

    def read(self, body: Mapping[str, Any], request: Request) -> Reply:
        choices = list_at(body, "choices")
        if not choices or not isinstance(choices[0], Mapping):
            raise Unreadable("no choices")
        choice = choices[0]
        message = choice.get("message")
        if not isinstance(message, Mapping):
            raise Unreadable("no message")
        reason = choice.get("finish_reason")
        if choice.get("error") or reason == "error":
            said = text_at(choice, "error", "message") or "no words about it"
            raise Unreadable(f"an error in place of the end of the text: {said}")
        found = PictureCollector()
        text, refusal = _content(message.get("content"), found)
        for image in list_at(message, "images"):
            found.url(text_at(image, "image_url", "url") or text_at(image, "image_url"))
        refusal = text_at(message, "refusal") or refusal
        finish: Finish = _FINISH.get(reason, "other") if isinstance(reason, str) else "other"
        if refusal:
            finish, text = "refusal", text or refusal
        return Reply(
            text=text,
            finish=finish,
            pictures=tuple(found.pictures),
            thinking=text_at(message, "reasoning_content") or text_at(message, "reasoning"),
            usage=Usage(
                input_tokens=count_at(body, "usage", "prompt_tokens"),
                output_tokens=count_at(body, "usage", "completion_tokens"),
                thinking_tokens=count_at(
                    body, "usage", "completion_tokens_details", "reasoning_tokens"
                ),
                cached_tokens=count_at(body, "usage", "prompt_tokens_details", "cached_tokens"),
                pictures=len(found.pictures) if request.want == "picture" else None,
                picture_output_tokens=count_at(
                    body, "usage", "completion_tokens_details", "image_tokens"
                ),
            ),
            model_id=text_at(body, "model"),
            notes=tuple(dict.fromkeys(found.notes)),
        )


def _message(message: Message, body: Body) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    for part in message.parts:
        if isinstance(part, TextPart):
            content.append({"type": "text", "text": part.text})
        else:
            content.append({"type": "image_url", "image_url": {"url": body.data_url(part)}})
    if not any(isinstance(p, PicturePart) for p in message.parts) and len(content) == 1:
        # A plain string where it will do: some servers know nothing else for the assistant's turn.
        return {"role": message.role, "content": content[0]["text"]}
    return {"role": message.role, "content": content}


def _content(content: Any, found: PictureCollector) -> tuple[str, str]:
    """The text and the refusal in a message's content, which is a string or a list of parts."""
    if isinstance(content, str):
        return clean(content), ""
    texts, refusals = [], []
    for part in content if isinstance(content, list) else []:
        if isinstance(part, str):
            texts.append(clean(part))
        elif isinstance(part, Mapping) and part.get("type") != "thinking":
            texts.append(text_at(part, "text") or "")
            refusals.append(text_at(part, "refusal") or "")
            if "image_url" in part:
                found.url(text_at(part, "image_url", "url") or text_at(part, "image_url"))
    return "".join(texts), "".join(refusals)


def _is_strict(schema: Any) -> bool:
    """Whether OpenAI's strict mode takes the schema: closed objects with all names required."""
    if isinstance(schema, list):
        return all(_is_strict(s) for s in schema)
    if not isinstance(schema, Mapping):
        return True
    if "properties" in schema and (
        schema.get("additionalProperties") is not False
        or set(schema.get("required", ())) != set(schema["properties"])
    ):
        return False
    return all(_is_strict(v) for v in schema.values())
