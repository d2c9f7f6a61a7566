"""Imports MagicBrush: photographs edited in one to three turns, with masks and golds.

MagicBrush (Zhang et al., NeurIPS 2023) comes in two forms: folders with `edit_sessions.json`
({img_id: [{input, mask, output, instruction}]}) or `edit_turns.json` (a list of the same) beside
`images/IMG_ID/IMG_ID-input.png`, `-mask1.png`, `-output1.png`, ...; and Parquet tables with
img_id, turn_index, source_img, mask_img, target_img, instruction.

A session is a sample, its id the img_id; a turn is a round. The authors' outputs are named
IMG_ID/IMG_ID_1.png, IMG_ID_inde_2.png (from the gold before) and IMG_ID_iter_2.png (from the
model's own picture before). A mask is the picture with a hole: what is transparent is edited. It
is written as a plain mask, 255 where it is edited; a mask without a hole is left out and told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from redline.bench.importers.file_tree import NotFound
from redline.bench.importers.new_images import NewImages, Placed, safe_id
from redline.bench.importers.sources import Source, read_json
from redline.bench.importers.tables import SUFFIXES, picture_bytes, rows
from redline.errors import UserError
from redline.pixels import PictureError, encode_png, load_picture, read_mask

PARTS = ("dev", "train")
PATTERNS: Mapping[str, tuple[str, ...]] = {
    "": ("data/dev-*",), "dev": ("data/dev-*",), "train": ("data/train-*",),
}  # fmt: skip
"""The training set is large: it is fetched only when it is asked for."""

_OUTPUT = re.compile(r"(.+)-output(\d+)\.\w+")


@dataclass(frozen=True)
class _Edit:
    """One turn as it came: where it stands, its number and words, its pictures' bytes or why
    they are not there."""

    where: str
    number: int
    instruction: str
    pictures: Mapping[str, bytes | None]
    why: str = ""


def read(source: Source, new: NewImages, parts: frozenset[str]) -> None:
    """Add the sessions to `new`. Raises UserError where there are none."""
    tables = [p for p in source.lists(*(f"*{s}" for s in SUFFIXES)) if p.suffix in SUFFIXES]
    if tables:
        chosen = [p for p in tables if not parts or p.stem.split("-")[0] in parts]
        sessions = _tables(source, chosen)
    else:
        sessions = _folders(source, new)
    for name, edits in sessions:
        _session(new, name, edits)


def _folders(source: Source, new: NewImages) -> Iterator[tuple[str, list[_Edit]]]:
    lists = source.lists("edit_sessions.json") or source.lists("edit_turns.json")
    if len(lists) != 1:
        raise UserError(
            f"{source.place} has {len(lists) or 'no'} edit_sessions.json or edit_turns.json, nor "
            "a Parquet table. Name one folder of MagicBrush."
        )
    value = read_json(lists[0])
    where = source.where(lists[0])
    if isinstance(value, list):
        value = _grouped(value, where, new)
    if not isinstance(value, dict):
        raise UserError(f"{lists[0].name} is no list of MagicBrush.")
    for name, turns in value.items():
        edits = []
        for k, turn in enumerate(turns if isinstance(turns, list) else [turns], start=1):
            place = f"{where} {name}[{k - 1}]"
            if not isinstance(turn, dict):
                new.skip(safe_id(str(name)), place, "is no object", "Mend the list")
                continue
            edits.append(_edit(source, place, str(name), k, turn))
        yield str(name), edits


def _grouped(turns: Iterable[Any], where: str, new: NewImages) -> dict[str, list[Any]]:
    """A list of turns as sessions, by the names of their outputs."""
    found: dict[str, dict[int, Any]] = {}
    for k, turn in enumerate(turns):
        output = turn.get("output") if isinstance(turn, dict) else None
        named = _OUTPUT.fullmatch(output) if isinstance(output, str) else None
        if named is None:
            new.skip("", f"{where}[{k}]", "names no output IMG_ID-outputN.png", "Mend the list")
        else:
            found.setdefault(named[1], {})[int(named[2])] = turn
    return {name: [by[n] for n in sorted(by)] for name, by in found.items()}


def _edit(source: Source, where: str, name: str, number: int, turn: Mapping[str, Any]) -> _Edit:
    pictures: dict[str, bytes | None] = {}
    why = ""
    for key in ("input", "mask", "output"):
        told = turn.get(key)
        try:
            if not isinstance(told, str) or not told:
                raise NotFound("the list names none")
            pictures[key] = source.files.read(source.files.find(f"images/{name}/{told}"))
        except NotFound as e:
            pictures[key] = None
            why = why or (f"has no {key}: {e}" if key != "mask" else "")
    words = turn.get("instruction")
    return _Edit(where, number, words.strip() if isinstance(words, str) else "", pictures, why)


def _tables(source: Source, paths: list[Path]) -> Iterator[tuple[str, list[_Edit]]]:
    """Sessions of tables whose rows of one session follow one another."""
    if not paths:
        raise UserError(f"{source.place} has no table of the part that was asked for.")
    name, edits = "", list[_Edit]()
    for path in paths:
        for k, row in enumerate(rows(path)):
            session = str(row.get("img_id"))
            if session != name and edits:
                yield name, edits
                edits = []
            name = session
            pictures = {
                ours: picture_bytes(row.get(theirs))
                for ours, theirs in (
                    ("input", "source_img"), ("mask", "mask_img"), ("output", "target_img"),
                )
            }  # fmt: skip
            number = row.get("turn_index")
            why = next((f"has no {x} picture" for x in ("input", "output") if not pictures[x]), "")
            edits.append(_Edit(
                f"{source.where(path)} row {k}", number if isinstance(number, int) else 0,
                str(row.get("instruction") or "").strip(), pictures, why,
            ))  # fmt: skip
    if edits:
        yield name, edits


def _session(new: NewImages, name: str, edits: list[_Edit]) -> None:
    sample = safe_id(name)
    turns: list[Placed] = []
    starts: dict[int, str] = {}
    for edit in sorted(edits, key=lambda e: e.number):
        start, gold = edit.pictures["input"], edit.pictures["output"]
        if edit.why or start is None or gold is None:
            new.skip(sample, edit.where, edit.why, "Complete the folder")
            continue
        before = new.put(f"pictures/{sample}-{edit.number}", start)
        starts.setdefault(edit.number, before)
        turn: dict[str, Any] = {
            "round": edit.number, "instruction": edit.instruction,
            "start": before, "gold": new.put(f"golds/{sample}-{edit.number}", gold),
            **_mask(new, sample, edit, start, gold),
        }  # fmt: skip
        turns.append((edit.where, turn))
    if not turns:
        return
    picture = starts[min(starts)]
    line = {"id": sample, "picture": picture, "origin": "MagicBrush", "source_id": sample}
    new.add(line, turns)


def _mask(new: NewImages, sample: str, edit: _Edit, start: bytes, gold: bytes) -> dict[str, str]:
    """The hole as a mask of the gold, or of the picture before where only that has its size."""
    data = edit.pictures["mask"]
    left_out = "It was imported without a mask"
    if data is None:
        new.note(sample, edit.where, "has no mask", left_out)
        return {}
    try:
        hole = read_mask(data, holes=True).array
        sizes = {
            "mask": load_picture(gold).array.shape[:2],
            "source_mask": load_picture(start).array.shape[:2],
        }
    except PictureError as e:
        new.note(sample, edit.where, f"has a picture or mask that can't be read: {e}", left_out)
        return {}
    if not hole.any():
        new.note(sample, edit.where, "has a mask without a transparent part", left_out)
        return {}
    fitting = [key for key, size in sizes.items() if size == hole.shape]
    if not fitting:
        new.note(sample, edit.where, "has a mask of the size of neither picture", left_out)
        return {}
    plain = encode_png(hole.astype(np.uint8) * np.uint8(255))
    return {fitting[0]: new.put(f"masks/{sample}-{edit.number}", plain)}
