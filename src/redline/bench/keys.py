"""The keys of benchmark.toml and of a diagram's line: which there are, what each may hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from redline.bench import values as v
from redline.bench.faults import quoted
from redline.bench.sample import DRAWN_WITH, EDIT_TYPES, TRACKS
from redline.bench.values import Check, KeyFault

TOML_KEYS: Mapping[str, Check] = {
    "name": v.name,
    "version": v.version,
    "track": v.one_of(*TRACKS),
    "licence": v.some_text,
    "citation": v.text,
    "description": v.text,
    "origin": v.text,
}
TOML_REQUIRED = ("name", "version", "track", "licence")
DEFAULT_KEYS: Mapping[str, Check] = {
    "judge": v.judge,
    "rubric": v.plain_name,
    "render": v.plain_name,
    "measure": v.plain_name,
}

LINE_KEYS: Mapping[str, Check] = {
    "id": v.name,
    "edit_type": v.one_of(*EDIT_TYPES),
    "subtypes": v.words,
    "operations": v.whole(1, 3, "the number of operations"),
    "drawn_with": v.one_of(*DRAWN_WITH),
    "code": v.path,
    "gold": v.paths,
    "gold_template": v.paths,
    "instruction": v.text,
    "result_description": v.text,
    "picture": v.path,
    "gold_picture": v.path,
    "overlay": v.path,
    "instruction_picture": v.path,
    "scene": v.path,
    "origin": v.text,
    "source_id": v.some_text,
    "licence": v.some_text,
    "instruction_model": v.some_text,
    "gold_model": v.some_text,
    "annotator": v.annotator,
    "ratings": v.objects("ratings", least=0),
}
LINE_REQUIRED = ("id", "edit_type", "operations", "code", "gold")
FILE_KEYS: Mapping[str, str] = {
    "code": "code", "gold": "code", "gold_template": "code", "picture": "picture",
    "gold_picture": "picture", "overlay": "picture", "instruction_picture": "picture",
    "scene": "scene",
}  # fmt: skip
"""Keys that name files, and the kind of file each names."""


def toml_faults(table: Mapping[str, Any]) -> list[KeyFault]:
    """Everything wrong with a parsed benchmark.toml. Pure."""
    found = list(v.key_faults(table, TOML_KEYS, TOML_REQUIRED, extra="defaults"))
    defaults = table.get("defaults", {})
    if not isinstance(defaults, dict):
        return [*found, KeyFault("defaults", f"is {quoted(defaults)}", "Make it a table")]
    for fault in v.key_faults(defaults, DEFAULT_KEYS, ()):
        found.append(KeyFault(f"defaults.{fault.key}", fault.what, fault.do))
    return found


def line_faults(line: Mapping[str, Any]) -> list[KeyFault]:
    """Everything wrong with a parsed line of a diagram, looking at no file. Pure."""
    found = list(v.key_faults(line, LINE_KEYS, LINE_REQUIRED))
    told = {f.key for f in found}
    return found + [f for f in _missing_company(line) if f.key not in told]


def _missing_company(line: Mapping[str, Any]) -> Iterator[KeyFault]:
    """Keys that need others beside them."""
    has = {
        k for k, x in line.items() if x is not None and not (isinstance(x, str) and not x.strip())
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
