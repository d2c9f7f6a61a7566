"""From rows to a result: means with intervals, counts by outcome, breakdowns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np

from redline.diagram.rows import Row
from redline.stats import bounds, mean_intervals
from redline.track import Outcome

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
SCALE_1_5 = frozenset({"IA", "CP", "DR", "code_IA", "code_CP", "oes_min", "oes_judged"})
LOWER_IS_BETTER = frozenset({"CFR", "CFR_strict", "residue"})
ORDER = (
    "IA", "CP", "DR", "FSR", "residue", "CFR", "CFR_strict",
    "code_IA", "code_CP", "oes_min", "oes_judged",
    "code_similarity", "px_inside", "px_outside",
)  # fmt: skip


@dataclass(frozen=True)
class Metric:
    """A mean with its 95 % interval over n rows; None where one source alone gives no interval.
    `worst` and `best` are the mean had every unscored or missing row got the worst or the best
    value; None where no row is lost."""

    mean: float
    ci95: tuple[float, float] | None
    n: int
    worst: float | None = None
    best: float | None = None


@dataclass(frozen=True)
class Group:
    """Rows that belong together: how many by outcome, and their metrics by name."""

    n: int
    counts: Mapping[Outcome, int]
    metrics: Mapping[str, Metric]


def span(name: str) -> tuple[float, float]:
    """Lowest and highest value of a metric."""
    return (1.0, 5.0) if name in SCALE_1_5 else (0.0, 1.0)


def summarize(rows: Sequence[Row], resamples: int = 10_000) -> Group:
    """Means are over scored and failed rows that have the figure; intervals resample whole
    source pictures. A lost row that has a figure all the same (a measure of a row whose verdict
    is malformed) counts as lost for it too: every mean of a table is over the same outcomes."""
    kept = [r for r in rows if r.outcome in ("scored", "failed")]
    lost = len(rows) - len(kept)
    names = [n for n in ORDER if any(n in r.metrics for r in kept)]
    table = np.array([[r.metrics.get(n, np.nan) for n in names] for r in kept], dtype=float)
    table = table.reshape(len(kept), len(names))
    clusters = [r.sample.source_id for r in kept]
    found = mean_intervals(table, clusters, resamples, spans=[span(n) for n in names])
    metrics = {}
    for name, i in zip(names, found, strict=True):
        if i.mean is None:
            continue
        could = bounds(
            i.mean, i.n, lost, *span(name), lower_is_better=name in LOWER_IS_BETTER
        ) if lost else None  # fmt: skip
        metrics[name] = Metric(
            i.mean,
            (i.low, i.high) if i.low is not None and i.high is not None else None,
            i.n,
            could.worst if could else None,
            could.best if could else None,
        )
    return Group(len(rows), {o: sum(r.outcome == o for r in rows) for o in OUTCOMES}, metrics)


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
