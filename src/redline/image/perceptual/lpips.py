"""LPIPS v0.1 (Zhang et al. 2018, arXiv 1801.03924) of a picture, its foreground and background.

One pass of the trunk a picture; what the two regions add are patches on it. A gold's features are
kept, so that further candidates cost one pass each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from redline.errors import UserError
from redline.image.fitting import Box
from redline.image.perceptual.opening import tensors
from redline.image.perceptual.patches import Black, Map, Patch, Whole, advance, small_side
from redline.image.perceptual.trunks import layers
from redline.image.perceptual.weights import Weights
from redline.image.regions import Regions

SMALLEST = 32
"""Pixels below which a side is too short for the pools of a trunk."""

# The mean and deviation of ImageNet's pixels, for pictures from -1 to 1.
_SHIFT = torch.tensor([-0.030, -0.088, -0.188])[:, None, None]
_SCALE = torch.tensor([0.458, 0.448, 0.450])[:, None, None]
_EPSILON = 1e-10


@dataclass(frozen=True)
class Tap:
    """A layer's features, each cell's of length 1: of the whole picture, and of foreground and
    background (in this order) within the box where they differ from black and from it."""

    whole: Tensor
    patch: Patch | None


@dataclass(frozen=True)
class Features:
    """What a picture is compared by. With `normalised-twice` the regions are patches on a picture
    of another range than the one compared as a whole, so there are two passes."""

    passes: tuple[tuple[Tap, ...], ...]


class Lpips:
    """Distances by one trunk. Safe to share between threads."""

    def __init__(self, trunk: str, weights: Weights, dtype: torch.dtype, twice: bool) -> None:
        """`twice`: regions are normalised twice (profile `upstream`). Raises UserError where a
        file does not hold the trunk's weights."""
        state = tensors(weights.tensors)
        # The classifier is never used.
        state = {k: v.to(dtype) for k, v in state.items() if k.startswith("features.")}
        try:
            self._layers = layers(trunk, state)
        except (KeyError, ValueError) as e:
            raise UserError(
                f"{weights.tensors} does not hold torchvision's weights of this trunk: "
                f"{e.args[0]} is missing or of another shape."
            ) from e
        heads = tensors(weights.other)
        taps = sum(layer.tap for layer in self._layers)
        self._heads = [heads[f"lin{i}.model.1.weight"].flatten() for i in range(taps)]
        self._dtype = dtype
        self._twice = twice
        self._black: dict[tuple[int, int], list[Tensor]] = {}

    def features(self, picture: NDArray[np.uint8], regions: Regions | None) -> Features:
        """Features of a picture (height x width x 3, uint8) and of its regions, where given (with
        a foreground, which may be empty)."""
        with torch.inference_mode():
            return Features(tuple(tuple(taps) for taps in self._passes(picture, regions)))

    def distances(
        self, gold: Features, picture: NDArray[np.uint8], regions: Regions | None
    ) -> dict[str, float]:
        """LPIPS of ALL, and with regions of FG and BG, to a gold with features of the same ones.
        Pictures and regions must have the gold's size. An empty region's distance is 0."""
        with torch.inference_mode():
            sums = [
                self._sum(theirs, mine)
                for mine, theirs in zip(self._passes(picture, regions), gold.passes, strict=True)
            ]
        found = {"ALL": sums[0][0]}
        return found if regions is None else found | {"FG": sums[-1][1], "BG": sums[-1][2]}

    def _passes(
        self, picture: NDArray[np.uint8], regions: Regions | None
    ) -> Iterator[Iterator[Tap]]:
        # 0 to 1, then -1 to 1.
        values = torch.from_numpy(picture.copy()).permute(2, 0, 1).float().div_(255) * 2 - 1
        if regions is None:
            yield self._taps(values, None, None)
            return
        if self._twice:
            yield self._taps(values, None, None)
            values = values * 2 - 1
        assert regions.foreground is not None
        yield self._taps(values, torch.from_numpy(regions.foreground), regions.box)

    def _taps(self, values: Tensor, foreground: Tensor | None, box: Box | None) -> Iterator[Tap]:
        """Features layer by layer, so that a candidate's need not be kept."""
        cells = self._input(values)
        patch: Patch | None = None
        black: list[Tensor] = []
        if foreground is not None and box is not None:
            part, inside = values[:, *box.slices], foreground[box.slices]
            masked = [torch.where(m, part, -1.0) for m in (inside, ~inside)]
            patch = Patch(box, torch.cat([self._input(m) for m in masked]))
            black = self._black_cells(*cells.shape[2:])
        for i, layer in enumerate(self._layers):
            if patch is not None:
                size = (cells.shape[2], cells.shape[3])
                bases: Sequence[Map] = (Black(black[i], size), Whole(cells))
                patch = advance(layer, bases, patch)
            cells = layer.run(cells, layer.padding)
            if layer.tap:
                yield Tap(_unit(cells), patch and Patch(patch.box, _unit(patch.cells)))

    def _input(self, values: Tensor) -> Tensor:
        cells: Tensor = ((values - _SHIFT) / _SCALE)[None].to(self._dtype)
        return cells.contiguous(memory_format=torch.channels_last)

    def _black_cells(self, height: int, width: int) -> list[Tensor]:
        """What goes into each layer for a small black picture. Two threads may both make it."""
        key = small_side(height), small_side(width)
        if key not in self._black:
            cells = self._input(torch.full((3, *key), -1.0))
            made = []
            for layer in self._layers:
                made.append(cells)
                cells = layer.run(cells, layer.padding)
            self._black[key] = made
        return self._black[key]

    def _sum(self, gold: Sequence[Tap], candidate: Iterator[Tap]) -> tuple[float, float, float]:
        """Distances of the whole picture, the foreground's and the background's, summed over the
        layers; without a patch the foreground is all black and the background is the whole."""
        whole = foreground = background = 0.0
        for mine, theirs, head in zip(candidate, gold, self._heads, strict=True):
            cells = _differences(mine.whole, theirs.whole, head)[0]
            total, count = _total(cells), cells.numel()
            whole += total / count
            if mine.patch is not None and theirs.patch is not None:
                inside, outside = _differences(mine.patch.cells, theirs.patch.cells, head)
                foreground += _total(inside) / count
                total += _total(outside) - _total(cells[mine.patch.box.slices])
            background += total / count
        return whole, foreground, background


def _unit(cells: Tensor) -> Tensor:
    cells = cells.float()
    length = torch.linalg.vector_norm(cells, dim=1, keepdim=True)
    directions: Tensor = cells / (length + _EPSILON)
    return directions


def _differences(one: Tensor, other: Tensor, head: Tensor) -> Tensor:
    """Weighted squared differences: batch x height x width."""
    squares = one - other
    squares.mul_(squares)
    weighted: Tensor = squares.permute(0, 2, 3, 1) @ head
    return weighted


def _total(cells: Tensor) -> float:
    return float(cells.sum(dtype=torch.float64))
