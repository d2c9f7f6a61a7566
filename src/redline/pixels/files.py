"""Bytes of regular files, read whole and never without a limit; SHA-256 of bytes and files."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from redline.errors import UserError

_CHUNK = 1 << 20


class FileFault(UserError):
    """A file that can't be read as asked. The message says why; it starts with no path."""


def _open(path: Path, max_bytes: int | None) -> int:
    try:
        # O_NONBLOCK: opening a FIFO that nobody writes to would wait for ever.
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        raise FileFault("there is no such file") from None
    except OSError as e:
        raise FileFault(f"it can't be opened ({e.strerror})") from e
    except ValueError as e:
        raise FileFault(f"its name can't be used ({e})") from e
    try:
        facts = os.fstat(fd)
        if not stat.S_ISREG(facts.st_mode):
            kind = "a folder" if stat.S_ISDIR(facts.st_mode) else "not a regular file"
            raise FileFault(f"it is {kind}")
        if max_bytes is not None and facts.st_size > max_bytes:
            raise FileFault(f"it has {facts.st_size:,} bytes; at most {max_bytes:,} are read")
    except BaseException:
        os.close(fd)
        raise
    return fd


def read_file(path: Path, max_bytes: int) -> bytes:
    """The bytes of a regular file of at most `max_bytes`; its size is looked at before reading.

    Raises FileFault for anything else (missing, a folder, FIFO or device, unreadable, too large).
    """
    with os.fdopen(_open(path, max_bytes), "rb") as file:
        try:
            data = file.read(max_bytes + 1)
        except OSError as e:
            raise FileFault(f"it can't be read ({e.strerror})") from e
    if len(data) > max_bytes:
        raise FileFault(f"it grew beyond {max_bytes:,} bytes while it was read")
    return data


def sha256_bytes(data: bytes) -> str:
    """SHA-256 of bytes, as 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def sha256_file(path: Path, max_bytes: int | None = None) -> str:
    """SHA-256 of a regular file, read in pieces. Raises FileFault as `read_file` does."""
    digest = hashlib.sha256()
    with os.fdopen(_open(path, max_bytes), "rb") as file:
        try:
            while piece := file.read(_CHUNK):
                digest.update(piece)
        except OSError as e:
            raise FileFault(f"it can't be read ({e.strerror})") from e
    return digest.hexdigest()
