"""Imports GEdit-Bench: real requests for edits of photographs, in English and Chinese, no golds.

GEdit-Bench (Liu et al., arXiv 2504.17761) is Arrow or Parquet tables, or their export as a JSON
or JSONL list beside PNG files, with task_type, key, instruction, instruction_language (en, cn),
input_image_raw (the picture as it was sent), input_image (the same, resized) and
Intersection_exist.

A row is a sample of one turn: id KEY_LANGUAGE, `category` the task_type; language and
Intersection_exist stand in `ratings`. The picture is input_image_raw where it is there. Outputs
are named TASK_TYPE/LANGUAGE/KEY.png, and source pictures of an export KEY_SRCIMG.png.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from redline.bench.faults import quoted
from redline.bench.importers.file_tree import NotFound
from redline.bench.importers.new_images import NewImages, safe_id
from redline.bench.importers.sources import Source, read_json
from redline.bench.importers.tables import SUFFIXES, picture_bytes, rows
from redline.errors import UserError

PARTS = ("en", "cn")
_PICTURES = ("input_image_raw", "input_image")


def read(source: Source, new: NewImages, parts: frozenset[str]) -> None:
    """Add the rows to `new`. Raises UserError where there are none."""
    for where, row in _rows(source):
        key, task, language, words = (
            row[k].strip() if isinstance(row.get(k), str) else ""
            for k in ("key", "task_type", "instruction_language", "instruction")
        )
        if parts and language not in parts:
            continue
        sample = safe_id(f"{key}_{language}") if key else ""
        if not key or language not in PARTS:
            what = "has no key" if not key else f"has instruction_language {quoted(language)}"
            new.skip(sample, where, what, f"Give a key and one of {', '.join(PARTS)}")
            continue
        try:
            data = _picture(source, row, key, task, language)
        except NotFound as e:
            new.skip(sample, where, f"has no picture: {e}", "Complete the folder, or name --root")
            continue
        rating: dict[str, Any] = {"by": "GEdit-Bench", "language": language}
        if isinstance(row.get("Intersection_exist"), bool):
            rating["intersection_exist"] = row["Intersection_exist"]
        line = {
            "id": sample, "picture": new.put(f"pictures/{safe_id(key)}", data),
            "origin": "GEdit-Bench", "source_id": safe_id(key), "ratings": [rating],
        }  # fmt: skip
        new.add(line, [(where, {"round": 1, "instruction": words, "category": task})])


def _rows(source: Source) -> Iterator[tuple[str, Mapping[str, Any]]]:
    found = source.lists(*(f"*{s}" for s in SUFFIXES))
    tables = [p for p in found if p.suffix in SUFFIXES]
    for path in tables:
        for k, row in enumerate(rows(path)):
            yield f"{source.where(path)} row {k}", row
    files = [] if tables else source.lists("*.json", "*.jsonl")
    lists = [(p, x) for p in files if (x := _list(p))]
    if not tables and not lists:
        raise UserError(
            f"{source.place} has no table or list of GEdit-Bench: expected Arrow, Parquet, JSON "
            "or JSONL rows with task_type, key and instruction."
        )
    for path, records in lists:
        for k, row in enumerate(records):
            yield f"{source.where(path)}[{k}]", row if isinstance(row, dict) else {}


def _list(path: Path) -> list[Any]:
    """The rows of a list; none where a file is another one."""
    try:
        value = read_json(path)
    except UserError:
        return []
    first = value[0] if isinstance(value, list) and value else None
    ours = isinstance(first, dict) and {"task_type", "key", "instruction"} <= set(first)
    return list(value) if ours else []


def _picture(source: Source, row: Mapping[str, Any], key: str, task: str, language: str) -> bytes:
    """The bytes of the picture before the edit. Raises NotFound."""
    for column in _PICTURES:
        if (data := picture_bytes(row.get(column))) is not None:
            return data
    told = [x for x in (row.get(c) for c in _PICTURES) if isinstance(x, str) and x]
    here = f"{task}/{language}/{key}"
    told += [f"fullset/{here}_SRCIMG.png", f"{here}_SRCIMG.png", f"{key}_SRCIMG.png",
             f"fullset/{here}.png"]  # fmt: skip
    for name in told:
        if source.files.has(name):
            return source.files.read(source.files.find(name))
    raise NotFound(f"neither {_PICTURES[0]} nor a file such as {told[0]} is there")
