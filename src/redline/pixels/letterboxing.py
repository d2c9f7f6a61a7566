"""Fits pictures into a square by padding, reducing only what is larger; never stretches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

WHITE = (255, 255, 255)


@dataclass(frozen=True)
class Placement:
    """Where a picture lies in its square of `side` pixels; all in pixels of the square."""

    left: int
    top: int
    width: int
    height: int
    side: int

    def undo(self, array: NDArray[Any]) -> NDArray[Any]:
        """The picture's part of a square array (a view). Raises ValueError for another size."""
        if array.shape[:2] != (self.side, self.side):
            raise ValueError(
                f"Placement.undo needs an array of {self.side} x {self.side} pixels, got "
                f"{array.shape[1]} x {array.shape[0]}."
            )
        return array[self.top : self.top + self.height, self.left : self.left + self.width]


def letterbox(
    array: NDArray[np.uint8], side: int, fill: tuple[int, ...] = WHITE
) -> tuple[NDArray[np.uint8], Placement]:
    """The picture (height x width x channels, uint8) in the middle of a square of `side` pixels.

    A picture that fits is only padded with `fill`, its pixels untouched; a larger one is first
    reduced by Pillow's Lanczos filter so that its long side is `side`. Raises ValueError for a
    side below 1, an empty picture or a fill of another number of channels.
    """
    height, width = array.shape[:2]
    if side < 1 or height < 1 or width < 1:
        raise ValueError(f"A {width} x {height} picture can't be put into a square of {side}.")
    if array.ndim != 3 or array.shape[2] != len(fill):
        raise ValueError(f"An array of shape {array.shape} can't be padded with {fill}.")
    inner = array
    if max(height, width) > side:
        scale = side / max(height, width)
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        inner = np.asarray(Image.fromarray(array).resize(size, Image.Resampling.LANCZOS))
        height, width = inner.shape[:2]
    placement = Placement((side - width) // 2, (side - height) // 2, width, height, side)
    square = np.empty((side, side, array.shape[2]), dtype=np.uint8)
    square[:] = np.asarray(fill, dtype=np.uint8)
    placement.undo(square)[:] = inner
    return square, placement
