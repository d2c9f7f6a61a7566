"""Run folders read for results: rows, groups and the facts that stand on every table."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redline.cli.composing import FACTS
from redline.diagram import Facts, Group, Row, breakdown, make_rows, summarize
from redline.diagram.results import GROUPINGS
from redline.diagram.task import Level, verdict_key
from redline.errors import UserError
from redline.run import Manifest, RunFolder


@dataclass(frozen=True)
class RunView:
    """A run as results see it, with one judge of its judges or none."""

    path: Path
    manifest: Manifest
    judge: Mapping[str, Any] | None
    rows: Sequence[Row]
    spent: float
    unpriced: int
    warnings: Sequence[str]
    picture_scaling: Mapping[str, str]

    @property
    def complete(self) -> bool:
        return all(r.outcome in ("scored", "failed") for r in self.rows)

    def whole(self) -> Group:
        return summarize(self.rows)

    def by(self, grouping: str) -> Mapping[str, Group]:
        """Groups by one of GROUPINGS, or by `families`: candidate's against gold's."""
        if grouping == "families":
            from redline.models import family

            mine = family(self.manifest.model)
            return breakdown(
                self.rows,
                lambda r: [f"{mine} on gold of {family(r.sample.gold_model or 'none')}"],
            )
        if grouping not in GROUPINGS:
            names = ", ".join([*GROUPINGS, "families"])
            raise UserError(f"There is no breakdown by {grouping!r}; choose one of {names}.")
        return breakdown(self.rows, GROUPINGS[grouping])


def view(path: Path, judge: str | None = None) -> RunView:
    """Read a run. `judge` picks one by name where there are several; by default the last one."""
    folder = RunFolder.open(path)
    try:
        kept = json.loads((path / FACTS).read_bytes())
        facts = [Facts.read(s) for s in kept["samples"]]
        scaling = dict(kept["picture_scaling"])
    except FileNotFoundError:
        raise UserError(
            f"{path} has no {FACTS}: its run stopped while it began. Start its command again."
        ) from None
    except (ValueError, KeyError, TypeError) as e:
        raise UserError(
            f"{path / FACTS} is damaged ({e}); delete it and start the run again."
        ) from e
    manifest = folder.manifest
    chosen = _judge(manifest, judge, path)
    keys = [(f"{f.id}#{e}", f) for e in range(manifest.params["epochs"]) for f in facts]
    code_too = manifest.params["want"] == "code"
    levels: list[Level] = [n for n in (chosen or {}).get("levels", ()) if n == "image" or code_too]
    wanted = None
    if chosen is not None:

        def wanted(row: str) -> list[str]:
            return [
                verdict_key(row, chosen, level, repeat)
                for level in levels
                for repeat in range(chosen["repeats"])
            ]

    totals = folder.totals
    rows = make_rows(keys, folder, wanted)
    return RunView(
        path, manifest, chosen, rows, totals.spent, totals.unpriced, tuple(folder.warnings), scaling
    )


def _judge(manifest: Manifest, name: str | None, path: Path) -> Mapping[str, Any] | None:
    if name is None:
        return manifest.judges[-1] if manifest.judges else None
    found = [j for j in manifest.judges if j["judge"] == name]
    if not found:
        there = ", ".join(j["judge"] for j in manifest.judges) or "none"
        raise UserError(f"{path} has no verdicts of judge {name!r}; its judges: {there}.")
    return found[-1]
