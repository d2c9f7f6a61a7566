"""Reads a judge's reply strictly: a whole verdict or none, never a guess or a part of one."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from redline.json_hooks import JsonFault, no_constant, unique_keys
from redline.judge.rubric import Criterion, Rubric
from redline.models.thinking import split_thinking


@dataclass(frozen=True)
class Verdict:
    """A judge's answer to every criterion: whole numbers for scales, True or False for yes-or-no
    questions, and its reasons in words."""

    scores: Mapping[str, int | bool]
    reasons: Mapping[str, str]


@dataclass(frozen=True)
class Malformed:
    """A reply that is no verdict. `reason` is a sentence that says what is wrong with it; `kind`
    is the reason of the unscored outcome that it leads to."""

    reason: str
    kind: Literal["malformed_verdict", "judge_refused"] = "malformed_verdict"


_FENCE = re.compile(r"[ \t]*```[ \t]*(?:json)?[ \t]*", re.IGNORECASE)


class _Fault(Exception):
    """What is wrong, as a sentence."""


def read_verdict(text: str, rubric: Rubric) -> Verdict | Malformed:
    """The verdict in a reply: one JSON object, by itself or in the reply's only code fence.

    Everything else is malformed: several objects, a key that stands twice, a criterion that is
    missing or unknown, a number that is not whole or out of its range, a number or truth value
    written as a string, NaN. `4.0` counts as 4, since to JSON it is the same number.
    """
    try:
        value = _object(split_thinking(text).answer.strip())
        _keys(value, {"reasons", "scores"}, "The JSON object")
        reasons, scores = value["reasons"], value["scores"]
        names = {c.name for c in rubric.criteria}
        for what, part in (("reasons", reasons), ("scores", scores)):
            if not isinstance(part, dict):
                raise _Fault(f'"{what}" is not an object.')
            _keys(part, names, f'"{what}"')
        for name, reason in reasons.items():
            if not isinstance(reason, str):
                raise _Fault(f"The reason for {name} is not a string.")
        return Verdict(
            {c.name: _score(c, scores[c.name]) for c in rubric.criteria},
            {c.name: reasons[c.name] for c in rubric.criteria},
        )
    except _Fault as fault:
        return Malformed(str(fault))


def read_object(text: str) -> dict[str, Any] | Malformed:
    """The one JSON object in a reply, as strictly as a verdict is read."""
    try:
        return _object(split_thinking(text).answer.strip())
    except _Fault as fault:
        return Malformed(str(fault))


def _object(text: str) -> dict[str, Any]:
    if not text:
        raise _Fault("It holds no answer.")
    if not text.startswith("{"):
        blocks, outside = _blocks(text)
        if len(blocks) > 1:
            raise _Fault(f"It holds {len(blocks)} code blocks; one was expected.")
        if not blocks:
            raise _Fault("It is not one JSON object.")
        if "{" in outside:
            raise _Fault("It holds more than the one JSON object.")
        text = blocks[0].strip()
    try:
        value = json.loads(text, object_pairs_hook=unique_keys, parse_constant=no_constant)
    except JsonFault as fault:
        raise _Fault(f"Not the JSON asked for: {fault}.") from None
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            raise _Fault("It holds more than the one JSON object.") from None
        raise _Fault(f"It is not valid JSON ({error.msg} in line {error.lineno}).") from None
    except (ValueError, RecursionError):
        raise _Fault("It is not valid JSON.") from None
    if not isinstance(value, dict):
        raise _Fault("It is not one JSON object.")
    return value


def _blocks(text: str) -> tuple[list[str], str]:
    """The contents of closed code fences, and all that stands outside them."""
    blocks: list[str] = []
    outside: list[str] = []
    held: list[str] | None = None
    for line in text.split("\n"):
        if not _FENCE.fullmatch(line):
            (outside if held is None else held).append(line)
        elif held is None:
            held = []
        else:
            blocks.append("\n".join(held))
            held = None
    return blocks, "\n".join([*outside, *(held or ())])


def _keys(value: Mapping[str, Any], expected: set[str], where: str) -> None:
    lacking = sorted(expected - set(value))
    if lacking:
        raise _Fault(f"{where} lacks {', '.join(lacking)}.")
    unknown = sorted(set(value) - expected)
    if unknown:
        raise _Fault(f"{where} holds {_quoted(unknown[0])}, which was not asked for.")


def _score(criterion: Criterion, value: Any) -> int | bool:
    name = criterion.name
    if criterion.kind == "yesno":
        if isinstance(value, bool):
            return value
        raise _Fault(f"The answer for {name} must be true or false, not {_shown(value)}.")
    whole = isinstance(value, int | float) and not isinstance(value, bool) and value % 1 == 0
    if not whole:
        raise _Fault(f"The score for {name} must be a whole number, not {_shown(value)}.")
    if not criterion.low <= value <= criterion.high:
        raise _Fault(
            f"The score for {name} must lie from {criterion.low} to {criterion.high}, "
            f"not at {_shown(value)}."
        )
    return int(value)


def _shown(value: Any) -> str:
    return _quoted(value) if isinstance(value, str) else f"{json.dumps(value):.40}"


def _quoted(text: str) -> str:
    return f"{json.dumps(text):.60}"
