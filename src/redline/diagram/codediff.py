"""Differences between two codes: unified diffs to read, hunks to apply one by one."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True)
class Hunk:
    """Lines start..end (0-based, end exclusive) of the old code become `new`."""

    start: int
    end: int
    new: tuple[str, ...]


def hunks(old: str, new: str) -> tuple[Hunk, ...]:
    """The smallest changes that can be applied apart from each other.

    A run of changed lines that keeps its number of lines is cut into one hunk a line, since each
    line was then rewritten in its place.
    """
    a, b = old.splitlines(keepends=True), new.splitlines(keepends=True)
    found: list[Hunk] = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        if i2 - i1 == j2 - j1:
            found += [Hunk(i1 + k, i1 + k + 1, (b[j1 + k],)) for k in range(i2 - i1)]
        elif i1 == i2:
            found += [Hunk(i1, i1, (line,)) for line in b[j1:j2]]
        elif j1 == j2:
            found += [Hunk(i, i + 1, ()) for i in range(i1, i2)]
        else:
            found.append(Hunk(i1, i2, tuple(b[j1:j2])))
    return tuple(found)


def apply(old: str, changes: Collection[Hunk]) -> str:
    """The old code with these hunks applied; hunks come from `hunks(old, ...)`, in its order."""
    lines = old.splitlines(keepends=True)
    out: list[str] = []
    at = 0
    for h in changes:
        out += lines[at : h.start]
        out += h.new
        at = h.end
    return "".join(out + lines[at:])


def unified(old: str, new: str, old_name: str, new_name: str, context: int = 3) -> str:
    """A unified diff, or a sentence where there is none to show."""
    lines = difflib.unified_diff(
        old.splitlines(), new.splitlines(), old_name, new_name, lineterm="", n=context
    )
    return "\n".join(lines) or f"(no difference between {old_name} and {new_name})"
