"""Outputs made elsewhere in place of stage generate: files matched to rows by name alone."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redline.bench.image_sample import ImageSample, Turn
from redline.bench.strict_json import JsonFault, parse_object
from redline.errors import UserError
from redline.image.task import ImageTask, Step, row_id, single_turn
from redline.pixels import FileFault, PictureError, load_picture, read_file, sha256_file
from redline.pixels.loading import MAX_BYTES
from redline.track import Context, Finder, Finished, Unit, digest

SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif", ".tif", ".tiff"})
"""What is taken for a picture, in any case; another file is told as surplus."""

FIELDS = ("id", "round", "scale", "origin", "context", "category", "tail")
"""Fields of a pattern. `tail` is the id without its origin and the `_` behind it."""

_FIELD = re.compile(r"\{(\w*)\}")

NO_OUTPUT = "no_output"
"""The reason of a record that says: the output that was scored here before is gone.
The row is missing, as one that never had an output."""


class OutputsFault(UserError):
    """A folder or manifest of outputs that can't be read."""


@dataclass(frozen=True)
class Outputs:
    """Files by row id SAMPLE/ROUND. `surplus` are files that are no output of a row, each with what
    it is where that is known; `missing` are rows without a file. Nothing is dropped in silence."""

    files: Mapping[str, Path]
    surplus: tuple[str, ...]
    missing: tuple[str, ...]


def find_outputs(source: Path, task: ImageTask, pattern: str | None = None) -> Outputs:
    """The outputs in a folder, by their paths in it, or in a manifest.

    A folder is matched with `pattern` (fields in braces, such as `{id}_{round}.png`; without a
    suffix any picture's will do), by default with the names that are in use (`names_of`). A path
    has to be a name exactly, in all its letters: nothing is guessed. A manifest is JSONL with
    keys id, round and path, or CSV with these columns; a sample of a single turn needs no round;
    paths are relative to the manifest. Raises OutputsFault.
    """
    rows = {step.id: step for step in task.rows()}
    if source.is_dir():
        found, surplus = _folder(source, task, rows, pattern)
    else:
        found, surplus = _manifest(source, task, rows)
    files: dict[str, Path] = {}
    for id_, path in found:
        if id_ in files:
            raise OutputsFault(
                f"Row {id_} has two outputs in {source}: {files[id_].name} and {path.name}. "
                "Keep one, or name it in a manifest."
            )
        files[id_] = path
    return Outputs(files, tuple(surplus), tuple(r for r in rows if r not in files))


def names_of(sample: ImageSample, turn: Turn, mode: str) -> Iterator[str]:
    """The paths without suffix under which a row's output is looked for in a folder: Redline's own
    names, those of Omni IIE Bench, MagicBrush and GEdit-Bench (as their importers name samples)."""
    id_, round_ = sample.id, turn.round
    yield f"{id_}_{round_}"
    yield f"{id_}/{round_}"
    if single_turn(sample):
        yield id_
    tail = _tail(sample)
    if tail != id_:
        # Omni IIE Bench: {dataset}/{sample_id}_{level}; the level of a single turn is in the id.
        name = tail if single_turn(sample) else f"{tail}_{round_}"
        yield f"{sample.origin}/{name}"
    if round_ == 1:
        yield f"{id_}/{id_}_1"
    elif mode in _MAGICBRUSH:
        yield f"{id_}/{id_}_{_MAGICBRUSH[mode]}_{round_}"
    key, _, language = id_.rpartition("_")
    if turn.category and key:
        yield f"{turn.category}/{language}/{key}"


_MAGICBRUSH = {"gt_input": "inde", "cumulative": "iter"}
"""How MagicBrush names a later round's output: made from the gold before, or from its own."""


def _tail(sample: ImageSample) -> str:
    return sample.id.removeprefix(f"{sample.origin}_") if sample.origin else sample.id


def _folder(
    source: Path, task: ImageTask, rows: Mapping[str, Step], pattern: str | None
) -> tuple[list[tuple[str, Path]], list[str]]:
    known: dict[str, dict[str, None]] = {}
    for step in rows.values():
        for name in _names(step.sample, step.turn, task.mode, pattern):
            known.setdefault(name, {})[step.id] = None
    elsewhere = _elsewhere(task, pattern, known)
    found, surplus = [], []
    for path in sorted(p for p in source.rglob("*") if p.is_file()):
        name = path.relative_to(source).as_posix()
        stem = name[: -len(path.suffix)] if path.suffix.lower() in SUFFIXES else None
        fits = [n for n in (name, stem) if n is not None and n in known]
        ids = list(known[fits[0]]) if fits else []
        if len(ids) > 1:
            raise OutputsFault(
                f"{name} in {source} could be the output of {' or of '.join(ids)}. Say which by a "
                "pattern or a manifest."
            )
        if ids:
            found.append((ids[0], path))
        elif not path.name.startswith("."):
            told = elsewhere.get(name) or (elsewhere.get(stem) if stem else None)
            surplus.append(f"{name} ({told})" if told else name)
    return found, surplus


