"""Imports ImgEdit-Bench: instructions for edits of photographs in nine kinds, no golds.

ImgEdit-Bench (Ye et al., arXiv 2505.20275) is JSON objects from a key to a record, beside (or in a
file Benchmark.tar with) the pictures: `singleturn.json` or `basic_edit.json` ({id, prompt,
edit_type}, part `basic`), `UGE_edit.json` ({id, prompt}, part `uge`) and three of
`multiturn/*/annotation.json` ({id, turn1, turn2, turn3}, part `multi`). `id` is the picture's path.

| theirs               | here                                                            |
|----------------------|-----------------------------------------------------------------|
| key                  | `id` KEY; uge_KEY; multi_FOLDER_KEY (the keys are numbers)      |
| `id`                 | `picture`                                                       |
| `prompt`             | `instruction` of the one turn                                   |
| `turn1`, `turn2` ... | `instruction` of round 1, 2, ...                                |
| `edit_type`          | `category`                                                      |

Outputs of the basic part are named KEY.png. Their questions to the judge differ by edit_type and
are not imported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from redline.bench.importers.file_tree import NotFound
from redline.bench.importers.new_images import NewImages, safe_id
from redline.bench.importers.sources import Source, read_json
from redline.errors import UserError

PARTS = ("basic", "uge", "multi")
ARCHIVE = "Benchmark.tar"
_TURN = re.compile(r"turn(\d{1,3})")
_SAME = ("singleturn.json", "basic_edit.json")
"""Two names of one list."""


def read(source: Source, new: NewImages, parts: frozenset[str]) -> None:
    """Add the samples to `new`. Raises UserError where there is no list."""
    lists = list(_lists(source))
    if not lists:
        raise UserError(
            f"{source.place} has no list of ImgEdit-Bench: expected singleturn.json, "
            "basic_edit.json, UGE_edit.json or annotation.json."
        )
    seen: set[str] = set()
    for path, records in lists:
        where = source.where(path)
        if path.name in _SAME:
            if seen:
                new.note("", where, f"is the list {min(seen)} again", "It was not read")
                continue
            seen.add(where)
        for key, record in records.items():
            part = _part(record)
            if parts and part not in parts:
                continue
            names = {"basic": key, "uge": f"uge_{key}", "multi": f"multi_{path.parent.name}_{key}"}
            sample = safe_id(names[part])
            _add(source, new, path, f"{where} {key}", sample, record)


def _add(
    source: Source, new: NewImages, path: Path, where: str, sample: str, record: Mapping[str, Any]
) -> None:
    told = record["id"]
    try:
        # A list's own folder comes first: many folders have pictures of the same names.
        near = path.parent / told
        data = source.files.read(near if source.files.holds(near) else source.files.find(told))
    except NotFound as e:
        what = f"has the picture {told!r}, but {e}"
        new.skip(sample, where, what, "Complete the folder, or name --root")
        return
    stem = safe_id(Path(told).with_suffix("").as_posix().replace("/", "-"))
    line = {"id": sample, "picture": new.put(f"pictures/{stem}", data), "origin": "ImgEdit-Bench"}
    new.add(line, [(where, turn) for turn in _turns(record)])


def _turns(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    kind = record.get("edit_type")
    category = kind.strip() if isinstance(kind, str) else ""
    if "prompt" in record:
        yield {"round": 1, "instruction": record["prompt"], "category": category}
        return
    for key, words in record.items():
        named = _TURN.fullmatch(key)
        if named is not None and words not in (None, ""):
            yield {"round": int(named[1]), "instruction": words, "category": category}


def _part(record: Mapping[str, Any]) -> str:
    if "prompt" not in record:
        return "multi"
    return "basic" if "edit_type" in record else "uge"


def _lists(source: Source) -> Iterator[tuple[Path, dict[str, Mapping[str, Any]]]]:
    for path in source.lists(*_SAME, "*.json"):
        try:
            value = read_json(path)
        except UserError:
            if source.chosen is not None:
                raise
            continue
        if isinstance(value, dict):
            records = {k: r for k, r in value.items() if _is_record(r)}
            if records:
                yield path, records


def _is_record(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("id"), str)
        and ("prompt" in value or "turn1" in value)
    )
