"""Image samples on their way into a new benchmark folder: what has faults is left out and told."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from redline.bench.faults import Fault
from redline.bench.image_checks import load, turn_faults
from redline.bench.image_keys import TURN_FILE_KEYS, image_line_faults
from redline.bench.image_keys import turn_faults as turn_key_faults
from redline.bench.image_lines import image_sample, named_files
from redline.bench.values import safe_name
from redline.pixels import sha256_bytes

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")

Placed = tuple[str, dict[str, Any]]
"""Where a turn comes from (for the report), and the turn as it is to stand in the line."""


def safe_id(wanted: str) -> str:
    """An id that is safe as a file's name: `wanted` itself where it is, else its safe characters
    and six hexadecimal digits of its SHA-256, so that two names never become one."""
    if safe_name(wanted):
        return wanted
    plain = _UNSAFE.sub("-", wanted).strip("-._")[:80] or "sample"
    return f"{plain}-{hashlib.sha256(wanted.encode()).hexdigest()[:6]}"


def suffix_of(data: bytes) -> str:
    """The suffix that fits a picture's first bytes; `.png` for what is none of the usual."""
    if data.startswith(b"\xff\xd8"):
        return ".jpg"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return ".webp"
    starts = {b"GIF8": ".gif", b"BM": ".bmp", b"II*\0": ".tif", b"MM\0*": ".tif"}
    return next((s for start, s in starts.items() if data.startswith(start)), ".png")


@dataclass
class NewImages:
    """Collects samples below `root`. `lines` are those of samples.jsonl so far."""

    root: Path
    lines: list[dict[str, Any]] = field(default_factory=list)
    skipped: list[Fault] = field(default_factory=list)
    notes: list[Fault] = field(default_factory=list)
    _by_hash: dict[str, str] = field(default_factory=dict)
    _names: set[str] = field(default_factory=set)
    _ids: dict[str, str] = field(default_factory=dict)
    _contexts: dict[str, str] = field(default_factory=dict)

    def skip(self, sample: str, where: str, what: str, do: str) -> None:
        """Something of the source that is not in the new benchmark, and why."""
        self.skipped.append(Fault(sample, where, what, do))

    def note(self, sample: str, where: str, what: str, do: str) -> None:
        """Something that is in it, though not as it was."""
        self.notes.append(Fault(sample, where, what, do, "note"))

    def put(self, wanted: str, data: bytes) -> str:
        """Write a picture as `wanted` (FOLDER/NAME without suffix) and its suffix; the path it
        has. The same bytes are written once, pictures and golds together, since the gold of a
        round may be the picture of the next: a second time the first path comes back."""
        folder = wanted.partition("/")[0].replace("golds", "pictures")
        digest = f"{folder} {sha256_bytes(data)}"
        if digest not in self._by_hash:
            name, count = f"{wanted}{suffix_of(data)}", 1
            while name.casefold() in self._names:
                count += 1
                name = f"{wanted}-{count}{suffix_of(data)}"
            self._names.add(name.casefold())
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            self._by_hash[digest] = name
        return self._by_hash[digest]

    def add(self, line: Mapping[str, Any], turns: Sequence[Placed]) -> None:
        """Take a sample: its line without turns, and its turns in any order, whose files were put
        before. A turn with a fault is left out (which leaves a gap in a dialogue); so is a sample
        whose picture has one, or of which no turn is left. A turn's `start` is kept where it is
        another picture than the one before it."""
        sample, first = line["id"], turns[0][0] if turns else ""
        whole = {k: x for k, x in line.items() if x not in (None, "", [], {})}
        same = self._ids.setdefault(sample.casefold(), first)
        if same != first:
            self._skip_all(sample, turns, f"has the id of {same}", "Look which of the two is meant")
            return
        sound = self._sound(sample, turns)
        if not sound:
            return
        whole["turns"] = [turn for _, turn in sound]
        for fault in image_line_faults(whole)[:1]:
            self._skip_all(sample, sound, f"{fault.key} {fault.what}", fault.do)
            return
        _, told = load(self.root / whole["picture"])
        if told is not None:
            self._skip_all(sample, sound, f"picture: {told}", "Fetch it anew")
            return
        whole["turns"] = self._seen(whole, [where for where, _ in sound])
        if not whole["turns"]:
            return
        _only_other_starts(whole)
        context = whole.get("context")
        if context and self._contexts.setdefault(context, whole["picture"]) != whole["picture"]:
            self.note(sample, first, f"has another picture than the rest of context {context!r}",
                      "It was imported without a context")  # fmt: skip
            del whole["context"]
        self.lines.append(whole)

    def _skip_all(self, sample: str, turns: Iterable[Placed], what: str, do: str) -> None:
        for where, _ in turns:
            self.skip(sample, where, what, do)

    def _sound(self, sample: str, turns: Iterable[Placed]) -> list[Placed]:
        """The turns without faults in their texts, each round once, in order."""
        kept: dict[int, Placed] = {}
        for where, given in turns:
            turn = {k: x for k, x in given.items() if x not in (None, "", [], {})}
            faults = turn_key_faults(turn, "turn")
            if faults:
                what = f"{faults[0].key.removeprefix('turn.')} {faults[0].what}"
                self.skip(sample, where, what, faults[0].do)
            elif turn["round"] in kept:
                what = f"is round {turn['round']} a second time"
                self.skip(sample, where, what, "Look which of the two is meant")
            else:
                kept[turn["round"]] = (where, turn)
        return [kept[r] for r in sorted(kept)]

    def _seen(self, line: Mapping[str, Any], places: Sequence[str]) -> list[dict[str, Any]]:
        """The turns without faults in their pictures and masks."""
        files = {name: self.root / name for _, name in named_files(line, set())}
        sample = image_sample(line, files)
        kept = []
        for where, turn, given in zip(places, sample.turns, line["turns"], strict=True):
            faults = [
                (f.where.rpartition(", ")[2], f)
                for f in turn_faults(sample, turn) if f.severity == "fault"
            ]  # fmt: skip
            hard = [(key, f) for key, f in faults if key != "source_mask"]
            if hard:
                key, fault = hard[0]
                self.skip(sample.id, where, f"{key}: {fault.what}", fault.do)
                continue
            for key, fault in faults[:1]:
                # No measure uses it: not worth an edit.
                self.note(sample.id, where, f"{key}: {fault.what}", "It was imported without it")
                del given["source_mask"]
            kept.append(given)
        return kept

    def drop_unnamed(self) -> None:
        """Remove files that no line names: those of what was left out."""
        named = {line["picture"] for line in self.lines}
        for line in self.lines:
            for turn in line["turns"]:
                named |= {turn[k] for k in TURN_FILE_KEYS if k in turn}
        for name in self._by_hash.values():
            if name not in named:
                (self.root / name).unlink()
        self._by_hash = {h: n for h, n in self._by_hash.items() if n in named}


def _only_other_starts(line: Mapping[str, Any]) -> None:
    """Removes the starts that follow from the turn before."""
    golds: dict[int, str] = {0: line["picture"]}
    for turn in line["turns"]:
        if turn.get("start") == golds.get(turn["round"] - 1, ""):
            del turn["start"]
        golds[turn["round"]] = turn.get("gold", "")
