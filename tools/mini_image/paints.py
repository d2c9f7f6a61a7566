"""Colours of surfaces that are not one colour: wood, fruit skins, cloth, stripes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tools.mini_image.noise import fractal, noise
from tools.mini_image.solids import Floats
from tools.mini_image.tracing import Colour

Painted = Callable[[Floats], Floats]


def mixed(a: Colour | Floats, b: Colour | Floats, share: Floats) -> Floats:
    """From a to b by `share` (N values in 0 to 1)."""
    s = np.clip(share, 0, 1)[:, None].astype(np.float32)
    return np.asarray(a, np.float32) * (1 - s) + np.asarray(b, np.float32) * s


def wood(light: Colour, dark: Colour, plank: float = 0.0, along: int = 0, seed: int = 1) -> Painted:
    """Boards along an axis (0 x, 2 z), `plank` wide (0: one piece)."""
    across = 2 if along == 0 else 0

    def paint(p: Floats) -> Floats:
        q = p.copy()
        board = np.floor(q[:, across] / plank) if plank else np.zeros(len(p), np.float32)
        q[:, along] = q[:, along] * 0.35 + board * 7.31
        q[:, across] *= 3.0
        q[:, 1] *= 3.0
        rough = fractal(q * np.float32(2), 3, seed)
        grain = 0.5 + 0.5 * np.sin((q[:, across] * 5 + q[:, 1] * 5 + rough * 9).astype(np.float32))
        share = 0.35 * grain + 0.65 * fractal(q * np.float32([3, 3, 3]), 3, seed + 9)
        colour = mixed(light, dark, share)
        if plank:
            tone = noise(np.stack([board, board * 0, board * 0], 1) + 0.5, seed + 3)
            colour *= (0.82 + 0.36 * tone)[:, None]
            seam = np.abs(q[:, across] / 3.0 / plank - board - 0.5)
            colour *= (1 - 0.6 * np.clip((seam - 0.485) / 0.01, 0, 1))[:, None]
        return colour.astype(np.float32)

    return paint


def mottled(a: Colour, b: Colour, size: float, seed: int = 1, sharp: float = 1.0) -> Painted:
    """From a to b by noise whose features are `size` wide."""

    def paint(p: Floats) -> Floats:
        share = fractal(p / np.float32(size), 4, seed)
        return mixed(a, b, (share - 0.5) * sharp + 0.5)

    return paint


def striped(colours: Sequence[Colour], width: float, axis: int = 1, start: float = 0.0) -> Painted:
    """Bands of equal width across an axis, in turn."""

    def paint(p: Floats) -> Floats:
        band = np.floor((p[:, axis] - start) / width).astype(int) % len(colours)
        return np.asarray(colours, np.float32)[band]

    return paint


def around(colours: Sequence[Colour], centre: tuple[float, float], count: int) -> Painted:
    """Gores about an upright axis, in turn: parasols and balloons."""

    def paint(p: Floats) -> Floats:
        angle = np.arctan2(p[:, 2] - centre[1], p[:, 0] - centre[0]) / (2 * np.pi) + 0.5
        gore = np.floor(angle * count).astype(int) % len(colours)
        return np.asarray(colours, np.float32)[gore]

    return paint


def plain(colour: Colour) -> Painted:
    return lambda p: np.broadcast_to(np.asarray(colour, np.float32), p.shape)
