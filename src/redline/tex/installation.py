"""What TeX this machine has: engines, their versions, the folders they read."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from redline.tex.engines import ENGINES
from redline.tex.result import Engine

_TREES = ("TEXMFROOT", "TEXMFDIST", "TEXMFMAIN", "TEXMFLOCAL", "TEXMFSYSVAR", "TEXMFSYSCONFIG")


@dataclass(frozen=True)
class Installation:
    """A TeX installation.

    `versions` are the first lines of `--version`; `trees` the folders with macros and fonts;
    `stamp` changes when packages are added or updated.
    """

    engines: Mapping[Engine, Path]
    versions: Mapping[Engine, str]
    trees: tuple[Path, ...]
    stamp: str

    def version(self) -> str:
        """The versions of all engines in one line, or "none"."""
        return "; ".join(self.versions[e] for e in ENGINES if e in self.versions) or "none"


def _say(argv: list[str]) -> str:
    try:
        done = subprocess.run(
            argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout


def _program(name: str) -> Path | None:
    """Where a program lies; links are followed as long as they keep its name, because the name
    is what tells TeX its format."""
    found = shutil.which(name)
    if found is None:
        return None
    path = Path(found)
    while path.is_symlink():
        target = path.parent / path.readlink()
        if target.name != name:
            break
        path = target
    return path.parent.resolve() / path.name


def _version_line(text: str) -> str:
    return text.partition("\n")[0].strip().removeprefix("This is ")


@lru_cache(maxsize=1)
def installation() -> Installation:
    """The TeX on PATH; asked once a process."""
    engines: dict[Engine, Path] = {}
    versions: dict[Engine, str] = {}
    for engine in ENGINES:
        if path := _program(engine):
            engines[engine] = path
            versions[engine] = _version_line(_say([str(path), "--version"]))
    trees: dict[Path, None] = {}
    if engines and shutil.which("kpsewhich"):
        wanted = "\n".join(f"${name}" for name in _TREES)
        for line in _say(["kpsewhich", f"--expand-var={wanted}"]).splitlines():
            tree = Path(line.strip())
            if line.strip() and tree.is_absolute() and tree.is_dir():
                trees.setdefault(tree.resolve())
    return Installation(engines, versions, tuple(trees), _stamp(tuple(trees)))


def _stamp(trees: tuple[Path, ...]) -> str:
    """A digest over size and time of the file lists that every package change rewrites."""
    seen = []
    for tree in trees:
        for name in ("ls-R", "texmf-dist/ls-R"):
            try:
                about = (tree / name).stat()
            except OSError:
                continue
            seen.append(f"{tree}/{name} {about.st_size} {about.st_mtime_ns}")
    return hashlib.sha256("\n".join(seen).encode()).hexdigest()[:16]


def tex_version() -> str:
    """The versions of the engines on this machine in one line, or "none"."""
    return installation().version()
