"""Golds with holes, as vTikZ writes them: `§range(0,2,1)` stands for any number from 0 to 2.

The holes and what a gold has in their place by default:

| hole                      | admits                          | default   |
|---------------------------|---------------------------------|-----------|
| `§def(x)`, `§equal(x)`    | x                               | x         |
| `§range(lo,hi,default)`   | any number from lo to hi        | `default` |
| `§rangei(value,delta)`    | any number within delta of value| `value`   |
| `§choice([a,b,...],default)` | one of the list              | `default` |

Brackets inside a hole nest and must match; commas inside them and after a backslash do not
separate. Holes may stand inside holes. A `§` that begins no hole is text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["def", "equal", "range", "rangei", "choice"]
_COUNT = {"def": 1, "equal": 1, "range": 3, "rangei": 2, "choice": 2}
_FORMS = {
    "def": "§def(x)", "equal": "§equal(x)", "range": "§range(lo,hi,default)",
    "rangei": "§rangei(value,delta)", "choice": "§choice([a,b,...],default)",
}  # fmt: skip
_START = re.compile(r"§([A-Za-z]+)\s*([({]?)")
_CLOSES = {"(": ")", "[": "]", "{": "}"}


class TemplateFault(ValueError):
    """A malformed hole; `line` and `column` (from 1) say where it begins."""

    def __init__(self, line: int, column: int, what: str) -> None:
        super().__init__(f"line {line}, column {column}: {what}")
        self.line = line
        self.column = column
        self.what = what


@dataclass(frozen=True)
class Hole:
    """One hole. `arguments` are as written, without outer blanks (def and equal: with them);
    of a choice the list comes as `options` and `arguments` has only the default."""

    kind: Kind
    arguments: tuple[str, ...]
    options: tuple[str, ...]
    default: str
    line: int
    column: int


@dataclass(frozen=True)
class Template:
    """Text and holes in order."""

    parts: tuple[str | Hole, ...]

    @property
    def holes(self) -> tuple[Hole, ...]:
        return tuple(p for p in self.parts if isinstance(p, Hole))

    def default(self) -> str:
        """The text with every hole at its default."""
        return "".join(p if isinstance(p, str) else p.default for p in self.parts)


def parse_template(text: str) -> Template:
    """Split a template at its holes. Raises TemplateFault at the first malformed one."""
    parts: list[str | Hole] = []
    done = 0
    for begins, name, bracket, after in _starts(text):
        if begins < done:
            continue  # inside the hole before
        if name not in _COUNT or bracket != "(":
            if name in _COUNT or bracket:
                raise _fault(text, begins, _unknown(name))
            continue
        arguments, end = _arguments(text, begins, after)
        if begins > done:
            parts.append(text[done:begins])
        parts.append(_hole(text, begins, name, arguments))
        done = end
    if done < len(text):
        parts.append(text[done:])
    return Template(tuple(parts))


def _starts(text: str) -> list[tuple[int, str, str, int]]:
    return [(m.start(), m[1], m[2], m.end()) for m in _START.finditer(text)]


def _unknown(name: str) -> str:
    if name in _COUNT:
        return f"§{name} is not followed by (; it is written {_FORMS[name]}"
    return f"§{name} is no known hole; known are {', '.join(_FORMS.values())}"


def _fault(text: str, at: int, what: str) -> TemplateFault:
    line = text.count("\n", 0, at) + 1
    return TemplateFault(line, at - text.rfind("\n", 0, at), what)


def _arguments(text: str, begins: int, at: int) -> tuple[list[str], int]:
    """The arguments between the bracket before `at` and its partner, and the place after it."""
    waiting = [")"]
    found: list[str] = []
    start = at
    while at < len(text):
        c = text[at]
        if c == "\\":
            at += 2
            continue
        if c in _CLOSES:
            waiting.append(_CLOSES[c])
        elif c in _CLOSES.values():
            if c != waiting[-1]:
                raise _fault(text, begins, f"the hole has {c} where {waiting[-1]} is due")
            waiting.pop()
            if not waiting:
                return [*found, text[start:at]], at + 1
        elif c == "," and len(waiting) == 1:
            found.append(text[start:at])
            start = at + 1
        at += 1
    raise _fault(text, begins, f"the hole never ends: {waiting[-1]} is missing")


def _split(text: str) -> list[str]:
    """A list's items: commas inside brackets and after a backslash do not separate."""
    items, depth, start, at = [], 0, 0, 0
    while at < len(text):
        c = text[at]
        if c == "\\":
            at += 2
            continue
        depth += (c in _CLOSES) - (c in _CLOSES.values())
        if c == "," and not depth:
            items.append(text[start:at])
            start = at + 1
        at += 1
    return [*items, text[start:]]


def _hole(text: str, begins: int, name: str, arguments: list[str]) -> Hole:
    line = text.count("\n", 0, begins) + 1
    column = begins - text.rfind("\n", 0, begins)
    if name in ("def", "equal"):
        # x stands for itself, commas and all.
        whole = ",".join(arguments)
        if not whole.strip():
            raise _fault(text, begins, f"the hole is empty; it is written {_FORMS[name]}")
        kind: Kind = "def" if name == "def" else "equal"
        return Hole(kind, (whole,), (), _inner(text, begins, whole), line, column)
    if len(arguments) != _COUNT[name]:
        raise _fault(
            text, begins,
            f"§{name} has {len(arguments)} parts instead of {_COUNT[name]}; it is written "
            f"{_FORMS[name]}",
        )  # fmt: skip
    values = tuple(a.strip() for a in arguments)
    if name == "choice":
        listed = values[0]
        if not (listed.startswith("[") and listed.endswith("]")):
            raise _fault(text, begins, f"§choice has no list in []; it is written {_FORMS[name]}")
        options = tuple(o.strip() for o in _split(listed[1:-1]))
        if not values[1] and "" not in options:
            raise _fault(text, begins, f"§choice has no default; it is written {_FORMS[name]}")
        default = _inner(text, begins, values[1])
        return Hole("choice", values[1:], options, default, line, column)
    if not all(values):
        raise _fault(text, begins, f"§{name} has an empty part; it is written {_FORMS[name]}")
    kind = "range" if name == "range" else "rangei"
    default = values[2] if name == "range" else values[0]
    return Hole(kind, values, (), _inner(text, begins, default), line, column)


def _inner(text: str, begins: int, value: str) -> str:
    """The default of a value that may have holes itself; faults are told at the outer hole."""
    if "§" not in value:
        return value
    try:
        return parse_template(value).default()
    except TemplateFault as e:
        inner = e.what if e.what.startswith("inside it,") else f"inside it, {e.what}"
        raise _fault(text, begins, inner) from e
    except RecursionError as e:
        raise _fault(text, begins, "holes are nested too deep") from e


def oddities(template: Template) -> list[str]:
    """Defaults that lie outside what their own hole admits: sentences with line and column."""
    found = []
    for h in template.holes:
        numbers = [_number(a) for a in h.arguments]
        outside = (
            h.kind == "choice" and h.arguments[0] not in h.options
        ) or (
            h.kind == "range" and None not in numbers
            and not numbers[0] <= numbers[2] <= numbers[1]  # type: ignore[operator]
        )  # fmt: skip
        if outside:
            found.append(
                f"line {h.line}, column {h.column}: the default {h.default!r} of §{h.kind} is not "
                "among what it admits"
            )
    return found


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
