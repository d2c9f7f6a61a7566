"""Stage measure: picture measures of every candidate by one profile or several."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import BoundedSemaphore, Lock
from typing import Any, Protocol

from redline.image.figures import Figures, Kind, Unusable
from redline.image.inputs import read_picture
from redline.image.lineage import OF, picture
from redline.image.measuring import GoldSide
from redline.image.preservation import KEPT, PRESERVATION_VERSION, preservation
from redline.image.profiles import Profile
from redline.image.starts import FileHashes, Made, made_rows
from redline.image.task import ImageTask
from redline.pixels import FileFault, PictureError, read_file, read_mask
from redline.pixels.loading import MAX_BYTES
from redline.track import Context, Finder, Finished, Unit, digest

MEASURE_VERSION = 1
"""Raised whenever this stage hands a measurer something else, or keeps something else of it."""

NO_GOLD = "There is no gold."
NO_MASK = "There is no mask."
NO_START = "The picture that the round started from is missing."

AT_ONCE = 4
"""Rows measured at once in a process: the networks' features of each take hundreds of megabytes."""


class Measures(Protocol):
    """What this stage needs of a measurer (`measuring.Measurer`)."""

    @property
    def profile(self) -> Profile: ...

    @property
    def measures(self) -> tuple[str, ...]: ...

    def identity(self) -> Mapping[str, Any]: ...

    def long_names(self) -> Mapping[str, str]: ...

    def gold_side(
        self, source: bytes | None, gold: bytes, mask: bytes | None, text: str | None = None
    ) -> GoldSide: ...

    def measure(self, gold_side: GoldSide, candidate: bytes) -> Figures: ...


def measure_key(row: str, profile: str) -> str:
    """`SAMPLE/ROUND#EPOCH@PROFILE`: the key of a row's figures by a profile."""
    return f"{row}@{profile}"


def profiles_measured(done: Finder) -> list[str]:
    """The names of the profiles of which a run holds figures, sorted."""
    return sorted({d.key.rpartition("@")[2] for d in done.all("measure")})


def long_names(done: Finder, profile: str) -> dict[str, str]:
    """The long names of the measures that a run's records of a profile hold, by short name."""
    for record in done.all("measure"):
        if record.key.rpartition("@")[2] == profile and record.value.get("names"):
            return dict(record.value["names"])
    return {}


class GoldSides:
    """The last few golds that were prepared: one gold is measured against for every epoch, and for
    every run that shares this object. Each may hold hundreds of megabytes. Safe between threads."""

    def __init__(self, keep: int = 2) -> None:
        self._keep = keep
        self._held: OrderedDict[str, GoldSide] = OrderedDict()
        self._lock = Lock()

    def get(self, key: str) -> GoldSide | None:
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
            return self._held.get(key)

    def put(self, key: str, side: GoldSide) -> None:
        with self._lock:
            self._held[key] = side
            while len(self._held) > self._keep:
                self._held.popitem(last=False)


@dataclass(frozen=True)
class _Asked:
    """A row to be measured by one of the measurers; `of` is the candidate's SHA-256 or None."""

    made: Made
    of: str | None
    measurer: Measures
    identity: str


