"""A benchmark as a clean folder, a zip or one self-contained JSONL file; and back."""

from __future__ import annotations

import base64
import binascii
import io
import json
import secrets
import shutil
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from redline.bench.folder import LINES, TOML
from redline.bench.named_files import MOST_BYTES, NamedFiles, NameFault, path_fault
from redline.bench.sample import Benchmark, Sample
from redline.bench.strict_json import JsonFault, parse_object
from redline.errors import UserError
from redline.pixels import FileFault, read_file

FORMATS = ("folder", "zip", "jsonl")
HEADER = "redline_benchmark"
VERSION = 1
MOST_ARCHIVE = 4 << 30
MOST_FILES = 100_000
_ZIP_DATE = (1980, 1, 1, 0, 0, 0)


def export(benchmark: Benchmark[Sample], dest: Path, format: str = "folder") -> Path:
    """Write the benchmark's samples to `dest`, which must not exist (a folder may, if empty).

    `folder`: benchmark.toml, samples.jsonl and the files they name, nothing else. `zip`: the same
    files, the same bytes at every export. `jsonl`: one file; its first line is an object with
    `redline_benchmark`: 1 and the texts `benchmark_toml` and `samples_jsonl`, then one object a
    sample with `sample` (its line) and `files` (by path; codes as {"text"}, pictures as
    {"base64"}). All bytes are the folder's, so that with all samples the hash stays. Raises
    UserError.
    """
    if format not in FORMATS:
        raise UserError(f"There is no format {format!r}; use one of {', '.join(FORMATS)}.")
    source = NamedFiles(benchmark.root)
    lines = _lines_of(source, benchmark.samples)
    whole = {TOML: _read(source, TOML, "toml"), LINES: b"".join(lines.values())}
    if format == "jsonl":
        head = {HEADER: VERSION, "benchmark_toml": whole[TOML].decode(),
                "samples_jsonl": whole[LINES].decode()}  # fmt: skip
        rows = (_row(source, s, lines[s.id]) for s in benchmark.samples)
        _write_new(dest, ((json.dumps(x, ensure_ascii=False) + "\n").encode()
                          for x in _chain(head, rows)))  # fmt: skip
        return dest
    names = sorted({n for s in benchmark.samples for n in s.files})
    files = ((n, whole[n] if n in whole else _read(source, n, "picture")) for n in [*whole, *names])
    if format == "zip":
        _zip(dest, files)
    else:
        write_folder(dest, files)
    return dest


def unpack(source: Path, dest: Path) -> Path:
    """Make a benchmark folder of an exported zip or JSONL file. Only plain paths below `dest` are
    written. Raises UserError for anything else; what is written is not checked further."""
    try:
        if source.suffix.lower() == ".zip":
            write_folder(dest, _zip_files(source))
        else:
            write_folder(dest, _jsonl_files(source))
    except (OSError, zipfile.BadZipFile, FileFault, JsonFault) as e:
        raise UserError(f"{source} can't be unpacked: {e}.") from e
    return dest


