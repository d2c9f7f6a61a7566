"""The `redline` command: registers the commands and turns errors into sentences."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer

from redline.errors import plain
from redline.version import __version__

app = typer.Typer(
    name="redline",
    help="Build, run and trust benchmarks of models that edit pictures.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"redline {__version__}")
        raise typer.Exit


@app.callback()
def _top(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


def _register() -> None:
    from redline.cli.bench import bench_app
    from redline.cli.bench_render import bench_render_command
    from redline.cli.compare import compare_command
    from redline.cli.demo import demo_command
    from redline.cli.doctor import doctor_command
    from redline.cli.evaluate import eval_command, judge_command, measure_command, score_command
    from redline.cli.models import models_command
    from redline.cli.render import render_command
    from redline.cli.results import results_command

    app.command("demo")(demo_command)
    app.command("eval")(eval_command)
    app.command("score")(score_command)
    app.command("judge")(judge_command)
    app.command("measure")(measure_command)
    app.command("results")(results_command)
    app.command("compare")(compare_command)
    app.command("render")(render_command)
    bench_app.command("render")(bench_render_command)
    app.add_typer(bench_app, name="bench")
    app.command("models")(models_command)
    app.command("doctor")(doctor_command)


def _sentence(error: BaseException) -> tuple[str, int] | None:
    """What to tell the user of an error that is no bug of ours, and the exit status."""
    status: Any = getattr(error, "exit_status", None)
    if status is not None:
        return str(error), int(status)
    if isinstance(error, OSError):
        where = f" ({error.filename})" if error.filename else ""
        return f"{error.strerror or error}{where}.", 1
    return None


def main() -> None:
    """Start the command line. Errors of use end with status 2, a full disk or a crash with 1."""
    _register()
    try:
        app()
    except BrokenPipeError:
        # The reader (head, less) went away: no reason for a traceback.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except Exception as error:
        told = _sentence(error)
        if told is None:
            raise
        typer.echo(f"redline: {plain(told[0])}", err=True)
        sys.exit(told[1])
