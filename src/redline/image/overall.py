"""Means of picture measures by a profile, what failed rows cost, and Overall: formulas only."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from redline.image.names import REGION_OF
from redline.image.profiles import Profile

LPIPS = ("LPIPS_ALL", "LPIPS_FG", "LPIPS_BG")
CLIP = ("CLIP_ALL", "CLIP_FG", "CLIP_BG")
PARTS = (*LPIPS, *CLIP, "QA", "SSIM")
"""What Overall is made of."""

PENALTY: Mapping[str, float] = {name: 1.0 if name in LPIPS else 0.0 for name in PARTS}
"""What a row without a usable candidate counts as beside the plain means. PSNR has no worst value
to give it."""


class Measured(Protocol):
    """What a mean is made of; `Figures` is one."""

    @property
    def metrics(self) -> Mapping[str, float]: ...
    @property
    def areas(self) -> Mapping[str, float]: ...


class Lost(Protocol):
    """A row that failed; `Fault` is one."""

    @property
    def undefined(self) -> Mapping[str, str]: ...


@dataclass(frozen=True)
class Average:
    """A measure over `n` rows that have it. `plain` is the mean of its finite values, `weighted`
    (of a region's measure) the mean by that region's area; None where there is nothing to take it
    of. `infinite` values (PSNR of equal pictures) are counted and left out. `published` is the one
    that the profile's tables show."""

    n: int
    plain: float | None
    weighted: float | None
    infinite: int
    published: float | None


def average(rows: Iterable[Measured], profile: Profile) -> dict[str, Average]:
    """Means of every measure that any row has, in one pass. The weight of a row is the part of its
    picture that the region covers, so that an empty region weighs nothing."""
    sums: dict[str, _Sum] = {}
    for row in rows:
        for name, value in row.metrics.items():
            sums.setdefault(name, _Sum()).add(value, row.areas.get(REGION_OF.get(name, "")))
    return {name: s.average(name in profile.weighted) for name, s in sums.items()}


class _Sum:
    def __init__(self) -> None:
        self._values: list[float] = []
        self._weights: list[float | None] = []
        self._infinite = 0

    def add(self, value: float, weight: float | None) -> None:
        if math.isinf(value):
            self._infinite += 1
            return
        self._values.append(value)
        self._weights.append(weight)

    def average(self, by_area: bool) -> Average:
        n = len(self._values)
        plain = math.fsum(self._values) / n if n else None
        pairs = [(v, w) for v, w in zip(self._values, self._weights, strict=True) if w is not None]
        total = math.fsum(w for _, w in pairs)
        weighted = math.fsum(v * w for v, w in pairs) / total if total else None
        shown = weighted if by_area else plain
        return Average(n + self._infinite, plain, weighted, self._infinite, shown)


def penalised(
    rows: Sequence[Measured], failed: Sequence[Lost], names: Iterable[str]
) -> dict[str, float]:
    """Means of those `names` (of PARTS) that were measured, where each failed row counts by its
    PENALTY unless no candidate could have had the measure there."""
    means = {}
    for name in names:
        values = [r.metrics[name] for r in rows if name in r.metrics]
        lost = sum(name not in f.undefined for f in failed)
        if values or lost:
            means[name] = (math.fsum(values) + PENALTY[name] * lost) / (len(values) + lost)
    return means


def overall(means: Mapping[str, float]) -> float | None:
    """1/4 [(3 - sum LPIPS)/3 + (sum CLIP)/3 + QA + SSIM] (Omni IIE Bench), of the figures of a row
    or of means; None where one of PARTS is not there."""
    if any(name not in means for name in PARTS):
        return None
    lpips = sum(means[n] for n in LPIPS)
    clip = sum(means[n] for n in CLIP)
    return ((3 - lpips) / 3 + clip / 3 + means["QA"] + means["SSIM"]) / 4
