"""What an image result shows: columns in order, what a turn is grouped by, what must be said."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from redline.bench.image_sample import ImageSample, Turn
from redline.image.names import OFFERED, STANDARD, family
from redline.image.overall import PARTS, PENALTY, Average, average, overall
from redline.image.preservation import KEPT
from redline.image.profiles import Profile
from redline.image.task import ImageTask, LeftOut, row_id, single_turn
from redline.rows import Column, Facts, Row

GROUPINGS = ("scale", "source", "turn", "track", "switch", "category", "gold_model")
"""Breakdowns. `Facts.groups` has `context` too, by which low and high edits of one picture pair."""

FIRST, SAME = "first", "same"

PENALTIES: Mapping[str, float] = {
    **{n: PENALTY[n] for n in PARTS if n != "QA"},
    "Overall": 0.0,
}
"""What a failed row counts as in the column NAME_penalised. QA needs no such column: a failed row
has 0 in QA itself. A row in which nothing is right has an Overall of 0."""


def _column(name: str, base: str) -> Column:
    kind = family(base)
    if kind == "PSNR":
        return Column(name, 0.0, math.inf)
    if kind == "LPIPS":
        # Distances lie near 0..1 but nothing holds them below 1.
        return Column(name, 0.0, math.inf, lower_is_better=True)
    return Column(name, -1.0, 1.0)


COLUMNS = (
    *(_column(n, n) for n in STANDARD),
    Column("QA"),
    Column("Overall", -math.inf, math.inf),
    *(_column(n, n.removeprefix("keep_")) for n in KEPT),
    Column("retention"),
    *(_column(f"{n}_penalised", n) for n in PENALTIES if n != "Overall"),
    Column("Overall_penalised", -math.inf, math.inf),
    *(_column(n, n) for n in OFFERED),
)


def columns(judge: Mapping[str, Any] | None = None) -> tuple[Column, ...]:
    """The columns of a result, with those of a judge's rubric (`judge` is an entry of run.json)
    behind the picture measures of the benchmark and its QA."""
    of_rubric = [Column(n, low, high) for n, low, high in (judge or {}).get("columns", ())]
    at = [c.name for c in COLUMNS].index("Overall") + 1
    return (*COLUMNS[:at], *of_rubric, *COLUMNS[at:])


def facts(task: ImageTask) -> list[Facts]:
    """The rows of one epoch as results know them, in order: `id` is SAMPLE/ROUND."""
    one = {step.id: step for step in task.rows()}
    return [_facts(step.sample, step.turn) for step in one.values()]


def _facts(sample: ImageSample, turn: Turn) -> Facts:
    groups = {
        "scale": turn.scale or "none",
        "source": sample.origin or "none",
        "turn": f"{turn.round:02d}",
        "track": "single" if single_turn(sample) else "multi",
        "switch": _switch(sample, turn),
        "category": turn.category or "none",
        "gold_model": sample.gold_model or "none",
        "context": sample.context,
    }
    return Facts(
        row_id(sample.id, turn.round),
        sample.source_id or sample.id,
        {k: (v,) for k, v in groups.items() if v},
    )


def _switch(sample: ImageSample, turn: Turn) -> str:
    """How the scale changed from the turn before it in the benchmark, over a gap too: that is how
    Omni IIE Bench counts its switches."""
    before = [t for t in sample.turns if t.round < turn.round]
    if not before:
        return FIRST
    scales = (before[-1].scale, turn.scale)
    if None in scales:
        return "none"
    return SAME if scales[0] == scales[1] else f"{scales[0]}->{scales[1]}"


def notes(rows: Sequence[Row]) -> Iterator[str]:
    """Sentences that must stand beneath a table of these rows."""
    tracks = {t for r in rows for t in r.sample.groups.get("track", ())}
    if len(tracks) > 1 and any("QA" in r.metrics for r in rows):
        yield (
            "QA of single and multi turns can't be compared: instructions within a dialogue are "
            "shorter and their questions easier."
        )
    for name, reasons in undefined(rows).items():
        told = "; ".join(f"{n}: {reason.rstrip('.')}" for reason, n in reasons.items())
        yield f"{name} leaves out {sum(reasons.values())} rows that can't have it ({told})."
    yield from _overall(rows)
    if any(r.outcome == "failed" for r in rows):
        yield (
            "Failed rows have no picture measures: they count in QA as 0 and in the columns "
            "_penalised (LPIPS 1, SSIM, CLIP and Overall 0), which stand beside the plain means."
        )


def left_out_notes(left_out: Sequence[LeftOut]) -> Iterator[str]:
    """A sentence on the turns of the benchmark that are no rows of a run, where there are any."""
    if left_out:
        first = "; ".join(f"round {x.round} of {x.sample}: {x.why}" for x in left_out[:3])
        more = f"; and {len(left_out) - 3} more" if len(left_out) > 3 else ""
        yield f"Turns of the benchmark left out: {len(left_out)} ({first}{more})."


def undefined(rows: Sequence[Row]) -> dict[str, dict[str, int]]:
    """How many rows that count have no value of a figure, by figure and reason."""
    found: dict[str, dict[str, int]] = {}
    for row in rows:
        if row.counts:
            for name, reason in row.undefined.items():
                reasons = found.setdefault(name, {})
                reasons[reason] = reasons.get(reason, 0) + 1
    return found


def _overall(rows: Sequence[Row]) -> Iterator[str]:
    """Overall is a mean over rows that have all its parts; published tables make it of the means of
    the parts. The two are one number where all rows have all parts."""
    counted = [r for r in rows if r.counts]
    whole = sum("Overall" in r.metrics for r in counted)
    if not 0 < whole < len(counted):
        return
    means = {}
    for name in PARTS:
        values = [r.metrics[name] for r in counted if name in r.metrics]
        means[name] = sum(values) / len(values)
    yield (
        f"Overall is over the {whole} of {len(counted)} rows that have all its parts; made of the "
        f"means of its parts, as published tables are, it is {overall(means):.3f}."
    )


@dataclass(frozen=True)
class _Sides:
    """A row as `overall.average` takes it."""

    metrics: Mapping[str, float]
    areas: Mapping[str, float]


def averages(rows: Sequence[Row], profile: Profile) -> dict[str, Average]:
    """Means as a profile's tables have them: by area where it weighs, and without failed rows where
    it drops them; `Average` has the plain ones beside. `Overall` is made of these means."""
    counted = [r for r in rows if r.outcome == "scored" or (r.counts and profile.failed_count)]
    names = (*STANDARD, *OFFERED, "QA")
    sides = [
        _Sides(
            {n: r.metrics[n] for n in names if n in r.metrics},
            {a: r.metrics[f"area_{a}"] for a in ("FG", "BG") if f"area_{a}" in r.metrics},
        )
        for r in counted
    ]
    found = average(sides, profile)
    means = {n: a.published for n, a in found.items() if a.published is not None}
    plain = {n: a.plain for n, a in found.items() if a.plain is not None}
    shown = overall(means)
    if shown is not None:
        n = min(found[p].n for p in PARTS)
        found["Overall"] = Average(n, overall(plain), None, 0, shown)
    return found
