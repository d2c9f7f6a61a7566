"""`redline results`: what runs came to, as a table, JSON, CSV or LaTeX."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from redline.cli.reading_runs import RunView
    from redline.cli.tables import Table
    from redline.diagram import Group, Metric

RATES = frozenset({"FSR", "CFR", "CFR_strict", "residue", "px_inside", "px_outside"})
"""Shown in per cent; all else as it is."""


def results_command(
    runs: Annotated[list[Path], typer.Argument(help="Run folders.")],
    by: Annotated[
        str | None,
        typer.Option(help="edit_type, operations, drawn_with, subtype, gold_model or families."),
    ] = None,
    judge: Annotated[
        str | None, typer.Option(help="Whose verdicts to show; by default the last judge's.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    as_latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX (booktabs).")] = False,
    published: Annotated[
        bool, typer.Option(help="Show published rows beneath, in a table of their own.")
    ] = False,
) -> None:
    """Show results of runs: means with 95 % intervals, counts by outcome, judge and hashes."""
    from redline.cli.reading_runs import view
    from redline.cli.tables import as_csv as to_csv
    from redline.cli.tables import as_latex as to_latex
    from redline.cli.tables import show

    views = [view(r, judge) for r in runs]
    if as_json:
        found = [result_json(v, by) for v in views]
        typer.echo(json.dumps(found[0] if len(found) == 1 else found, indent=2, ensure_ascii=False))
    else:
        tables = result_tables(views, by)
        if published:
            tables.append(published_table())
        for k, table in enumerate(tables):
            if as_csv or as_latex:
                sys.stdout.write("\n" * bool(k) + (to_csv if as_csv else to_latex)(table))
            else:
                show(table)
    if not all(v.complete for v in views):
        raise typer.Exit(3)


def result_json(v: RunView, by: str | None = None) -> dict[str, Any]:
    """The object that `results --json` prints for one run."""
    from redline.diagram.results import GROUPINGS

    whole = v.whole()
    groupings = [by] if by else [*GROUPINGS]
    m = v.manifest
    return {
        "benchmark": m.benchmark,
        "benchmark_hash": m.benchmark_hash,
        "sample_set_hash": m.sample_set_hash,
        "model": m.model,
        "judge": v.judge["judge"] if v.judge else None,
        "judge_details": dict(v.judge) if v.judge else None,
        "condition": m.params["condition"],
        "inputs": m.params["inputs"],
        "input_size": m.params["input_size"],
        "picture_scaling": dict(v.picture_scaling),
        "prompts": dict(m.prompts),
        "n": whole.n,
        "counts": dict(whole.counts),
        "reasons": _reasons(v),
        "complete": v.complete,
        "metrics": _metrics_json(whole),
        "by": {g: {k: _group_json(x) for k, x in v.by(g).items()} for g in groupings},
        "flags": list(flags(v)),
        "spent_usd": v.spent if not v.unpriced else None,
        "unpriced_calls": v.unpriced,
        "warnings": list(v.warnings),
    }


def _reasons(v: RunView) -> dict[str, int]:
    """How many rows of each outcome but scored, by reason."""
    found: dict[str, int] = {}
    for row in v.rows:
        if row.outcome != "scored":
            name = f"{row.outcome}: {row.reason}"
            found[name] = found.get(name, 0) + 1
    return dict(sorted(found.items()))


def _metrics_json(group: Group) -> dict[str, Any]:
    found: dict[str, dict[str, Any]] = {}
    for name, m in group.metrics.items():
        found[name] = {"mean": m.mean, "ci95": list(m.ci95) if m.ci95 else None, "n": m.n}
        if m.worst is not None:
            found[name]["bounds"] = [m.worst, m.best]
    return found


def _group_json(group: Group) -> dict[str, Any]:
    return {"n": group.n, "counts": dict(group.counts), "metrics": _metrics_json(group)}


def flags(v: RunView) -> Sequence[str]:
    """Sentences on what a reader must know of judge and candidate."""
    if v.judge is None:
        return ()
    from redline.judge import judge_flags
    from redline.models import family

    golds: Mapping[str, None] = dict.fromkeys(r.sample.gold_model or "" for r in v.rows)
    found = dict.fromkeys(
        flag
        for gold in golds
        for flag in judge_flags(v.judge["judge"], v.manifest.model, gold or None, family)
    )
    return tuple(found)


def result_tables(views: Sequence[RunView], by: str | None = None) -> list[Table]:
    """One table of all runs, or with `by` one a run. Judged columns are absent without a judge."""
    from redline.cli.tables import Table

    if by is None:
        groups = [(name_of(v), v.whole()) for v in views]
        return [Table("Results", *_cells(groups), notes=[n for v in views for n in notes(v)])]
    return [
        Table(f"{name_of(v)} by {by}", *_cells(list(v.by(by).items())), notes=notes(v))
        for v in views
    ]


def name_of(v: RunView) -> str:
    """The model, with the condition where one was put to it."""
    plain = v.manifest.model.startswith(("baseline/", "outputs/"))
    return v.manifest.model if plain else f"{v.manifest.model} [{v.manifest.params['condition']}]"


def _cells(groups: Sequence[tuple[str, Group]]) -> tuple[list[str], list[list[str]]]:
    from redline.diagram.results import ORDER

    names = [n for n in ORDER if any(n in g.metrics for _, g in groups)]
    head = ["", "rows", "scored", "failed", "unscored", "missing"]
    head += [f"{n} %" if n in RATES else n for n in names]
    rows = [
        [
            label,
            str(g.n),
            *(str(g.counts[o]) for o in ("scored", "failed", "unscored", "missing")),
            *(_cell(n, g.metrics.get(n)) for n in names),
        ]
        for label, g in groups
    ]
    return head, rows


def _cell(name: str, m: Metric | None) -> str:
    if m is None:
        return "-"
    k, digits = (100.0, 1) if name in RATES else (1.0, 3)

    def text(x: float) -> str:
        return f"{x * k:.{digits}f}"

    cell = text(m.mean)
    if m.ci95 is not None:
        cell += f" [{text(m.ci95[0])}, {text(m.ci95[1])}]"
    if m.worst is not None and m.best is not None:
        cell += f" (bounds {text(m.worst)}..{text(m.best)})"
    return cell


def notes(v: RunView) -> list[str]:
    """What must stand beneath a table: incompleteness first, then judge and hashes."""
    m = v.manifest
    found = []
    whole = v.whole()
    if not v.complete:
        reasons = "; ".join(
            f"{n} {r}" for r, n in _reasons(v).items() if not r.startswith("failed")
        )
        found.append(
            f"INCOMPLETE {name_of(v)}: {whole.counts['unscored']} unscored and "
            f"{whole.counts['missing']} missing of {whole.n} rows ({reasons}); "
            "start the same command again."
        )
    judge = "no judge: judged columns are absent"
    if v.judge:
        j = v.judge
        judge = (
            f"judge {j['judge']}, rubrics {j['image_rubric'][0]} {j['image_rubric'][1][:8]} and "
            f"{j['code_rubric'][0]} {j['code_rubric'][1][:8]}, sees {j['inputs']}, "
            f"repeats {j['repeats']}"
        )
    prompts = ", ".join(f"{n} {h[:8]}" for n, h in m.prompts.items()) or "none"
    found.append(
        f"{name_of(v)}: {m.benchmark} ({m.benchmark_hash[:8]}, sample set "
        f"{m.sample_set_hash[:8]}); {judge}; prompts: {prompts}; 95 % intervals by bootstrap over "
        "source pictures."
    )
    found += [f"{name_of(v)}: {flag}" for flag in flags(v)]
    return found


def published_table() -> Table:
    """The published rows of VisEditBench, never among measured ones."""
    from redline.bench import published_rows
    from redline.cli.tables import Table

    columns = ("ia", "cp", "dr", "fsr", "cfr", "code_ia", "code_cp", "oes")
    rows = published_rows("viseditbench")
    return Table(
        "VisEditBench: published, not measured here",
        ["model", "weights", "IA", "CP", "DR", "FSR %", "CFR %", "code_IA", "code_CP", "OES"],
        [[r.model, r.weights, *(r.text(c) for c in columns)] for r in rows],
        notes=["Published by the authors of VisEditBench; other samples, another judge set-up: "
               "not comparable with rows measured here."],
    )  # fmt: skip
