"""Sets apart what a model thought aloud from what it answered."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NAMES = r"(?:think|thinking|thought|reasoning|seed:think)"
# An opening tag counts only at the beginning of a line: inside one it may be a label of a drawing.
_TAG = rf"[ \t]*(?:<{_NAMES}>|◁think▷|\[THINK\])"
_OPEN = re.compile(rf"^{_TAG}", re.IGNORECASE | re.MULTILINE)
_OPEN_AGAIN = re.compile(_TAG, re.IGNORECASE)  # right behind the end of the block before
_CLOSE = re.compile(rf"</{_NAMES}>|◁/think▷|\[/THINK\]", re.IGNORECASE)
# A closing tag that nothing opened (the provider put the opening one into the prompt) must stand
# at the beginning or the end of a line.
_STRAY = re.compile(
    rf"^[ \t]*(?:{_CLOSE.pattern})|(?:{_CLOSE.pattern})[ \t]*$", re.IGNORECASE | re.MULTILINE
)


@dataclass(frozen=True)
class Split:
    """`answer` is the reply without its thinking. `open` is the text of a block that was never
    closed, None where all were; `thought` says whether there was any thinking."""

    answer: str
    open: str | None
    thought: bool


def split_thinking(text: str) -> Split:
    """Take thinking blocks (closed, left open, several, or only closed) out of a reply."""
    kept: list[str] = []
    at = 0
    opened = _OPEN.search(text)
    if opened is None:
        stray = _STRAY.search(text)
        if stray is None:
            return Split(text, None, False)
        last = stray
        for last in _STRAY.finditer(text, stray.end()):  # noqa: B007
            pass
        return Split(text[last.end() :], None, True)
    while opened is not None:
        kept.append(text[at : opened.start()])
        closed = _CLOSE.search(text, opened.end())
        if closed is None:
            return Split("".join(kept), text[opened.end() :], True)
        at = closed.end()
        opened = _OPEN_AGAIN.match(text, at) or _OPEN.search(text, at)
    kept.append(text[at:])
    return Split("".join(kept), None, True)
