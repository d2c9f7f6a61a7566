"""What a drawn or edited context is made of, before it is written as lines and files."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tools.mini_image.edits import Picture, Region


@dataclass(frozen=True)
class Edit:
    """One turn: what is asked, the picture that is right after it, and questions about that, each
    answered "yes" or "no". `overlay` is a drawing over the picture (height x width x 4, 0 to 1)."""

    scale: str
    instruction: str
    gold: Picture
    questions: dict[str, str]
    overlay: Region | None = None
    core: NDArray[np.bool_] | None = None
    """Where the thing is that was edited, before or after: known in drawn scenes."""
    round: int = 1
    dropped: bool = False
    """A round that was filtered out: its picture is only where the next one starts from."""


@dataclass(frozen=True)
class Context:
    """One picture with a low and a high edit of it, and perhaps a dialogue that starts from it."""

    name: str
    source: Picture
    low: Edit
    high: Edit
    dialogue: list[Edit] = field(default_factory=list)
    least: int = 5
    """Changes smaller than this (in steps of 255) are left out of golds and masks."""
