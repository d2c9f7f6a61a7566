"""Bytes kept by their SHA-256, beside the records that name them."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
from collections.abc import Mapping
from concurrent.futures import Executor
from pathlib import Path

from redline.run.disk import sync_folder, write_synced
from redline.run.errors import BlobMissing
from redline.run.faults import faultpoint

_serial = itertools.count()


class Blobs:
    """A folder of blobs: `ab/cdef...`, named by hash, written once, never changed."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._temporary = root / "tmp"
        self._known: set[str] = set()

    def path(self, sha256: str) -> Path:
        return self.root / sha256[:2] / sha256[2:]

    def has(self, sha256: str) -> bool:
        return self.path(sha256).is_file()

    def get(self, sha256: str) -> bytes:
        """The bytes, checked against their name. Raises BlobMissing."""
        path = self.path(sha256)
        try:
            data = path.read_bytes()
        except OSError as error:
            raise BlobMissing(
                f"The file {path} that a record names cannot be read ({error.strerror}). "
                "Start the run again: what depends on it is done anew."
            ) from error
        if hashlib.sha256(data).hexdigest() != sha256:
            raise BlobMissing(
                f"The file {path} is no longer what it was: its SHA-256 does not fit its name. "
                "Delete it and start the run again: what depends on it is done anew."
            )
        return data

    def put(self, items: Mapping[str, bytes], pool: Executor | None = None) -> None:
        """Keep bytes by hash; durable on return. `pool` lets the disk take many at a time."""
        new = {sha: data for sha, data in items.items() if sha not in self._known}
        if not new:
            return
        self._temporary.mkdir(parents=True, exist_ok=True)
        if pool is None or len(new) == 1:
            fresh = [self._place(sha, data) for sha, data in new.items()]
        else:
            fresh = list(pool.map(self._place, new.keys(), new.values()))
        folders = {folder for found in fresh for folder in found}
        if pool is None or len(folders) < 2:
            for folder in folders:
                sync_folder(folder)
        else:
            list(pool.map(sync_folder, folders))
        self._known.update(new)

    def clean(self) -> None:
        """Remove what a killed process left half-written. Only the one writer may."""
        with contextlib.suppress(FileNotFoundError):
            for path in self._temporary.iterdir():
                path.unlink()

    def _place(self, sha256: str, data: bytes) -> tuple[Path, ...]:
        """Write one blob; returns the folders whose names must still be synced."""
        path = self.path(sha256)
        if path.exists() and path.stat().st_size == len(data):
            return ()
        try:
            path.parent.mkdir()
            folders: tuple[Path, ...] = (path.parent, self.root)
        except FileExistsError:
            folders = (path.parent,)
        temporary = self._temporary / f"{os.getpid()}-{next(_serial)}"
        write_synced(temporary, data)
        faultpoint("blob-rename")
        temporary.replace(path)
        return folders
