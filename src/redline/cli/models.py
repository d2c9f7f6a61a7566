"""`redline models`: the models that are known, their prices, and whether a key is there."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from redline.models import ModelCard

ANY_MODEL = (
    "Any other model can be named too: openai/NAME, openrouter/VENDOR/NAME, google/NAME, "
    "anthropic/NAME, http://HOST:PORT/v1#NAME for any OpenAI-compatible server, command/NAME for a "
    "program of yours. Prices and more cards: ~/.config/redline/cards.toml."
)


def models_command(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the models that are known, with prices (USD, with their date) and whether a key is set
    (never shown)."""
    from redline.models import cards, keys_present

    known = cards()
    keys = keys_present(os.environ)
    there = {provider for provider, _, found in keys if found}
    needed = {provider for provider, _, _ in keys}
    if as_json:
        told: dict[str, Any] = {
            "models": [{**asdict(c), "key_present": _key(c, needed, there)} for c in known],
            "keys": [{"provider": p, "variable": v, "present": f} for p, v, f in keys],
        }
        typer.echo(json.dumps(told, indent=2))
        return

    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("model", "weights", "answers", "thinking", "key"):
        table.add_column(name, overflow="fold")
    for name in ("$/M in", "$/M out", "$/picture"):
        table.add_column(name, justify="right")
    table.add_column("price of")
    for c in known:
        found = _key(c, needed, there)
        key = "" if found is None else "set" if found else "not set"
        prices = (c.input_per_mtok, c.output_per_mtok, c.per_picture)
        shown = ["?" if p is None else f"{p:g}" for p in prices]
        table.add_row(c.name, c.weights, c.answers, c.thinking, key, *shown, c.price_date or "")
    console = Console(soft_wrap=not os.isatty(1), width=None if os.isatty(1) else 160)
    console.print(table)
    for provider, variable, found in keys:
        console.print(f"{provider}: {variable} is {'set' if found else 'not set'}", markup=False)
    console.print(ANY_MODEL, markup=False)


def _key(card: ModelCard, needed: set[str], there: set[str]) -> bool | None:
    """Whether the key of the card's provider is set; None where it needs none."""
    return card.provider in there if card.provider in needed else None
