"""Pixel agreement with the gold inside and outside what the gold edit changes.

Judge-free figures about pixels. They are not instruction adherence or content preservation: an
edit that is right in another way than the golds scores low inside.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Raster = NDArray[np.uint8]
Mask = NDArray[np.bool_]
Ink = NDArray[Any]
"""Ink of a page (0, 1, or 2 where two pages have some), or sums of it over blocks of pixels."""
Shift = tuple[int, int]

AGREEMENT_VERSION = 2
"""Raised whenever these figures change for the same pictures: older ones are then stale."""

COARSE_PX = 256
NEAREST, KEPT = 3, 6

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

    Searched from coarse to fine, each level twice as fine as the one before. It starts, on rasters
    reduced to 256 to 511 pixels, from the peaks of the cross-correlation (by FFT) and the four
    alignments of corners; around the best of them every shift within a pixel of each level is
    counted. So a pixel is compared some 70 times at most, however large the pages are.
    """
    ink = np.asarray([_ink(r) for r in a]).sum(axis=0, dtype=np.uint8)
    levels = [(ink, _ink(b).view(np.uint8))]
    while max(*levels[-1][0].shape, *levels[-1][1].shape) >= 2 * COARSE_PX:
        levels.append((_halved(levels[-1][0]), _halved(levels[-1][1])))
    dh, dw = (n - m for n, m in zip(ink.shape, b.shape, strict=False))
    corners = {(y, x) for y in (0, dh) for x in (0, dw)}
    step = 2 ** (len(levels) - 1)
    starts = {(round(y / step), round(x / step)) for y, x in corners} | _peaks(*levels[-1])
    for fixed, moved in reversed(levels[1:]):
        starts = {(2 * y, 2 * x) for y, x in _climb(fixed, moved, starts)}
    return _best(*levels[0], _climb(*levels[0], starts) | corners | {(0, 0)})


def _climb(fixed: Ink, moved: Ink, starts: set[Shift]) -> set[Shift]:
    """The best three shifts within a pixel of each start, and of these the six that cover most:
    fewer lost the best shift of unlike pages, more found no better one."""
    covers: dict[Shift, int] = {}
    found = set()
    for y, x in starts:
        near = [(y + i, x + j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
        covers |= {t: _covered(fixed, moved, *t) for t in near if t not in covers}
        found |= set(sorted(_smallest_first(near), key=lambda t: -covers[t])[:NEAREST])
    return set(sorted(_smallest_first(found), key=lambda t: -covers[t])[:KEPT])


def _best(fixed: Ink, moved: Ink, tries: set[Shift]) -> Shift:
    return max(_smallest_first(tries), key=lambda t: _covered(fixed, moved, *t))


def _smallest_first(shifts: Iterable[Shift]) -> list[Shift]:
    return sorted(shifts, key=lambda t: (abs(t[0]) + abs(t[1]), t))


def _halved(ink: Ink) -> Ink:
    """Sums over blocks of 2 x 2."""
    h, w = (n + n % 2 for n in ink.shape)
    full = np.zeros((h, w), np.float64)
    full[: ink.shape[0], : ink.shape[1]] = ink
    rows = full[::2] + full[1::2]
    return np.asarray(rows[:, ::2] + rows[:, 1::2])


def _peaks(a: Ink, b: Ink, most: int = 3) -> set[Shift]:
    """Shifts of `b` with the highest correlation with `a`."""
    h, w = a.shape[0] + b.shape[0], a.shape[1] + b.shape[1]
    corr = np.fft.irfft2(np.fft.rfft2(a, (h, w)) * np.conj(np.fft.rfft2(b, (h, w))), (h, w))
    found = np.argsort(-np.rint(corr).ravel(), kind="stable")[:most]
    return {
        (int(y - h if y >= a.shape[0] else y), int(x - w if x >= a.shape[1] else x))
        for y, x in zip(*np.unravel_index(found, (h, w)), strict=True)
    }


def _covered(fixed: Ink, moved: Ink, dy: int, dx: int) -> int:
    """Ink of the fixed rasters under the moved one's ink: the sum of their products, exact."""
    top, left = max(0, dy), max(0, dx)
    bottom = min(fixed.shape[0], dy + moved.shape[0])
    right = min(fixed.shape[1], dx + moved.shape[1])
    if bottom <= top or right <= left:
        return 0
    under = moved[top - dy : bottom - dy, left - dx : right - dx]
    over = fixed[top:bottom, left:right]
    if over.dtype == np.uint8:
        return int((over * under).sum(dtype=np.int64))
    return int(np.einsum("ij,ij->", over, under))


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


@dataclass(frozen=True)
class _Page:
    """A raster with the range of each pixel, made once for all it is compared with."""

    raster: Raster
    low: Raster
    high: Raster

    @classmethod
    def of(cls, raster: Raster) -> _Page:
        return cls(raster, *_range(raster))

    def within(self, other: _Page) -> Mask:
        fits = (self.raster >= other.low) & (self.raster <= other.high)
        return np.asarray(fits[..., 0] & fits[..., 1] & fits[..., 2])

    def same(self, other: _Page) -> Mask:
        return self.within(other) & other.within(self)


def same(a: Raster, b: Raster) -> Mask:
    """Where two rasters draw the same, each within the other's 3x3 range plus the tolerance.

    The range forgives shifts of under a pixel, which a changed page size causes everywhere.
    """
    return _Page.of(a).same(_Page.of(b))


def _share(hits: Mask, of: Mask) -> float | None:
    n = int(of.sum())
    return int((hits & of).sum()) / n if n else None


def pixel_agreement(original: Raster, golds: Sequence[Raster], candidate: Raster) -> Agreement:
    """Agreement with the gold that fits best. Rasters are HxWx3 uint8 at one scale, any sizes."""
    found = []
    for k, gold in enumerate(golds):
        # The candidate is laid over original and gold together: over the original alone, one that
        # lost all that was kept would be moved to where its edit covers it.
        laid = on_one_canvas(on_one_canvas([original], gold), candidate)
        o, g, c = (_Page.of(r) for r in laid)
        changed = ~o.same(g)
        inked = (_ink(o.raster) | _ink(c.raster)) & ~changed
        found.append(Agreement(_share(c.same(g), changed), _share(c.same(o), inked), k))
    return max(found, key=lambda a: (a.inside or 0.0, a.outside or 0.0, -a.gold))
