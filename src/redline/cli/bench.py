"""`redline bench`: list, show, check, import and export benchmarks."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from redline.errors import plain

if TYPE_CHECKING:
    from redline.bench import Benchmark, DiagramSample, Fault, Sample
    from redline.diagram.references import Renders

bench_app = typer.Typer(
    name="bench",
    help="List, show, check, import and export benchmarks.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
import_app = typer.Typer(
    name="import",
    help="Make a benchmark folder of something else.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
bench_app.add_typer(import_app, name="import")

Name = Annotated[
    str, typer.Argument(metavar="NAME", help="A bundled benchmark's name or a folder.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Compile = Annotated[
    bool, typer.Option("--compile/--no-compile", help="Also compile originals and golds.")
]
Unsandboxed = Annotated[
    bool, typer.Option("--unsandboxed", help="Compile without a sandbox (code you trust only).")
]


@bench_app.command("list")
def list_command(as_json: Json = False) -> None:
    """List the bundled benchmarks."""
    from redline.bench import bundled, load

    found = [load(path) for path in bundled().values()]
    if as_json:
        _print_json([_head(b) for b in found])
        return
    rows = [[b.name, b.version, b.track, str(len(b.samples)), b.licence, b.description]
            for b in found]  # fmt: skip
    _table("", ["name", "version", "track", "samples", "licence", "description"], rows)


@bench_app.command("show")
def show_command(
    name: Name,
    sample: Annotated[str | None, typer.Argument(metavar="[ID]", help="One sample.")] = None,
    as_json: Json = False,
) -> None:
    """Show a benchmark and its samples, or one sample with its codes."""
    from redline.bench import find, load, of_track, select

    benchmark = of_track(load(find(name)), "diagram")
    if sample is not None:
        one = select(benchmark, ids=[sample]).samples[0]
        if as_json:
            _print_json(_facts(benchmark, one, codes=True))
        else:
            _show_sample(benchmark, one)
        return
    if as_json:
        samples = [_facts(benchmark, s) for s in benchmark.samples]
        _print_json({**_head(benchmark), "samples_list": samples})
        return
    rows = [
        [s.id, s.edit_type, str(s.operations), s.drawn_with or "", str(len(s.golds)), s.instruction]
        for s in benchmark.samples
    ]
    head = f"{benchmark.name} {benchmark.version}, {benchmark.track}, {benchmark.licence}"
    _table(head, ["id", "edit type", "operations", "drawn with", "golds", "instruction"], rows)
    if benchmark.description:
        typer.echo(plain(benchmark.description))
    if benchmark.defaults:
        suggested = ", ".join(f"{k} {v}" for k, v in benchmark.defaults.items())
        typer.echo(f"Suggested by the benchmark: {suggested}.")
    typer.echo(f"{len(benchmark.samples)} samples; hash {benchmark.hash}")


@bench_app.command("check")
def check_command(
    name: Name, as_json: Json = False, compile: Compile = True, unsandboxed: Unsandboxed = False
) -> None:
    """Check every field and file of a benchmark and that its codes compile; list all faults at
    once, each with the sample and what to do. Ends with status 2 where there are faults."""
    from redline.bench import check, find

    folder = find(name)
    with ExitStack() as stack:
        compiled = None
        if compile:
            compiled = CompileCheck(_renderer(stack, unsandboxed))
        faults = check(folder, content=compiled)
    unchecked = compiled.unchecked if compiled is not None else []
    if as_json:
        _print_json({
            "benchmark": name,
            "faults": [asdict(f) for f in faults],
            "unchecked": [asdict(f) for f in unchecked],
        })  # fmt: skip
    else:
        _tell(faults)
        _tell(unchecked, "not checked: ")
        if not faults:
            typer.echo(f"{name}: no faults." + _but(len(unchecked), "code", "not checked"))
    if faults:
        if not as_json:
            count = f"{len(faults)} fault" + "s" * (len(faults) > 1)
            typer.echo(f"{name}: {count}.", err=True)
        raise typer.Exit(2)


@import_app.command("vtikz")
def import_vtikz_command(
    src: Annotated[Path, typer.Argument(metavar="SRC", help="The folder of vTikZ's samples.")],
    dest: Annotated[Path, typer.Argument(metavar="DEST", help="The benchmark folder to make.")],
    name: Annotated[str, typer.Option(help="The new benchmark's name.")] = "vtikz",
    licence: Annotated[str, typer.Option(help="The licence of the samples.")] = (
        "unknown (see the vTikZ repository)"
    ),
    as_json: Json = False,
    compile: Compile = True,
    unsandboxed: Unsandboxed = False,
) -> None:
    """Import a vTikZ folder: NAME/data.json, NAME/input.tex, NAME/solutions/*.tex. Says which
    samples were skipped and which do not render here, each with the reason, and goes on."""
    from redline.bench import import_vtikz

    with ExitStack() as stack:
        renders = _why_not(_renderer(stack, unsandboxed)) if compile else None
        report = import_vtikz(src, dest, renders, name=name, licence=licence)
    if as_json:
        _print_json({
            "dest": str(report.dest),
            "imported": list(report.imported),
            **{k: [asdict(f) for f in getattr(report, k)]
               for k in ("skipped", "unrendered", "notes")},
        })  # fmt: skip
        return
    _tell(report.notes, "note: ")
    _tell(report.unrendered)
    _tell(report.skipped, "skipped: ")
    away = len({f.sample for f in report.unrendered})
    typer.echo(
        f"{len(report.imported)} samples are in {report.dest}"
        f"{'' if compile else ' (not compiled)'}."
        + _but(len(report.skipped), "sample", "skipped")
        + _but(away, "sample", "with a code that does not render here")
    )


@import_app.command("archive")
def import_archive_command(
    src: Annotated[Path, typer.Argument(metavar="SRC", help="A zip or JSONL from bench export.")],
    dest: Annotated[Path, typer.Argument(metavar="DEST", help="The benchmark folder to make.")],
) -> None:
    """Unpack a benchmark that `redline bench export` wrote."""
    from redline.bench import load, unpack

    benchmark = load(unpack(src, dest))
    typer.echo(f"{len(benchmark.samples)} samples are in {dest}; hash {benchmark.hash}")


@bench_app.command("export")
def export_command(
    name: Name,
    dest: Annotated[Path, typer.Argument(metavar="DEST", help="Where to write.")],
    format: Annotated[
        str, typer.Option("--format", help="folder, zip or jsonl (one self-contained file).")
    ] = "folder",
    ids: Annotated[
        str | None, typer.Option(help="Only these samples, separated by commas.")
    ] = None,
) -> None:
    """Write a benchmark's samples and their files, and nothing else."""
    from redline.bench import export, find, load, select

    chosen = [i.strip() for i in ids.split(",") if i.strip()] if ids is not None else None
    benchmark = select(load(find(name)), ids=chosen)
    typer.echo(f"{len(benchmark.samples)} samples are in {export(benchmark, dest, format)}")


@dataclass
class CompileCheck:
    """Asks a renderer whether a sample's original and golds give a page. What this machine can't
    render (a package it lacks, a time-out) is no fault of the benchmark: it goes to `unchecked`."""

    renderer: Renders
    unchecked: list[Fault] = field(default_factory=list)

    def __call__(self, sample: DiagramSample) -> Iterable[Fault]:
        from redline.bench import Fault

        original = self.renderer.render(sample.code)
        codes = [("original", original)]
        if original.png is not None:
            with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
                drawn = pool.map(
                    lambda gold: self.renderer.render(
                        gold, engine=original.engine, scale=original.scale
                    ),
                    sample.golds,
                )
                codes += [(f"gold {k}", r) for k, r in enumerate(drawn, start=1)]
        for what, render in codes:
            if render.png is not None:
                continue
            fault = Fault(
                sample.id, what, f"gives no page with {render.engine}: {_said(render)}",
                "Mend the code" if render.status == "failed" else "See redline doctor",
            )  # fmt: skip
            if render.status == "failed":
                yield fault
            else:
                self.unchecked.append(fault)


def _said(render: Any) -> str:
    if render.error is None:
        return str(render.status)
    at = f" (line {render.error.line})" if render.error.line else ""
    return f"{render.error.message.rstrip('.')}{at}"


def _why_not(renderer: Renders) -> Callable[[str], str | None]:
    def renders(code: str) -> str | None:
        render = renderer.render(code)
        return None if render.png is not None else _said(render)

    return renders


def _renderer(stack: ExitStack, unsandboxed: bool) -> Renders:
    from redline.cli.composing import make_renderer

    return stack.enter_context(make_renderer("none" if unsandboxed else "bubblewrap"))


def _head(b: Benchmark[Sample]) -> dict[str, Any]:
    return {
        "name": b.name, "version": b.version, "track": b.track, "licence": b.licence,
        "description": b.description, "citation": b.citation, "defaults": dict(b.defaults),
        "hash": b.hash, "samples": len(b.samples),
    }  # fmt: skip


def _facts(b: Benchmark[DiagramSample], s: DiagramSample, codes: bool = False) -> dict[str, Any]:
    """A sample as JSON; paths relative to the benchmark folder."""

    def path(value: Path | None) -> str | None:
        return value.relative_to(b.root).as_posix() if value is not None else None

    told: dict[str, Any] = {
        "id": s.id, "edit_type": s.edit_type, "subtypes": list(s.subtypes),
        "operations": s.operations, "drawn_with": s.drawn_with, "instruction": s.instruction,
        "conditions": list(s.conditions), "golds": len(s.golds), "picture": path(s.picture),
        "gold_picture": path(s.gold_picture), "overlay": path(s.overlay),
        "instruction_picture": path(s.instruction_picture), "scene": path(s.scene),
        "origin": s.origin, "source_id": s.source_id, "licence": s.licence or b.licence,
        "instruction_model": s.instruction_model, "gold_model": s.gold_model,
        "annotator": s.annotator, "ratings": [dict(r) for r in s.ratings],
        "result_description": s.result_description, "files": sorted(s.files),
    }  # fmt: skip
    if codes:
        told |= {"code": s.code, "gold_codes": list(s.golds),
                 "gold_templates": list(s.gold_templates)}  # fmt: skip
    return told


def _show_sample(b: Benchmark[DiagramSample], s: DiagramSample) -> None:
    import difflib

    for key, value in _facts(b, s).items():
        if value not in (None, "", []):
            shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            typer.echo(plain(f"{key + ':':21}{shown}"))
    typer.echo("\n" + plain(s.code.rstrip()))
    for k, gold in enumerate(s.golds, start=1):
        changed = difflib.unified_diff(
            s.code.splitlines(), gold.splitlines(), "original", f"gold {k}", lineterm="", n=1
        )
        typer.echo("\n" + plain("\n".join(changed)))


def _table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    if not console.is_terminal:
        # A pipe has no width and its reader no use for a drawn table.
        for line in [columns, *rows]:
            typer.echo("\t".join(plain(" ".join(cell.split())) for cell in line))
        return
    table = Table(title=Text(title) if title else None, title_justify="left", box=None)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(plain(cell)) for cell in row))
    console.print(table)


def _tell(faults: Iterable[Fault], before: str = "") -> None:
    for fault in faults:
        typer.echo(plain(f"{before}{fault}"), err=True)


def _but(count: int, noun: str, what: str) -> str:
    return f" {count} {noun}{'s' * (count > 1)} {what}." if count else ""


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False))
