"""How commands about benchmarks tell what they found: faults as lines, facts as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from redline.errors import plain

if TYPE_CHECKING:
    from redline.bench import Fault

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Unsandboxed = Annotated[
    bool, typer.Option("--unsandboxed", help="Compile without a sandbox (code you trust only).")
]


def tell(faults: Iterable[Fault], before: str = "") -> None:
    """One line a fault, to standard error."""
    for fault in faults:
        typer.echo(plain(f"{before}{fault}"), err=True)


def but(count: int, noun: str, what: str) -> str:
    """` 3 samples skipped.`, or nothing where there are none."""
    return f" {count} {noun}{'s' * (count > 1)} {what}." if count else ""


def print_json(value: Any) -> None:
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False))
