"""`redline bench render`: make the pictures that a benchmark's codes give."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from redline.bench import DiagramSample
    from redline.diagram.references import Renders


def bench_render_command(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A bundled benchmark's name or a folder.")
    ],
    out: Annotated[
        Path | None, typer.Option(help="Where to; by default the cache of derived pictures.")
    ] = None,
    in_place: Annotated[
        bool,
        typer.Option(
            "--in-place", help="Write the pictures that samples.jsonl names, where it names them."
        ),
    ] = False,
    workers: Annotated[int, typer.Option(min=1, help="Documents rendered at once.")] = 2,
    unsandboxed: Annotated[
        bool, typer.Option("--unsandboxed", help="Run TeX without a sandbox (code you trust).")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Render originals and golds, one engine and one scale a sample. Derived pictures are kept
    outside of the benchmark and never change its hash; `--in-place` is for its makers."""
    from redline.bench import derived_picture_dir, find, load, of_track
    from redline.cli.composing import make_renderer
    from redline.tex import Profile

    folder = find(name)
    benchmark = of_track(load(folder), "diagram")
    dest = out or derived_picture_dir(benchmark, Profile().name)

    def one(sample: DiagramSample) -> dict[str, Any]:
        return _render_sample(renderer, sample, None if in_place else dest)

    with (
        make_renderer("none" if unsandboxed else "bubblewrap") as renderer,
        ThreadPoolExecutor(workers) as pool,
    ):
        made = list(pool.map(one, benchmark.samples))
    failed = [m for m in made if m["error"]]
    where = str(folder if in_place else dest)
    if as_json:
        typer.echo(json.dumps({"folder": where, "samples": made}, indent=2))
    else:
        for m in failed:
            typer.echo(f"{m['id']}: {m['error']}", err=True)
        typer.echo(f"{len(made) - len(failed)} of {len(made)} samples rendered into {where}")
    if failed:
        raise typer.Exit(3)


def _render_sample(renderer: Renders, sample: DiagramSample, dest: Path | None) -> dict[str, Any]:
    from redline.diagram import ReferenceFault, references

    try:
        refs = references(renderer, sample)
    except ReferenceFault as e:
        return {"id": sample.id, "error": str(e), "files": []}
    if dest is None:
        wanted = [(sample.picture, refs.original), (sample.gold_picture, refs.golds[0])]
    else:
        golds = [
            (dest / f"{sample.id}.gold{k if k > 1 else ''}.png", g)
            for k, g in enumerate(refs.golds, start=1)
        ]
        wanted = [(dest / f"{sample.id}.png", refs.original), *golds]
    files = []
    for path, data in wanted:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            files.append(path.name)
    return {"id": sample.id, "error": None, "engine": refs.engine, "files": files}
