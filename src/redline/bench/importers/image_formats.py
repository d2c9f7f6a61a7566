"""The formats from which image benchmarks are imported, and the import itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from redline.bench.exporting import new_folder
from redline.bench.faults import did_you_mean
from redline.bench.folder import LINES, TOML
from redline.bench.importers import gedit, imgedit, magicbrush, omni_iie
from redline.bench.importers.new_images import NewImages
from redline.bench.importers.report import ImportReport
from redline.bench.importers.sources import Source, opened
from redline.errors import UserError

_SHOWN = 20


@dataclass(frozen=True)
class ImageFormat:
    """How a benchmark's files are read. `read(source, new, parts)` adds its samples to `new`.
    `parts` are what may be imported of it alone; `patterns` the files fetched from the Hub, by
    part ("" for all); `archive` a tar file that holds the rest; `aliases` folders' other names."""

    title: str
    read: Callable[[Source, NewImages, frozenset[str]], None]
    citation: str
    licence: str
    parts: tuple[str, ...] = ()
    patterns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    archive: str = ""
    aliases: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, str] = field(default_factory=dict)


IMAGE_FORMATS: Mapping[str, ImageFormat] = {
    "omni-iie": ImageFormat(
        title="Omni IIE Bench",
        read=omni_iie.read,
        citation="Yang et al.: Omni IIE Bench. arXiv 2603.16944.",
        licence="unknown (see the data set's card; the pictures are of twelve sets)",
        parts=omni_iie.PARTS,
        aliases=omni_iie.ALIASES,
        defaults={"measure": "corrected"},
    ),
    "magicbrush": ImageFormat(
        title="MagicBrush",
        read=magicbrush.read,
        citation="Zhang, Mo, Chen, Sun, Su: MagicBrush: A Manually Annotated Dataset for "
        "Instruction-Guided Image Editing. NeurIPS 2023 (Datasets and Benchmarks).",
        licence="CC-BY-4.0",
        parts=magicbrush.PARTS,
        patterns=magicbrush.PATTERNS,
    ),
    "gedit": ImageFormat(
        title="GEdit-Bench",
        read=gedit.read,
        citation="Liu et al.: Step1X-Edit: A Practical Framework for General Image Editing. "
        "arXiv 2504.17761.",
        licence="MIT",
        parts=gedit.PARTS,
        patterns={"": ("*.arrow", "*.parquet")},
        defaults={"rubric": "photo-two-scores-v1"},
    ),
    "imgedit": ImageFormat(
        title="ImgEdit-Bench",
        read=imgedit.read,
        citation="Ye et al.: ImgEdit: A Unified Image Editing Dataset and Benchmark. "
        "arXiv 2505.20275.",
        licence="unknown (see the data set's card)",
        parts=imgedit.PARTS,
        patterns={"": (imgedit.ARCHIVE,)},
        archive=imgedit.ARCHIVE,
        defaults={"rubric": "photo-three-scores-v1"},
    ),
}


def import_images(
    format: str,
    source: str | Path,
    dest: Path | str,
    *,
    root: Path | str | None = None,
    parts: Sequence[str] = (),
    name: str | None = None,
    version: str = "1",
    licence: str | None = None,
) -> ImportReport:
    """Make the benchmark folder `dest` of a benchmark in one of IMAGE_FORMATS.

    `source` is a folder, one of its lists, or `hf://OWNER/NAME[@REVISION]` (extra `hub`; the
    commit is recorded as the benchmark's origin). `root` is where the pictures lie, if not beside
    the lists: the paths that the authors wrote down are looked up below it. `parts` takes some of
    the benchmark only. Files are copied as they are. What can't be used is left out and told with
    the reason; `check` finds no fault in the result.

    Raises UserError for an unknown format or part, a source that can't be read, a `dest` that is
    not empty, and where nothing at all can be imported.
    """
    if format not in IMAGE_FORMATS:
        hint = did_you_mean(format, IMAGE_FORMATS)
        raise UserError(f"There is no format {format!r}{hint}; use {', '.join(IMAGE_FORMATS)}.")
    how = IMAGE_FORMATS[format]
    for part in parts:
        if part not in how.parts:
            known = ", ".join(how.parts)
            raise UserError(f"{how.title} has no part {part!r}; there are {known}.")
    toml = {
        "name": name or format, "version": version, "track": "image",
        "licence": licence or how.licence, "citation": how.citation,
        "description": f"{how.title}, imported by Redline.",
    }  # fmt: skip
    patterns = tuple(p for part in parts or ("",) for p in how.patterns.get(part, ()))
    place = Path(dest)
    with (
        new_folder(place) as part_folder,
        opened(
            source,
            Path(root) if root is not None else None,
            how.aliases,
            patterns or how.patterns.get("", ()),
            how.archive,
        ) as found,
    ):
        new = NewImages(part_folder)
        how.read(found, new, frozenset(parts))
        if not new.lines:
            raise UserError(_nothing(str(source), how.title, new))
        if found.files.deep:
            new.note(
                "", str(source), f"has {found.files.deep} files deeper than their paths say, taken "
                "by the last parts of the path", "Name their folder by --root to be sure",
            )  # fmt: skip
        new.drop_unnamed()
        _write(part_folder, toml | ({"origin": found.origin} if found.origin else {}), how, new)
        return ImportReport(
            dest=place,
            imported=tuple(line["id"] for line in new.lines),
            skipped=tuple(new.skipped),
            notes=tuple(new.notes),
            turns=sum(len(line["turns"]) for line in new.lines),
            origin=found.origin,
        )


def _write(folder: Path, toml: Mapping[str, str], how: ImageFormat, new: NewImages) -> None:
    # A JSON string without non-ASCII escapes is a TOML basic string.
    def rows(table: Mapping[str, str]) -> str:
        return "".join(f"{k} = {json.dumps(v, ensure_ascii=False)}\n" for k, v in table.items())

    text = rows(toml) + (f"\n[defaults]\n{rows(how.defaults)}" if how.defaults else "")
    (folder / TOML).write_text(text, encoding="utf-8", newline="\n")
    with (folder / LINES).open("w", encoding="utf-8", newline="\n") as out:
        out.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in new.lines)


def _nothing(source: str, title: str, new: NewImages) -> str:
    why = "\n".join(f"  {f}" for f in new.skipped[:_SHOWN])
    return f"Nothing of {source} can be imported as {title}" + (f":\n{why}" if why else ".")
