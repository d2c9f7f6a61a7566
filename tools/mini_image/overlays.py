"""Instructions drawn over a picture by a hand: transparent pictures of its size.

The hand is that of tools/drawing: paths through points that it aims at and misses a little.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from tools.mini_image.edits import Region

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "drawing"))

import hand  # type: ignore[import-not-found]

_FINE = 4
_INK = (229, 38, 38)


def circled(size: tuple[int, int], box: Sequence[float], seed: int = 1) -> Region:
    """A loop around a box (left, upper, right, lower) in a picture of width x height."""
    return _inked(size, [hand.loop(box, random.Random(seed))])


def pointed_at(
    size: tuple[int, int], points: Sequence[tuple[float, float]], seed: int = 1
) -> Region:
    """An arrow along points; its head is at the last."""
    return _inked(size, hand.arrow(list(points), random.Random(seed)))


def _inked(size: tuple[int, int], paths: Sequence[Sequence[tuple[float, float]]]) -> Region:
    image = Image.new("L", (size[0] * _FINE, size[1] * _FINE))
    draw = ImageDraw.Draw(image)
    half = 1.7 * _FINE
    for path in paths:
        points = [(x * _FINE, y * _FINE) for x, y in path]
        draw.line(points, fill=255, width=round(2 * half), joint="curve")
        for x, y in points:
            draw.ellipse([x - half, y - half, x + half, y + half], fill=255)
    alpha = np.asarray(image.resize(size, Image.Resampling.BOX), np.float64) / 255
    ink = np.broadcast_to(np.array(_INK) / 255, (*alpha.shape, 3))
    return np.concatenate([ink, alpha[..., None]], axis=-1)
