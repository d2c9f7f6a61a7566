"""What the fake provider answers, and how each API words it."""

from __future__ import annotations

import base64
import io
import json
import random
import re
import struct
import zlib
from dataclasses import dataclass, field
from typing import Any

from tests.fake_provider.calls import Call

ADDRESS = "http://127.0.0.1:9/picture.png"
"""Where pictures given by address are; nobody should ask there."""


@dataclass
class Answer:
    text: str = ""
    finish: str = "stop"
    """stop, length, content_filter or refusal"""
    pictures: list[bytes] = field(default_factory=list)
    thinking: str | None = None
    by_address: bool = False
    """Pictures are given by address and not by their bytes."""
    cut_base64: bool = False
    """Their base64 text ends in the middle."""


def answer(call: Call, rules: dict[str, Any]) -> Answer:
    """The answer by the rules set: the first of `rules["rules"]` that fits, else by kind."""
    for rule in rules.get("rules", []):
        if (
            rule.get("model") in (None, call.model)
            and rule.get("kind") in (None, call.kind)
            and rule.get("contains", "") in call.text
        ):
            pictures = [base64.b64decode(p) for p in rule.get("pictures", [])]
            finish = rule.get("finish", "stop")
            return Answer(rule.get("text", ""), finish, pictures, rule.get("thinking"))
    draw = random.Random(f"{rules.get('seed', 0)}:{call.fingerprint}")
    if call.kind == "judge":
        value = from_schema(call.schema, draw) if call.schema else _from_criteria(call.text, draw)
        return Answer(json.dumps(value))
    if call.kind == "edit":
        return Answer(f"Here is the edited diagram.\n\n```latex\n{edited(call.text, draw)}\n```\n")
    if call.kind == "picture":
        return Answer(pictures=[painted(call.picture_bytes, draw)])
    return Answer("Make the node in the middle red and remove the arrow beside it.")


