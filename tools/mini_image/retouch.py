"""Exact edits of photographs: recolouring that keeps the shading, filling a place from around it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from tools.mini_image.painter import SCALE, Canvas, FloatArray, Shape, rgb

Photo = NDArray[np.uint8]
WEIGHTS = np.array((0.299, 0.587, 0.114), np.float32)


def canvas_of(photo: Photo) -> Canvas:
    """A canvas that shows the photograph; what isn't painted on keeps its pixels exactly."""
    canvas = Canvas(photo.shape[1], photo.shape[0])
    fine = np.repeat(np.repeat(photo, SCALE, axis=0), SCALE, axis=1)
    canvas.pixels = fine.astype(np.float32) / 255
    return canvas


def photo_of(canvas: Canvas) -> Photo:
    """The canvas as a photograph."""
    width, height = canvas.size
    small = canvas.pixels.reshape(height, SCALE, width, SCALE, 3).mean(axis=(1, 3))
    return np.clip(np.rint(small * 255), 0, 255).astype(np.uint8)


def cover_of(shape: Shape, photo: Photo, feather: float = 0) -> FloatArray:
    """How much of each pixel of the photograph a shape covers, 0 to 1, its edge blurred."""
    height, width = photo.shape[:2]
    frame = Shape(np.zeros((height * SCALE, width * SCALE), np.float32), 0, 0)
    small = shape.seen_from(frame).reshape(height, SCALE, width, SCALE).mean(axis=(1, 3))
    return soft(small, feather) if feather else small


def soft(cover: FloatArray, radius: float) -> FloatArray:
    """Blurred by `radius` pixels, in steps of 1/255."""
    sheet = Image.fromarray(np.rint(cover * 255).astype(np.uint8))
    return np.asarray(sheet.filter(ImageFilter.GaussianBlur(radius)), np.float32) / 255


def ramp(values: FloatArray, low: float, high: float) -> FloatArray:
    """0 below `low`, 1 above `high`, a straight line between."""
    return np.clip((values - low) / (high - low), 0, 1)


def hue(photo: Photo) -> FloatArray:
    """Hue of each pixel in degrees, 0 to 360."""
    hsv = np.asarray(Image.fromarray(photo).convert("HSV"))
    return hsv[..., 0].astype(np.float32) * (360 / 255)


def saturation(photo: Photo) -> FloatArray:
    """How far each pixel is from grey: highest minus lowest channel, 0 to 1."""
    return np.ptp(photo, axis=2).astype(np.float32) / 255


def near_hue(photo: Photo, degrees: float, width: float) -> FloatArray:
    """1 at a hue, falling to 0 at `width` degrees from it; flat over the inner half."""
    apart = np.abs((hue(photo) - degrees + 180) % 360 - 180)
    return 1 - ramp(apart, width / 2, width)


def recoloured(photo: Photo, cover: FloatArray, colour: str, strength: float = 1.0) -> Photo:
    """The covered part in another colour with its own highlights and shade: what is coloured in a
    pixel is exchanged, what is white in it stays."""
    value = photo.astype(np.float32)
    white = value.min(axis=2, keepdims=True)
    chroma = value.max(axis=2, keepdims=True) - white
    return blended(photo, white + chroma * rgb(colour) * strength, cover)


def blended(photo: Photo, other: FloatArray, cover: FloatArray) -> Photo:
    """`other` (0 to 255) over the photograph where it is covered; elsewhere exactly the same."""
    value = photo.astype(np.float32)
    mixed = value + (other - value) * cover[..., None]
    return np.clip(np.rint(mixed), 0, 255).astype(np.uint8)


def filled(photo: Photo, cover: FloatArray, seed: int, grain: float) -> Photo:
    """The covered part filled in smoothly from what lies around it, with a grey grain."""
    hole = cover > 0
    value = photo.astype(np.float32)
    rows, columns = np.nonzero(hole)
    top, bottom = max(rows.min() - 2, 0), rows.max() + 3
    left, right = max(columns.min() - 2, 0), columns.max() + 3
    part, gap = value[top:bottom, left:right].copy(), hole[top:bottom, left:right]
    # From coarse to fine, so that the middle is reached: diffusion until it settles.
    part[gap] = part[~gap].mean(axis=0)
    for step in (16, 8, 4, 2, 1):
        for _ in range(60):
            pad = np.pad(part, ((step, step), (step, step), (0, 0)), "edge")
            mean = (
                pad[: -2 * step, step:-step] + pad[2 * step :, step:-step]
                + pad[step:-step, : -2 * step] + pad[step:-step, 2 * step :]
            ) / 4  # fmt: skip
            part[gap] = mean[gap]
    grains = np.random.default_rng(seed).normal(0, grain, (*gap.shape, 1))
    out = value.copy()
    out[top:bottom, left:right] = part + grains
    return blended(photo, out, cover)
