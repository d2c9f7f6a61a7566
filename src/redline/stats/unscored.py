"""What rows without a number could still do to a mean."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Bounds:
    """The mean if every unscored row got the worst value, and if every one got the best."""

    worst: float
    best: float


def bounds(
    mean: float | None,
    n: int,
    unscored: int,
    low: float,
    high: float,
    *,
    lower_is_better: bool = False,
) -> Bounds | None:
    """Bounds of a mean over `n` scored and failed rows when `unscored` more lie in low..high.

    None where there is no row at all. Raises ValueError for counts below 0 or low above high.
    """
    if n < 0 or unscored < 0 or low > high:
        raise ValueError(f"no bounds exist for n={n}, unscored={unscored}, {low}..{high}")
    if n + unscored == 0:
        return None
    known = n * mean if n and mean is not None else 0.0
    ends = ((known + unscored * low) / (n + unscored), (known + unscored * high) / (n + unscored))
    worst, best = reversed(ends) if lower_is_better else ends
    return Bounds(worst, best)
