"""Carries a change of a part of a picture through a trunk without computing the rest again.

The foreground's picture is black but for the mask's box, the background's is the whole picture but
for that box. Each layer's output changes only where it sees the box; everything else is the output
for black, or for the whole picture, and is taken from there. Exact up to float32's rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from redline.image.fitting import Box
from redline.image.perceptual.trunks import Layer, Span


class Map(Protocol):
    """One layer's cells for a whole picture."""

    @property
    def size(self) -> tuple[int, int]:
        """Height and width in cells."""

    def window(self, rows: Span, columns: Span) -> Tensor:
        """1 x channels x rows x columns; a view or a copy, not to be written to."""


@dataclass(frozen=True)
class Whole:
    """All cells as they were computed: 1 x channels x height x width."""

    cells: Tensor

    @property
    def size(self) -> tuple[int, int]:
        return self.cells.shape[2], self.cells.shape[3]

    def window(self, rows: Span, columns: Span) -> Tensor:
        return self.cells[:, :, rows[0] : rows[1], columns[0] : columns[1]]


@dataclass(frozen=True)
class Black:
    """The cells of a large black picture, from those of a smaller one: away from the edges all
    are alike, and the edges are too."""

    small: Tensor
    size: tuple[int, int]

    def window(self, rows: Span, columns: Span) -> Tensor:
        down = _folded(rows, self.small.shape[2], self.size[0])
        across = _folded(columns, self.small.shape[3], self.size[1])
        return self.small[:, :, down][:, :, :, across]


SMALL = 256
"""Side of the smaller black picture: its middle lies out of sight of the edges, since the deepest
cells of the three trunks see less than 105 pixels to each side."""

ALIGNMENT = 16
"""Pixels a cell of the last layer: a black picture shorter by a multiple of it ends alike."""


def small_side(pixels: int) -> int:
    """The side of the smaller black picture that stands for one of `pixels`."""
    return pixels if pixels < SMALL + ALIGNMENT else SMALL + pixels % ALIGNMENT


def _folded(span: Span, small: int, large: int) -> Tensor:
    """Where cells of the large map lie in the small one: counted from the nearer edge."""
    index = torch.arange(*span)
    middle = small // 2
    from_end = small - (large - index)
    return torch.where(index < middle, index, from_end.clamp(min=middle))


@dataclass(frozen=True)
class Patch:
    """Cells that differ from their bases', in a box: batch x channels x height x width."""

    box: Box
    cells: Tensor


def advance(layer: Layer, bases: Sequence[Map], patch: Patch) -> Patch | None:
    """The patch after a layer; `bases` (one a member of the batch) are the maps before it. None
    where nothing sees it: a pool may leave out the last row or column."""
    height, width = bases[0].size
    rows = layer.reached((patch.box.top, patch.box.bottom), layer.size(height))
    columns = layer.reached((patch.box.left, patch.box.right), layer.size(width))
    box = Box(*rows, *columns)
    if not box.area:
        return None
    (top, bottom), (left, right) = layer.seen(rows), layer.seen(columns)
    around = patch.cells.new_full(
        (len(bases), patch.cells.shape[1], bottom - top, right - left), layer.outside
    ).contiguous(memory_format=torch.channels_last)
    inside = Box(max(top, 0), min(bottom, height), max(left, 0), min(right, width))
    for member, base in zip(around, bases, strict=True):
        cells = base.window((inside.top, inside.bottom), (inside.left, inside.right))
        down, across = inside.slices
        member[:, _moved(down, top), _moved(across, left)] = cells[0]
    known = Box(
        max(patch.box.top, top),
        min(patch.box.bottom, bottom),
        max(patch.box.left, left),
        min(patch.box.right, right),
    )
    down, across = known.slices
    around[:, :, _moved(down, top), _moved(across, left)] = patch.cells[
        :, :, _moved(down, patch.box.top), _moved(across, patch.box.left)
    ]
    return Patch(box, layer.run(around, 0))


def _moved(part: slice, start: int) -> slice:
    return slice(part.start - start, part.stop - start)
