"""What a value of a line or of benchmark.toml may be: one check a kind of value. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from redline.bench.faults import did_you_mean, quoted
from redline.bench.named_files import path_fault

Check = Callable[[Any], tuple[str, str] | None]
"""From a value to what is wrong with it and what to do, or None."""


@dataclass(frozen=True)
class KeyFault:
    """A key, what is wrong with it or its value, and what to do."""

    key: str
    what: str
    do: str


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?")
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+_-]{0,49}")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_MODEL = re.compile(r"([a-z][a-z0-9_-]*)/[A-Za-z0-9][A-Za-z0-9._:/@+-]*")
_NEVER_SUGGESTED = ("command", "http", "https", "file", "replay", "baseline", "outputs")


def safe_name(word: str) -> bool:
    """Whether an id or name can be a file's name on every system and part of a unit's key."""
    return (
        _NAME.fullmatch(word) is not None
        and not word.endswith(".")
        and _RESERVED.fullmatch(word) is None
    )


def text(value: Any) -> tuple[str, str] | None:
    if not isinstance(value, str):
        return f"is {quoted(value)}, not a text", "Put the value in quotes"
    if _CONTROL.search(value):
        return "has a control character", "Remove it"
    return None


def some_text(value: Any) -> tuple[str, str] | None:
    if (fault := text(value)) is not None:
        return fault
    return None if value.strip() else ("is empty", "Fill it in, or leave the key out")


def name(value: Any) -> tuple[str, str] | None:
    if (fault := some_text(value)) is not None:
        return fault
    if not safe_name(value):
        return (
            f"is {quoted(value)}, which is unsafe as a file name",
            "Use up to 100 of the letters A-Z a-z, digits and . _ -, beginning with a letter or "
            "digit, and no name that Windows reserves",
        )
    return None


def version(value: Any) -> tuple[str, str] | None:
    if not isinstance(value, str) or not _VERSION.fullmatch(value):
        return f"is {quoted(value)}", 'Give it as a text without spaces, such as "1.0"'
    return None


def one_of(*choices: str) -> Check:
    def check(value: Any) -> tuple[str, str] | None:
        if isinstance(value, str) and value in choices:
            return None
        hint = did_you_mean(value.upper() if choices[0].isupper() else value.lower(), choices) if (
            isinstance(value, str)) else ""  # fmt: skip
        return f"is {quoted(value)}{hint}", f"Use one of {', '.join(choices)}"

    return check


def path(value: Any) -> tuple[str, str] | None:
    if not isinstance(value, str):
        return f"is {quoted(value)}, not a path", "Name one file by a text"
    if why := path_fault(value):
        return f"is {quoted(value)}, which {why}", (
            "Name a file below the benchmark folder, with / between folders"
        )
    return None


def paths(value: Any) -> tuple[str, str] | None:
    if not isinstance(value, list) or not value:
        return f"is {quoted(value)}, not a list of paths", (
            'Give a list with at least one path, as ["code/x.gold.tex"]'
        )
    for item in value:
        if (fault := path(item)) is not None:
            return fault
    if len(set(value)) < len(value):
        return "names a file twice", "Name each once"
    return None


def words(value: Any) -> tuple[str, str] | None:
    if not isinstance(value, list) or any(some_text(v) is not None for v in value):
        return f"is {quoted(value)}", 'Give a list of words, as ["text", "fill"]'
    if len(set(value)) < len(value):
        return "has a word twice", "Give each once"
    return None


def annotator(value: Any) -> tuple[str, str] | None:
    if (fault := some_text(value)) is not None:
        return fault
    if "@" in value:
        return "looks like an e-mail address", "Use a pseudonym, such as a07"
    return None


def judge(value: Any) -> tuple[str, str] | None:
    if (fault := some_text(value)) is not None:
        return fault
    named = _MODEL.fullmatch(value)
    if named is None or "//" in value or ".." in value or named[1] in _NEVER_SUGGESTED:
        return (
            f"is {quoted(value)}; a benchmark may suggest a judge but never a command or a URL",
            "Name a model as provider/name, such as google/gemini-3.1-pro-preview",
        )
    return None


def plain_name(value: Any) -> tuple[str, str] | None:
    if (fault := some_text(value)) is not None:
        return fault
    if not safe_name(value):
        return (
            f"is {quoted(value)}; a benchmark may suggest one by name but never a command, a path "
            "or a URL",
            "Use a plain name, such as viseditbench-image-v1",
        )
    return None


def whole(least: int, most: int, of: str) -> Check:
    """A whole number from `least` to `most`; `of` says what it counts."""

    def check(value: Any) -> tuple[str, str] | None:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            return f"is {quoted(value)}", f"Give {of}: {least} to {most}"
        return None

    return check


def objects(what: str, least: int = 1) -> Check:
    """A list of at least `least` objects; `what` names them."""

    def check(value: Any) -> tuple[str, str] | None:
        if (
            not isinstance(value, list)
            or len(value) < least
            or not all(isinstance(x, dict) for x in value)
        ):
            some = f" with at least {least}" if least else ""
            return f"is {quoted(value)}", f"Give a list of {what}{some}, each an object in braces"
        return None

    return check


def table(value: Any) -> tuple[str, str] | None:
    if not isinstance(value, dict):
        return f"is {quoted(value)}", "Give an object in braces"
    return None


def key_faults(
    table: Mapping[str, Any],
    keys: Mapping[str, Check],
    required: tuple[str, ...],
    extra: str = "",
) -> Iterator[KeyFault]:
    """What is wrong with an object's keys and values. A key that is not required may be null,
    which is the same as leaving it out; `extra` is known and looked at elsewhere."""
    for key in required:
        if key not in table:
            yield KeyFault(key, "is missing", f"Add {key}")
    for key, value in table.items():
        if key not in keys:
            if key != extra:
                hint = did_you_mean(key, [*keys, extra] if extra else keys)
                yield KeyFault(
                    key if key.isprintable() and len(key) < 60 else quoted(key),
                    f"is an unknown key{hint}",
                    "Correct or remove it",
                )
        elif (value is not None or key in required) and (fault := keys[key](value)) is not None:
            yield KeyFault(key, *fault)
