"""Pixel agreement with the gold inside and outside what the gold edit changes.

Judge-free figures about pixels. They are not instruction adherence or content preservation: an
edit that is right in another way than the golds scores low inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Raster = NDArray[np.uint8]
Mask = NDArray[np.bool_]

TOLERANCE = 24
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
    return np.asarray((255 - a.min(axis=2).astype(np.int16)) > INK)


def shift_between(a: Sequence[Raster], b: Raster) -> tuple[int, int]:
    """(dy, dx) that moves `b` so that its ink covers most of the ink of all of `a` (rasters of one
    size): the peak of their cross-correlation, by FFT; of equal peaks the smallest shift."""
    rows, columns = a[0].shape[:2]
    h, w = rows + b.shape[0], columns + b.shape[1]
    ink = np.sum([_ink(r).astype(np.float32) for r in a], axis=0)
    fa = np.fft.rfft2(ink, (h, w))
    fb = np.fft.rfft2(_ink(b).astype(np.float32), (h, w))
    corr = np.rint(np.fft.irfft2(fa * np.conj(fb), (h, w)))
    ys, xs = np.nonzero(corr == corr.max())
    dy = np.where(ys >= rows, ys - h, ys)
    dx = np.where(xs >= columns, xs - w, xs)
    k = int(np.argmin(np.abs(dy) + np.abs(dx)))
    return int(dy[k]), int(dx[k])


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


def _range(a: Raster) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    """Per pixel and channel, the lowest and highest value among it and its eight neighbours."""
    p = np.pad(a, ((1, 1), (1, 1), (0, 0)), mode="edge")
    rows_low = np.minimum(np.minimum(p[:-2], p[1:-1]), p[2:])
    rows_high = np.maximum(np.maximum(p[:-2], p[1:-1]), p[2:])
    low = np.minimum(np.minimum(rows_low[:, :-2], rows_low[:, 1:-1]), rows_low[:, 2:])
    high = np.maximum(np.maximum(rows_high[:, :-2], rows_high[:, 1:-1]), rows_high[:, 2:])
    return low.astype(np.int16), high.astype(np.int16)


def same(a: Raster, b: Raster) -> Mask:
    """Where two rasters draw the same, each within the other's 3x3 range plus the tolerance.

    The range forgives shifts of under a pixel, which a changed page size causes everywhere.
    """

    def within(x: Raster, of: Raster) -> Mask:
        low, high = _range(of)
        v = x.astype(np.int16)
        return np.asarray(((v >= low - TOLERANCE) & (v <= high + TOLERANCE)).all(axis=2))

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
