"""Where an import reads from: a folder, a file in it, an archive, or a data set of the Hub."""

from __future__ import annotations

import json
import shutil
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redline.bench.importers.file_tree import FileTree
from redline.bench.importers.hub import PREFIX, snapshot
from redline.errors import UserError
from redline.json_hooks import unique_keys
from redline.pixels import FileFault, read_file

MOST_JSON = 512 << 20
MOST_UNPACKED = 64 << 30


@dataclass(frozen=True)
class Source:
    """`place` is the folder with the lists and tables, `chosen` the one that was named, if one
    was; pictures are looked for below `files.root`. `origin` is an address that means the same
    data for ever, or ""."""

    place: Path
    files: FileTree
    chosen: Path | None = None
    origin: str = ""

    def lists(self, *names: str) -> list[Path]:
        """Files by name pattern: the chosen one, whatever it is called, or those below the place,
        in the order of `names` and of their paths."""
        if self.chosen is not None:
            return [self.chosen]
        found: dict[Path, None] = {}
        for name in names:
            found |= dict.fromkeys(sorted(p for p in self.place.rglob(name) if p.is_file()))
        return list(found)

    def where(self, path: Path) -> str:
        """A file as it is named in a report: relative to the place."""
        return path.relative_to(self.place).as_posix()


@contextmanager
def opened(
    source: str | Path,
    root: Path | None = None,
    aliases: Mapping[str, str] | None = None,
    patterns: tuple[str, ...] = (),
    archive: str = "",
) -> Iterator[Source]:
    """A source for as long as it is needed. `root` is where its pictures lie, if not beside its
    lists; `patterns` are the files fetched from the Hub; a tar file called `archive` in the source
    is unpacked (for the time being) and stands for it. Raises UserError."""
    if root is not None and not root.is_dir():
        raise UserError(f"{root} is not a folder. Name the folder with the pictures by --root.")
    origin, bounds = "", None
    if str(source).startswith(PREFIX):
        fetched = snapshot(str(source), patterns)
        place, bounds, origin = fetched.folder, fetched.store, fetched.address
    else:
        place = Path(source)
    chosen: Path | None = None
    packed = place if place.suffix == ".tar" and place.is_file() else place / archive
    if archive and packed.is_file() and root is None:
        with tempfile.TemporaryDirectory(prefix="redline-import-") as unpacked:
            _unpack(packed, Path(unpacked))
            yield Source(Path(unpacked), FileTree(Path(unpacked), aliases), origin=origin)
        return
    if place.is_file():
        place, chosen = place.parent, place
    elif not place.is_dir():
        raise UserError(f"{source} is neither a folder nor a file. Name what is to be imported.")
    files = FileTree(root or place, aliases, bounds if root is None else None)
    yield Source(place, files, chosen, origin)


def read_json(path: Path) -> Any:
    """The JSON in a file; of a .jsonl file the list of its lines. Raises UserError."""
    try:
        text = read_file(path, MOST_JSON).decode("utf-8-sig")
        if path.suffix == ".jsonl":
            lines = [x for x in text.split("\n") if x.strip()]
            return [json.loads(x, object_pairs_hook=unique_keys) for x in lines]
        return json.loads(text, object_pairs_hook=unique_keys)
    except (FileFault, ValueError, RecursionError) as e:
        said = "it is nested too deep" if isinstance(e, RecursionError) else str(e)
        raise UserError(f"{path.name} can't be read as JSON: {said}. Mend or fetch it anew.") from e


def _unpack(packed: Path, dest: Path) -> None:
    """Unpack a tar file: plain files and folders below `dest` only."""
    try:
        with tarfile.open(packed) as archive:
            total = 0
            for member in archive:
                total += member.size
                if total > MOST_UNPACKED:
                    raise UserError(f"{packed.name} unpacks to more than a benchmark may have.")
                if member.isfile():
                    _write_member(archive, member, dest)
    except (OSError, tarfile.TarError) as e:
        raise UserError(f"{packed.name} can't be unpacked: {e}. Fetch it anew.") from e


def _write_member(archive: tarfile.TarFile, member: tarfile.TarInfo, dest: Path) -> None:
    """Write a plain file below `dest`, where no links are. Raises TarError for a name that leads
    elsewhere. (`TarFile.extract` has its filter only since Python 3.11.4.)"""
    path = (dest / member.name).resolve()
    if not path.is_relative_to(dest.resolve()):
        raise tarfile.TarError(f"{member.name!a} leads out of the archive")
    data = archive.extractfile(member)
    if data is None:
        raise tarfile.TarError(f"{member.name!a} has no bytes")
    path.parent.mkdir(parents=True, exist_ok=True)
    with data, path.open("wb") as file:
        shutil.copyfileobj(data, file)
