"""`redline bench`: list, show, check and export benchmarks; imports are in bench_import.py."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from redline.cli.bench_import import import_app
from redline.cli.telling import Json, Unsandboxed, but, print_json, tell
from redline.errors import plain

if TYPE_CHECKING:
    from redline.bench import Fault

bench_app = typer.Typer(
    name="bench",
    help="List, show, check, import and export benchmarks.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
bench_app.add_typer(import_app, name="import")

NOTES_SHOWN = 20

Name = Annotated[
    str, typer.Argument(metavar="NAME", help="A bundled benchmark's name or a folder.")
]
Ids = Annotated[str | None, typer.Option(help="Only these samples, separated by commas.")]
Scale = Annotated[str | None, typer.Option(help="Only samples with a turn of scale low or high.")]
Origin = Annotated[str | None, typer.Option(help="Only samples of this origin.")]
Limit = Annotated[int | None, typer.Option(help="Only the first so many.")]


@bench_app.command("list")
def list_command(as_json: Json = False) -> None:
    """List the bundled benchmarks."""
    from redline.bench import bundled, load
    from redline.cli.bench_show import head, table

    found = [load(path) for path in bundled().values()]
    if as_json:
        print_json([head(b) for b in found])
        return
    rows = [[b.name, b.version, b.track, str(len(b.samples)), b.licence, b.description]
            for b in found]  # fmt: skip
    table("", ["name", "version", "track", "samples", "licence", "description"], rows)


@bench_app.command("show")
def show_command(
    name: Name,
    sample: Annotated[str | None, typer.Argument(metavar="[ID]", help="One sample.")] = None,
    as_json: Json = False,
) -> None:
    """Show a benchmark and its samples, or one sample with its codes or its turns."""
    from redline.bench import find, load, select
    from redline.cli.bench_show import head, print_sample, sample_facts, sample_table, table

    benchmark = load(find(name))
    if sample is not None:
        one = select(benchmark, ids=[sample]).samples[0]
        if as_json:
            facts = sample_facts(benchmark.root, one, benchmark.licence, codes=True)
            print_json({"folder": str(benchmark.root), **facts})
        else:
            print_sample(benchmark, one)
        return
    told = head(benchmark)
    if as_json:
        samples = [sample_facts(benchmark.root, s, benchmark.licence) for s in benchmark.samples]
        print_json({**told, "samples_list": samples})
        return
    title = f"{benchmark.name} {benchmark.version}, {benchmark.track}, {benchmark.licence}"
    table(title, *sample_table(benchmark))
    if benchmark.description:
        typer.echo(plain(benchmark.description))
    if benchmark.origin:
        typer.echo(plain(f"Imported from {benchmark.origin}."))
    if benchmark.defaults:
        suggested = ", ".join(f"{k} {v}" for k, v in benchmark.defaults.items())
        typer.echo(f"Suggested by the benchmark: {suggested}.")
    turns = f" with {told['turns']} turns" if "turns" in told else ""
    typer.echo(f"{len(benchmark.samples)} samples{turns}; hash {benchmark.hash}")
    typer.echo(f"Folder: {plain(str(benchmark.root))}")


@bench_app.command("check")
def check_command(
    name: Name,
    as_json: Json = False,
    compile: Annotated[
        bool, typer.Option("--compile/--no-compile", help="Also compile originals and golds.")
    ] = True,
    unsandboxed: Unsandboxed = False,
) -> None:
    """Check every field, file and mask of a benchmark and that its codes compile; list all faults
    at once, each with the sample and what to do. Ends with status 2 where there are faults; notes
    leave it 0."""
    from redline.bench import check, find
    from redline.cli.compile_check import CompileCheck

    folder = find(name)
    with ExitStack() as stack:
        compiled = CompileCheck(stack, unsandboxed) if compile else None
        found = check(folder, content=compiled)
    faults = [f for f in found if f.severity == "fault"]
    notes = [f for f in found if f.severity == "note"]
    unchecked = compiled.unchecked if compiled is not None else []
    if as_json:
        print_json({
            "benchmark": name,
            "faults": [asdict(f) for f in faults],
            "notes": [asdict(f) for f in notes],
            "unchecked": [asdict(f) for f in unchecked],
        })  # fmt: skip
    else:
        _report(name, faults, notes, unchecked)
    if faults:
        raise typer.Exit(2)


def _report(name: str, faults: list[Fault], notes: list[Fault], unchecked: list[Fault]) -> None:
    tell(faults)
    tell(unchecked, "not checked: ")
    tell(notes[:NOTES_SHOWN], "note: ")
    if len(notes) > NOTES_SHOWN:
        typer.echo(f"... and {len(notes) - NOTES_SHOWN} more notes: --json has all.", err=True)
    rest = but(len(unchecked), "code", "not checked") + but(len(notes), "note", "to read")
    if faults:
        count = f"{len(faults)} fault" + "s" * (len(faults) > 1)
        typer.echo(f"{name}: {count}.{rest}", err=True)
    else:
        typer.echo(f"{name}: no faults.{rest}")


@bench_app.command("export")
def export_command(
    name: Name,
    dest: Annotated[Path, typer.Argument(metavar="DEST", help="Where to write.")],
    format: Annotated[
        str, typer.Option("--format", help="folder, zip or jsonl (one self-contained file).")
    ] = "folder",
    ids: Ids = None,
    scale: Scale = None,
    origin: Origin = None,
    limit: Limit = None,
) -> None:
    """Write a benchmark's samples and their files, and nothing else."""
    from redline.bench import export, find, load, select

    benchmark = select(
        load(find(name)), ids=_ids(ids), scale=scale, origin=origin, limit=limit
    )  # fmt: skip
    typer.echo(f"{len(benchmark.samples)} samples are in {export(benchmark, dest, format)}")


def _ids(text: str | None) -> Iterable[str] | None:
    return [i.strip() for i in text.split(",") if i.strip()] if text is not None else None
