"""Three baselines whose order is known: oracle (the gold), identity (the round's own input),
degraded (a part of the gold's change)."""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import NDArray
from PIL import Image

BASELINES = ("oracle", "identity", "degraded")
BASELINES_VERSION = 1
"""Raised whenever a baseline gives another picture for the same turn: what was generated before is
then stale."""

TOLERANCE = 16
"""A pixel differs where a channel does by more than this of 255: golds that a model made or JPEG
carried differ by less almost everywhere."""

_BLOCKS = 16  # blocks along the longer side of the picture, at first

Array = NDArray[np.uint8]


def degraded(start: Array, before: Array, gold: Array, seed: str) -> tuple[Array, str | None]:
    """`start` (the round's input) with a seeded half of what the gold changes.

    `before` is the picture that the gold is an edit of; all are height x width x 3, and `before`
    and `gold` are brought to the size of `start`. Where `before` and `gold` differ is cut by a grid
    of 16 blocks along the longer side; blocks are taken in an order drawn by `seed` until half of
    the differing pixels are in them, and of those blocks the differing pixels are copied from the
    gold, no others. A change that lies in one block is cut by a finer grid. With one differing
    pixel or none there is no part to take: `start` is given back, with a note.
    """
    before, gold = _of_size(before, start), _of_size(gold, start)
    differs = (np.abs(before.astype(np.int16) - gold) > TOLERANCE).any(axis=2)
    ys, xs = np.nonzero(differs)
    if len(ys) < 2:
        return start, "The gold's change has no part: counts as identity."
    blocks = _grid(ys, xs, max(start.shape[:2]))
    names, sizes = np.unique(blocks, return_counts=True)
    order = list(range(len(names)))
    random.Random(seed).shuffle(order)
    taken: list[int] = []
    while 2 * sum(int(sizes[k]) for k in taken) < len(ys) and len(taken) < len(order) - 1:
        taken.append(order[len(taken)])
    part = np.isin(blocks, names[taken])
    edited = start.copy()
    edited[ys[part], xs[part]] = gold[ys[part], xs[part]]
    return edited, None


def _grid(ys: NDArray[np.intp], xs: NDArray[np.intp], longest: int) -> NDArray[np.intp]:
    """A number for the block of each pixel, in the coarsest grid that has them in two or more."""
    side = max(1, longest // _BLOCKS)
    while True:
        blocks = (ys // side) * (longest + 1) + xs // side
        if side == 1 or blocks.min() != blocks.max():
            return blocks
        side = (side + 1) // 2


def _of_size(array: Array, like: Array) -> Array:
    height, width = like.shape[:2]
    if array.shape == like.shape:
        return array
    return np.asarray(Image.fromarray(array).resize((width, height), Image.Resampling.LANCZOS))
