"""Where things stand in a LaTeX document: its preamble, body and pictures. Reads, never runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

PICTURES = ("tikzpicture", "tikzcd", "circuitikz", "forest", "pgfpicture", "tikzpicture*")

_COMMENT = re.compile(r"\\.|(%[^\n]*)", re.DOTALL)
_PICTURE = re.compile(r"\\(begin|end)\s*\{(" + "|".join(map(re.escape, PICTURES)) + r")\}")
_BEGIN = re.compile(r"\\begin\s*\{document\}")
_END = re.compile(r"\\end\s*\{document\}")
_CLASS = re.compile(r"^[^`\n]*?(\\documentclass)\s*[\[{]", re.MULTILINE)


def mask_comments(code: str) -> str:
    """The code with every comment blanked out; positions stay the same."""
    if "%" not in code:
        return code
    return _COMMENT.sub(lambda m: " " * len(m[0]) if m[1] else m[0], code)


@dataclass(frozen=True)
class Span:
    """A stretch of a text, end exclusive."""

    start: int
    end: int


def documents(masked: str) -> list[Span]:
    r"""Every complete document: from a \documentclass over \begin{document} to \end{document}."""
    classes = [m.start(1) for m in _CLASS.finditer(masked)]
    begins = [m.start() for m in _BEGIN.finditer(masked)]
    found: list[Span] = []
    floor = c = b = 0
    for end in _END.finditer(masked):
        start = begin = -1
        while c < len(classes) and classes[c] < end.start():
            start = classes[c] if classes[c] >= floor else start
            c += 1
        while b < len(begins) and begins[b] < end.start():
            begin = begins[b]
            b += 1
        if start >= 0 and begin > start:
            found.append(Span(start, end.end()))
        floor = end.end()
    return found


def starts_document(masked: str) -> bool:
    r"""Whether a \documentclass stands in this text."""
    return _CLASS.search(masked) is not None


@dataclass(frozen=True)
class Frame:
    r"""A document cut at \begin{document} and \end{document}: preamble + opening + body + rest."""

    preamble: str
    opening: str
    body: str
    rest: str


def frame(code: str) -> Frame | None:
    """The parts of a document; None where it is not complete."""
    masked = mask_comments(code)
    begin = _BEGIN.search(masked)
    if begin is None:
        return None
    end = _END.search(masked, begin.end())
    if end is None:
        return None
    return Frame(
        code[: begin.start()],
        code[begin.start() : begin.end()],
        code[begin.end() : end.start()],
        code[end.start() :],
    )


def pictures(masked: str) -> tuple[list[Span], bool]:
    """Outermost picture environments, and whether every one that begins also ends."""
    found: list[Span] = []
    depth = start = 0
    for m in _PICTURE.finditer(masked):
        if m[1] == "begin":
            if depth == 0:
                start = m.start()
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                found.append(Span(start, m.end()))
    return found, depth == 0


def statements(code: str) -> Iterator[str]:
    """Lines, joined while a brace stays open (in a package line also a bracket; elsewhere
    brackets need not pair), so that a definition stays whole."""
    held: list[str] = []
    depth = 0
    for line, masked in zip(code.split("\n"), mask_comments(code).split("\n"), strict=True):
        held.append(line)
        bare = masked.replace("\\{", "").replace("\\}", "")
        depth += bare.count("{") - bare.count("}")
        if held[0].lstrip().startswith(("\\usepackage", "\\RequirePackage")):
            depth += bare.count("[") - bare.count("]")
        if depth <= 0:
            yield "\n".join(held)
            held, depth = [], 0
    if held:
        yield "\n".join(held)
