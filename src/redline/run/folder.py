"""A run's folder: manifest, records and blobs, with one writer at a time."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from redline.json_hooks import unique_keys
from redline.models.protocol import Reply
from redline.run.blobs import Blobs
from redline.run.calls import Kept
from redline.run.disk import replace as replace_file
from redline.run.disk import sync_folder, write_synced
from redline.run.errors import BlobMissing, FolderBusy, NotARun, RunError, disk_error
from redline.run.index import Index, Totals
from redline.run.journal import Journal
from redline.run.lines import Line, dumps, read_lines
from redline.run.manifest import Manifest, check_same, now, parse
from redline.run.replies import is_empty, pack, unpack
from redline.track import Done, Finished, Unit


class RunFolder:
    """One run on disk. It is a Finder: finished units are looked up here.

    Made by `create_or_open` (for writing, locked) or `open` (for reading, never locked);
    use it as a context manager or call `close`.
    """

    def __init__(self, path: Path, manifest: Manifest, *, lock: int | None = None) -> None:
        """Use `create_or_open` or `open`."""
        self.path = path
        self.manifest = manifest
        self.warnings: list[str] = []
        self.blobs = Blobs(path / "blobs")
        self._lock = lock
        self._index = Index()
        self._journal: Journal | None = None
        self._serial = 0
        self._process = secrets.token_hex(4)

    # -- opening -----------------------------------------------------------------------------

    @classmethod
    def create_or_open(cls, path: Path, manifest: Manifest) -> Self:
        """Open a run for writing; a new folder becomes a run of this manifest.

        Judges of `manifest` that the run does not list yet are added. Raises a RunError."""
        try:
            path.mkdir(parents=True, exist_ok=True)
            lock = _locked(path)
        except OSError as error:
            raise disk_error(error, path) from error
        try:
            file = path / "run.json"
            if file.exists():
                old = _read_manifest(file)
                check_same(old, manifest, path)
                grown = old
                for judge in manifest.judges:
                    grown = grown.with_judge(judge)
            else:
                _refuse_strangers(path)
                old, grown = None, manifest.with_python()
            if grown is not old:
                replace_file(file, _manifest_bytes(grown))
            folder = cls(path, grown, lock=lock)
            folder._begin(manifest)
        except OSError as error:
            os.close(lock)
            raise disk_error(error, path) from error
        except BaseException:
            os.close(lock)
            raise
        return folder

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a run for reading, also while another process writes it. Raises a RunError."""
        folder = cls(path, _read_manifest(path / "run.json"))
        folder._load(_records(path))
        return folder

    def close(self) -> None:
        if self._journal is not None:
            self._journal.close()
            self._journal = None
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # -- reading -----------------------------------------------------------------------------

    def get(self, stage: str, key: str) -> Done | None:
        return self._index.units.get(stage, {}).get(key)

    def all(self, stage: str) -> Sequence[Done]:
        return list(self._index.units.get(stage, {}).values())

    def stages(self) -> Sequence[str]:
        """Names of the stages that have finished units."""
        return list(self._index.units)

    def blob(self, sha256: str) -> bytes:
        """Kept bytes. Raises BlobMissing."""
        return self.blobs.get(sha256)

    def whole(self, done: Done) -> bool:
        """Whether all bytes that a finished unit names are there."""
        return all(self.blobs.has(sha) for sha in done.blobs.values())

    @property
    def totals(self) -> Totals:
        """Sums over the calls of this run, of all processes that worked on it."""
        return replace(self._index.totals)

    @property
    def unanswered(self) -> Mapping[str, float]:
        """Calls that went out and brought no answer (killed, cut off, timed out): they may
        have been billed. By id, with the most each may have cost in USD as estimated then."""
        return dict(self._index.open)

    def kept(self, call: str) -> Kept | None:
        """The acknowledged reply to a call, or None. A reply whose bytes are gone is None."""
        offset = self._index.calls.get(call)
        if offset is None:
            return None
        with _records(self.path).open("rb") as file:
            file.seek(offset)
            record = json.loads(file.readline())
        try:
            reply = unpack(record["reply"], self.blob)
        except BlobMissing as error:
            self.warnings.append(str(error))
            return None
        return Kept(reply, record["cost"], record["cached"])

    def asked_anew(self, call: str) -> bool:
        """Whether the reply to a call was of no use and none has come since."""
        return call in self._index.again

    def calls(self) -> Iterator[Mapping[str, Any]]:
        """The record of every acknowledged usable reply, in order, without its bytes."""
        with contextlib.suppress(FileNotFoundError), _records(self.path).open("rb") as file:
            for offset in sorted(self._index.calls.values()):
                file.seek(offset)
                yield json.loads(file.readline())

    # -- writing -----------------------------------------------------------------------------

    async def finish(
        self,
        stage: str,
        unit: Unit,
        finished: Finished,
        *,
        cost: float | None,
        seconds: float,
        again: Sequence[str] = (),
    ) -> None:
        """Keep the result of a unit. `again`: keys of replies that a retry must not reuse."""
        named = {name: hashlib.sha256(data).hexdigest() for name, data in finished.blobs.items()}
        record = {
            "kind": "unit",
            "stage": stage,
            "key": unit.key,
            "inputs": unit.inputs,
            "status": finished.status,
            "reason": finished.reason,
            "value": dict(finished.value),
            "blobs": named,
            "cost": cost,
            "seconds": round(seconds, 3),
            "again": list(again),
            "at": now(),
        }
        blobs = {named[name]: data for name, data in finished.blobs.items()}
        offset = await self._writing().append(record, blobs)
        self._index.take(json.loads(dumps(record)), offset)

    def note_sent(self, call: Mapping[str, Any], reserve: float) -> str:
        """Say that a call goes out now; returns its id."""
        self._serial += 1
        sent = f"{self._process}-{self._serial}"
        self._note({**call, "kind": "sent", "id": sent, "reserve": reserve, "at": now()})
        return sent

    def note_error(
        self, sent: str, kind: str, message: str, status: int | None, maybe_billed: bool
    ) -> None:
        """Say that a call brought no reply but an error."""
        self._note(
            {
                "kind": "error",
                "id": sent,
                "error": kind,
                "message": message,
                "status": status,
                "maybe_billed": maybe_billed,
                "at": now(),
            }
        )

    async def keep_call(
        self,
        call: Mapping[str, Any],
        reply: Reply,
        *,
        sent: str | None,
        cost: float | None,
        seconds: float,
        attempts: int,
    ) -> None:
        """Keep an acknowledged reply; `sent` is None for one from the response cache."""
        packed, blobs = pack(reply)
        record = {
            **call,
            "kind": "call",
            "id": sent,
            "reply": packed,
            "cost": cost,
            "seconds": round(seconds, 3),
            "attempts": attempts,
            "cached": sent is None,
            "empty": is_empty(reply),
            "at": now(),
        }
        offset = await self._writing().append(record, blobs)
        self._index.take(record, offset)

    async def settle(self) -> None:
        """Wait until all that was handed over is written."""
        await self._writing().settle()

    # -- inside ------------------------------------------------------------------------------

    def _writing(self) -> Journal:
        if self._journal is None:
            raise RunError(f"{self.path} was opened for reading and cannot be written.")
        return self._journal

    def _note(self, record: Mapping[str, Any]) -> None:
        self._writing().note(record)
        self._index.take(record, -1)

    def _begin(self, now_with: Manifest) -> None:
        """Mend the records, load them, and say that this process works on the run now."""
        self.blobs.clean()
        records = _records(self.path)
        _mend(records, self.warnings)
        self._load(records)
        fresh = not records.exists()
        self._journal = Journal(records, self.blobs)
        if fresh:
            sync_folder(self.path)
        self._journal.note(
            {
                "kind": "start",
                "process": self._process,
                "redline": now_with.redline,
                "versions": dict(now_with.with_python().versions),
                "machine": dict(now_with.machine),
                "at": now(),
            }
        )

    def _load(self, records: Path) -> None:
        with contextlib.suppress(FileNotFoundError), records.open("rb") as file:
            for line in read_lines(file):
                if not line.ended and line.record is None:
                    break
                if not self._taken(line):
                    self.warnings.append(
                        f"Line {line.number} of {records} is damaged and is skipped: "
                        "what it recorded counts as missing and is done again."
                    )

    def _taken(self, line: Line) -> bool:
        if line.record is None:
            return False
        try:
            self._index.take(line.record, line.offset)
        except (KeyError, TypeError, ValueError, AttributeError):
            return False
        return True


