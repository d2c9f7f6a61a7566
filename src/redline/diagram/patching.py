"""Applies a reply that is a patch: a unified diff or search-and-replace blocks.

Applied once and only where it fits exactly: each old passage must be found at the line its hunk
states or, since models miscount lines, in one place only. Trailing blanks are overlooked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

MAX_EDITS = 500  # more hunks than any edit of a diagram needs; also bounds the work

_HUNK = re.compile(r"^@@[^\n]*", re.MULTILINE)
_STATED = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))?(?: \+\d{1,9}(?:,(\d{1,9}))?)?")
_SEARCH = re.compile(r"^<{5,9} ?(?:SEARCH|ORIGINAL|HEAD)?[ \t]*$", re.MULTILINE)
_DIVIDE = re.compile(r"^={5,9}[ \t]*$", re.MULTILINE)
_REPLACE = re.compile(r"^>{5,9} ?\w*[ \t]*$", re.MULTILINE)


class PatchError(Exception):
    """The patch does not apply; the message is a sentence."""


@dataclass(frozen=True)
class _Edit:
    old: tuple[str, ...]
    new: tuple[str, ...]
    line: int | None  # 1-based, as the hunk states it


def looks_like_patch(text: str, info: str = "") -> bool:
    """Whether a block of a reply is a patch and not code."""
    if info in ("diff", "patch", "udiff", "unidiff"):
        return True
    if _SEARCH.search(text) and _REPLACE.search(text):
        return True
    return any(_STATED.match(m[0]) or m[0].rstrip() == "@@" for m in _HUNK.finditer(text))


def apply_patches(patches: Sequence[str], original: str) -> str:
    """The original with all patches applied in order; an edit said twice is applied once.

    Raises PatchError when an old passage is missing or stands in several places, when edits
    overlap, or when there is none.
    """
    edits: list[_Edit] = []
    for patch in patches:
        edits += _blocks(patch) if _SEARCH.search(patch) else _hunks(patch)
    edits = list(dict.fromkeys(edits))
    if not edits:
        raise PatchError("the patch holds no change")
    if len(edits) > MAX_EDITS:
        raise PatchError(f"the patch holds {len(edits)} changes; at most {MAX_EDITS} are applied")
    lines = original.split("\n")
    places = sorted(((_place(edit, lines), edit) for edit in edits), key=lambda p: p[0])
    out: list[str] = []
    at = 0
    for start, edit in places:
        if start < at:
            raise PatchError(f"two changes of the patch overlap at line {start + 1}")
        out += lines[at:start]
        out += edit.new
        at = start + len(edit.old)
    return "\n".join(out + lines[at:])


def _place(edit: _Edit, lines: list[str]) -> int:
    old = [line.rstrip() for line in edit.old]
    stripped = [line.rstrip() for line in lines]
    if not any(old):
        raise PatchError("a change of the patch names no old line, so its place is unknown")
    if edit.line is not None:
        stated = max(edit.line - 1, 0)
        if stripped[stated : stated + len(old)] == old:
            return stated
    text, wanted = "\n".join(["", *stripped, ""]), "\n".join(["", *old, ""])
    first = text.find(wanted)
    if first < 0:
        raise PatchError(f"the original has no passage that begins {old[0].strip()!r:.80}")
    if text.find(wanted, first + 1) >= 0:
        raise PatchError(f"the passage that begins {old[0].strip()!r:.80} stands in two places")
    return text.count("\n", 0, first)


def _hunks(patch: str) -> list[_Edit]:
    heads = list(_HUNK.finditer(patch))
    if not heads:
        lines = patch.strip("\n").split("\n")
        while lines and lines[0].startswith(("diff ", "index ")):
            lines.pop(0)
        if len(lines) > 1 and lines[0].startswith("--- ") and lines[1].startswith("+++ "):
            lines = lines[2:]
        return [_hunk(lines, None)] if lines else []
    ends = [m.start() for m in heads[1:]] + [len(patch)]
    return [
        _hunk(patch[head.end() : end].strip("\n").split("\n"), _STATED.match(head[0]))
        for head, end in zip(heads, ends, strict=True)
    ]


def _hunk(lines: list[str], stated: re.Match[str] | None) -> _Edit:
    old: list[str] = []
    new: list[str] = []
    for i, text in enumerate(lines):
        if text.startswith("--- ") and i + 1 < len(lines) and lines[i + 1].startswith("+++ "):
            break  # the next file's header
        if text.startswith(("diff --git ", "\\ No newline")):
            continue
        if text.startswith("-"):
            old.append(text[1:])
        elif text.startswith("+"):
            new.append(text[1:])
        elif text.startswith(" ") or not text:
            old.append(text[1:])
            new.append(text[1:])
        elif stated and (_stripped(old), _stripped(new)) == (stated[2], stated[3]):
            break  # all that the hunk announced was read; what follows is prose
        else:
            raise PatchError(f"a line of the patch begins with none of ' ', '-', '+': {text!r:.80}")
    while old and new and not old[-1].strip() and not new[-1].strip():
        old.pop()
        new.pop()
    return _Edit(tuple(old), tuple(new), int(stated[1]) if stated else None)


def _stripped(lines: list[str]) -> str:
    """How many lines there are before trailing blank ones, as a hunk would state it."""
    count = len(lines)
    while count and not lines[count - 1].strip():
        count -= 1
    return str(count)


def _blocks(patch: str) -> list[_Edit]:
    found = []
    at = 0
    while search := _SEARCH.search(patch, at):
        divide = _DIVIDE.search(patch, search.end())
        replace = _REPLACE.search(patch, divide.end()) if divide else None
        if divide is None or replace is None:
            raise PatchError("a search-and-replace block of the patch does not end")
        old = patch[search.end() + 1 : divide.start()].removesuffix("\n")
        new = patch[divide.end() + 1 : replace.start()].removesuffix("\n")
        replacement = tuple(new.split("\n")) if new else ()
        found.append(_Edit(tuple(old.split("\n")), replacement, None))
        at = replace.end()
    return found
