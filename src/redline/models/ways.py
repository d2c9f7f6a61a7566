"""The ways to a model: how it is named, what it answers with, what the way was tried against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Way:
    """`tried` says what the code of this way ran against; "real" is whether that was the real
    service, program or weights."""

    name: str
    answers: Literal["text", "picture", "both"]
    how: str
    tried: str
    real: bool


_FAKE = "a fake provider that speaks the API"

WAYS = (
    Way("openai/gpt-image-...", "picture", "/images/edits", _FAKE, False),
    Way(
        "openai/NAME",
        "both",
        "/chat/completions; for pictures /responses with the image_generation tool",
        _FAKE,
        False,
    ),
    Way("openrouter/VENDOR/NAME", "both", "/chat/completions, message.images", _FAKE, False),
    Way("google/NAME", "both", "generateContent, inline pictures", _FAKE, False),
    Way("anthropic/NAME", "text", "/messages", _FAKE, False),
    Way("http://HOST:PORT/v1#NAME", "both", "/chat/completions, message.images", _FAKE, False),
    Way("http://HOST:PORT/v1/images/edits#NAME", "picture", "/images/edits", _FAKE, False),
    Way(
        "command/NAME", "both", "a program of yours, for each call or each batch", "programs", True
    ),
    Way(
        "diffusers/OWNER/NAME, diffusers/local:NAME",
        "picture",
        "a pipeline on this machine (see below)",
        "small random weights",
        False,
    ),
)
