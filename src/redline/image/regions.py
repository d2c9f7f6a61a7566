"""The foreground and background of a frame, how much of it each covers, and when one is empty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from redline.image.fitting import Box


@dataclass(frozen=True)
class Regions:
    """`foreground` is height x width, bool; None where the turn has no mask."""

    foreground: NDArray[np.bool_] | None

    def of(self, region: str) -> NDArray[np.bool_] | None:
        """The pixels of FG or BG."""
        if self.foreground is None:
            return None
        return self.foreground if region == "FG" else ~self.foreground

    @property
    def shares(self) -> dict[str, float]:
        """The part of the frame that FG and BG cover, 0 to 1; empty without a mask."""
        if self.foreground is None:
            return {}
        share = float(self.foreground.mean())
        return {"FG": share, "BG": 1 - share}

    @property
    def faults(self) -> dict[str, str]:
        """Why FG or BG (or both) can't be measured; regions that can are not named."""
        if self.foreground is None:
            return dict.fromkeys(("FG", "BG"), "There is no mask.")
        if not self.foreground.any():
            return {"FG": "The mask has no foreground."}
        if self.foreground.all():
            return {"BG": "The mask covers the whole picture, so there is no background."}
        return {}

    @property
    def box(self) -> Box | None:
        """The smallest box around the foreground; None where there is none."""
        if self.foreground is None or not self.foreground.any():
            return None
        rows = np.flatnonzero(self.foreground.any(axis=1))
        columns = np.flatnonzero(self.foreground.any(axis=0))
        return Box(int(rows[0]), int(rows[-1]) + 1, int(columns[0]), int(columns[-1]) + 1)

    def cropped(self, box: Box) -> Regions:
        """The same regions within a part of the frame."""
        return Regions(None if self.foreground is None else self.foreground[box.slices])


def square_around(box: Box, height: int, width: int) -> Box:
    """The smallest square that holds `box`, moved to lie inside a frame; where the frame is too
    narrow for that, as much of the square as fits."""
    side = max(box.bottom - box.top, box.right - box.left)

    def span(low: int, high: int, limit: int) -> tuple[int, int]:
        start = min(max(0, low - (side - (high - low)) // 2), max(0, limit - side))
        return start, min(limit, start + side)

    return Box(*span(box.top, box.bottom, height), *span(box.left, box.right, width))


def masked(array: NDArray[np.uint8], region: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """The picture with everything outside `region` black."""
    return array * region[..., None].astype(np.uint8)
