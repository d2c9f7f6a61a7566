"""Rows of a result, each with one outcome and its figures, and what they come to.

Shared by both tracks: a track makes `Row`s of its records and names its `Column`s; means,
intervals, bounds and breakdowns are made here, once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np

from redline.stats import bounds, mean_intervals
from redline.track import Outcome

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


@dataclass(frozen=True)
class Column:
    """A figure of a track: its name, lowest and highest value (infinite where it has none),
    direction, and whether people read it in per cent."""

    name: str
    low: float = 0.0
    high: float = 1.0
    lower_is_better: bool = False
    percent: bool = False

    @property
    def span(self) -> tuple[float, float] | None:
        return (self.low, self.high) if math.isfinite(self.high - self.low) else None


@dataclass(frozen=True)
class Facts:
    """What results need to know of a sample (or a turn of one). The run folder holds them, so
    that results can be had from it alone. `groups` has, by the name of each breakdown, the values
    this sample counts under; rows with one `source_id` are resampled together."""

    id: str
    source_id: str
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def read(cls, value: Mapping[str, Any]) -> Facts:
        groups = {str(k): tuple(map(str, v)) for k, v in value["groups"].items()}
        return cls(str(value["id"]), str(value["source_id"]), groups)

    def as_json(self) -> dict[str, Any]:
        groups = {k: list(v) for k, v in self.groups.items()}
        return {"id": self.id, "source_id": self.source_id, "groups": groups}


@dataclass(frozen=True)
class Row:
    """`metrics` holds only what is defined for the row: a figure that could not be had is absent,
    never a number; `undefined` says why of those that this row can't have. A row without all of
    its verdicts keeps its measures and is unscored."""

    key: str
    sample: Facts
    outcome: Outcome
    reason: str | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    undefined: Mapping[str, str] = field(default_factory=dict)

    @property
    def counts(self) -> bool:
        """Whether its figures enter means."""
        return self.outcome in ("scored", "failed")


@dataclass(frozen=True)
class Metric:
    """A mean with its 95 % interval over n rows; None where one source alone gives no interval.
    `worst` and `best` are the mean had every unscored or missing row got the worst or the best
    value; None where no row is lost or the figure has no bounds. `infinite` rows are counted
    beside the mean of the finite ones (the PSNR of equal pictures)."""

    mean: float | None
    ci95: tuple[float, float] | None
    n: int
    worst: float | None = None
    best: float | None = None
    infinite: int = 0


@dataclass(frozen=True)
class Group:
    """Rows that belong together: how many by outcome, and their metrics by name."""

    n: int
    counts: Mapping[Outcome, int]
    metrics: Mapping[str, Metric]


def summarize(rows: Sequence[Row], columns: Sequence[Column], resamples: int = 10_000) -> Group:
    """Means are over scored and failed rows that have the figure; intervals resample whole
    source pictures. A lost row that has a figure all the same (a measure of a row whose verdict
    is malformed) counts as lost for it too: every mean of a table is over the same outcomes."""
    kept = [r for r in rows if r.counts]
    lost = len(rows) - len(kept)
    there = [c for c in columns if any(c.name in r.metrics for r in kept)]
    table = np.array([[r.metrics.get(c.name, np.nan) for c in there] for r in kept], dtype=float)
    table = table.reshape(len(kept), len(there))
    infinite = np.isinf(table).sum(axis=0)
    table[np.isinf(table)] = np.nan
    clusters = [r.sample.source_id for r in kept]
    found = mean_intervals(table, clusters, resamples, spans=[c.span for c in there])
    metrics = {}
    for column, count, i in zip(there, infinite, found, strict=True):
        could = None
        if lost and column.span is not None:
            could = bounds(i.mean, i.n, lost, *column.span, lower_is_better=column.lower_is_better)
        metrics[column.name] = Metric(
            i.mean,
            (i.low, i.high) if i.low is not None and i.high is not None else None,
            i.n,
            could.worst if could else None,
            could.best if could else None,
            int(count),
        )
    return Group(len(rows), {o: sum(r.outcome == o for r in rows) for o in OUTCOMES}, metrics)


def breakdown(
    rows: Sequence[Row], grouping: str, columns: Sequence[Column], resamples: int = 10_000
) -> dict[str, Group]:
    """One group a value of `grouping`; a row with several values (subtypes) counts in each."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        for value in row.sample.groups.get(grouping, ()):
            groups.setdefault(value, []).append(row)
    return {v: summarize(g, columns, resamples) for v, g in sorted(groups.items())}
