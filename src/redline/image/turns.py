"""What a dialogue does to a model: curves by turn, decay, retention, gaps and switches of scale.

Pure: everything is worked out from the rows of a result. Intervals resample whole sources
(`source_id`), and with them whole dialogues, never single rounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redline.image.results import COLUMNS, FIRST, SAME
from redline.rows import Column, Group, Row, summarize
from redline.stats import Interval, PairedDifference, bootstrap_means, mean_interval
from redline.stats import paired_difference as paired

RESAMPLES = 2_000
"""Fewer than a table's: an analysis has some hundred intervals."""
_DECIMALS = 12


@dataclass(frozen=True)
class Answer:
    """A question of round `asked_of`, asked about the candidate of round `round` of a dialogue
    (`sample`, `epoch`) in one repeat, and whether the picture answered it rightly."""

    sample: str
    epoch: int
    source_id: str
    asked_of: int
    round: int
    question: str
    correct: bool
    repeat: int = 0


@dataclass(frozen=True)
class TurnPoint:
    """The rows of one round: their means, and `survivors`, the dialogues in which no round up to
    this one failed or was lost, out of `dialogues` that have the round."""

    round: int
    dialogues: int
    survivors: int
    rows: Group


@dataclass(frozen=True)
class Decay:
    """The mean over dialogues of the slope of a figure on the round: change per round, by least
    squares within each dialogue. `left_out` dialogues have it in fewer than two rounds."""

    slope: Interval
    left_out: int


@dataclass(frozen=True)
class Difference:
    """The mean of one set of rows minus that of another, which shares no row with it; `n` and
    `other_n` are the rows with the figure. The interval resamples sources, of both sets at once."""

    difference: Interval
    n: int
    other_n: int


@dataclass(frozen=True)
class Switched:
    """A figure over the turns of one kind of switch, and its difference from turns of the same
    scale as the one before; None for those themselves and for first turns."""

    figure: Interval
    from_same: Difference | None


@dataclass(frozen=True)
class ScaleGap:
    """High minus low. `paired` is over contexts that have both (each the mean of its rows);
    `low_alone` and `high_alone` contexts have one only, `without_context` rows have no context:
    they are dropped from the paired gap and count in `unpaired`, which is over all rows."""

    paired: PairedDifference
    low_alone: int
    high_alone: int
    without_context: int
    unpaired: Difference


@dataclass(frozen=True)
class Retained:
    """Of the questions that a model's picture answered rightly in their own round, the share that
    still was `lag` rounds later; the interval is over `n` such askings."""

    lag: int
    share: Interval


def place(row: Row) -> tuple[str, int, int]:
    """Sample, epoch and round of a row, from its key SAMPLE/ROUND#EPOCH."""
    id_, _, epoch = row.key.rpartition("#")
    sample, _, round_ = id_.rpartition("/")
    return sample, int(epoch), int(round_)


def dialogues(rows: Iterable[Row]) -> dict[tuple[str, int], list[Row]]:
    """Rows of multi-turn samples by sample and epoch, in the order of their rounds."""
    found: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        if "multi" in row.sample.groups.get("track", ()):
            found.setdefault(place(row)[:2], []).append(row)
    return {k: sorted(v, key=lambda r: place(r)[2]) for k, v in found.items()}


def curve(
    rows: Sequence[Row], columns: Sequence[Column], resamples: int = RESAMPLES
) -> list[TurnPoint]:
    """One point a round of the dialogues among `rows`. Fewer dialogues reach late rounds, and other
    ones: read a curve with its counts, and beside `decay`, which is within dialogues."""
    at: dict[int, list[Row]] = {}
    alive: dict[int, int] = {}
    for dialogue in dialogues(rows).values():
        whole = True
        for row in dialogue:
            round_ = place(row)[2]
            whole = whole and row.outcome == "scored"
            at.setdefault(round_, []).append(row)
            alive[round_] = alive.get(round_, 0) + whole
    return [
        TurnPoint(r, len(at[r]), alive[r], summarize(at[r], columns, resamples)) for r in sorted(at)
    ]


def decay(rows: Sequence[Row], name: str, resamples: int = RESAMPLES) -> Decay:
    """How a figure changes from round to round within a dialogue."""
    slopes, sources, left_out = [], [], 0
    for dialogue in dialogues(rows).values():
        points = [(place(r)[2], v) for r in dialogue if (v := _value(r, name)) is not None]
        if len(points) < 2:
            left_out += 1
            continue
        slopes.append(_slope(points))
        sources.append(dialogue[0].sample.source_id)
    return Decay(mean_interval(slopes, sources, resamples), left_out)


def scale_gap(rows: Sequence[Row], name: str, resamples: int = RESAMPLES) -> ScaleGap:
    """How much higher a figure is on high edits (an entity is replaced) than on low ones (an
    attribute changes)."""
    sides: dict[str, list[Row]] = {s: _of(rows, "scale", s) for s in ("low", "high")}
    by: dict[str, dict[str, list[float]]] = {"low": {}, "high": {}}
    source: dict[str, str] = {}
    without = 0
    for side, found in sides.items():
        for row in found:
            value = _value(row, name)
            if value is None:
                continue
            context = next(iter(row.sample.groups.get("context", ())), "")
            if not context:
                without += 1
                continue
            by[side].setdefault(context, []).append(value)
            source[context] = row.sample.source_id
    low, high = ([_mean(by[side].get(c)) for c in source] for side in ("low", "high"))
    return ScaleGap(
        paired(high, low, list(source.values()), resamples),
        low_alone=sum(c not in by["high"] for c in by["low"]),
        high_alone=sum(c not in by["low"] for c in by["high"]),
        without_context=without,
        unpaired=difference(sides["high"], sides["low"], name, resamples),
    )


