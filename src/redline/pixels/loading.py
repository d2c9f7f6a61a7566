"""The one loader of pictures: any common file in, 8-bit sRGB out, every change on record."""

from __future__ import annotations

import io
import struct
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from redline.errors import UserError
from redline.pixels.colour import ColourFault, to_srgb
from redline.pixels.files import FileFault, read_file

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")
"""What is decoded. Pillow knows more, some of it by starting programs (EPS)."""

MAX_BYTES = 256 * 1024 * 1024
_ORIENTATION = 0x0112
LAID_OVER_WHITE = "Transparent parts were laid over white."
"""The note that a picture had transparent parts."""

# Pillow warns above 89 million pixels; this loader refuses more than `max_pixels` in a sentence.
warnings.filterwarnings("ignore", category=Image.DecompressionBombWarning)


class PictureError(UserError):
    """A file that can't be used as a picture: a sentence that names it and says why."""


@dataclass(frozen=True)
class Picture:
    """A loaded picture. `array` is height x width x 3, uint8, sRGB, read-only.

    `notes` has a sentence for every transformation between the file and the array; `mode`,
    `size` (width, height) and `format` are the file's own, before any of them.
    """

    array: NDArray[np.uint8]
    notes: tuple[str, ...]
    mode: str
    size: tuple[int, int]
    format: str


def load_picture(source: bytes | Path, *, max_pixels: float = 64e6) -> Picture:
    """Load a picture as 8-bit sRGB: EXIF orientation applied, 16-bit, palette, grey, CMYK and
    colour profiles converted, transparency laid over white.

    Raises PictureError for files that are missing, empty, no picture, cut off, animated or of
    more than `max_pixels` pixels (found before they are decoded).
    """
    image, notes, facts = _load(source, max_pixels)
    if image.mode == "RGBA":
        alpha = image.getchannel("A")
        lowest = alpha.getextrema()[0]
        if isinstance(lowest, int | float) and lowest < 255:
            notes.append(LAID_OVER_WHITE)
            image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
        image = image.convert("RGB")
    return Picture(_array(image), tuple(notes), *facts)


def load_rgba(source: bytes | Path, *, max_pixels: float = 64e6) -> NDArray[np.uint8]:
    """Load a picture as height x width x 4, uint8: sRGB with straight alpha, otherwise as
    `load_picture`. A picture without transparency has alpha 255 everywhere."""
    image, _, _ = _load(source, max_pixels)
    return _array(image.convert("RGBA"))


def _array(image: Image.Image) -> NDArray[np.uint8]:
    array = np.array(image, dtype=np.uint8)
    array.setflags(write=False)
    return array


def _load(
    source: bytes | Path, max_pixels: float
) -> tuple[Image.Image, list[str], tuple[str, tuple[int, int], str]]:
    name = "The picture" if isinstance(source, bytes) else f"The picture {source}"
    data = _bytes(source, name)
    image = _opened(data, name, max_pixels)
    facts = (image.mode, image.size, image.format or "")
    notes: list[str] = []
    if getattr(image, "is_animated", False):
        if image.format != "MPO":
            raise PictureError(
                f"{name} has several frames ({image.format}); save the one that is meant as a PNG."
            )
        # Cameras add a preview or a gain map: the first picture is the photograph.
        notes.append("Only the first picture of the MPO file was taken.")
    try:
        image.load()
        if image.format == "PNG" and data[24:25] == b"\x10" and image.mode in ("RGB", "RGBA", "LA"):
            notes.append("16 bits a channel were reduced to 8.")
        orientation = image.getexif().get(_ORIENTATION, 1)
        if orientation in range(2, 9):
            notes.append(f"EXIF orientation {orientation} was applied.")
            image = ImageOps.exif_transpose(image)
        image = to_srgb(image, notes)
    except ColourFault as e:
        raise PictureError(f"{name} can't be used: {e}. Save it as an 8-bit PNG.") from e
    except (OSError, SyntaxError, ValueError, IndexError, struct.error, MemoryError) as e:
        raise PictureError(
            f"{name} is damaged or cut off ({_said(e)}). Get or make it anew."
        ) from e
    return image, notes, facts


def _bytes(source: bytes | Path, name: str) -> bytes:
    if isinstance(source, bytes):
        data = source
    else:
        try:
            data = read_file(source, MAX_BYTES)
        except FileFault as e:
            raise PictureError(f"{name} can't be read: {e}.") from e
    if not data:
        raise PictureError(f"{name} has no bytes: it was probably never written. Make it anew.")
    return data


def _opened(data: bytes, name: str, max_pixels: float) -> Image.Image:
    """The picture's head, read but not decoded."""
    try:
        image = Image.open(io.BytesIO(data), formats=FORMATS)
    except UnidentifiedImageError:
        raise PictureError(_no_picture(data, name)) from None
    except Image.DecompressionBombError as e:
        raise PictureError(f"{name} is too large ({_said(e)}). Scale it down.") from e
    except (OSError, SyntaxError, ValueError, IndexError, struct.error, MemoryError) as e:
        raise PictureError(
            f"{name} is damaged or cut off ({_said(e)}). Get or make it anew."
        ) from e
    width, height = image.size
    if width * height > max_pixels:
        raise PictureError(
            f"{name} has {width} x {height} pixels; at most {max_pixels / 1e6:g} million are "
            "loaded. Scale it down."
        )
    if width < 1 or height < 1:
        raise PictureError(f"{name} has no pixels ({width} x {height}).")
    return image


def _no_picture(data: bytes, name: str) -> str:
    start = data[:512].lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html")):
        what = "is an HTML page, perhaps an error page saved under a picture's name"
    elif start.startswith((b"<svg", b"<?xml")):
        what = "is an XML or SVG file"
    elif start.startswith(b"%pdf"):
        what = "is a PDF"
    elif start.startswith(b"version https://git-lfs"):
        what = "is a Git LFS pointer (run git lfs pull)"
    else:
        what = "is not a picture, or its head is damaged"
    return f"{name} {what}. Readable are {', '.join(FORMATS)}."


def _said(error: BaseException) -> str:
    return str(error).strip().rstrip(".") or type(error).__name__