class Measure:
    """One unit a row and profile. A failed row has no figures: its record says for which measures
    the row is penalised, those that another candidate could have."""

    name = "measure"

    def __init__(
        self,
        task: ImageTask,
        measurers: Sequence[Measures],
        sides: GoldSides | None = None,
    ) -> None:
        """Raises UserError where a measurer's identity can't be had."""
        self._task = task
        self._measurers = [(m, digest(m.identity())) for m in measurers]
        self._sides = sides or GoldSides()
        self._hashes = FileHashes()
        self._free = BoundedSemaphore(AT_ONCE)

    def units(self, done: Finder) -> Iterable[Unit]:
        """Epochs of a turn follow one another, so that they share its gold."""
        made = list(made_rows(self._task, done, self._hashes))
        order = {id_: n for n, id_ in enumerate(dict.fromkeys(m.step.id for m in made))}
        for measurer, identity in self._measurers:
            for row in sorted(made, key=lambda m: order[m.step.id]):
                yield self._unit(row, measurer, identity)

    def _unit(self, made: Made, measurer: Measures, identity: str) -> Unit:
        of, turn = picture(made.record), made.step.turn
        source = made.step.sample.start_of(turn)
        files = [self._hashes.maybe(f) for f in (source, turn.gold, turn.mask)]
        start = made.start.sha256 if made.start else None
        versions = [MEASURE_VERSION, PRESERVATION_VERSION]
        inputs = digest(of, files, start, turn.instruction, identity, versions)
        key = measure_key(made.step.key, measurer.profile.name)
        return Unit(key, inputs, _Asked(made, of, measurer, identity))

    async def run(self, unit: Unit, context: Context) -> Finished:
        asked: _Asked = unit.payload
        about: dict[str, Any] = {
            "row": asked.made.step.key,
            "profile": asked.measurer.profile.name,
            "names": dict(asked.measurer.long_names()),
            OF: asked.of,
        }
        try:
            return await context.in_thread(self._bounded, asked, about, context)
        except Unusable as e:
            return Finished("unscored", f"{e.kind}: {e}", about)

    def _bounded(self, asked: _Asked, about: dict[str, Any], context: Context) -> Finished:
        with self._free:
            return self._measured(asked, about, context)

    def _measured(self, asked: _Asked, about: dict[str, Any], context: Context) -> Finished:
        start = asked.made.start.read(context) if asked.made.start else None
        side = self._side(asked)
        fixed = side.prepared.undefined if side else dict.fromkeys(asked.measurer.measures, NO_GOLD)
        if asked.of is None:
            could = [m for m in asked.measurer.measures if m not in fixed]
            value = {**about, "penalised": could, "undefined": dict(fixed)}
            return Finished("failed", asked.made.record.reason, value)
        candidate = context.blob(asked.of)
        kept, why_not = self._kept(asked, start, candidate)
        if side is None:
            undefined = {**fixed, **why_not}
            return Finished("ok", None, {**about, "metrics": _plain(kept), "undefined": undefined})
        found = asked.measurer.measure(side, candidate)
        value = {
            **about,
            "metrics": _plain({**found.metrics, **kept}),
            "undefined": {**found.undefined, **why_not},
            "areas": dict(found.areas),
            "sizes": {k: list(v) for k, v in found.sizes.items()},
            "warnings": list(found.warnings),
            "notes": list(found.notes),
        }
        return Finished("ok", None, value)

    def _side(self, asked: _Asked) -> GoldSide | None:
        """The gold, which is the same whatever the model's own picture before it was."""
        turn = asked.made.step.turn
        if turn.gold is None:
            return None
        source = asked.made.step.sample.start_of(turn)
        hashes = [self._hashes.maybe(f) for f in (source, turn.gold, turn.mask)]
        key = digest(hashes, turn.instruction, asked.identity)
        side = self._sides.get(key)
        if side is None:
            side = asked.measurer.gold_side(
                _bytes(source, "source") if source else None,
                _bytes(turn.gold, "gold"),
                _bytes(turn.mask, "mask") if turn.mask else None,
                turn.instruction or None,
            )
            self._sides.put(key, side)
        return side

    def _kept(
        self, asked: _Asked, start: bytes | None, candidate: bytes
    ) -> tuple[dict[str, float], dict[str, str]]:
        """Preservation outside the mask, and why it is undefined where it is."""
        turn = asked.made.step.turn
        if start is None or turn.mask is None:
            return {}, dict.fromkeys(KEPT, NO_START if start is None else NO_MASK)
        before, after = read_picture(start, "source"), read_picture(candidate, "candidate")
        try:
            mask = read_mask(_bytes(turn.mask, "mask"))
        except PictureError as e:
            raise Unusable("mask", f"The mask can't be used. {e}") from e
        return preservation(before.array, after.array, mask.array)


def _bytes(path: Path, kind: Kind) -> bytes:
    """A file of the benchmark. Its name stays out of records, which hold no path of a machine."""
    try:
        return read_file(path, MAX_BYTES)
    except FileFault as e:
        raise Unusable(kind, f"The {kind} can't be read: {e}.") from e


def _plain(metrics: Mapping[str, float]) -> dict[str, float | str]:
    """Figures as JSON can say them: an infinite PSNR as the text "inf"."""
    return {n: v if math.isfinite(v) else str(v) for n, v in metrics.items()}
