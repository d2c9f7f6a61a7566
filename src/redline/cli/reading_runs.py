"""Run folders read for results: rows, groups and the facts that stand on every table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from redline.cli import samples_file
from redline.errors import UserError
from redline.models import family
from redline.rows import Column, Facts, Group, Row, breakdown, summarize
from redline.run import Manifest, RunFolder, Totals

NO_JUDGE = "none"
"""Asks for a view without any judge: a run that is not judged to its end shows its measures."""


@dataclass(frozen=True)
class RunView:
    """A run as results see it, with one judge of its judges (an entry of run.json) or none.

    `profile` is the measure profile of photographs; `more` what the track has to say beneath a
    table, and `analysis` its own figures beyond means."""

    path: Path
    manifest: Manifest
    judge: Mapping[str, Any] | None
    rows: Sequence[Row]
    columns: Sequence[Column]
    groupings: Sequence[str]
    totals: Totals
    warnings: Sequence[str]
    picture_scaling: Mapping[str, str]
    profile: str | None = None
    names: Mapping[str, str] | None = None
    more: Sequence[str] = ()
    analysis: Mapping[str, Any] | None = None
    averages: Mapping[str, Any] | None = None

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


@dataclass(frozen=True)
class _Track:
    """What only the track of a run can tell of it."""

    rows: Sequence[Row]
    columns: Sequence[Column]
    groupings: Sequence[str]
    profile: str | None = None
    names: Mapping[str, str] | None = None
    more: Sequence[str] = ()
    analysis: Mapping[str, Any] | None = None
    averages: Mapping[str, Any] | None = None


def view(
    path: Path, judge: str | Mapping[str, Any] | None = None, profile: str | None = None
) -> RunView:
    """Read a run. `judge` picks one by name or by its number in run.json, or is an entry of it, or
    "none"; by default the last one. `profile` picks a measure profile of photographs."""
    folder = RunFolder.open(path)
    manifest = folder.manifest
    kept = samples_file.read(path)
    chosen = _judge(manifest, judge, path)
    known = [_with_families(f, family(manifest.model)) for f in kept.facts]
    if manifest.params["track"] == "image":
        track = _photographs(folder, manifest, known, chosen, profile)
    else:
        track = _diagrams(folder, manifest, known, chosen)
    return RunView(
        path, manifest, chosen, track.rows, track.columns, (*track.groupings, "families"),
        folder.totals, tuple(folder.warnings), kept.picture_scaling, track.profile, track.names,
        track.more, track.analysis, track.averages,
    )  # fmt: skip


def _diagrams(
    folder: RunFolder, manifest: Manifest, facts: Sequence[Facts], judge: Mapping[str, Any] | None
) -> _Track:
    from redline.diagram import COLUMNS, GROUPINGS, make_rows
    from redline.diagram.task import Level, verdict_key

    want = manifest.params["want"]
    keys = [(f"{f.id}#{e}", f) for e in range(manifest.params["epochs"]) for f in facts]
    if judge is None:
        return _Track(make_rows(keys, folder, want), COLUMNS, GROUPINGS)
    levels: list[Level] = [n for n in judge["levels"] if n == "image" or want == "code"]

    def verdicts(row: str) -> list[tuple[Level, str]]:
        return [
            (level, verdict_key(row, judge, level, repeat))
            for level in levels
            for repeat in range(judge["repeats"])
        ]

    return _Track(make_rows(keys, folder, want, verdicts), COLUMNS, GROUPINGS)


def _photographs(
    folder: RunFolder,
    manifest: Manifest,
    facts: Sequence[Facts],
    judge: Mapping[str, Any] | None,
    profile: str | None,
) -> _Track:
    from redline.image import judging, results, rows, turns
    from redline.image.measure_stage import long_names, profiles_measured
    from redline.image.profiles import profile_named

    there = profiles_measured(folder)
    if profile is not None and profile not in there:
        raise UserError(
            f"{folder.path} has no figures by profile {profile!r} (there: "
            f"{', '.join(there) or 'none'}). Make them: redline measure RUN --profiles {profile}."
        )
    chosen = profile or ("corrected" if "corrected" in there or not there else there[0])
    keys = rows.row_keys(facts, manifest.params["epochs"])
    verdicts = None if judge is None else lambda row: judging.verdict_keys(row, judge)
    made = rows.make_rows(keys, folder, manifest.params["turns"], chosen, verdicts)
    answers = rows.answers(keys, folder, verdicts) if verdicts else []
    several = any("multi" in r.sample.groups.get("track", ()) for r in made)
    names = long_names(folder, chosen)
    more = [f"profile {chosen}; turns {manifest.params['turns']}", *results.notes(made)]
    if names:
        more[0] += f"; {', '.join(names.values())}"
    averages = results.averages(made, profile_named(chosen))
    weighed = {
        n: a.published
        for n, a in averages.items()
        if a.published is not None
        and (n in profile_named(chosen).weighted or (n == "Overall" and a.published != a.plain))
    }
    if weighed:
        told = ", ".join(f"{n} {value:.3f}" for n, value in weighed.items())
        more.append(f"Averaged as profile {chosen} does, by the region's area: {told}.")
    if manifest.params["left_out"]:
        more.append(f"{manifest.params['left_out']} turns of the samples are left out of this run.")
    return _Track(
        made, results.columns(judge), results.GROUPINGS, chosen, names, more,
        turns.analyse(made, answers).as_json() if several else None,
        {n: asdict(a) for n, a in averages.items()},
    )  # fmt: skip


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
    if asked == NO_JUDGE:
        return None
    if isinstance(asked, str) and asked.isdecimal() and 0 < int(asked) <= len(judges):
        return judges[int(asked) - 1]
    found = [j for j in judges if j["judge"] == asked or j == asked]
    if not found:
        there = ", ".join(f"{n}: {j['judge']}" for n, j in enumerate(judges, start=1)) or "none"
        raise UserError(f"{path} has no verdicts of judge {asked!r}; its judges: {there}.")
    return found[-1]
