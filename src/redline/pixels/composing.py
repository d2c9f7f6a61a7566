"""Lays a transparent drawing over a picture, and turns arrays into PNG bytes."""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from redline.pixels.loading import Picture


def composite(
    picture: Picture | NDArray[np.uint8], overlay_rgba: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """`overlay_rgba` (H x W x 4, straight alpha) over an opaque picture of the same size (H x W x
    3): o * a + p * (1 - a), rounded to the nearest. Where alpha is 0 no pixel changes.

    Raises ValueError where the sizes differ.
    """
    under = picture.array if isinstance(picture, Picture) else picture
    if overlay_rgba.shape != (*under.shape[:2], 4):
        raise ValueError(
            f"The overlay's shape {overlay_rgba.shape} does not fit a picture of {under.shape}."
        )
    alpha = overlay_rgba[..., 3:].astype(np.uint32)
    mixed = overlay_rgba[..., :3] * alpha + under * (255 - alpha)
    return ((mixed + 127) // 255).astype(np.uint8)


def encode_png(array: NDArray[np.uint8]) -> bytes:
    """PNG bytes of H x W (grey), H x W x 3 or x 4, uint8; the same bytes for the same pixels."""
    out = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(array)).save(out, "PNG", compress_level=6)
    return out.getvalue()