def _elsewhere(task: ImageTask, pattern: str | None, known: Mapping[str, Any]) -> dict[str, str]:
    """Names that are outputs of something that is no row of this run, with what that is."""
    why = {(x.sample, x.round): x.why for x in task.left_out()}
    told: dict[str, str] = {}
    for sample in task.benchmark.samples:
        for turn in sample.turns:
            about = f"round {turn.round} of {sample.id}"
            left_out = why.get((sample.id, turn.round))
            for mode in ("single", *_MAGICBRUSH):
                for name in _names(sample, turn, mode, pattern):
                    if name not in known:
                        told[name] = (
                            f"{about}, left out: {left_out}" if left_out else f"{about}, {mode}"
                        )
    return told


def _names(sample: ImageSample, turn: Turn, mode: str, pattern: str | None) -> Iterator[str]:
    if pattern is None:
        yield from names_of(sample, turn, mode)
        return
    values = {
        "id": sample.id,
        "round": str(turn.round),
        "scale": turn.scale or "",
        "origin": sample.origin,
        "context": sample.context,
        "category": turn.category,
        "tail": _tail(sample),
    }
    unknown = [f for f in _FIELD.findall(pattern) if f not in values]
    if unknown:
        raise OutputsFault(
            f"The pattern {pattern!r} has the field {unknown[0]!r}; fields are "
            f"{', '.join(FIELDS)}, in braces."
        )
    yield _FIELD.sub(lambda m: values[m[1]], pattern)


def _manifest(
    source: Path, task: ImageTask, rows: Mapping[str, Step]
) -> tuple[list[tuple[str, Path]], list[str]]:
    samples = {s.id: s for s in task.benchmark.samples}
    why = {row_id(x.sample, x.round): x.why for x in task.left_out()}
    found, surplus = [], []
    for n, row in enumerate(_lines(source), start=1):
        name, path = row.get("id"), row.get("path")
        if not isinstance(name, str) or not isinstance(path, str) or not path:
            raise OutputsFault(f"{source}, row {n}: needs `id` and `path`.")
        if name not in samples:
            surplus.append(f"{name} ({path})")
            continue
        id_ = row_id(name, _round(source, n, row.get("round"), samples[name]))
        file = source.parent / path
        if id_ not in rows:
            surplus.append(f"{id_} ({path}{f', left out: {why[id_]}' if id_ in why else ''})")
        elif not file.is_file():
            raise OutputsFault(f"{source} names {path} for row {id_}, but there is no file.")
        else:
            found.append((id_, file))
    return found, surplus


def _round(source: Path, n: int, told: Any, sample: ImageSample) -> int:
    if told in (None, "") and single_turn(sample):
        return 1
    text = str(told)
    if isinstance(told, bool) or not text.isdecimal() or int(text) < 1:
        raise OutputsFault(
            f"{source}, row {n}: `round` of {sample.id} is {told!r}; give a whole number from 1."
        )
    return int(text)


def _lines(source: Path) -> list[Mapping[str, Any]]:
    try:
        text = source.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as e:
        raise OutputsFault(f"The outputs {source} can't be read: {e}.") from e
    if source.suffix.lower() == ".csv":
        return list(csv.DictReader(io.StringIO(text)))
    rows: list[Mapping[str, Any]] = []
    for n, line in enumerate(text.splitlines(), start=1):
        try:
            row = parse_object(line.encode()) if line.strip() else None
        except JsonFault as e:
            raise OutputsFault(f"{source}, line {n}: {e}.") from e
        rows += [row] if row is not None else []
    return rows


class FromOutputs:
    """Takes the place of stage generate; a row without a file stays missing. Rounds follow from
    nothing here: what the files were made from is not known."""

    name = "generate"

    def __init__(self, task: ImageTask, outputs: Outputs) -> None:
        self._task = task
        self._outputs = outputs

    def units(self, done: Finder) -> Iterable[Unit]:
        """One unit a file, and one a file that is gone: what was scored of it counts no longer."""
        for step in self._task.rows():
            path = self._outputs.files.get(step.id)
            if path is not None:
                yield Unit(step.key, digest(sha256_file(path)), path)
            elif (before := done.get(self.name, step.key)) and before.reason != NO_OUTPUT:
                yield Unit(step.key, digest(NO_OUTPUT))

    async def run(self, unit: Unit, context: Context) -> Finished:
        if unit.payload is None:
            return Finished("unscored", NO_OUTPUT)
        return await context.in_thread(_read, unit.payload)


def _read(path: Path) -> Finished:
    """A file that is no picture is the model's failure, as a reply would be."""
    try:
        data = read_file(path, MAX_BYTES)
    except FileFault as e:
        return Finished("unscored", "unreadable_file", {"file": path.name, "message": str(e)})
    try:
        picture = load_picture(data)
    except PictureError as e:
        return Finished("failed", "unreadable_picture", {"file": path.name, "message": str(e)})
    height, width = picture.array.shape[:2]
    value = {"file": path.name, "size": [width, height], "notes": list(picture.notes)}
    return Finished("ok", None, value, {"picture": data})
