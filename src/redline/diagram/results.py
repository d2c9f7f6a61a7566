"""From rows to a result: means with intervals, counts by outcome, breakdowns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from redline.diagram.rows import Row
from redline.stats import Interval, bounds, mean_interval

OUTCOMES = ("scored", "failed", "unscored", "missing")
SCALE_1_5 = frozenset({"IA", "CP", "DR", "code_IA", "code_CP", "oes_min", "oes_judged"})
RATES = frozenset({"FSR", "CFR", "CFR_strict", "residue"})
ORDER = (
    "IA", "CP", "DR", "FSR", "residue", "CFR", "CFR_strict",
    "code_IA", "code_CP", "oes_min", "oes_judged",
    "code_similarity", "px_inside", "px_outside",
)  # fmt: skip


@dataclass(frozen=True)
class Metric:
    """A mean with its 95 % interval over n rows. `worst` and `best` are what the mean would be
    had every unscored or missing row got the lowest or highest value; None where there is none."""

    mean: float
    ci95: tuple[float, float]
    n: int
    worst: float | None = None
    best: float | None = None


@dataclass(frozen=True)
class Group:
    """Rows that belong together: how many by outcome, and their metrics by name."""

    n: int
    counts: Mapping[str, int]
    metrics: Mapping[str, Metric]


def counts(rows: Sequence[Row]) -> dict[str, int]:
    """Rows by outcome; all four are always there."""
    return {o: sum(r.outcome == o for r in rows) for o in OUTCOMES}


def summarize(rows: Sequence[Row], resamples: int = 10_000) -> Group:
    """Means are over scored and failed rows that have the figure; intervals resample whole
    source pictures."""
    kept = [r for r in rows if r.outcome in ("scored", "failed")]
    lost = len(rows) - len(kept)
    names = [n for n in ORDER if any(n in r.metrics for r in kept)]
    metrics = {}
    for name in names:
        having = [r for r in kept if name in r.metrics]
        values = [r.metrics[name] for r in having]
        clusters = [r.sample.source_id or r.sample.id for r in having]
        found: Interval = mean_interval(values, clusters, rate=name in RATES, resamples=resamples)
        low, high = (1.0, 5.0) if name in SCALE_1_5 else (0.0, 1.0)
        worst, best = bounds(values, lost, low, high) if lost else (None, None)
        metrics[name] = Metric(found.mean, (found.low, found.high), found.n, worst, best)
    return Group(len(rows), counts(rows), metrics)


GROUPINGS: Mapping[str, Callable[[Row], Sequence[str]]] = {
    "edit_type": lambda r: [r.sample.edit_type],
    "operations": lambda r: [str(r.sample.operations)],
    "drawn_with": lambda r: [r.sample.drawn_with or "not drawn"],
    "subtype": lambda r: list(r.sample.subtypes) or ["none"],
    "gold_model": lambda r: [r.sample.gold_model or "none"],
}


def breakdown(
    rows: Sequence[Row], by: Callable[[Row], Sequence[str]], resamples: int = 10_000
) -> dict[str, Group]:
    """One group a value; a row with several values (subtypes) counts in each."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        for value in by(row):
            groups.setdefault(value, []).append(row)
    return {v: summarize(g, resamples) for v, g in sorted(groups.items())}
