"""Models of each API that talk to the fake provider, and requests to send them."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from typing import Any

from PIL import Image

from redline.models import Message, PicturePart, Request, Settings, TextPart
from redline.models.anthropic import ClaudeModel
from redline.models.google import GeminiModel
from redline.models.keys import Key
from redline.models.openai_chat import ChatModel
from redline.models.openai_pictures import PictureEditModel
from redline.models.openai_responses import ResponsesModel
from redline.models.remote import RemoteModel
from tests.fake_provider.fixture import FakeProvider

SECRET = "sk-very/secret+key-0123456789"
APIS = ("openai", "google", "anthropic")

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"score": {"type": "integer", "minimum": 1, "maximum": 5}},
    "required": ["score"],
    "additionalProperties": False,
}


def model(
    provider: FakeProvider, api: str, settings: Settings | None = None, name: str = "fake-1"
) -> RemoteModel:
    key = Key(SECRET, "SOME_API_KEY")
    told = settings or Settings(timeout_s=20)
    if api == "google":
        return GeminiModel(f"google/{name}", name, f"{provider.url}/v1beta", told, key)
    if api == "anthropic":
        return ClaudeModel(f"anthropic/{name}", name, f"{provider.url}/v1", told, key)
    if api == "pictures":
        return PictureEditModel(f"openai/{name}", name, f"{provider.url}/v1", told, key)
    if api == "responses":
        return ResponsesModel(f"openai/{name}", name, f"{provider.url}/v1", told, key, "openai")
    dialect: Any = api
    return ChatModel(f"{api}/{name}", name, f"{provider.url}/v1", told, key, dialect)


def picture(label: str, size: int = 3000) -> PicturePart:
    return PicturePart(b"\x89PNG" + os.urandom(size), label)


def real_picture(label: str, colour: str = "red", size: tuple[int, int] = (24, 16)) -> PicturePart:
    """A PNG that can be decoded."""
    out = io.BytesIO()
    Image.new("RGB", size, colour).save(out, "PNG")
    return PicturePart(out.getvalue(), label)


def picture_request(*pictures: PicturePart, words: str = "Make it blue.") -> Request:
    return Request((Message("user", (*pictures, TextPart(words))),), want="picture")


CODE = (
    "\\documentclass{standalone}\n\\usepackage{tikz}\n\\begin{document}\n"
    '\\begin{tikzpicture}\\node {"ü" \\\\ 50\\%};\\end{tikzpicture}\n\\end{document}'
)


def edit_request(*pictures: PicturePart) -> Request:
    parts: list[TextPart | PicturePart] = [TextPart(f"The code:\n```latex\n{CODE}\n```")]
    for p in pictures:
        parts += [TextPart(f'Picture "{p.label}":'), p]
    return Request((Message("user", (*parts, TextPart("Edit it."))),), system="You edit.")


def judge_request() -> Request:
    return Request((Message("user", (TextPart("Score it."),)),), schema=SCHEMA)
