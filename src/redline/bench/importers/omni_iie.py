"""Imports Omni IIE Bench: lists of edits of photographs, in one turn or many.

Omni IIE Bench (Yang et al., arXiv 2603.16944) is two flat JSON lists, `final_dataset.json` (one
turn; level `low` or `high`) and `final_multi_dataset_cleaned.json` (one record a round; level `1`
to `16`), with absolute paths of its authors' machine. A list may also be grouped: one record a
dialogue, with `total_rounds` and keys `round_1_modified_image_path` and so on.

| theirs                                          | here                                        |
|-------------------------------------------------|---------------------------------------------|
| folder of `modified_image_path`                 | `origin`                                    |
| folder, `sample_id` and `level` low or high     | `id` FOLDER_SAMPLEID_LEVEL, one turn        |
| folder and `sample_id`, levels 1, 2, ...        | `id` FOLDER_SAMPLEID, one turn a level      |
| folder and `sample_id`                          | `source_id`; `context` of low and high      |
| `modification_text`                             | `instruction`                               |
| `original_image_path`                           | `picture`; `start` of a later round         |
| `modified_image_path`, `target_mask_path`       | `gold`, `mask`                              |
| `source_mask_path`, `entities`                  | `source_mask`, `entities`                   |
| `qa_pairs` [{question, correct_answer}]         | `questions`                                 |
| `qa_pairs_error`                                | `questions_error`                           |
| rounds that were filtered out                   | gaps                                        |

The authors' outputs are named FOLDER/SAMPLEID_LEVEL.*, so ids lead back to them. A long dialogue
(`..._long/...` in its paths) has `_long` in its id, since the short ones have the same sample_id.
The scale of a round of a dialogue is not in the data.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from redline.bench.faults import quoted
from redline.bench.image_keys import MOST_ROUNDS
from redline.bench.importers.file_tree import NotFound
from redline.bench.importers.new_images import NewImages, Placed, safe_id
from redline.bench.importers.sources import Source, read_json
from redline.errors import UserError

PARTS = ("single", "multi")
ALIASES = {"sharegpt4v(llava)": "sharegpt4v"}
GOLD_MODEL = "Nano Banana"
"""The article: all targets were made by this model."""

_LISTS = ("final_dataset.json", "final_multi_dataset_cleaned.json")
_ROUND_KEY = re.compile(r"round_(\d+)_(.+)")
_LONG = re.compile(r"_long(/|$)")
_NEEDED = ("sample_id", "level", "modification_text", "original_image_path", "modified_image_path")


@dataclass(frozen=True)
class _Record:
    """One edit: where it stands, and what it says."""

    where: str
    data: Mapping[str, Any]

    def text(self, key: str) -> str:
        value = self.data.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return value.strip() if isinstance(value, str) else ""

    @property
    def dataset(self) -> str:
        """The folder of the target, which is the set that the picture is from."""
        name = PurePosixPath(self.text("modified_image_path").replace("\\", "/")).parent.name
        return ALIASES.get(name, name)

    @property
    def source_id(self) -> str:
        return "_".join(x for x in (self.dataset, self.text("sample_id")) if x)

    @property
    def level(self) -> str:
        return self.text("level").lower()

    @property
    def dialogue(self) -> str:
        long = _LONG.search(self.text("modified_image_path").replace("\\", "/")) is not None
        return self.source_id + "_long" * long


class _LeftOut(Exception):
    """Why a record is not imported."""

    def __init__(self, what: str, do: str) -> None:
        super().__init__(what)
        self.do = do


def read(source: Source, new: NewImages, parts: frozenset[str]) -> None:
    """Add the samples of the lists to `new`. Raises UserError where there is no list."""
    dialogues: dict[str, list[_Record]] = {}
    for record in _records(source, new):
        missing = [k for k in _NEEDED if not record.text(k)]
        if missing:
            new.skip(record.text("sample_id") and safe_id(record.source_id), record.where,
                     f"has no {missing[0]}", "Complete the record")  # fmt: skip
        elif record.level in ("low", "high"):
            if not parts or "single" in parts:
                _single(source, new, record)
        elif record.level.isdecimal() and 1 <= int(record.level) <= MOST_ROUNDS:
            if not parts or "multi" in parts:
                dialogues.setdefault(record.dialogue, []).append(record)
        else:
            new.skip(safe_id(record.source_id), record.where,
                     f"has level {quoted(record.level)}", "Use low, high or a round")  # fmt: skip
    for wanted, records in dialogues.items():
        _dialogue(source, new, wanted, records)


# --- the lists ------------------------------------------------------------------------------


def _records(source: Source, new: NewImages) -> Iterator[_Record]:
    known = source.lists(*_LISTS)
    paths = known or source.lists("*.json")
    names = [p.name for p in known]
    if twice := sorted({n for n in names if names.count(n) > 1}):
        raise UserError(
            f"{source.place} has {twice[0]} several times: "
            f"{', '.join(source.where(p) for p in known)}. Name the one that is meant."
        )
    lists = dict(_readable(paths, strict=bool(known)))
    if not lists:
        raise UserError(
            f"{source.place} has no list of Omni IIE Bench: expected {' or '.join(_LISTS)}, or "
            "another JSON list of records with sample_id."
        )
    grouped = {p for p, x in lists.items() if any("total_rounds" in r for r in x)}
    flat = {p: x for p, x in lists.items() if p not in grouped}
    beside = flat if flat or not grouped else dict(_readable(sorted(source.place.glob("*.json"))))
    texts = {
        r["modified_image_path"]: r
        for x in beside.values() for r in x if isinstance(r.get("modified_image_path"), str)
    }  # fmt: skip
    used: set[str] = set()
    for path in sorted(grouped):
        for record in _ungrouped(source, path, lists[path], texts, new):
            used.add(record.text("modified_image_path"))
            yield record
    for path, records in flat.items():
        for k, data in enumerate(records):
            record = _Record(f"{source.where(path)}[{k}]", data)
            if record.text("modified_image_path") in used:
                continue
            if used and record.level.isdecimal():
                new.skip(safe_id(record.dialogue), record.where, "is in no group of the grouped "
                         "list: it was filtered out", "Nothing: the gap stays visible")  # fmt: skip
            else:
                yield record


def _readable(
    paths: Iterable[Path], strict: bool = False
) -> Iterator[tuple[Path, list[dict[str, Any]]]]:
    """The lists among JSON files. Raises UserError for one that can't be read if `strict`."""
    for path in paths:
        try:
            value = read_json(path)
        except UserError:
            if strict:
                raise
            continue
        if isinstance(value, list):
            records = [r if isinstance(r, dict) else {} for r in value]
            if any("sample_id" in r for r in records):
                yield path, records


