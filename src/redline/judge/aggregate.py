"""One number from the scores of a verdict, as a rubric's `[overall]` table says."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Aggregate:
    """How a verdict's scores `of` some scales come to one number called `name`. With `cap` none of
    them counts for more than the score of that scale. Its range is that of the scales, which all
    have one."""

    name: str
    how: Literal["mean", "geometric_mean"]
    of: tuple[str, ...]
    low: int
    high: int
    cap: str | None = None

    def value(self, scores: Mapping[str, int | bool]) -> float:
        """Of one verdict: the mean over verdicts is taken of this, not this of means."""
        most = scores[self.cap] if self.cap else self.high
        taken = [min(scores[name], most) for name in self.of]
        if self.how == "geometric_mean":
            return float(math.prod(taken) ** (1 / len(taken)))
        return sum(taken) / len(taken)
