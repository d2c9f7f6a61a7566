"""Writing files so that a kill or a power cut leaves the old content or the new, never half."""

from __future__ import annotations

import os
from pathlib import Path

from redline.run.faults import faultpoint


def write_all(fd: int, data: bytes) -> None:
    """Write every byte; a disk may take fewer at a time."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def write_synced(path: Path, data: bytes) -> None:
    """Create `path` with `data` and wait until the disk has it. The name is not synced yet."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    try:
        write_all(fd, data)
        os.fsync(fd)
    finally:
        os.close(fd)


def sync_folder(path: Path) -> None:
    """Make names created or renamed in a folder durable."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def replace(path: Path, data: bytes) -> None:
    """Put `data` at `path` in one step."""
    temporary = path.with_name(f".{path.name}.tmp")
    write_synced(temporary, data)
    faultpoint("manifest-rename")
    temporary.replace(path)
    sync_folder(path.parent)
