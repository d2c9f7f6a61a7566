"""`redline bench import FORMAT SOURCE --out DIR`: make a benchmark folder of something else."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from redline.cli.telling import Json, Unsandboxed, but, print_json, tell

if TYPE_CHECKING:
    from redline.bench import ImportReport

import_app = typer.Typer(
    name="import",
    help="Make a benchmark folder of something else.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Out = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="The benchmark folder to make.")
]
Dest = Annotated[Path | None, typer.Argument(metavar="[DEST]", help="The same as --out.")]


@import_app.command("vtikz")
def import_vtikz_command(
    src: Annotated[Path, typer.Argument(metavar="SOURCE", help="The folder of vTikZ's samples.")],
    dest: Dest = None,
    out: Out = None,
    name: Annotated[str, typer.Option(help="The new benchmark's name.")] = "vtikz",
    licence: Annotated[str, typer.Option(help="The licence of the samples.")] = (
        "unknown (see the vTikZ repository)"
    ),
    as_json: Json = False,
    compile: Annotated[
        bool, typer.Option("--compile/--no-compile", help="Also compile originals and golds.")
    ] = True,
    unsandboxed: Unsandboxed = False,
) -> None:
    """Import a vTikZ folder: NAME/data.json, NAME/input.tex, NAME/solutions/*.tex. Says which
    samples were skipped and which do not render here, each with the reason, and goes on."""
    from redline.bench import import_vtikz
    from redline.cli import compile_check

    place = _place(dest, out)
    with ExitStack() as stack:
        renders = (
            compile_check.why_not(compile_check.renderer(stack, unsandboxed)) if compile else None
        )
        report = import_vtikz(src, place, renders, name=name, licence=licence)
    _tell_report(report, as_json, "" if compile else " (not compiled)")


@import_app.command("archive")
def import_archive_command(
    src: Annotated[
        Path, typer.Argument(metavar="SOURCE", help="A zip or JSONL from bench export.")
    ],
    dest: Dest = None,
    out: Out = None,
) -> None:
    """Unpack a benchmark that `redline bench export` wrote."""
    from redline.bench import load, unpack

    benchmark = load(unpack(src, _place(dest, out)))
    typer.echo(f"{len(benchmark.samples)} samples are in {benchmark.root}; hash {benchmark.hash}")


IMAGE_COMMANDS = {
    "omni-iie": ("Omni IIE Bench: lists of edits of photographs, in one turn or many.",
                 "single, multi"),
    "magicbrush": ("MagicBrush: folders with edit_sessions.json, or Parquet tables.",
                   "dev, train (tables only; dev alone is fetched from the Hub)"),
    "gedit": ("GEdit-Bench: Arrow or Parquet tables, or a JSON list beside pictures.", "en, cn"),
    "imgedit": ("ImgEdit-Bench: JSON lists beside pictures, or Benchmark.tar.",
                "basic, uge, multi"),
}  # fmt: skip
"""The formats of redline.bench.IMAGE_FORMATS, each with what its help says of it and of its parts:
they stand here so that `redline --help` need not load them."""


SourceArgument = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE",
        help="A folder, one of its lists, or hf://OWNER/NAME[@REVISION] (extra hub).",
    ),
]
ImageOut = Annotated[
    Path, typer.Option("--out", metavar="DIR", help="The benchmark folder to make.")
]
Root = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Where the pictures lie, if not beside the lists."),
]
Part = Annotated[list[str] | None, typer.Option(help="Only this part of it; repeatable.")]
NewName = Annotated[str | None, typer.Option(help="The new benchmark's name.")]
Licence = Annotated[str | None, typer.Option(help="The licence of the samples.")]


def _image_command(format: str, title: str, parts: str) -> None:
    def command(
        source: SourceArgument,
        out: ImageOut,
        root: Root = None,
        part: Part = None,
        name: NewName = None,
        licence: Licence = None,
        as_json: Json = False,
    ) -> None:
        from redline.bench import import_images

        report = import_images(
            format, source, out, root=root, parts=part or (), name=name, licence=licence
        )
        _tell_report(report, as_json)

    command.__doc__ = (
        f"Import {title} Parts: {parts}. Files are copied; what can't be used is left out and told "
        "with the reason."
    )
    import_app.command(format)(command)


for _format, (_title, _parts) in IMAGE_COMMANDS.items():
    _image_command(_format, _title, _parts)


def _place(dest: Path | None, out: Path | None) -> Path:
    if (dest is None) == (out is None):
        raise typer.BadParameter("Name the folder to make, by --out DIR.")
    return dest or out or Path()


def _tell_report(report: ImportReport, as_json: bool, after: str = "") -> None:
    if as_json:
        print_json({
            "dest": str(report.dest),
            "origin": report.origin,
            "imported": list(report.imported),
            "turns": report.turns,
            **{k: [asdict(f) for f in getattr(report, k)]
               for k in ("skipped", "unrendered", "notes")},
        })  # fmt: skip
        return
    tell(report.notes, "note: ")
    tell(report.unrendered)
    tell(report.skipped, "skipped: ")
    away = len({f.sample for f in report.unrendered})
    turns = f" with {report.turns} turns" if report.turns else ""
    origin = f" from {report.origin}" if report.origin else ""
    typer.echo(
        f"{len(report.imported)} samples{turns}{origin} are in {report.dest}{after}."
        + but(len(report.skipped), "record" if report.turns else "sample", "skipped")
        + but(away, "sample", "with a code that does not render here")
    )
