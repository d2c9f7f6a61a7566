"""Run folders read for results: rows, groups and the facts that stand on every table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from redline.cli import samples_file
from redline.diagram import COLUMNS, GROUPINGS, make_rows
from redline.diagram.task import Level, verdict_key
from redline.errors import UserError
from redline.models import family
from redline.rows import Column, Facts, Group, Row, breakdown, summarize
from redline.run import Manifest, RunFolder, Totals


@dataclass(frozen=True)
class RunView:
    """A run as results see it, with one judge of its judges (an entry of run.json) or none."""

    path: Path
    manifest: Manifest
    judge: Mapping[str, Any] | None
    rows: Sequence[Row]
    columns: Sequence[Column]
    groupings: Sequence[str]
    totals: Totals
    warnings: Sequence[str]
    picture_scaling: Mapping[str, str]

    @property
    def complete(self) -> bool:
        return all(r.counts for r in self.rows)

    @property
    def judge_number(self) -> int | None:
        """The place of the judge in run.json, from 1."""
        return self.manifest.judges.index(self.judge) + 1 if self.judge is not None else None

    def whole(self) -> Group:
        return summarize(self.rows, self.columns)

    def by(self, grouping: str) -> Mapping[str, Group]:
        """Groups by one of `groupings`."""
        if grouping not in self.groupings:
            names = ", ".join(self.groupings)
            raise UserError(f"There is no breakdown by {grouping!r}; choose one of {names}.")
        return breakdown(self.rows, grouping, self.columns)


def view(path: Path, judge: str | Mapping[str, Any] | None = None) -> RunView:
    """Read a run. `judge` picks one by name or by its number in run.json, or is an entry of it;
    by default the last one."""
    folder = RunFolder.open(path)
    manifest = folder.manifest
    kept = samples_file.read(path)
    chosen = _judge(manifest, judge, path)
    rows = _rows(folder, manifest, kept.facts, chosen)
    return RunView(
        path, manifest, chosen, rows, COLUMNS, (*GROUPINGS, "families"), folder.totals,
        tuple(folder.warnings), kept.picture_scaling,
    )  # fmt: skip


def _rows(
    folder: RunFolder, manifest: Manifest, facts: Sequence[Facts], judge: Mapping[str, Any] | None
) -> list[Row]:
    want = manifest.params["want"]
    known = [_with_families(f, family(manifest.model)) for f in facts]
    keys = [(f"{f.id}#{e}", f) for e in range(manifest.params["epochs"]) for f in known]
    if judge is None:
        return make_rows(keys, folder, want)
    levels: list[Level] = [n for n in judge["levels"] if n == "image" or want == "code"]

    def verdicts(row: str) -> list[tuple[Level, str]]:
        return [
            (level, verdict_key(row, judge, level, repeat))
            for level in levels
            for repeat in range(judge["repeats"])
        ]

    return make_rows(keys, folder, want, verdicts)


def _with_families(f: Facts, mine: str) -> Facts:
    """The candidate's family of models against that of whoever made the gold."""
    golds = f.groups.get("gold_model", ("none",))
    pairs = tuple(f"{mine} on gold of {family(g)}" for g in golds)
    return replace(f, groups={**f.groups, "families": pairs})


def _judge(
    manifest: Manifest, asked: str | Mapping[str, Any] | None, path: Path
) -> Mapping[str, Any] | None:
    judges = manifest.judges
    if asked is None:
        return judges[-1] if judges else None
    if isinstance(asked, str) and asked.isdecimal() and 0 < int(asked) <= len(judges):
        return judges[int(asked) - 1]
    found = [j for j in judges if j["judge"] == asked or j == asked]
    if not found:
        there = ", ".join(f"{n}: {j['judge']}" for n, j in enumerate(judges, start=1)) or "none"
        raise UserError(f"{path} has no verdicts of judge {asked!r}; its judges: {there}.")
    return found[-1]
