"""Outputs made elsewhere in place of stage generate: files matched to samples by name alone."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redline.bench.sample import Benchmark, DiagramSample
from redline.diagram import reading
from redline.diagram.task import DiagramTask
from redline.errors import UserError
from redline.json_hooks import unique_keys
from redline.pixels import sha256_file
from redline.track import Context, Finder, Finished, Unit, digest

CODE = frozenset({".tex", ".txt", ".md"})
PICTURE = frozenset({".png", ".jpg", ".jpeg", ".webp"})
MOST_BYTES = 64 * 1024 * 1024


class OutputsFault(UserError):
    """A folder or manifest of outputs that can't be read."""


@dataclass(frozen=True)
class Outputs:
    """Files by sample id; `surplus` are files or ids that fit no sample, `missing` samples
    without a file. Nothing is dropped in silence."""

    files: Mapping[str, Path]
    surplus: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def want(self) -> str:
        """ "picture" where all files are pictures, else "code". Raises OutputsFault for a mix."""
        kinds = {f.suffix.lower() in PICTURE for f in self.files.values()}
        if len(kinds) > 1:
            raise OutputsFault("The outputs mix codes and pictures; score the two apart.")
        return "picture" if kinds == {True} else "code"


def find_outputs(source: Path, benchmark: Benchmark[DiagramSample]) -> Outputs:
    """A folder of `ID.tex` (or .txt, .md: whole replies) or `ID.png` (.jpg, .webp), or a manifest:
    JSONL with keys id and path, or CSV with these columns; paths relative to the manifest."""
    pairs = _folder(source) if source.is_dir() else _manifest(source)
    ids = {s.id for s in benchmark.samples}
    files: dict[str, Path] = {}
    surplus = []
    for name, path in pairs:
        if name not in ids:
            surplus.append(f"{name} ({path.name})")
        elif name in files:
            raise OutputsFault(
                f"Sample {name} has two outputs in {source}: {files[name].name} and {path.name}. "
                "Keep one, or name it in a manifest."
            )
        elif not path.is_file():
            raise OutputsFault(f"{source} names {path} for sample {name}, but there is no file.")
        else:
            files[name] = path
    return Outputs(files, tuple(surplus), tuple(sorted(ids - set(files))))


def _folder(source: Path) -> list[tuple[str, Path]]:
    return [
        (p.name[: -len(p.suffix)], p) if p.suffix.lower() in CODE | PICTURE else (p.name, p)
        for p in sorted(source.iterdir())
        if p.is_file() and not p.name.startswith(".")
    ]


def _manifest(source: Path) -> list[tuple[str, Path]]:
    try:
        text = source.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as e:
        raise OutputsFault(f"The outputs {source} can't be read: {e}.") from e
    rows: list[Mapping[str, Any]] = []
    if source.suffix.lower() == ".csv":
        rows = list(csv.DictReader(io.StringIO(text)))
    else:
        for n, line in enumerate(text.splitlines(), start=1):
            try:
                if line.strip():
                    rows.append(json.loads(line, object_pairs_hook=unique_keys))
            except ValueError as e:
                raise OutputsFault(f"{source}, line {n}: not JSON ({e}).") from e
    pairs = []
    for n, row in enumerate(rows, start=1):
        name, path = (row.get("id"), row.get("path")) if isinstance(row, Mapping) else (None, None)
        if not isinstance(name, str) or not isinstance(path, str) or not path:
            raise OutputsFault(f"{source}, row {n}: needs `id` and `path`.")
        pairs.append((name, source.parent / path))
    return pairs


NO_OUTPUT = "no_output"
"""The reason of a record that says: the output that was scored here before is gone.
The row is missing, as one that never had an output."""


class FromOutputs:
    """Takes the place of stage generate; a sample without a file stays missing."""

    name = "generate"

    def __init__(self, task: DiagramTask, outputs: Outputs) -> None:
        self._task = task
        self._outputs = outputs

    def units(self, done: Finder) -> Iterable[Unit]:
        """One unit a file, and one a file that is gone: what was scored of it counts no longer."""
        for key, sample in self._task.rows():
            path = self._outputs.files.get(sample.id)
            if path is not None:
                yield Unit(key, _inputs(sample, path), (sample, path))
            elif (before := done.get("generate", key)) and before.reason != NO_OUTPUT:
                yield Unit(key, digest(NO_OUTPUT), (sample, None))

    async def run(self, unit: Unit, context: Context) -> Finished:
        sample, path = unit.payload
        if path is None:
            return Finished("unscored", NO_OUTPUT)
        return await context.in_thread(_read, sample, path)


def _inputs(sample: DiagramSample, path: Path) -> str:
    kind = path.suffix.lower()
    if kind in PICTURE or kind == ".tex":
        return digest(sha256_file(path), kind)
    return digest(sha256_file(path), kind, sample.code, reading.READER_VERSION)


def _read(sample: DiagramSample, path: Path) -> Finished:
    if path.stat().st_size > MOST_BYTES:
        return Finished("failed", "too_large", {"message": f"{path.name} is over 64 MiB."})
    data = path.read_bytes()
    kind = path.suffix.lower()
    if kind in PICTURE:
        return Finished("ok", None, {"how": "picture", "pictures": 1}, {"picture": data})
    text = data.decode("utf-8", errors="replace")
    if kind == ".tex":
        if not text.strip():
            return Finished("failed", "empty", {"how": "file"})
        return Finished("ok", None, {"how": "file"}, {"code": text.encode()})
    found = reading.read_reply(text, sample.code)
    value = {"how": found.how, "notes": list(found.notes)}
    if found.code is None:
        return Finished("failed", found.reason, value)
    return Finished("ok", None, value, {"code": found.code.encode(errors="replace")})
