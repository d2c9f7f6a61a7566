"""`redline results`: what runs came to, as a table, JSON, CSV or LaTeX."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from redline.cli.reading_runs import RunView
    from redline.rows import Group


def results_command(
    runs: Annotated[list[Path], typer.Argument(help="Run folders.")],
    by: Annotated[
        str | None,
        typer.Option(
            help="Diagrams: edit_type, operations, drawn_with, subtype; photographs: scale, "
            "source, turn, track, switch, category; both: gold_model, families (the model's "
            "against the gold's)."
        ),
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(
            help="Whose verdicts to show: a name, a number in the order of run.json, or none; by "
            "default the last judge's."
        ),
    ] = None,
    profile: Annotated[
        str | None, typer.Option(help="Photographs: the measure profile to show.")
    ] = None,
    profiles: Annotated[
        bool, typer.Option("--profiles", help="Photographs: what each measured profile changes.")
    ] = False,
    metrics: Annotated[
        str, typer.Option(help="Only these figures, by name, separated by commas.")
    ] = "",
    rows: Annotated[
        bool, typer.Option("--rows", help="Every row with its outcome, reason and figures.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    as_latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX (booktabs).")] = False,
    published: Annotated[
        bool, typer.Option(help="Show published rows beneath, in a table of their own.")
    ] = False,
) -> None:
    """Show results of runs: means with 95 % intervals, counts by outcome, judge and hashes."""
    from redline.cli.options import names_of
    from redline.cli.reading_runs import view
    from redline.cli.result_csv import result_csv, rows_csv
    from redline.cli.result_tables import published_table, result_tables
    from redline.cli.tables import as_csv as to_csv
    from redline.cli.tables import as_latex as to_latex
    from redline.cli.tables import show

    if as_json + as_csv + as_latex > 1:
        raise typer.BadParameter("Choose one of --json, --csv and --latex.")
    only = names_of(metrics)
    views = [view(r, judge, profile) for r in runs]
    if profiles:
        views = [view(v.path, judge, p) for v in views for p in _profiles(v.path)]
    beneath = [published_table(t) for t in _tracks(views)] if published else []
    if as_json:
        found = [rows_json(v) if rows else result_json(v, by) for v in views]
        typer.echo(json.dumps(found[0] if len(found) == 1 else found, indent=2, ensure_ascii=False))
    elif as_csv or rows:
        first = rows_csv(views) if rows else result_csv(views, by, only)
        sys.stdout.write("\n".join([first, *map(to_csv, beneath)]))
    elif as_latex:
        sys.stdout.write("\n".join(map(to_latex, [*result_tables(views, by, only), *beneath])))
    else:
        for table in [*result_tables(views, by, only), *beneath]:
            show(table)
    if not all(v.complete for v in views):
        raise typer.Exit(3)


def _profiles(run: Path) -> list[str | None]:
    from redline.image.measure_stage import profiles_measured
    from redline.run import RunFolder

    found: list[str | None] = [*profiles_measured(RunFolder.open(run))]
    return found or [None]


def _tracks(views: Sequence[RunView]) -> list[str]:
    return list(dict.fromkeys(v.manifest.params["track"] for v in views))


def rows_json(v: RunView) -> list[dict[str, Any]]:
    """Every row of a run as `results --rows --json` prints it."""
    return [
        {
            "row": r.key,
            "outcome": r.outcome,
            "reason": r.reason,
            "groups": {k: list(g) for k, g in r.sample.groups.items()},
            "metrics": {k: x if math.isfinite(x) else "inf" for k, x in r.metrics.items()},
            "undefined": dict(r.undefined),
        }
        for r in v.rows
    ]


def result_json(v: RunView, by: str | None = None) -> dict[str, Any]:
    """The object that `results --json` prints for one run."""
    from redline.cli.result_tables import flags, reasons

    whole = v.whole()
    groupings = [by] if by else v.groupings
    m = v.manifest
    return {
        "benchmark": m.benchmark,
        "benchmark_hash": m.benchmark_hash,
        "sample_set_hash": m.sample_set_hash,
        "model": m.model,
        "judge": v.judge["judge"] if v.judge else None,
        "judge_details": dict(v.judge) if v.judge else None,
        "judges": [dict(j) for j in m.judges],
        "condition": m.params["condition"],
        "inputs": m.params.get("inputs"),
        "turns_mode": m.params.get("turns"),
        "profile": v.profile,
        "long_names": dict(v.names) if v.names else None,
        "input_size": m.params["input_size"],
        "picture_scaling": dict(v.picture_scaling),
        "prompts": dict(m.prompts),
        "n": whole.n,
        "counts": dict(whole.counts),
        "reasons": reasons(v),
        "complete": v.complete,
        "metrics": _metrics_json(whole),
        "by": {g: {k: _group_json(x) for k, x in v.by(g).items()} for g in groupings},
        "averages": dict(v.averages) if v.averages else None,
        "turns": dict(v.analysis) if v.analysis else None,
        "notes": list(v.more),
        "flags": list(flags(v)),
        "spent_usd": None if v.totals.unpriced or v.totals.estimated else v.totals.spent,
        "unpriced_calls": v.totals.unpriced,
        "estimated_calls": v.totals.estimated,
        "estimated_usd": v.totals.estimated_spent,
        "warnings": list(v.warnings),
    }


def _metrics_json(group: Group) -> dict[str, Any]:
    found: dict[str, dict[str, Any]] = {}
    for name, m in group.metrics.items():
        found[name] = {"mean": m.mean, "ci95": list(m.ci95) if m.ci95 else None, "n": m.n}
        if m.worst is not None:
            found[name]["bounds"] = [m.worst, m.best]
        if m.infinite:
            found[name]["infinite"] = m.infinite
    return found


def _group_json(group: Group) -> dict[str, Any]:
    return {"n": group.n, "counts": dict(group.counts), "metrics": _metrics_json(group)}
