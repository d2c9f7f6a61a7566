"""Files below a folder, found by the paths that somebody wrote down on another machine."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from redline.bench.named_files import MOST_BYTES
from redline.pixels import FileFault, read_file

DEEP = 2
"""How many last parts of a path (folder and name) must fit for a file that lies deeper than the
path says. By its name alone no file is taken for another: many folders have a 000001.png."""

Parts = tuple[str, ...]


class NotFound(Exception):
    """Why a path leads to no file; part of a sentence."""


class FileTree:
    """The files below `root`, listed at the first question.

    `aliases` are names of folders that stand for others. Links are followed as long as they end
    below `bounds` (by default `root`): a cache of the Hugging Face Hub keeps its files outside of
    the folder that it shows. `deep` counts the files that were found deeper than their paths say.
    """

    def __init__(
        self, root: Path, aliases: Mapping[str, str] | None = None, bounds: Path | None = None
    ) -> None:
        self.root = root
        self.deep = 0
        self._aliases = dict(aliases or {})
        self._bounds = (bounds or root).resolve()
        self._found: dict[str, list[tuple[Parts, Path]]] | None = None

    def find(self, told: str) -> Path:
        """The file that a path means: the longest end of the path that is a path below `root`;
        else the one file anywhere below `root` whose own path has the longest common end with it.
        Either has at least a folder (which may be `root` itself) and a name, unless the path is a
        bare name.

        Raises NotFound where there is none, or where two fit equally well.
        """
        parts = self._parts(told)
        if not parts:
            raise NotFound("it is an empty path")
        named = self._files().get(parts[-1], [])
        root = self._parts(self.root.resolve().name)
        for start in range(len(parts)):
            fitting = [(own, path) for own, path in named if own == parts[start:]]
            alone = start == len(parts) - 1 and start > 0 and parts[start - 1 : start] != root
            if fitting and not alone:
                return self._only(told, fitting)
        ends = [(_common_end(own, parts), own, path) for own, path in named]
        longest = max((n for n, _, _ in ends), default=0)
        if longest < DEEP:
            raise NotFound("no file below the root fits it")
        found = self._only(told, [(own, path) for n, own, path in ends if n == longest])
        self.deep += 1
        return found

    def has(self, told: str) -> bool:
        """Whether `find` would find it."""
        try:
            self.find(told)
        except NotFound:
            return False
        return True

    def holds(self, path: Path) -> bool:
        """Whether `path` is a file here, and no way out of the bounds."""
        return path.is_file() and path.resolve().is_relative_to(self._bounds)

    def read(self, path: Path, kind: str = "picture") -> bytes:
        """The bytes of a file below the root. Raises NotFound for a link out of the bounds and for
        what can't be read."""
        try:
            real = path.resolve(strict=True)
        except (OSError, RuntimeError) as e:
            raise NotFound("it can't be followed") from e
        if not real.is_relative_to(self._bounds):
            raise NotFound("it is a link out of the folder")
        try:
            return read_file(real, MOST_BYTES[kind])
        except FileFault as e:
            raise NotFound(str(e)) from e

    def _parts(self, told: str) -> Parts:
        pieces = PurePosixPath(told.replace("\\", "/")).parts
        return tuple(self._aliases.get(p, p) for p in pieces if p not in ("/", "."))

    def _only(self, told: str, fitting: list[tuple[Parts, Path]]) -> Path:
        if len(fitting) > 1:
            exact = [f for f in fitting if told.replace("\\", "/").endswith(
                f[1].relative_to(self.root).as_posix())]  # fmt: skip
            fitting = exact or fitting
        if len(fitting) > 1:
            some = ", ".join(p.relative_to(self.root).as_posix() for _, p in sorted(fitting)[:3])
            raise NotFound(f"it is ambiguous: {some} fit equally well")
        return fitting[0][1]

    def _files(self) -> dict[str, list[tuple[Parts, Path]]]:
        if self._found is None:
            self._found = {}
            for folder, folders, names in os.walk(self.root):
                folders.sort()
                for name in sorted(names):
                    path = Path(folder) / name
                    own = self._parts(path.relative_to(self.root).as_posix())
                    self._found.setdefault(own[-1], []).append((own, path))
        return self._found


def _common_end(a: Parts, b: Parts) -> int:
    count = 0
    for x, y in zip(reversed(a), reversed(b), strict=False):
        if x != y:
            break
        count += 1
    return count
