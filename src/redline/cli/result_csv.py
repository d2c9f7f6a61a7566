"""Results as CSV: one line a run (or group), one column a number."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from redline.cli.result_tables import OUTCOMES, judge_words, name_of, picked

if TYPE_CHECKING:
    from redline.cli.reading_runs import RunView

ABOUT = (
    "run", "model", "condition", "benchmark", "benchmark_hash", "sample_set_hash", "judge",
    "judge_details", "prompts", "complete",
)  # fmt: skip
"""What each line says of its run, so that no number stands without its judge and hashes."""


def result_csv(views: Sequence[RunView], by: str | None = None, metrics: Sequence[str] = ()) -> str:
    """Plain numbers, rates as fractions; each figure as mean, low and high end of its 95 %
    interval, rows it is over, and worst and best had lost rows counted. Undefined is empty."""
    columns = [c.name for c in picked([c for v in views for c in v.columns], metrics)]
    groups = [
        (v, value, group)
        for v in views
        for value, group in (v.by(by).items() if by else [("", v.whole())])
    ]
    there = [c for c in columns if any(c in g.metrics for _, _, g in groups)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    parts = ("", "_low", "_high", "_n", "_worst", "_best")
    head = [*([by] if by else []), "rows", *OUTCOMES, *(c + p for c in there for p in parts)]
    writer.writerow([*ABOUT, *head])
    for v, value, group in groups:
        numbers: list[object] = [group.n, *(group.counts[o] for o in OUTCOMES)]  # type: ignore[index]
        for name in there:
            m = group.metrics.get(name)
            ends = m.ci95 if m and m.ci95 else (None, None)
            numbers += [m.mean, *ends, m.n, m.worst, m.best] if m else [None] * len(parts)
        writer.writerow(
            [*_about(v), *([value] if by else []), *("" if x is None else x for x in numbers)]
        )
    return out.getvalue()


def rows_csv(views: Sequence[RunView]) -> str:
    """One line a row of every run: its outcome, why, the values it is grouped by, its figures."""
    names = list(dict.fromkeys(c.name for v in views for c in v.columns))
    there = [n for n in names if any(n in r.metrics for v in views for r in v.rows)]
    groupings = list(dict.fromkeys(g for v in views for g in v.groupings))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["run", "model", "row", "outcome", "reason", *groupings, *there])
    for v in views:
        for r in v.rows:
            values = ["; ".join(r.sample.groups.get(g, ())) for g in groupings]
            figures = [r.metrics.get(n, "") for n in there]
            writer.writerow(
                [v.path.name, v.manifest.model, r.key, r.outcome, r.reason or "", *values, *figures]
            )
    return out.getvalue()


def _about(v: RunView) -> list[str]:
    m = v.manifest
    return [
        v.path.name,
        m.model,
        name_of(v).partition(" [")[2].rstrip("]"),
        m.benchmark,
        m.benchmark_hash,
        m.sample_set_hash,
        v.judge["judge"] if v.judge else "",
        judge_words(v),
        " ".join(f"{n}:{h}" for n, h in m.prompts.items()),
        "yes" if v.complete else "no",
    ]