def _ungrouped(
    source: Source,
    path: Path,
    groups: Iterable[Mapping[str, Any]],
    texts: Mapping[str, Mapping[str, Any]],
    new: NewImages,
) -> Iterator[_Record]:
    """A grouped list as records a round. What a group does not say of a round is taken from the
    flat record with the same target, if there is one."""
    for k, group in enumerate(groups):
        where = f"{source.where(path)}[{k}]"
        rounds: dict[int, dict[str, Any]] = {}
        for key, value in group.items():
            named = _ROUND_KEY.fullmatch(key)
            if named is not None and value is not None:
                rounds.setdefault(int(named[1]), {})[named[2]] = value
        whole = {x: v for x, v in group.items() if _ROUND_KEY.fullmatch(x) is None}
        there = [r for r, data in sorted(rounds.items()) if data.get("modified_image_path")]
        total = _Record(where, group).text("total_rounds")
        if total.isdecimal() and int(total) > (there[-1] if there else 0):
            new.note(_Record(where, group).text("sample_id"), where,
                     f"has {total} rounds, of which the last is not there",
                     "Leave it so: it was filtered out")  # fmt: skip
        for number in there:
            data = rounds[number]
            flat = texts.get(str(data["modified_image_path"]), {})
            yield _Record(
                f"{where} round {number}", {**flat, **whole, **data, "level": str(number)}
            )


# --- samples --------------------------------------------------------------------------------


def _single(source: Source, new: NewImages, record: _Record) -> None:
    wanted = f"{record.source_id}_{record.level}"
    sample = safe_id(wanted)
    try:
        picture, turn = _turn(source, new, record, sample, sample)
    except _LeftOut as e:
        new.skip(sample, record.where, str(e), e.do)
        return
    _renamed(new, sample, wanted, record)
    turn |= {"round": 1, "scale": record.level}
    line = _line(sample, picture, record) | {"context": safe_id(record.source_id)}
    new.add(line, [(record.where, turn)])


def _dialogue(source: Source, new: NewImages, wanted: str, records: list[_Record]) -> None:
    sample = safe_id(wanted)
    turns: list[Placed] = []
    starts: dict[int, str] = {}
    for record in sorted(records, key=lambda r: int(r.level)):
        number = int(record.level)
        try:
            start, turn = _turn(source, new, record, sample, f"{sample}_{number}")
        except _LeftOut as e:
            new.skip(sample, record.where, str(e), e.do)
            continue
        starts.setdefault(number, start)
        turns.append((record.where, turn | {"round": number}))
    if not turns:
        return
    _renamed(new, sample, wanted, records[0])
    first = min(starts)
    picture = starts[first]
    if first > 1 and len(set(starts.values())) > 1:
        new.note(sample, records[0].where, f"begins with round {first}: its picture is the one "
                 "which that round edits", "Leave it so: the first one is not known")  # fmt: skip
    for _, turn in turns:
        # A list that names the first picture in every round says nothing of what a later one edits.
        if turn["round"] == first or starts[turn["round"]] != picture:
            turn["start"] = starts[turn["round"]]
    new.add(_line(sample, picture, records[0]), turns)


