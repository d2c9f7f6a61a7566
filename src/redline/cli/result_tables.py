"""Results as tables for people: cells, and the notes that must stand beneath."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from redline.cli.tables import Table

if TYPE_CHECKING:
    from redline.cli.reading_runs import RunView
    from redline.rows import Column, Group, Metric

OUTCOMES = ("scored", "failed", "unscored", "missing")


def result_tables(views: Sequence[RunView], by: str | None = None) -> list[Table]:
    """One table of all runs, or with `by` one a run. Judged columns are absent without a judge."""
    if by is None:
        groups = [(name_of(v), v.whole()) for v in views]
        columns = list(dict.fromkeys(c for v in views for c in v.columns))
        return [
            Table("Results", *_cells(groups, columns), notes=[n for v in views for n in notes(v)])
        ]
    return [
        Table(f"{name_of(v)} by {by}", *_cells(list(v.by(by).items()), v.columns), notes=notes(v))
        for v in views
    ]


def name_of(v: RunView) -> str:
    """The model, with the condition where one was put to it."""
    from redline.diagram.task import calls_nobody

    plain = calls_nobody(v.manifest.model)
    return v.manifest.model if plain else f"{v.manifest.model} [{v.manifest.params['condition']}]"


def _cells(
    groups: Sequence[tuple[str, Group]], columns: Sequence[Column]
) -> tuple[list[str], list[list[str]]]:
    there = [c for c in columns if any(c.name in g.metrics for _, g in groups)]
    head = ["", "rows", *OUTCOMES, *(f"{c.name} %" if c.percent else c.name for c in there)]
    rows = [
        [
            label,
            str(g.n),
            *(str(g.counts[o]) for o in OUTCOMES),  # type: ignore[index]
            *(_cell(c, g.metrics.get(c.name)) for c in there),
        ]
        for label, g in groups
    ]
    return head, rows


def _cell(column: Column, m: Metric | None) -> str:
    if m is None:
        return "-"
    k, digits = (100.0, 1) if column.percent else (1.0, 3)

    def text(x: float) -> str:
        return f"{x * k:.{digits}f}"

    cell = text(m.mean) if m.mean is not None else "-"
    if m.ci95 is not None:
        cell += f" [{text(m.ci95[0])}, {text(m.ci95[1])}]"
    if m.worst is not None and m.best is not None:
        cell += f" (bounds {text(m.worst)}..{text(m.best)})"
    if m.infinite:
        cell += f" + {m.infinite} inf"
    return cell


def reasons(v: RunView) -> dict[str, int]:
    """How many rows of each outcome but scored, by reason."""
    found: dict[str, int] = {}
    for row in v.rows:
        if row.outcome != "scored":
            name = f"{row.outcome}: {row.reason}"
            found[name] = found.get(name, 0) + 1
    return dict(sorted(found.items()))


def flags(v: RunView) -> Sequence[str]:
    """Sentences on what a reader must know of judge and candidate."""
    if v.judge is None:
        return ()
    from redline.judge import judge_flags
    from redline.models import family

    golds: Mapping[str, None] = dict.fromkeys(
        g for r in v.rows for g in r.sample.groups.get("gold_model", ("none",))
    )
    found = dict.fromkeys(
        flag
        for gold in golds
        for flag in judge_flags(
            v.judge["judge"], v.manifest.model, None if gold == "none" else gold, family
        )
    )
    return tuple(found)


def notes(v: RunView) -> list[str]:
    """What must stand beneath a table: incompleteness first, then judge and hashes."""
    m = v.manifest
    found = []
    whole = v.whole()
    if not v.complete:
        lost = "; ".join(f"{n} {r}" for r, n in reasons(v).items() if not r.startswith("failed"))
        found.append(
            f"INCOMPLETE {name_of(v)}: {whole.counts['unscored']} unscored and "
            f"{whole.counts['missing']} missing of {whole.n} rows ({lost}); "
            "start the same command again."
        )
    prompts = ", ".join(f"{n} {h[:8]}" for n, h in m.prompts.items()) or "none"
    found.append(
        f"{name_of(v)}: {m.benchmark} ({m.benchmark_hash[:8]}, sample set "
        f"{m.sample_set_hash[:8]}); {judge_words(v)}; prompts: {prompts}; 95 % intervals by "
        "bootstrap over source pictures."
    )
    others = [f"{n} ({j['judge']})" for n, j in enumerate(m.judges, 1) if n != v.judge_number]
    if v.judge and others:
        found.append(
            f"{name_of(v)}: shown is judge {v.judge_number} of {len(m.judges)}; "
            f"--judge shows another: {', '.join(others)}."
        )
    return found + [f"{name_of(v)}: {flag}" for flag in flags(v)]


def judge_words(v: RunView) -> str:
    """Judge, rubrics with hashes, what it sees and how often it was asked, in one line."""
    if v.judge is None:
        return "no judge: judged columns are absent"
    j = v.judge
    return (
        f"judge {j['judge']}, rubrics {j['image_rubric'][0]} {j['image_rubric'][1][:8]} and "
        f"{j['code_rubric'][0]} {j['code_rubric'][1][:8]}, levels {'+'.join(j['levels'])}, "
        f"sees {j['inputs']}, repeats {j['repeats']}"
    )


def published_table() -> Table:
    """The published rows of VisEditBench, never among measured ones."""
    from redline.bench import published_rows

    columns = ("ia", "cp", "dr", "fsr", "cfr", "code_ia", "code_cp", "oes")
    rows = published_rows("viseditbench")
    return Table(
        "VisEditBench: published, not measured here",
        ["model", "weights", "IA", "CP", "DR", "FSR %", "CFR %", "code_IA", "code_CP", "OES"],
        [[r.model, r.weights, *(r.text(c) for c in columns)] for r in rows],
        notes=["Published by the authors of VisEditBench; other samples, another judge set-up: "
               "not comparable with rows measured here."],
    )  # fmt: skip
