"""`redline compare`: paired differences between two runs on the samples both have."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from redline.errors import UserError

if TYPE_CHECKING:
    from redline.cli.reading_runs import RunView
    from redline.rows import Row


def compare_command(
    first: Annotated[Path, typer.Argument(help="A run folder.")],
    second: Annotated[Path, typer.Argument(help="Another run folder.")],
    judge: Annotated[str | None, typer.Option(help="Whose verdicts to compare.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare two runs sample by sample: second minus first, with 95 % intervals."""
    from redline.cli.reading_runs import view
    from redline.cli.result_tables import judge_words, name_of
    from redline.cli.tables import Table, show

    a, b = view(first, judge), view(second, judge)
    _refuse(a, b)
    found = differences(a, b)
    if as_json:
        typer.echo(
            json.dumps(
                {
                    "first": name_of(a),
                    "second": name_of(b),
                    "benchmark": a.manifest.benchmark,
                    "benchmark_hash": a.manifest.benchmark_hash,
                    "judge": dict(a.judge) if a.judge and b.judge else None,
                    "metrics": found,
                    "notes": [*_incomparable(a, b)],
                },
                indent=2,
            )
        )
        return
    rows = []
    for name, d in found.items():
        ends = f"[{d['ci95'][0]:+.4f}, {d['ci95'][1]:+.4f}]" if d["ci95"] else "-"
        p = f"{d['p']:.4f}" if d["p"] is not None else "-"
        rows.append([name, f"{d['mean']:+.4f}", ends, p, str(d["n"]), str(d["left_out"])])
    show(
        Table(
            f"{name_of(b)} minus {name_of(a)}",
            ["", "difference", "95 % interval", "p", "rows", "left out"],
            rows,
            notes=[
                *_incomparable(a, b),
                f"{a.manifest.benchmark} ({a.manifest.benchmark_hash[:8]}); {judge_words(a)}.",
                "Over rows that both runs scored or failed; whole source pictures resampled; rates "
                "as fractions.",
                "p: paired sign-flip test over source pictures, not corrected for the number of "
                "figures (docs/measures.md).",
            ],
        )
    )


def _refuse(a: RunView, b: RunView) -> None:
    """Runs that can't be compared: other benchmark, or judged otherwise."""
    if a.manifest.benchmark_hash != b.manifest.benchmark_hash:
        raise UserError(f"{a.path} and {b.path} are runs of different benchmarks or versions.")
    if a.judge and b.judge and dict(a.judge) != dict(b.judge):
        raise UserError(
            f"{a.path} and {b.path} were judged differently ({a.judge['judge']} and "
            f"{b.judge['judge']}, or other rubrics, inputs, settings or repeats): name a common "
            "judge with --judge."
        )


def _incomparable(a: RunView, b: RunView) -> Iterator[str]:
    """What only one of the two has, as sentences."""
    for mine, other in ((a, b), (b, a)):
        if mine.judge and not other.judge:
            yield (
                f"{mine.path.name} was judged by {mine.judge['judge']}, {other.path.name} by no "
                f"judge: judged figures can't be compared. Run `redline judge` on it first."
            )
    if a.manifest.sample_set_hash != b.manifest.sample_set_hash:
        yield "The runs are over different sets of samples; only samples of both are compared."


def differences(a: RunView, b: RunView) -> dict[str, dict[str, Any]]:
    """By metric: mean difference, interval, p, rows used and rows left out."""
    from redline.stats import paired_difference

    rows_a = {r.key: r for r in a.rows}
    rows_b = {r.key: r for r in b.rows}
    keys = [*rows_a, *(k for k in rows_b if k not in rows_a)]
    found = {}
    for name in dict.fromkeys(c.name for v in (a, b) for c in v.columns):
        pair = [[_finite(rows.get(k), name) for k in keys] for rows in (rows_b, rows_a)]
        clusters = [(rows_a.get(k) or rows_b[k]).sample.source_id for k in keys]
        d = paired_difference(pair[0], pair[1], clusters)
        i = d.difference
        if i.mean is not None:
            ends = [i.low, i.high] if i.low is not None else None
            found[name] = {
                "mean": i.mean, "ci95": ends, "p": d.p, "n": i.n, "left_out": d.left_out,
            }  # fmt: skip
    return found


def _finite(row: Row | None, name: str) -> float:
    """The figure of a row that counts; NaN where there is none or it is infinite."""
    value = row.metrics.get(name, math.nan) if row is not None and row.counts else math.nan
    return value if math.isfinite(value) else math.nan