def _line(sample: str, picture: str, record: _Record) -> dict[str, Any]:
    return {
        "id": sample, "picture": picture, "origin": record.dataset,
        "source_id": record.source_id, "gold_model": GOLD_MODEL,
    }  # fmt: skip


def _renamed(new: NewImages, sample: str, wanted: str, record: _Record) -> None:
    if sample != wanted:
        new.note(sample, record.where, f"was called {quoted(wanted)}, which is unsafe as a file "
                 "name", "Use the new id")  # fmt: skip


def _turn(
    source: Source, new: NewImages, record: _Record, sample: str, stem: str
) -> tuple[str, dict[str, Any]]:
    """The picture before the edit, as it was put, and the turn. Raises _LeftOut."""
    found = {
        "original_image_path": _find(source, record, "original_image_path"),
        "modified_image_path": _find(source, record, "modified_image_path"),
    }
    if record.text("target_mask_path"):
        found["target_mask_path"] = _find(source, record, "target_mask_path")
    else:
        new.note(sample, record.where, "has no target_mask_path", "It was imported without a mask")
    if record.text("source_mask_path"):
        try:
            found["source_mask_path"] = _find(source, record, "source_mask_path")
        except _LeftOut as e:
            new.note(sample, record.where, str(e), "It was imported without it: no measure uses it")
    by_file: dict[Path, str] = {}
    for key, path in found.items():
        same = by_file.setdefault(path, key)
        if same != key:
            raise _LeftOut(f"{same} and {key} lead to one file, {path.name}",
                           "Complete the folder, or name the right one by --root")  # fmt: skip
    source_name = safe_id(record.source_id)
    picture = _put(source, new, f"pictures/{source_name}", found["original_image_path"])
    turn: dict[str, Any] = {
        "instruction": record.text("modification_text"),
        "gold": _put(source, new, f"golds/{stem}", found["modified_image_path"]),
        **_questions(new, record, sample),
        **_entities(new, record, sample),
    }
    for key, ours, folder in (
        ("target_mask_path", "mask", "masks"),
        ("source_mask_path", "source_mask", "source-masks"),
    ):
        if key in found:
            turn[ours] = _put(source, new, f"{folder}/{stem}", found[key])
    return picture, turn


def _find(source: Source, record: _Record, key: str) -> Path:
    told = record.text(key)
    try:
        return source.files.find(told)
    except NotFound as e:
        raise _LeftOut(f"has {key} {quoted(told, 200)}, but {e}",
                       "Complete the folder, or name the right one by --root") from e  # fmt: skip


def _put(source: Source, new: NewImages, wanted: str, path: Path) -> str:
    try:
        return new.put(wanted, source.files.read(path))
    except NotFound as e:
        raise _LeftOut(f"has {path.name}, but {e}", "Put a readable file there") from e


def _questions(new: NewImages, record: _Record, sample: str) -> dict[str, Any]:
    """`questions` and `questions_error`. A pair that can't be asked is left out and told; where
    that leaves none, the error says so: a turn without questions is unscored, never right."""
    error = record.text("qa_pairs_error")
    pairs = record.data.get("qa_pairs")
    if pairs is None:
        return {"questions_error": error}
    kept: dict[str, dict[str, str]] = {}
    for k, pair in enumerate(pairs if isinstance(pairs, list) else [pairs]):
        asked = _Record("", pair if isinstance(pair, dict) else {})
        question, answer = asked.text("question"), asked.text("correct_answer")
        if isinstance(asked.data.get("correct_answer"), bool):
            answer = "Yes" if asked.data["correct_answer"] else "No"
        key = " ".join(question.casefold().split())
        if not question or not answer:
            new.note(sample, record.where, f"has qa_pairs[{k}] without question or answer",
                     "The pair was left out")  # fmt: skip
        elif key in kept:
            new.note(sample, record.where, f"has qa_pairs[{k}] a second time",
                     "The first was kept")  # fmt: skip
        else:
            kept[key] = {"question": question, "answer": answer}
    if not kept and not error:
        error = "no question pair of the source can be asked"
    return {"questions": list(kept.values()), "questions_error": "" if kept else error}


def _entities(new: NewImages, record: _Record, sample: str) -> dict[str, Any]:
    entities = record.data.get("entities")
    if entities is None:
        return {}
    try:
        json.dumps(entities, allow_nan=False).encode()
    except ValueError:
        entities = None
    if not isinstance(entities, dict):
        new.note(sample, record.where, "has entities that are no object of plain JSON",
                 "They were left out")  # fmt: skip
        return {}
    return {"entities": entities}
