"""A line of samples.jsonl as an image sample: its files looked up, its turns made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from redline.bench.image_keys import TURN_FILE_KEYS
from redline.bench.image_sample import ImageSample, Question, Turn
from redline.bench.reading import Reading


def read_image(
    reading: Reading, sample: str, where: str, line: Mapping[str, Any], bad: set[str]
) -> Callable[[], ImageSample]:
    """Looks at the files that a line names; what is wrong goes to `reading`. `bad` are keys known
    to be faulty. What comes back makes the sample, and may be called if nothing was wrong."""
    files: dict[str, Path] = {}
    for key, name in named_files(line, bad):
        path = reading.touch(sample, f"{where}, key {key}", name, "picture")
        if path is not None:
            files[name] = path

    def make() -> ImageSample:
        picture = reading.files.known[line["picture"]].sha256
        return image_sample(line, files, source_id=f"picture-{picture[:16]}")

    return make


def named_files(line: Mapping[str, Any], bad: set[str]) -> list[tuple[str, str]]:
    """The files that a line names, each with the key that names it, faulty keys left out."""
    places = [("picture", line.get("picture"))]
    if "turns" not in bad:
        for k, turn in enumerate(line.get("turns") or []):
            places += [(f"turns[{k}].{key}", turn.get(key)) for key in TURN_FILE_KEYS]
    return [(key, name) for key, name in places if name is not None and key not in bad]


def image_sample(
    line: Mapping[str, Any], files: Mapping[str, Path], source_id: str = ""
) -> ImageSample:
    """The sample of a line without faults. `files` has the places of all files it names;
    `source_id` is taken where the line has none."""

    def text(key: str) -> str:
        return line.get(key) or ""

    return ImageSample(
        id=line["id"],
        picture=files[line["picture"]],
        turns=tuple(_turn(t, files) for t in line["turns"]),
        origin=text("origin"),
        source_id=text("source_id") or source_id,
        context=text("context"),
        licence=text("licence"),
        instruction_model=line.get("instruction_model"),
        gold_model=line.get("gold_model"),
        annotator=line.get("annotator"),
        ratings=tuple(line.get("ratings") or ()),
        files=dict(files),
    )


def _turn(turn: Mapping[str, Any], files: Mapping[str, Path]) -> Turn:
    def path(key: str) -> Path | None:
        return files[turn[key]] if turn.get(key) is not None else None

    return Turn(
        round=turn["round"],
        instruction=turn.get("instruction") or "",
        scale=turn.get("scale"),
        start=path("start"),
        overlay=path("overlay"),
        gold=path("gold"),
        mask=path("mask"),
        source_mask=path("source_mask"),
        questions=tuple(Question(q["question"], q["answer"]) for q in turn.get("questions") or ()),
        questions_error=turn.get("questions_error") or "",
        entities=dict(turn.get("entities") or {}),
        category=turn.get("category") or "",
        rubric=turn.get("rubric") or "",
    )
