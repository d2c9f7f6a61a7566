"""The one writer of records.jsonl: many records, one sync."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redline.run.blobs import Blobs
from redline.run.disk import write_all
from redline.run.errors import disk_error
from redline.run.faults import faultpoint
from redline.run.lines import dumps

COMMIT_S = 0.01
"""How long a record waits for others to share its sync; what came while the disk was busy
shares the next one. Keeps well under the 50 ms that a record may wait."""


@dataclass(frozen=True)
class _Item:
    line: bytes
    blobs: Mapping[str, bytes]
    done: asyncio.Future[int]


class Journal:
    """Appends records. `append` returns once the record and the blobs it names are on disk."""

    def __init__(self, path: Path, blobs: Blobs) -> None:
        self.path = path
        self.blobs = blobs
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        self._size = os.fstat(self._fd).st_size
        self._lock = threading.Lock()
        self._waiting: list[_Item] = []
        self._task: asyncio.Task[None] | None = None
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="records")
        self._disk = ThreadPoolExecutor(8, thread_name_prefix="blobs")
        self._failed: Exception | None = None

    async def append(self, record: Mapping[str, Any], blobs: Mapping[str, bytes]) -> int:
        """Make a record durable; returns its offset. Raises what the disk refused."""
        if self._failed is not None:
            raise self._failed
        item = _Item(dumps(record) + b"\n", blobs, asyncio.get_running_loop().create_future())
        self._waiting.append(item)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._drain())
        return await item.done

    def note(self, record: Mapping[str, Any]) -> None:
        """Write a record now without waiting for the disk: a kill keeps it, a power cut may
        not. Raises what the disk refused."""
        if self._failed is not None:
            raise self._failed
        self._write(dumps(record) + b"\n")

    async def settle(self) -> None:
        """Wait until nothing waits to be written."""
        while self._task is not None and not self._task.done():
            await asyncio.wait([self._task])

    def close(self) -> None:
        self._writer.shutdown()
        self._disk.shutdown()
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    async def _drain(self) -> None:
        loop = asyncio.get_running_loop()
        await asyncio.sleep(COMMIT_S)
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                offsets = await loop.run_in_executor(self._writer, self._commit, batch)
            except Exception as error:
                self._failed = error
                batch += self._waiting
                self._waiting = []
                for item in batch:
                    if not item.done.done():
                        item.done.set_exception(error)
                return
            for item, offset in zip(batch, offsets, strict=True):
                if not item.done.done():
                    item.done.set_result(offset)

    def _commit(self, batch: list[_Item]) -> list[int]:
        blobs: dict[str, bytes] = {}
        for item in batch:
            blobs.update(item.blobs)
        try:
            self.blobs.put(blobs, self._disk)
        except OSError as error:
            raise disk_error(error, self.path.parent) from error
        if blobs:
            faultpoint("blob-before-record")
        offset = self._write(b"".join(item.line for item in batch))
        try:
            os.fsync(self._fd)
        except OSError as error:
            raise disk_error(error, self.path.parent) from error
        offsets = []
        for item in batch:
            offsets.append(offset)
            offset += len(item.line)
        return offsets

    def _write(self, data: bytes) -> int:
        """Append whole lines; what the disk refuses half-way is cut off again."""
        with self._lock:
            faultpoint("mid-record", lambda: os.write(self._fd, data[: len(data) // 2]))
            offset = self._size
            try:
                write_all(self._fd, data)
            except OSError as error:
                self._failed = disk_error(error, self.path.parent)
                with contextlib.suppress(OSError):
                    os.ftruncate(self._fd, offset)
                raise self._failed from error
            self._size += len(data)
            return offset
