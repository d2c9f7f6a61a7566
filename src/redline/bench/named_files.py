"""The files that a folder's lines name: only regular ones, only inside, each read once."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from redline.pixels import FileFault, read_file, sha256_bytes

MOST_BYTES = {
    "toml": 1 << 20, "lines": 64 << 20, "code": 1 << 20, "picture": 64 << 20, "scene": 32 << 20,
}  # fmt: skip
"""The largest file of each kind that is read, in bytes."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class NameFault(Exception):
    """Why a named file can't be used (part of a sentence), and what to do."""

    def __init__(self, what: str, do: str) -> None:
        super().__init__(what)
        self.do = do


def path_fault(name: str) -> str | None:
    """Why a string can't be a path relative to the folder, or None. Pure: looks at no disk."""
    if not name:
        return "is an empty path"
    if _CONTROL.search(name):
        return "has a control character in the path"
    if name.startswith(("/", "\\", "~")) or re.match(r"[A-Za-z]:", name):
        return "is an absolute path"
    if "\\" in name:
        return "has a backslash in the path"
    parts = name.split("/")
    if ".." in parts:
        return "climbs out of a folder by .."
    if "" in parts or "." in parts:
        return "is not a plain path (no //, no ./)"
    return None


@dataclass(frozen=True)
class NamedFile:
    """A file that was read: where it lies and the SHA-256 of its bytes."""

    path: Path
    sha256: str


class NamedFiles:
    """Reads files by their path relative to `root`; remembers hashes, not bytes."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.known: dict[str, NamedFile] = {}

    def locate(self, name: str) -> Path:
        """The absolute path. Raises NameFault for unsafe, missing and outside files."""
        if why := path_fault(name):
            raise NameFault(
                f"{name!a} {why}", "Name files by a path below the benchmark folder, with /"
            )
        path = self.root / name
        try:
            real = path.resolve(strict=True)
        except FileNotFoundError as e:
            raise NameFault(
                f"there is no file {name!a}", "Add the file, or correct the path (case matters)"
            ) from e
        except (OSError, RuntimeError) as e:  # RuntimeError: a circle of links, before 3.13
            said = getattr(e, "strerror", None) or "a circle of links"
            raise NameFault(f"{name!a} can't be followed ({said})", "Put a file there") from e
        if not real.is_relative_to(self.root):
            raise NameFault(
                f"{name!a} is a link out of the folder", "Copy the file into the folder"
            )
        return path

    def read(self, name: str, kind: str) -> bytes:
        """The file's bytes; its hash is remembered. Raises NameFault."""
        path = self.locate(name)
        try:
            data = read_file(path, MOST_BYTES[kind])
        except FileFault as e:
            raise NameFault(f"{name!a} can't be used: {e}", "Put a readable file there") from e
        self.known[name] = NamedFile(path, sha256_bytes(data))
        return data

    def touch(self, name: str, kind: str) -> NamedFile:
        """The file's place and hash, from memory where it was read before. Raises NameFault."""
        if name not in self.known:
            self.read(name, kind)
        return self.known[name]


def folder_hash(files: Mapping[str, str] | Iterable[tuple[str, str]]) -> str:
    """SHA-256 of a folder from its files' SHA-256 by path: over the lines `SHA256  PATH\\n`
    sorted by path, which is what `sha256sum` prints for them."""
    pairs = sorted(dict(files).items())
    return hashlib.sha256("".join(f"{h}  {p}\n" for p, h in pairs).encode()).hexdigest()
