"""Pictures as models and judges get them, and the request for an edit; every change on record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from redline.image.prompts import Prompt, prompt
from redline.image.task import Condition
from redline.models.protocol import Message, PicturePart, Request, TextPart
from redline.pixels import composite, encode_png, load_picture, load_rgba, sha256_bytes

SENDING_VERSION = 1
"""Raised whenever the code that makes pictures and requests sends something else (beside the prompt
files, which have hashes of their own): what was generated before is then stale."""

_SENT_AS_THEY_ARE: Mapping[str, str] = {
    "PNG": "image/png",
    "JPEG": "image/jpeg",
    "WEBP": "image/webp",
}
"""Formats that every provider of pictures takes, with their media types."""


@dataclass(frozen=True)
class Sent:
    """A picture as it is sent. `size` is width and height in pixels; `notes` has a sentence for
    everything that was done to the file's bytes, and is empty where these are sent themselves."""

    data: bytes
    media_type: str
    size: tuple[int, int]
    notes: tuple[str, ...] = ()

    def part(self, label: str) -> PicturePart:
        return PicturePart(self.data, label, self.media_type)

    def as_json(self) -> dict[str, Any]:
        """What a record says of it."""
        return {
            "sha256": sha256_bytes(self.data),
            "size": list(self.size),
            "notes": list(self.notes),
        }


def sent_picture(data: bytes, longest: int, overlay: bytes | None = None) -> Sent:
    """The picture to send: its own bytes where every provider takes its format, its longer side
    has at most `longest` pixels, it needed no conversion to be read and nothing is drawn on it;
    else a PNG of what is seen, scaled down by Pillow's Lanczos filter where it is larger. Shapes
    are kept: it is never stretched or padded.

    `overlay` is a transparent drawing laid over the picture; one of another size (the picture may
    be a model's own) is brought to the picture's. Raises PictureError.
    """
    picture = load_picture(data)
    array, notes = picture.array, list(picture.notes)
    if overlay is not None:
        array = composite(array, _of_size(load_rgba(overlay), array, notes))
        notes.append("The instruction was drawn on it.")
    height, width = array.shape[:2]
    if max(height, width) > longest:
        scale = longest / max(height, width)
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        notes.append(f"It was scaled down from {width} x {height} to {size[0]} x {size[1]} pixels.")
        array = np.asarray(Image.fromarray(array).resize(size, Image.Resampling.LANCZOS))
    height, width = array.shape[:2]
    if not notes and picture.format in _SENT_AS_THEY_ARE:
        return Sent(data, _SENT_AS_THEY_ARE[picture.format], (width, height))
    if not notes:
        notes.append(f"It was sent as PNG, not every provider takes {picture.format}.")
    return Sent(encode_png(array), "image/png", (width, height), tuple(notes))


def _of_size(
    overlay: NDArray[np.uint8], under: NDArray[np.uint8], notes: list[str]
) -> NDArray[np.uint8]:
    height, width = under.shape[:2]
    if overlay.shape[:2] == (height, width):
        return overlay
    notes.append(
        f"The drawing was scaled from {overlay.shape[1]} x {overlay.shape[0]} to "
        f"{width} x {height} pixels."
    )
    # Premultiplied, so that colours of transparent pixels do not bleed into the strokes.
    scaled = Image.fromarray(overlay).convert("RGBa").resize((width, height))
    return np.asarray(scaled.convert("RGBA"))


def shows_drawing(condition: Condition) -> bool:
    return condition != "text"


def shows_words(condition: Condition) -> bool:
    return condition != "visual"


def edit_prompt(condition: Condition) -> Prompt:
    """Under `text` a model is sent the picture and the benchmark's own words, nothing else: most
    editors of photographs are trained on bare instructions."""
    return prompt(f"edit-{condition}")


def prompt_hashes(condition: Condition) -> dict[str, str]:
    """By prompt file, the SHA-256 of its text, for a run's manifest."""
    asked = edit_prompt(condition)
    return {asked.name: asked.hash}


def edit_request(picture: Sent, condition: Condition, instruction: str) -> Request:
    """Ask a model for the edit of a picture."""
    filled = edit_prompt(condition)
    words = filled.fill(instruction=instruction) if shows_words(condition) else filled.fill()
    parts = (picture.part("picture"), TextPart(words))
    return Request((Message("user", parts),), want="picture")
