"""Brings pictures to the frame in which they are compared: squashed to a square, or in shape."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from redline.image.profiles import Profile

SAME = 0.01
"""Sizes and aspects that differ by no more than this are taken for the same, and not warned of:
models round sides to multiples of 8 or 16."""

Size = tuple[int, int]
"""Width and height in pixels."""

_FILTERS = {"lanczos": Image.Resampling.LANCZOS, "bicubic": Image.Resampling.BICUBIC}


@dataclass(frozen=True)
class Box:
    """A rectangle: rows `top` to before `bottom`, columns `left` to before `right`."""

    top: int
    bottom: int
    left: int
    right: int

    @property
    def slices(self) -> tuple[slice, slice]:
        return slice(self.top, self.bottom), slice(self.left, self.right)

    @property
    def size(self) -> Size:
        """Width and height."""
        return self.right - self.left, self.bottom - self.top

    @property
    def area(self) -> int:
        return (self.bottom - self.top) * (self.right - self.left)


def aspect_difference(one: Size, other: Size) -> float:
    """How far two aspect ratios differ: 0 for the same, .01 for one per cent, never negative."""
    ratio = (one[0] * other[1]) / (one[1] * other[0])
    return max(ratio, 1 / ratio) - 1


def size_difference(one: Size, other: Size) -> float:
    """The larger of how far widths and heights differ, as `aspect_difference`."""
    return max(max(a / b, b / a) - 1 for a, b in zip(one, other, strict=True))


def frame_of(gold: Size, profile: Profile) -> Size:
    """Width and height of what is compared: a square, or the gold with its long side at `side`."""
    if profile.fit == "squash":
        return profile.side, profile.side
    scale = profile.side / max(gold)
    width, height = (max(1, round(side * scale)) for side in gold)
    return width, height


def place(picture: Size, frame: Size, profile: Profile) -> Box:
    """Where a picture lies in the frame: all of it, unless the aspect is kept and differs by more
    than SAME; then in the middle, as large as fits, and the rest of the frame is left out."""
    width, height = frame
    if profile.fit == "squash" or aspect_difference(picture, frame) <= SAME:
        return Box(0, height, 0, width)
    scale = min(width / picture[0], height / picture[1])
    w = min(width, max(1, round(picture[0] * scale)))
    h = min(height, max(1, round(picture[1] * scale)))
    top, left = (height - h) // 2, (width - w) // 2
    return Box(top, top + h, left, left + w)


def resize(array: NDArray[np.uint8], size: Size, profile: Profile) -> NDArray[np.uint8]:
    """A picture (height x width x 3, uint8) at `size`, by the profile's filter of Pillow's."""
    if (array.shape[1], array.shape[0]) == size:
        return array
    return np.asarray(Image.fromarray(array).resize(size, _FILTERS[profile.resampling]))


def resize_mask(mask: NDArray[np.bool_], size: Size) -> NDArray[np.bool_]:
    """A mask (height x width, bool) at `size`, by the nearest pixel: it stays yes or no."""
    if (mask.shape[1], mask.shape[0]) == size:
        return mask
    image = Image.fromarray(mask.astype(np.uint8)).resize(size, Image.Resampling.NEAREST)
    return np.asarray(image).astype(np.bool_)


def padded_square(array: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A picture in the middle of the smallest square that holds it, black around it."""
    height, width = array.shape[:2]
    if height == width:
        return array
    side = max(height, width)
    square = np.zeros((side, side, array.shape[2]), np.uint8)
    top, left = (side - height) // 2, (side - width) // 2
    square[top : top + height, left : left + width] = array
    return square