def switches(rows: Sequence[Row], name: str, resamples: int = RESAMPLES) -> dict[str, Switched]:
    """A figure by how the scale changed from the turn before (low->high: from an attribute to an
    entity), within dialogues."""
    inside = [r for d in dialogues(rows).values() for r in d]
    same = _of(inside, "switch", SAME)
    found: dict[str, Switched] = {}
    for value in sorted({v for r in inside for v in r.sample.groups.get("switch", ())}):
        group = _of(inside, "switch", value)
        values, sources = _values(group, name), [r.sample.source_id for r in group]
        against = None if value in (FIRST, SAME) else difference(group, same, name, resamples)
        found[value] = Switched(mean_interval(values, sources, resamples), against)
    return found


def retention_by_lag(answers: Sequence[Answer], resamples: int = RESAMPLES) -> list[Retained]:
    """How long a change lasts: askings of earlier questions by how many rounds later they were
    asked, given that the question was answered rightly in its own round."""
    own = {
        (a.sample, a.epoch, a.repeat, a.asked_of, a.question): a.correct
        for a in answers
        if a.round == a.asked_of
    }
    by: dict[int, list[Answer]] = {}
    for a in answers:
        was = own.get((a.sample, a.epoch, a.repeat, a.asked_of, a.question))
        if a.round > a.asked_of and was:
            by.setdefault(a.round - a.asked_of, []).append(a)
    return [
        Retained(
            lag,
            mean_interval(
                [float(a.correct) for a in by[lag]],
                [a.source_id for a in by[lag]],
                resamples,
                span=(0.0, 1.0),
            ),
        )
        for lag in sorted(by)
    ]


def difference(
    one: Sequence[Row], other: Sequence[Row], name: str, resamples: int = RESAMPLES
) -> Difference:
    """The mean of a figure over `one` minus that over `other`."""
    a, b = _values(one, name), _values(other, name)
    table = np.full((len(a) + len(b), 2), np.nan)
    table[: len(a), 0], table[len(a) :, 1] = a, b
    counts = [int(np.count_nonzero(~np.isnan(x))) for x in (a, b)]
    if 0 in counts:
        return Difference(Interval(None, None, None, 0, "none"), *counts)
    mean = round(float(np.nanmean(a) - np.nanmean(b)), _DECIMALS)
    sources = [r.sample.source_id for r in (*one, *other)]
    drawn = bootstrap_means(table, sources, resamples)
    apart = drawn[:, 0] - drawn[:, 1]
    apart = apart[~np.isnan(apart)]
    if len(set(sources)) < 2 or not len(apart):
        return Difference(Interval(mean, None, None, sum(counts), "none"), *counts)
    low, high = (round(float(q), _DECIMALS) for q in np.quantile(apart, [0.025, 0.975]))
    return Difference(Interval(mean, low, high, sum(counts)), *counts)


def _of(rows: Iterable[Row], grouping: str, value: str) -> list[Row]:
    return [r for r in rows if value in r.sample.groups.get(grouping, ())]


def _value(row: Row, name: str) -> float | None:
    """A row's figure, where it counts and is finite."""
    value = row.metrics.get(name, math.nan) if row.counts else math.nan
    return value if math.isfinite(value) else None


def _values(rows: Iterable[Row], name: str) -> NDArray[np.float64]:
    found = [_value(r, name) for r in rows]
    return np.array([math.nan if v is None else v for v in found], dtype=np.float64)


def _mean(values: Sequence[float] | None) -> float:
    return sum(values) / len(values) if values else math.nan


def _slope(points: Sequence[tuple[int, float]]) -> float:
    x = np.array([p[0] for p in points], dtype=np.float64)
    y = np.array([p[1] for p in points], dtype=np.float64)
    x -= x.mean()
    return float((x @ (y - y.mean())) / (x @ x))


SHOWN = (
    "QA",
    "Overall",
    "SSIM",
    "LPIPS_FG",
    "CLIP_FG",
    "keep_PSNR",
    "keep_SSIM",
    "retention",
    "SSIM_penalised",
    "Overall_penalised",
)
"""The figures that `analyse` looks at unless told otherwise."""


@dataclass(frozen=True)
class TurnAnalysis:
    """All of this module for the rows of one run; figures by name, where any row has them."""

    curve: Sequence[TurnPoint]
    decay: Mapping[str, Decay]
    gaps: Mapping[str, ScaleGap]
    switches: Mapping[str, Mapping[str, Switched]]
    retained: Sequence[Retained]

    def as_json(self) -> dict[str, Any]:
        """Nested dictionaries and lists of numbers, texts and None."""
        return asdict(self)


def analyse(
    rows: Sequence[Row],
    answers: Sequence[Answer] = (),
    names: Sequence[str] = SHOWN,
    resamples: int = RESAMPLES,
) -> TurnAnalysis:
    """The whole analysis of a run's rows and of the answers that `rows.answers` found."""
    there = [c for c in COLUMNS if c.name in names and any(c.name in r.metrics for r in rows)]
    told = [c.name for c in there]
    return TurnAnalysis(
        curve(rows, there, resamples),
        {n: decay(rows, n, resamples) for n in told},
        {n: scale_gap(rows, n, resamples) for n in told},
        {n: switches(rows, n, resamples) for n in told},
        retention_by_lag(answers, resamples),
    )
