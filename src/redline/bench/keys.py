"""The keys of benchmark.toml and of a diagram's line: which there are, what each may hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from redline.bench.faults import did_you_mean, quoted
from redline.bench.named_files import path_fault
from redline.bench.sample import DRAWN_WITH, EDIT_TYPES

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


def safe_name(text: str) -> bool:
    """Whether an id or name can be a file's name on every system and part of a unit's key."""
    return (
        _NAME.fullmatch(text) is not None
        and not text.endswith(".")
        and _RESERVED.fullmatch(text) is None
    )


def _text(value: Any) -> tuple[str, str] | None:
    if not isinstance(value, str):
        return f"is {quoted(value)}, not a text", "Put the value in quotes"
    if _CONTROL.search(value):
        return "has a control character", "Remove it"
    return None


def _some_text(value: Any) -> tuple[str, str] | None:
    if (fault := _text(value)) is not None:
        return fault
    return None if value.strip() else ("is empty", "Fill it in, or leave the key out")


def _name(value: Any) -> tuple[str, str] | None:
    if (fault := _some_text(value)) is not None:
        return fault
    if not safe_name(value):
        return (
            f"is {quoted(value)}, which is unsafe as a file name",
            "Use up to 100 of the letters A-Z a-z, digits and . _ -, beginning with a letter or "
            "digit, and no name that Windows reserves",
        )
    return None


def _version(value: Any) -> tuple[str, str] | None:
    if not isinstance(value, str) or not _VERSION.fullmatch(value):
        return f"is {quoted(value)}", 'Give it as a text without spaces, such as "1.0"'
    return None


def _one_of(*choices: str) -> Check:
    def check(value: Any) -> tuple[str, str] | None:
        if isinstance(value, str) and value in choices:
            return None
        hint = did_you_mean(value.upper() if choices[0].isupper() else value.lower(), choices) if (
            isinstance(value, str)) else ""  # fmt: skip
        return f"is {quoted(value)}{hint}", f"Use one of {', '.join(choices)}"

    return check


def _operations(value: Any) -> tuple[str, str] | None:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 3:
        return f"is {quoted(value)}", "Give the number of operations: 1, 2 or 3"
    return None


def _path(value: Any) -> tuple[str, str] | None:
    if not isinstance(value, str):
        return f"is {quoted(value)}, not a path", "Name one file by a text"
    if why := path_fault(value):
        return f"is {quoted(value)}, which {why}", (
            "Name a file below the benchmark folder, with / between folders"
        )
    return None


def _paths(value: Any) -> tuple[str, str] | None:
    if not isinstance(value, list) or not value:
        return f"is {quoted(value)}, not a list of paths", (
            'Give a list with at least one path, as ["code/x.gold.tex"]'
        )
    for item in value:
        if (fault := _path(item)) is not None:
            return fault
    if len(set(value)) < len(value):
        return "names a file twice", "Name each once"
    return None


def _words(value: Any) -> tuple[str, str] | None:
    if not isinstance(value, list) or any(_some_text(v) is not None for v in value):
        return f"is {quoted(value)}", 'Give a list of words, as ["text", "fill"]'
    if len(set(value)) < len(value):
        return "has a word twice", "Give each once"
    return None


def _ratings(value: Any) -> tuple[str, str] | None:
    if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
        return f"is {quoted(value)}", "Give a list of objects"
    return None


def _annotator(value: Any) -> tuple[str, str] | None:
    if (fault := _some_text(value)) is not None:
        return fault
    if "@" in value:
        return "looks like an e-mail address", "Use a pseudonym, such as a07"
    return None


def _judge(value: Any) -> tuple[str, str] | None:
    if (fault := _some_text(value)) is not None:
        return fault
    named = _MODEL.fullmatch(value)
    if named is None or "//" in value or ".." in value or named[1] in _NEVER_SUGGESTED:
        return (
            f"is {quoted(value)}; a benchmark may suggest a judge but never a command or a URL",
            "Name a model as provider/name, such as google/gemini-3.1-pro-preview",
        )
    return None


def _plain_name(value: Any) -> tuple[str, str] | None:
    if (fault := _some_text(value)) is not None:
        return fault
    if not safe_name(value):
        return (
            f"is {quoted(value)}; a benchmark may suggest one by name but never a command, a path "
            "or a URL",
            "Use a plain name, such as viseditbench-image-v1",
        )
    return None


TOML_KEYS: Mapping[str, Check] = {
    "name": _name,
    "version": _version,
    "track": _one_of("diagram"),
    "licence": _some_text,
    "citation": _text,
    "description": _text,
}
TOML_REQUIRED = ("name", "version", "track", "licence")
DEFAULT_KEYS: Mapping[str, Check] = {
    "judge": _judge,
    "rubric": _plain_name,
    "render": _plain_name,
    "measure": _plain_name,
}

LINE_KEYS: Mapping[str, Check] = {
    "id": _name,
    "edit_type": _one_of(*EDIT_TYPES),
    "subtypes": _words,
    "operations": _operations,
    "drawn_with": _one_of(*DRAWN_WITH),
    "code": _path,
    "gold": _paths,
    "gold_template": _paths,
    "instruction": _text,
    "result_description": _text,
    "picture": _path,
    "gold_picture": _path,
    "overlay": _path,
    "instruction_picture": _path,
    "scene": _path,
    "origin": _text,
    "source_id": _some_text,
    "licence": _some_text,
    "instruction_model": _some_text,
    "gold_model": _some_text,
    "annotator": _annotator,
    "ratings": _ratings,
}
LINE_REQUIRED = ("id", "edit_type", "operations", "code", "gold")
NULLABLE = frozenset(LINE_KEYS) - frozenset(LINE_REQUIRED)
"""Keys whose value may be null, which is the same as leaving them out."""

FILE_KEYS: Mapping[str, str] = {
    "code": "code", "gold": "code", "gold_template": "code", "picture": "picture",
    "gold_picture": "picture", "overlay": "picture", "instruction_picture": "picture",
    "scene": "scene",
}  # fmt: skip
"""Keys that name files, and the kind of file each names."""


def _key_faults(
    table: Mapping[str, Any], keys: Mapping[str, Check], required: tuple[str, ...], extra: str = ""
) -> Iterator[KeyFault]:
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
        elif not (value is None and key in NULLABLE) and (fault := keys[key](value)) is not None:
            yield KeyFault(key, *fault)


def toml_faults(table: Mapping[str, Any]) -> list[KeyFault]:
    """Everything wrong with a parsed benchmark.toml. Pure."""
    found = list(_key_faults(table, TOML_KEYS, TOML_REQUIRED, extra="defaults"))
    defaults = table.get("defaults", {})
    if not isinstance(defaults, dict):
        return [*found, KeyFault("defaults", f"is {quoted(defaults)}", "Make it a table")]
    for fault in _key_faults(defaults, DEFAULT_KEYS, ()):
        found.append(KeyFault(f"defaults.{fault.key}", fault.what, fault.do))
    return found


def line_faults(line: Mapping[str, Any]) -> list[KeyFault]:
    """Everything wrong with a parsed line of a diagram, looking at no file. Pure."""
    found = list(_key_faults(line, LINE_KEYS, LINE_REQUIRED))
    told = {f.key for f in found}
    return found + [f for f in _missing_company(line) if f.key not in told]


def _missing_company(line: Mapping[str, Any]) -> Iterator[KeyFault]:
    """Keys that need others beside them."""
    has = {
        k for k, v in line.items() if v is not None and not (isinstance(v, str) and not v.strip())
    }
    drawing = has & {"overlay", "instruction_picture", "scene"}
    if "instruction" not in has and "instruction_picture" not in has:
        what = "is missing, and there is no instruction_picture either"
        yield KeyFault("instruction", what, "Say in words or by a drawing what is to be edited")
    if drawing and "drawn_with" not in has:
        yield KeyFault("drawn_with", "is missing beside a drawing", "Add pen or tool")
    if "drawn_with" in has and not drawing:
        yield KeyFault("drawn_with", "is given without a drawing", "Name the drawing's files")
    for key in ("picture", "instruction_picture"):
        if "overlay" in has and key not in has:
            yield KeyFault(key, "is missing beside an overlay", f"Name the {key}")
    if "scene" in has and "overlay" not in has:
        yield KeyFault("overlay", "is missing beside a scene", "Name the overlay")
    golds, templates = line.get("gold"), line.get("gold_template")
    if isinstance(golds, list) and isinstance(templates, list) and len(golds) != len(templates):
        what = f"has {len(templates)} paths beside {len(golds)} golds"
        yield KeyFault("gold_template", what, "Name one template for each gold, in that order")
