"""What `redline bench list` and `show` print of benchmarks and samples of either track."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from redline.bench import Benchmark, DiagramSample, ImageSample, Sample, Turn
from redline.errors import plain


def head(b: Benchmark[Sample]) -> dict[str, Any]:
    """A benchmark as JSON, without its samples."""
    told: dict[str, Any] = {
        "name": b.name, "version": b.version, "track": b.track, "licence": b.licence,
        "description": b.description, "citation": b.citation, "origin": b.origin,
        "defaults": dict(b.defaults), "hash": b.hash, "samples": len(b.samples),
        "folder": str(b.root),
    }  # fmt: skip
    if b.track == "image":
        told["turns"] = sum(len(s.turns) for s in b.samples if isinstance(s, ImageSample))
    return told


def sample_facts(root: Path, s: Sample, licence: str, codes: bool = False) -> dict[str, Any]:
    """A sample as JSON; paths relative to the benchmark folder."""
    facts = _diagram(root, s, codes) if isinstance(s, DiagramSample) else _image(root, s)
    return facts | {
        "origin": s.origin, "source_id": s.source_id, "licence": s.licence or licence,
        "instruction_model": s.instruction_model, "gold_model": s.gold_model,
        "annotator": s.annotator, "ratings": [dict(r) for r in s.ratings],
        "files": sorted(s.files),
    }  # fmt: skip


def sample_table(b: Benchmark[Sample]) -> tuple[list[str], list[list[str]]]:
    """Columns and rows of a benchmark's samples."""
    if b.track == "diagram":
        columns = ["id", "edit type", "operations", "drawn with", "golds", "instruction"]
        return columns, [
            [s.id, s.edit_type, str(s.operations), s.drawn_with or "", str(len(s.golds)),
             s.instruction]
            for s in b.samples if isinstance(s, DiagramSample)
        ]  # fmt: skip
    columns = ["id", "rounds", "scale", "golds", "masks", "questions", "instruction"]
    return columns, [list(_image_row(s)) for s in b.samples if isinstance(s, ImageSample)]


def print_sample(b: Benchmark[Sample], s: Sample) -> None:
    """One sample for a reader: its facts, then its codes or its turns."""
    facts = {"folder": str(b.root)} | sample_facts(b.root, s, b.licence)
    turns = facts.pop("turns", [])
    _lines(facts)
    if isinstance(s, DiagramSample):
        _codes(s)
    for turn in turns:
        typer.echo(f"\nround {turn.pop('round')}")
        questions = turn.pop("questions")
        _lines(turn, indent="  ")
        for q in questions:
            typer.echo(plain(f"  {'question:':21}{q['question']} {q['answer']}"))


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table on a terminal, tabs in a pipe."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    if not console.is_terminal:
        # A pipe has no width and its reader no use for a drawn table.
        for line in [columns, *rows]:
            typer.echo("\t".join(plain(" ".join(cell.split())) for cell in line))
        return
    drawn = Table(title=Text(title) if title else None, title_justify="left", box=None)
    for column in columns:
        drawn.add_column(column, overflow="fold")
    for row in rows:
        drawn.add_row(*(Text(plain(cell)) for cell in row))
    console.print(drawn)


def _relative(root: Path, path: Path | None) -> str | None:
    return path.relative_to(root).as_posix() if path is not None else None


def _diagram(root: Path, s: DiagramSample, codes: bool) -> dict[str, Any]:
    told: dict[str, Any] = {
        "id": s.id, "edit_type": s.edit_type, "subtypes": list(s.subtypes),
        "operations": s.operations, "drawn_with": s.drawn_with, "instruction": s.instruction,
        "conditions": list(s.conditions), "golds": len(s.golds),
        "picture": _relative(root, s.picture), "gold_picture": _relative(root, s.gold_picture),
        "overlay": _relative(root, s.overlay),
        "instruction_picture": _relative(root, s.instruction_picture),
        "scene": _relative(root, s.scene), "result_description": s.result_description,
    }  # fmt: skip
    if codes:
        told |= {"code": s.code, "gold_codes": list(s.golds),
                 "gold_templates": list(s.gold_templates)}  # fmt: skip
    return told


def _image(root: Path, s: ImageSample) -> dict[str, Any]:
    return {
        "id": s.id, "picture": _relative(root, s.picture), "context": s.context,
        "gaps": list(s.gaps), "turns": [_turn(root, t) for t in s.turns],
    }  # fmt: skip


def _turn(root: Path, t: Turn) -> dict[str, Any]:
    return {
        "round": t.round, "scale": t.scale, "instruction": t.instruction,
        **{key: _relative(root, getattr(t, key))
           for key in ("start", "overlay", "gold", "mask", "source_mask")},
        "questions": [{"question": q.question, "answer": q.answer} for q in t.questions],
        "questions_error": t.questions_error, "entities": dict(t.entities),
        "category": t.category, "rubric": t.rubric,
    }  # fmt: skip


def _image_row(s: ImageSample) -> Iterator[str]:
    yield s.id
    yield ",".join(str(t.round) for t in s.turns)
    yield ",".join(dict.fromkeys(t.scale for t in s.turns if t.scale))
    yield str(sum(t.gold is not None for t in s.turns))
    yield str(sum(t.mask is not None for t in s.turns))
    yield str(sum(len(t.questions) for t in s.turns))
    yield " / ".join(t.instruction for t in s.turns)


def _codes(s: DiagramSample) -> None:
    typer.echo("\n" + plain(s.code.rstrip()))
    for k, gold in enumerate(s.golds, start=1):
        changed = difflib.unified_diff(
            s.code.splitlines(), gold.splitlines(), "original", f"gold {k}", lineterm="", n=1
        )
        typer.echo("\n" + plain("\n".join(changed)))


def _lines(facts: Mapping[str, Any], indent: str = "") -> None:
    for key, value in facts.items():
        if value not in (None, "", [], {}):
            shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            typer.echo(plain(f"{indent}{key + ':':21}{shown}"))
