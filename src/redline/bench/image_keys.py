"""The keys of an image sample's line, its turns and their questions: what each may hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from redline.bench import values as v
from redline.bench.faults import quoted
from redline.bench.image_sample import SCALES
from redline.bench.values import Check, KeyFault

MOST_ROUNDS = 1000

LINE_KEYS: Mapping[str, Check] = {
    "id": v.name,
    "picture": v.path,
    "turns": v.objects("turns"),
    "origin": v.text,
    "source_id": v.some_text,
    "context": v.some_text,
    "licence": v.some_text,
    "instruction_model": v.some_text,
    "gold_model": v.some_text,
    "annotator": v.annotator,
    "ratings": v.objects("ratings", least=0),
}
LINE_REQUIRED = ("id", "picture", "turns")

TURN_KEYS: Mapping[str, Check] = {
    "round": v.whole(1, MOST_ROUNDS, "the round"),
    "instruction": v.text,
    "scale": v.one_of(*SCALES),
    "start": v.path,
    "overlay": v.path,
    "gold": v.path,
    "mask": v.path,
    "source_mask": v.path,
    "questions": v.objects("questions", least=0),
    "questions_error": v.some_text,
    "entities": v.table,
    "category": v.some_text,
    "rubric": v.plain_name,
}
TURN_REQUIRED = ("round",)

QUESTION_KEYS: Mapping[str, Check] = {"question": v.some_text, "answer": v.some_text}

TURN_FILE_KEYS = ("start", "overlay", "gold", "mask", "source_mask")
"""Keys of a turn that name pictures."""


def image_line_faults(line: Mapping[str, Any]) -> list[KeyFault]:
    """Everything wrong with a parsed line of an image sample, looking at no file. Pure.

    A fault in a turn has a key such as `turns[1].round` or `turns[0].questions[2].answer`,
    counted from 0 as in the file.
    """
    found = list(v.key_faults(line, LINE_KEYS, LINE_REQUIRED))
    if any(f.key == "turns" for f in found):
        return found
    turns = line["turns"]
    for k, turn in enumerate(turns):
        found += turn_faults(turn, f"turns[{k}]")
    told = {f.key for f in found}
    return found + [f for f in _round_faults(turns) if f.key not in told]


def turn_faults(turn: Mapping[str, Any], at: str) -> list[KeyFault]:
    """Everything wrong with one turn, whose place in the line is `at`. Pure."""
    found = [
        KeyFault(f"{at}.{f.key}", f.what, f.do)
        for f in v.key_faults(turn, TURN_KEYS, TURN_REQUIRED)
    ]
    told = {f.key for f in found}
    instruction = turn.get("instruction")
    if turn.get("overlay") is None and not (isinstance(instruction, str) and instruction.strip()):
        missing = KeyFault(
            f"{at}.instruction", "is missing, and there is no overlay either",
            "Say in words or by a drawing what is to be edited",
        )  # fmt: skip
        found += [missing] if missing.key not in told else []
    if f"{at}.questions" not in told:
        found += _question_faults(turn.get("questions") or [], f"{at}.questions")
    return found


def _question_faults(questions: list[Mapping[str, Any]], at: str) -> Iterator[KeyFault]:
    first: dict[str, int] = {}
    for k, question in enumerate(questions):
        place = f"{at}[{k}]"
        faults = list(v.key_faults(question, QUESTION_KEYS, tuple(QUESTION_KEYS)))
        for fault in faults:
            yield KeyFault(f"{place}.{fault.key}", fault.what, fault.do)
        if not faults:
            same = first.setdefault(" ".join(question["question"].casefold().split()), k)
            if same != k:
                what = f"is the same question as {at}[{same}]"
                yield KeyFault(place, what, "Ask each question once")


def _round_faults(turns: list[Mapping[str, Any]]) -> Iterator[KeyFault]:
    """Rounds that come twice or not in order. A gap is no fault: it was filtered out."""
    first: dict[int, int] = {}
    highest = 0
    for k, turn in enumerate(turns):
        number = turn.get("round")
        if isinstance(number, bool) or not isinstance(number, int):
            continue
        same = first.setdefault(number, k)
        if same != k:
            what = f"is {quoted(number)} as in turns[{same}]"
            yield KeyFault(f"turns[{k}].round", what, "Give each round one turn")
        elif number < highest:
            what = f"is {quoted(number)} after {highest}"
            yield KeyFault(f"turns[{k}].round", what, "Put the turns in the order of their rounds")
        highest = max(highest, number)
