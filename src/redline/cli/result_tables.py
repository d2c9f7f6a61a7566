"""Results as tables for people: cells, and the notes that must stand beneath."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from redline.cli.tables import Table
from redline.errors import UserError

if TYPE_CHECKING:
    from redline.cli.reading_runs import RunView
    from redline.rows import Column, Group, Metric

OUTCOMES = ("scored", "failed", "unscored", "missing")


METHOD = (
    "In brackets: 95 % intervals by bootstrap over source pictures, Wilson's where all values of a "
    "column lie at one end of its range. See docs/measures.md."
)
BOUNDS = (
    "bounds: the mean had every unscored or missing row got the worst, or the best, possible value."
)


def result_tables(
    views: Sequence[RunView], by: str | None = None, metrics: Sequence[str] = ()
) -> list[Table]:
    """One table of all runs, or with `by` one a run. Judged columns are absent without a judge;
    `metrics` picks columns by name. Raises UserError for a name that no run knows."""
    columns = picked([c for v in views for c in v.columns], metrics)
    if by is None:
        groups = [(name_of(v), v.whole()) for v in views]
        told = [*_unlike(views), *(n for v in views for n in notes(v)), *_legend(groups)]
        return [Table("Results", *_cells(groups, columns), notes=told)]
    tables = []
    for v in views:
        parts = [*v.by(by).items(), ("all", v.whole())]
        told = [*notes(v), *_legend(parts)]
        tables.append(Table(f"{name_of(v)} by {by}", *_cells(parts, columns), notes=told))
    return tables


def picked(columns: Sequence[Column], metrics: Sequence[str]) -> list[Column]:
    """Columns without repetition, in order; only those named in `metrics`, where it names any."""
    known = {c.name: c for c in columns}
    if unknown := [m for m in metrics if m not in known]:
        raise UserError(f"There is no figure {unknown[0]!r}; there are {', '.join(known)}.")
    return [known[m] for m in metrics] if metrics else list(known.values())


def _legend(groups: Sequence[tuple[str, Group]]) -> list[str]:
    bounded = any(m.worst is not None for _, g in groups for m in g.metrics.values())
    return [METHOD, *([BOUNDS] if bounded else [])]


def _unlike(views: Sequence[RunView]) -> Sequence[str]:
    """What keeps the rows of one table from being compared."""
    judged = [v.judge for v in views if v.judge is not None]
    told = (
        ("benchmarks or versions of one", {v.manifest.benchmark_hash for v in views}),
        ("sets of samples", {v.manifest.sample_set_hash for v in views}),
        ("judges or ways to ask one", {json.dumps(dict(j), sort_keys=True) for j in judged}),
        ("measure profiles", {v.profile for v in views}),
    )
    return [
        f"NOT COMPARABLE row by row: these runs are over different {what}."
        for what, kinds in told
        if len(kinds) > 1
    ]


def name_of(v: RunView) -> str:
    """The model, with the condition where one was put to it."""
    from redline.track import calls_nobody

    m = v.manifest
    told = [] if calls_nobody(m.model) else [m.params["condition"]]
    told += [v.profile] if v.profile not in (None, "corrected") else []
    return f"{m.model} [{', '.join(told)}]" if told else m.model


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
        low, high = sorted((m.worst, m.best))
        cell += f" (bounds {text(low)}..{text(high)})"
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
            "start the same command again, or mend what the reasons name. "
            "--judge none shows measures of rows that were not judged."
        )
    prompts = ", ".join(f"{n} {h[:8]}" for n, h in m.prompts.items()) or "none"
    found.append(
        f"{name_of(v)}: {m.benchmark} ({m.benchmark_hash[:8]}, sample set "
        f"{m.sample_set_hash[:8]}); {judge_words(v)}; prompts: {prompts}; settings: "
        f"{_settings(m.settings)}; epochs {m.params['epochs']}."
    )
    found += [f"{name_of(v)}: {sentence}" for sentence in v.more]
    others = [f"{n} ({j['judge']})" for n, j in enumerate(m.judges, 1) if n != v.judge_number]
    if v.judge and others:
        found.append(
            f"{name_of(v)}: shown is judge {v.judge_number} of {len(m.judges)}; "
            f"--judge shows another: {', '.join(others)}."
        )
    return found + [f"{name_of(v)}: {flag}" for flag in flags(v)]


def _settings(settings: Mapping[str, Any]) -> str:
    told = {k: v for k, v in settings.items() if v not in (None, "default", {})}
    return ", ".join(f"{k} {v}" for k, v in told.items()) or "the provider's own"


def judge_words(v: RunView) -> str:
    """Judge, rubrics with hashes, what it sees and how often it was asked, in one line."""
    if v.judge is None:
        return "no judge: judged columns are absent"
    j = v.judge
    if v.manifest.params["track"] == "image":
        asked = [
            f"{what} {j[what][0]} {j[what][1][:8]}" for what in ("questions", "rubric") if j[what]
        ]
        sees = f", the rubric sees {j['inputs']}" if j["rubric"] else ""
        return f"judge {j['judge']}, {' and '.join(asked)}{sees}, repeats {j['repeats']}"
    return (
        f"judge {j['judge']}, rubrics {j['image_rubric'][0]} {j['image_rubric'][1][:8]} and "
        f"{j['code_rubric'][0]} {j['code_rubric'][1][:8]}, levels {'+'.join(j['levels'])}, "
        f"sees {j['inputs']}, repeats {j['repeats']}"
    )


def published_table(track: str) -> Table:
    """The published rows of a track's benchmark, never among measured ones."""
    from redline.bench import published_rows

    if track == "image":
        columns = ("psnr", "ssim", "lpips_all", "lpips_fg", "lpips_bg", "clip_all", "clip_fg",
                   "clip_bg", "qa", "overall")  # fmt: skip
        return Table(
            "Omni IIE Bench: published, not measured here",
            ["model", "table", "PSNR", "SSIM", "LPIPS_ALL", "LPIPS_FG", "LPIPS_BG", "CLIP_ALL",
             "CLIP_FG", "CLIP_BG", "QA", "Overall"],
            [[r.model, r.table, *(r.text(c) for c in columns)] for r in published_rows("omni-iie")],
            notes=["Published by the authors of Omni IIE Bench, by their own measures (profile "
                   "upstream comes closest), samples and judge: not comparable with rows measured "
                   "here; QA of single and multi turns not with one another."],
        )  # fmt: skip
    scores = ("ia", "cp", "dr", "fsr", "cfr", "code_ia", "code_cp", "oes")
    rows = published_rows("viseditbench")
    return Table(
        "VisEditBench: published, not measured here",
        ["model", "weights", "IA", "CP", "DR", "FSR %", "CFR %", "code_IA", "code_CP", "OES"],
        [[r.model, r.weights, *(r.text(c) for c in scores)] for r in rows],
        notes=["Published by the authors of VisEditBench; other samples, another judge set-up: "
               "not comparable with rows measured here."],
    )  # fmt: skip