def _records(path: Path) -> Path:
    return path / "records.jsonl"


def _manifest_bytes(manifest: Manifest) -> bytes:
    return json.dumps(manifest.to_json(), indent=2, ensure_ascii=False).encode() + b"\n"


def _read_manifest(file: Path) -> Manifest:
    try:
        data = json.loads(file.read_bytes(), object_pairs_hook=unique_keys)
    except FileNotFoundError:
        raise NotARun(f"{file.parent} holds no run: there is no run.json in it.") from None
    except OSError as error:
        raise NotARun(f"{file} cannot be read ({error.strerror}).") from error
    except ValueError as error:
        raise NotARun(f"{file} is damaged: it is not JSON ({error}).") from error
    return parse(data, file)


def _refuse_strangers(path: Path) -> None:
    """A folder with other things in it does not become a run by accident."""
    ours = {"lock", "blobs", ".run.json.tmp"}
    others = sorted(p.name for p in path.iterdir() if p.name not in ours)
    if others:
        raise NotARun(
            f"{path} is not empty and holds no run ({others[0]} is in it). "
            "Name a new or empty folder with --out."
        )


def _locked(path: Path) -> int:
    """Take the writer's lock of a run; it goes when this process ends, however it ends."""
    fd = os.open(path / "lock", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        pid = os.read(fd, 32).decode(errors="replace").strip()
        os.close(fd)
        who = f"process {pid}" if pid.isdigit() else "another process"
        raise FolderBusy(
            f"{path} is being written by {who}. Wait until it ends or stop it, "
            "or start another run with another --out."
        ) from None
    os.ftruncate(fd, 0)
    os.write(fd, f"{os.getpid()}\n".encode())
    return fd


def _mend(records: Path, warnings: list[str]) -> None:
    """Cut damaged lines off the end and keep them in records.damaged-N."""
    try:
        with records.open("rb") as file:
            good, last, whole = 0, b"", True
            for line in read_lines(file):
                if line.record is not None:
                    good, whole = line.offset + line.length, line.ended
            file.seek(good)
            last = file.read()
    except FileNotFoundError:
        return
    if last.strip():
        number = 1
        while (kept := records.with_name(f"records.damaged-{number}")).exists():
            number += 1
        write_synced(kept, last)
        warnings.append(
            f"The end of {records} was damaged ({len(last)} bytes, as a kill leaves them): it is "
            f"cut off and kept in {kept.name}; what it recorded is done again."
        )
    if last:
        os.truncate(records, good)
    if not whole:
        with records.open("ab") as file:
            file.write(b"\n")
            file.flush()
            os.fsync(file.fileno())
    elif last:
        sync_folder(records.parent)
