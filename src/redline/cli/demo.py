"""`redline demo`: three baselines on the bundled mini benchmark, scored without a key."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from redline.cli.reading_runs import RunView

BASELINE_ORDER = ("oracle", "degraded", "identity")


def demo_command(
    out: Annotated[Path, typer.Option(help="Where runs and the picture go.")] = Path(
        "redline-demo"
    ),
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N samples.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Documents rendered at once.")] = None,
    unsandboxed: Annotated[
        bool, typer.Option("--unsandboxed", help="Run TeX without a sandbox; recorded.")
    ] = False,
) -> None:
    """Run three baselines on mini-diagram with the real renderer and measures; no key needed."""
    from redline.bench import of_track
    from redline.cli import composing, samples_file
    from redline.cli.contact_sheet import write_contact_sheet
    from redline.cli.diagram_run import DiagramRun
    from redline.cli.evaluate import drive
    from redline.cli.reading_runs import view
    from redline.cli.result_tables import result_tables
    from redline.cli.tables import show
    from redline.run import Options, RunFolder

    sandbox = "none" if unsandboxed else "bubblewrap"
    limits = Options() if workers is None else Options(workers=workers)
    views: list[RunView] = []
    status = 0
    with composing.make_renderer(sandbox) as renderer:
        for name in BASELINE_ORDER:
            options = composing.EvalOptions(
                bench="mini-diagram", model=f"baseline/{name}", limit=limit, sandbox=sandbox
            )
            benchmark = composing.load_benchmark(options)
            run = DiagramRun(options, of_track(benchmark, "diagram"), None, renderer=renderer)
            path = out / "runs" / name
            typer.echo(f"{options.model}, {len(benchmark.samples)} samples", err=True)
            with RunFolder.create_or_open(path, run.manifest()) as folder:
                samples_file.write(path, run.facts(), {})
                status = max(status, drive(folder, run.stages(), {}, limits))
            if status not in (0, 3):
                raise typer.Exit(status)
            views.append(view(path))
    for table in result_tables(views):
        show(table)
    picture = write_contact_sheet(out / "demo.png", views)
    me = "redline" if shutil.which("redline") else sys.argv[0]
    typer.echo(
        f"\nThe three runs are in {out / 'runs'}, a picture of them is {picture}.\n"
        f"Next: {me} results {out / 'runs'}/* --by edit_type   (breakdowns)\n"
        f"      {me} bench show mini-diagram   (the samples)\n"
        f"      {me} eval mini-diagram --model openai/NAME --judge google/NAME   (with keys)"
    )
    if status:
        raise typer.Exit(status)
