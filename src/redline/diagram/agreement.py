"""Pixel agreement with the gold inside and outside what the gold edit changes.

Judge-free figures about pixels. They are not instruction adherence or content preservation: an
edit that is right in another way than the golds scores low inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Raster = NDArray[np.uint8]
Mask = NDArray[np.bool_]

TOLERANCE = np.uint8(24)
"""Grey levels of 255 that anti-aliasing may differ by, beyond the range of the 3x3 neighbours."""
INK = 24
"""A pixel that differs by more than this from white in any channel carries ink."""


@dataclass(frozen=True)
class Agreement:
    """`inside`: share of the pixels which the gold edit changes that the candidate draws as the
    gold does (identity 0, gold 1). `outside`: share of the inked pixels elsewhere that the
    candidate leaves as in the original (identity 1). None where there is no such pixel.
    `gold` is the index of the accepted gold that fits best."""

    inside: float | None
    outside: float | None
    gold: int


def _ink(a: Raster) -> Mask:
    # One comparison a channel: NumPy is slow at reducing over three values.
    red, green, blue = a[..., 0], a[..., 1], a[..., 2]
    return np.asarray(np.minimum(np.minimum(red, green), blue) < 255 - INK)


def shift_between(a: Sequence[Raster], b: Raster) -> tuple[int, int]:
    """(dy, dx) that moves `b` so that its ink covers most of the ink of all of `a` (rasters of one
    size); of equal covers the smallest shift.

    Candidates are the peaks of the cross-correlation of the rasters reduced to about 256 pixels
    (by FFT) and the four alignments of corners; around each, every shift within the reduction is
    counted at full size.
    """
    ink = np.asarray([_ink(r) for r in a]).sum(axis=0, dtype=np.uint8)
    mine = _ink(b)
    step = max(1, max(*ink.shape, *mine.shape) // 256)
    dh, dw = ink.shape[0] - mine.shape[0], ink.shape[1] - mine.shape[1]
    starts = {(y, x) for y in (0, dh) for x in (0, dw)}
    starts |= {(y * step, x * step) for y, x in _peaks(_reduced(ink, step), _reduced(mine, step))}
    tries = {(0, 0)}
    near = range(-step + 1, step)
    for y, x in starts:
        tries |= {(y + i, x + j) for i in near for j in near}
    return max(
        sorted(tries, key=lambda t: (abs(t[0]) + abs(t[1]), t)),
        key=lambda t: _covered(ink, mine, *t),
    )


def _reduced(ink: NDArray[Any], step: int) -> NDArray[np.float32]:
    """Sums over blocks of step x step."""
    h, w = (-(-n // step) * step for n in ink.shape)
    full = np.zeros((h, w), np.float32)
    full[: ink.shape[0], : ink.shape[1]] = ink
    blocks = full.reshape(h // step, step, w // step, step)
    return np.asarray(blocks.sum(axis=(1, 3)), np.float32)


def _peaks(a: NDArray[np.float32], b: NDArray[np.float32], most: int = 3) -> list[tuple[int, int]]:
    """Shifts of `b` with the highest correlation with `a`."""
    h, w = a.shape[0] + b.shape[0], a.shape[1] + b.shape[1]
    corr = np.fft.irfft2(np.fft.rfft2(a, (h, w)) * np.conj(np.fft.rfft2(b, (h, w))), (h, w))
    found = np.argsort(-np.rint(corr).ravel(), kind="stable")[:most]
    return [
        (int(y - h if y >= a.shape[0] else y), int(x - w if x >= a.shape[1] else x))
        for y, x in zip(*np.unravel_index(found, (h, w)), strict=True)
    ]


def _covered(ink: NDArray[np.uint8], mine: Mask, dy: int, dx: int) -> int:
    """Ink of the fixed rasters under the moved one's ink."""
    top, left = max(0, dy), max(0, dx)
    bottom = min(ink.shape[0], dy + mine.shape[0])
    right = min(ink.shape[1], dx + mine.shape[1])
    if bottom <= top or right <= left:
        return 0
    under = mine[top - dy : bottom - dy, left - dx : right - dx]
    return int(np.count_nonzero(under & (ink[top:bottom, left:right] > 0))) + int(
        np.count_nonzero(under & (ink[top:bottom, left:right] > 1))
    )


def on_one_canvas(fixed: Sequence[Raster], moved: Raster) -> list[Raster]:
    """All rasters on one white canvas, the last moved so that its ink meets that of the others,
    which share one size."""
    dy, dx = shift_between(fixed, moved)
    top, left = min(0, dy), min(0, dx)
    height = max(fixed[0].shape[0], dy + moved.shape[0]) - top
    width = max(fixed[0].shape[1], dx + moved.shape[1]) - left
    out = []
    for (y, x), r in [*(((-top, -left), r) for r in fixed), ((dy - top, dx - left), moved)]:
        canvas = np.full((height, width, 3), 255, np.uint8)
        canvas[y : y + r.shape[0], x : x + r.shape[1]] = r
        out.append(canvas)
    return out


def _range(a: Raster) -> tuple[Raster, Raster]:
    """Per pixel and channel, the lowest and highest value among it and its eight neighbours, with
    the tolerance below and above."""
    p = np.pad(a, ((1, 1), (1, 1), (0, 0)), mode="edge")
    rows_low = np.minimum(np.minimum(p[:-2], p[1:-1]), p[2:])
    rows_high = np.maximum(np.maximum(p[:-2], p[1:-1]), p[2:])
    low = np.minimum(np.minimum(rows_low[:, :-2], rows_low[:, 1:-1]), rows_low[:, 2:])
    high = np.maximum(np.maximum(rows_high[:, :-2], rows_high[:, 1:-1]), rows_high[:, 2:])
    # Without leaving uint8: values below 0 and above 255 mean the same as these ends.
    return np.maximum(low, TOLERANCE) - TOLERANCE, np.minimum(high, 255 - TOLERANCE) + TOLERANCE


def same(a: Raster, b: Raster) -> Mask:
    """Where two rasters draw the same, each within the other's 3x3 range plus the tolerance.

    The range forgives shifts of under a pixel, which a changed page size causes everywhere.
    """

    def within(x: Raster, of: Raster) -> Mask:
        low, high = _range(of)
        fits = (x >= low) & (x <= high)
        return np.asarray(fits[..., 0] & fits[..., 1] & fits[..., 2])

    return within(a, b) & within(b, a)


def _share(hits: Mask, of: Mask) -> float | None:
    n = int(of.sum())
    return int((hits & of).sum()) / n if n else None


def pixel_agreement(original: Raster, golds: Sequence[Raster], candidate: Raster) -> Agreement:
    """Agreement with the gold that fits best. Rasters are HxWx3 uint8 at one scale, any sizes."""
    found = []
    for k, gold in enumerate(golds):
        # The candidate is laid over original and gold together: over the original alone, one that
        # lost all that was kept would be moved to where its edit covers it.
        o, g, c = on_one_canvas(on_one_canvas([original], gold), candidate)
        changed = ~same(o, g)
        inked = (_ink(o) | _ink(c)) & ~changed
        found.append(Agreement(_share(same(c, g), changed), _share(same(c, o), inked), k))
    return max(found, key=lambda a: (a.inside or 0.0, a.outside or 0.0, -a.gold))