def painted(pictures: list[bytes], draw: random.Random) -> bytes:
    """The first picture with a rectangle of a seeded colour somewhere on it, as PNG; a small
    picture of that colour where there is none that can be decoded."""
    from PIL import Image

    colour = tuple(draw.randrange(256) for _ in range(3))
    try:
        image = Image.open(io.BytesIO(pictures[0])).convert("RGB")
    except (IndexError, OSError):
        return png(bytes(colour))
    width, height = image.size
    left, top = draw.randrange(max(1, width // 2)), draw.randrange(max(1, height // 2))
    image.paste(colour, (left, top, left + max(1, width // 4), top + max(1, height // 4)))
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def edited(text: str, draw: random.Random) -> str:
    """The last complete document in the prompt with a small dot drawn somewhere."""
    documents = re.findall(r"```latex\n(.*?)\n```", text, re.DOTALL)
    code = next((d for d in reversed(documents) if "\\documentclass" in d), "")
    dot = f"\\fill[red] (0.{draw.randrange(1, 99):02},0.1) circle[radius=1.5pt];\n"
    head, end, tail = code.rpartition("\\end{tikzpicture}")
    if end:
        return head + dot + end + tail
    return code.replace("\\end{document}", "\\par .\n\\end{document}")


def from_schema(schema: Any, draw: random.Random) -> Any:
    """A valid value of a JSON schema, seeded."""
    if "enum" in schema:
        return draw.choice(schema["enum"])
    kind = schema.get("type")
    if kind == "object":
        return {k: from_schema(v, draw) for k, v in schema.get("properties", {}).items()}
    if kind == "array":
        return [from_schema(schema.get("items", {"type": "string"}), draw)]
    if kind == "integer":
        return draw.randint(schema.get("minimum", 1), schema.get("maximum", 5))
    if kind == "number":
        return draw.uniform(schema.get("minimum", 0), schema.get("maximum", 1))
    if kind == "boolean":
        return draw.random() < 0.2
    return "A seeded remark."


def _from_criteria(text: str, draw: random.Random) -> Any:
    scores: dict[str, Any] = {}
    for name, low, high in re.findall(r"^(\w+) \((?:(\d+) to (\d+)|true or false)\)", text, re.M):
        scores[name] = draw.randint(int(low), int(high)) if low else draw.random() < 0.2
    if not scores:
        return {"score": draw.randint(1, 5)}
    return {"reasons": dict.fromkeys(scores, "A seeded remark."), "scores": scores}


def png(colour: bytes) -> bytes:
    """An 8 x 8 PNG of one colour."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    rows = (b"\0" + colour * 8) * 8
    head = struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


_REASONS = {
    "google": {
        "stop": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY", "refusal": "STOP",
    },
    "anthropic": {
        "stop": "end_turn", "length": "max_tokens", "content_filter": "refusal",
        "refusal": "refusal",
    },
    "openai": {
        "stop": "stop", "length": "length", "content_filter": "content_filter", "refusal": "stop",
    },
}  # fmt: skip


def worded(call: Call, a: Answer) -> dict[str, Any]:
    """The body of an answer as the API called words it. Token counts are made up but fixed."""
    sent, got = 100 + 10 * len(call.pictures), 7 + len(a.text) // 4
    drawn = 1000 * len(a.pictures)
    encoded = [base64.b64encode(p).decode() for p in a.pictures]
    if a.cut_base64:
        encoded = [e[: len(e) // 8 * 4 + 1] for e in encoded]
    if call.api == "pictures":
        named = "url" if a.by_address else "b64_json"
        return {
            "created": 0,
            "data": [{named: ADDRESS if a.by_address else e} for e in encoded],
            "usage": {
                "input_tokens": sent,
                "input_tokens_details": {"text_tokens": 100, "image_tokens": sent - 100},
                "output_tokens": drawn,
                "total_tokens": sent + drawn,
            },
        }
    if call.api == "responses":
        output: list[dict[str, Any]] = [
            {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": e}
            for e in encoded
        ]
        if a.text:
            kind = "refusal" if a.finish == "refusal" else "output_text"
            part = {"type": kind, "refusal" if a.finish == "refusal" else "text": a.text}
            output.append({"type": "message", "role": "assistant", "content": [part]})
        why = {"length": "max_output_tokens", "content_filter": "content_filter"}.get(a.finish)
        return {
            "id": f"resp-{call.order}",
            "object": "response",
            "status": "incomplete" if why else "completed",
            "incomplete_details": {"reason": why} if why else None,
            "model": f"{call.model}-fake",
            "output": output,
            "usage": {"input_tokens": sent, "output_tokens": got, "total_tokens": sent + got},
        }
    if call.api == "google":
        parts: list[dict[str, Any]] = []
        if a.thinking:
            parts.append({"text": a.thinking, "thought": True})
        if a.text:
            parts.append({"text": a.text})
        parts += [
            {"fileData": {"fileUri": ADDRESS}}
            if a.by_address
            else {"inlineData": {"mimeType": "image/png", "data": e}}
            for e in encoded
        ]
        kinds = [
            {"modality": "IMAGE", "tokenCount": drawn},
            {"modality": "TEXT", "tokenCount": got},
        ]
        return {
            "candidates": [
                {
                    "content": {"role": "model", "parts": parts},
                    "finishReason": _REASONS["google"][a.finish],
                }
            ],
            "usageMetadata": {
                "promptTokenCount": sent,
                "candidatesTokenCount": got + drawn,
                **({"candidatesTokensDetails": kinds} if encoded else {}),
            },
            "modelVersion": f"{call.model}-fake",
        }
    if call.api == "anthropic":
        content: list[dict[str, Any]] = []
        if a.thinking:
            content.append({"type": "thinking", "thinking": a.thinking, "signature": "x"})
        if a.text:
            content.append({"type": "text", "text": a.text})
        return {
            "type": "message",
            "role": "assistant",
            "model": f"{call.model}-fake",
            "content": content,
            "stop_reason": _REASONS["anthropic"][a.finish],
            "usage": {"input_tokens": sent, "output_tokens": got},
        }
    message: dict[str, Any] = {"role": "assistant", "content": a.text}
    if a.finish == "refusal":
        message |= {"content": None, "refusal": a.text or "I can't help with that."}
    if a.thinking:
        message["reasoning_content"] = a.thinking
    if encoded:
        message["images"] = [
            {
                "type": "image_url",
                "image_url": {"url": ADDRESS if a.by_address else f"data:image/png;base64,{e}"},
            }
            for e in encoded
        ]
    reason = _REASONS["openai"][a.finish]
    return {
        "id": f"fake-{call.order}",
        "object": "chat.completion",
        "created": 0,
        "model": f"{call.model}-fake",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": sent, "completion_tokens": got, "total_tokens": sent + got},
    }
