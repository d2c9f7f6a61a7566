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
    "Any other model can be named too, in one of the ways below. Prices and more cards: "
    "~/.config/redline/cards.toml. Editing models: docs/editing-models.md."
)


def models_command(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the models that are known, with prices (USD, with their date) and whether a key is set
    (never shown); the ways to name any other, with what each answers with and what it was tried
    against; and the pipelines of diffusers that can be called as editors."""
    from redline.models import cards, keys_present
    from redline.models.diffusion.adapters import ADAPTERS
    from redline.models.ways import WAYS

    known = cards()
    keys = keys_present(os.environ)
    there = {provider for provider, _, found in keys if found}
    needed = {provider for provider, _, _ in keys}
    if as_json:
        told: dict[str, Any] = {
            "models": [{**asdict(c), "key_present": _key(c, needed, there)} for c in known],
            "keys": [{"provider": p, "variable": v, "present": f} for p, v, f in keys],
            "ways": [asdict(w) for w in WAYS],
            "pipelines": [
                {
                    "pipeline": a.pipeline,
                    "weights": a.weights,
                    "pictures": a.most_pictures,
                    "batches": a.batches,
                    "verified": a.verified,
                }
                for a in ADAPTERS.values()
            ],
        }
        typer.echo(json.dumps(told, indent=2))
        return

    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("model", "weights", "answers", "thinking", "key"):
        table.add_column(name, overflow="fold")
    for name in ("$/M in", "$/M out", "$/M picture out", "$/picture"):
        table.add_column(name, justify="right")
    table.add_column("price of")
    for c in known:
        found = _key(c, needed, there)
        key = "" if found is None else "set" if found else "not set"
        prices = (c.input_per_mtok, c.output_per_mtok, c.picture_output_per_mtok, c.per_picture)
        # A card without a price of its own for pictures charges them as other tokens.
        free = ("", "") if c.priced else ("?", "?")
        none = ("?", "?", *free)
        shown = [n if p is None else f"{p:g}" for p, n in zip(prices, none, strict=True)]
        table.add_row(c.name, c.weights, c.answers, c.thinking, key, *shown, c.price_date or "")
    console = Console(soft_wrap=not os.isatty(1), width=None if os.isatty(1) else 160)
    console.print(table)
    for provider, variable, found in keys:
        console.print(f"{provider}: {variable} is {'set' if found else 'not set'}", markup=False)
    console.print(ANY_MODEL, markup=False)
    ways = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("named", "answers", "asked by", "tried against"):
        ways.add_column(name, overflow="fold")
    for w in WAYS:
        ways.add_row(w.name, w.answers, w.how, w.tried)
    pipelines = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("pipeline of diffusers", "weights", "pictures", "ran with real weights"):
        pipelines.add_column(name, overflow="fold")
    for a in ADAPTERS.values():
        ran = "yes" if a.verified else "no, small random ones"
        most = "1" if a.most_pictures == 1 else f"1 to {a.most_pictures}"
        pipelines.add_row(a.pipeline, a.weights, most, ran)
    for more in (ways, pipelines):
        console.print()
        console.print(more)


def _key(card: ModelCard, needed: set[str], there: set[str]) -> bool | None:
    """Whether the key of the card's provider is set; None where it needs none."""
    return card.provider in there if card.provider in needed else None