def write_folder(dest: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write files below a folder that is absent or empty: all of them, or nothing.

    Raises UserError for paths that would lie elsewhere."""
    with new_folder(dest) as part:
        for name, data in files:
            if (why := path_fault(name)) is not None:
                raise UserError(f"The file {name!a} {why}; nothing is written there.")
            path = part / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


@contextmanager
def new_folder(dest: Path) -> Iterator[Path]:
    """A folder to fill, which becomes `dest` when all went well; else nothing is left of it.
    Raises UserError where `dest` is there and not an empty folder."""
    if dest.exists() and (not dest.is_dir() or any(dest.iterdir())):
        raise UserError(f"{dest} is there already and not empty. Name another place.")
    dest.parent.mkdir(parents=True, exist_ok=True)
    part = dest.parent / f".{dest.name}-{secrets.token_hex(8)}"
    part.mkdir()
    try:
        yield part
        part.rename(dest)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise


def _lines_of(source: NamedFiles, samples: Iterable[Sample]) -> dict[str, bytes]:
    """The samples' lines by id, byte for byte."""
    wanted = {s.id for s in samples}
    found = {}
    for line in io.BytesIO(_read(source, LINES, "lines")):
        if line.strip():
            name = parse_object(line.rstrip(b"\r\n"))["id"]
            if name in wanted:
                found[name] = line
    return found


def _read(source: NamedFiles, name: str, kind: str) -> bytes:
    try:
        return source.read(name, kind)
    except NameFault as e:
        raise UserError(f"{source.root}: {e}. {e.do}.") from e


def _chain(head: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> Iterable[Any]:
    yield head
    yield from rows


def _row(source: NamedFiles, sample: Sample, line: bytes) -> dict[str, Any]:
    files = {}
    for name in sorted(sample.files):
        data = _read(source, name, "picture")
        try:
            files[name] = {"text": data.decode("utf-8")}
        except UnicodeDecodeError:
            files[name] = {"base64": base64.b64encode(data).decode()}
    return {"sample": json.loads(line), "files": files}


def _write_new(dest: Path, pieces: Iterable[bytes]) -> None:
    with _new_file(dest) as out:
        for piece in pieces:
            out.write(piece)


def _zip(dest: Path, files: Iterable[tuple[str, bytes]]) -> None:
    with _new_file(dest) as out, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            info = zipfile.ZipInfo(name, _ZIP_DATE)
            info.external_attr = 0o644 << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)


@contextmanager
def _new_file(dest: Path) -> Iterator[BinaryIO]:
    """A file that must not be there yet, and is not if writing it fails."""
    dest.parent.mkdir(parents=True, exist_ok=True)
    try:
        out = dest.open("xb")
    except FileExistsError as e:
        raise UserError(f"{dest} is there already. Name another place.") from e
    try:
        with out:
            yield out
    except BaseException:
        dest.unlink(missing_ok=True)
        raise


def _zip_files(source: Path) -> Iterable[tuple[str, bytes]]:
    with zipfile.ZipFile(source) as archive:
        entries = [e for e in archive.infolist() if not e.is_dir()]
        if len(entries) > MOST_FILES or sum(e.file_size for e in entries) > MOST_ARCHIVE:
            raise UserError(f"{source} unpacks to more than a benchmark may have.")
        for entry in entries:
            # The archive's own figures can lie: never read more than a picture may have.
            with archive.open(entry) as file:
                data = file.read(MOST_BYTES["picture"] + 1)
            if len(data) > MOST_BYTES["picture"]:
                raise UserError(f"{source} holds {entry.filename!a}, which is too large.")
            yield entry.filename, data


def _jsonl_files(source: Path) -> Iterable[tuple[str, bytes]]:
    data = io.BytesIO(read_file(source, MOST_ARCHIVE))
    head = parse_object(data.readline())
    if head.get(HEADER) != VERSION:
        raise UserError(f"{source} is no benchmark exported as JSONL by this version of Redline.")
    for key, name in (("benchmark_toml", TOML), ("samples_jsonl", LINES)):
        text = head.get(key)
        if not isinstance(text, str):
            raise UserError(f"{source} has no {key} in its first line.")
        yield name, text.encode()
    written = set()
    for number, line in enumerate(data, start=2):
        files = parse_object(line).get("files")
        if not isinstance(files, dict):
            raise UserError(f"{source} line {number} has no files.")
        for name, content in files.items():
            if name not in written:
                written.add(name)
                yield name, _content(content, f"{source} line {number}")


def _content(content: Any, where: str) -> bytes:
    match content:
        case {"text": str(text)}:
            return text.encode()
        case {"base64": str(text)}:
            try:
                return base64.b64decode(text, validate=True)
            except (binascii.Error, ValueError) as e:
                raise UserError(f"{where} has base64 that can't be read ({e}).") from e
    raise UserError(f"{where} has a file without text or base64.")
