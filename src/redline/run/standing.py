"""What of a run still holds: records whose inputs are those the stages ask for today."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from redline.run.engine import finished
from redline.run.folder import RunFolder
from redline.track import Done, Stage


@dataclass(frozen=True)
class StageStanding:
    """Units of a stage: `current` ones by key, keys of `stale` and of `missing` ones."""

    stage: str
    current: dict[str, Done]
    stale: tuple[str, ...]
    missing: tuple[str, ...]


def standing(folder: RunFolder, stages: Sequence[Stage]) -> list[StageStanding]:
    """How far a run is, without doing anything: a stale unit is one that would be done again."""
    result = []
    for stage in stages:
        current, stale, missing = {}, [], []
        for unit in stage.units(folder):
            done = finished(folder, stage.name, unit)
            if done is not None:
                current[unit.key] = done
            elif folder.get(stage.name, unit.key) is None:
                missing.append(unit.key)
            else:
                stale.append(unit.key)
        result.append(StageStanding(stage.name, current, tuple(stale), tuple(missing)))
    return result
