"""The picture that each round of a run starts from: a file of the benchmark or the model's own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from redline.image.lineage import picture, stands
from redline.image.task import ImageTask, Step
from redline.pixels import read_file, sha256_file
from redline.pixels.loading import MAX_BYTES
from redline.track import Context, Done, Finder


class FileHashes:
    """SHA-256 of a benchmark's files, each hashed once."""

    def __init__(self) -> None:
        self._known: dict[Path, str] = {}

    def of(self, path: Path) -> str:
        if path not in self._known:
            self._known[path] = sha256_file(path)
        return self._known[path]

    def maybe(self, path: Path | None) -> str | None:
        return None if path is None else self.of(path)


@dataclass(frozen=True)
class Start:
    """A picture by its SHA-256; `path` is None where it is a blob of the run."""

    sha256: str
    path: Path | None

    def read(self, context: Context) -> bytes:
        """Its bytes. Raises FileFault, or what `Context.blob` raises."""
        return context.blob(self.sha256) if self.path is None else read_file(self.path, MAX_BYTES)


def first_start(step: Step, hashes: FileHashes) -> Start:
    """What a round starts from where that is not the model's own picture."""
    path = step.sample.start_of(step.turn) or step.sample.picture
    return Start(hashes.of(path), path)


@dataclass(frozen=True)
class Made:
    """A row that has a candidate or has failed. `start` is None where the picture that it started
    from is not there (outputs made elsewhere of which an earlier one is missing)."""

    step: Step
    record: Done
    start: Start | None


def made_rows(task: ImageTask, done: Finder, hashes: FileHashes) -> Iterator[Made]:
    """Rows whose record of stage generate stands and is not unscored."""
    chained = task.mode == "cumulative"
    for dialogue in task.dialogues():
        before: Done | None = None
        for n, step in enumerate(dialogue):
            record = done.get("generate", step.key)
            if record is not None and chained and n > 0 and not stands(record, before):
                record = None
            if record is not None and record.status != "unscored":
                yield Made(step, record, _start(step, chained and n > 0, before, hashes))
            before = record


def _start(step: Step, own: bool, before: Done | None, hashes: FileHashes) -> Start | None:
    if not own:
        return first_start(step, hashes)
    sha256 = picture(before) if before else None
    return Start(sha256, None) if sha256 else None
