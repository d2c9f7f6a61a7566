r"""Puts a reply that is only a piece of a document into the original's frame.

A piece is one or more whole picture environments, a `\tikz` command, or the inside of the
original's only picture. Nothing is completed: an environment that begins and does not end is no
piece. What loads packages or libraries moves to the preamble; lines that the original's preamble
has already are dropped, since a second \newcommand would be an error of ours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from redline.diagram.latex import Span, frame, mask_comments, pictures, statements

_LOADS = re.compile(
    r"\s*\\(usepackage|RequirePackage|usetikzlibrary|usepgfplotslibrary|usepgflibrary"
    r"|usegdlibrary|PassOptionsToPackage)\b"
)
_TIKZ_COMMAND = re.compile(r"\s*\\tikz(?![A-Za-z@])")
_INNER = re.compile(
    r"\s*(?:\\(?:draw|node|path|fill|filldraw|shade|shadedraw|clip|coordinate|foreach|matrix"
    r"|graph|pic|addplot)(?![A-Za-z@])"
    r"|\\begin\s*\{(?:scope|axis|semilogxaxis|semilogyaxis|loglogaxis|polaraxis|groupplot"
    r"|pgfonlayer)\})"
)
_DEFINES = re.compile(
    r"\s*\\(?:tikzset|tikzstyle|pgfplotsset|definecolor|colorlet|newcommand|renewcommand|def"
    r"|tikzmath|pgfmathsetmacro|centering)(?![A-Za-z@])"
)
_TAKES_INSIDES = re.compile(r"\\begin\s*\{(?:tikzpicture|circuitikz)\}\s*")
_DOCUMENT_LINE = re.compile(r"\\(begin|end)\s*\{document\}")


def is_preamble(piece: str) -> bool:
    """Whether a piece does nothing but load packages and libraries."""
    live = [s for s in statements(piece) if mask_comments(s).strip()]
    return bool(live) and all(_LOADS.match(s) for s in live)


def rank(piece: str) -> int:
    """2 for whole pictures or a \\tikz command, 1 for the inside of a picture, 0 for no code."""
    masked = mask_comments(piece)
    found, whole = pictures(masked)
    if not whole:
        return 0
    if found:
        return 2
    for statement in statements(masked):
        if not statement.strip() or _LOADS.match(statement) or _DEFINES.match(statement):
            continue
        if _TIKZ_COMMAND.match(statement):
            return 2
        return 1 if _INNER.match(statement) else 0
    return 0


def trim(prose: str) -> str:
    """From prose that holds whole pictures, what is code: loads, then first to last picture."""
    found, whole = pictures(mask_comments(prose))
    if not found or not whole:
        return prose
    head = [line for line in prose[: found[0].start].split("\n") if _LOADS.match(line)]
    return "\n".join([*head, prose[found[0].start : found[-1].end]])


def splice(piece: str, original: str, extra_loads: Sequence[str] = ()) -> str | None:
    """The original with the piece in place of what it draws; None where it does not fit."""
    old = frame(original)
    if old is None:
        return None
    piece = _DOCUMENT_LINE.sub("", piece)
    known = {_squeeze(s) for s in statements(old.preamble)}
    loads: list[str] = []
    kept: list[str] = []
    found, _ = pictures(mask_comments(piece))
    head_end = found[0].start if found else len(piece)
    for statement in [*extra_loads, *statements(piece[:head_end])]:
        if _LOADS.match(statement):
            if _squeeze(statement) not in known:
                known.add(_squeeze(statement))
                loads.append(statement.strip())
        elif not statement.strip() or _squeeze(statement) not in known:
            kept.append(statement)
    head = "\n".join(kept)
    body = _body(head, piece[head_end:], found, old.body)
    if body is None:
        return None
    preamble = old.preamble
    if loads:
        preamble = preamble.rstrip("\n") + "\n" + "\n".join(loads) + "\n"
    return preamble + old.opening + body + old.rest


def _body(head: str, tail: str, found: list[Span], old_body: str) -> str | None:
    there, _ = pictures(mask_comments(old_body))
    bare_head = not mask_comments(head).strip()
    if found:
        shift = found[0].start
        last = found[-1].end - shift
        bare = bare_head and not mask_comments(tail[last:]).strip()
        if bare and len(found) == len(there):
            # Only pictures, as many as before: what stands around them stays.
            return old_body[: there[0].start] + tail[:last] + old_body[there[-1].end :]
        return "\n" + (head + tail).strip("\n") + "\n"
    if rank(head) == 2:
        return "\n" + head.strip("\n") + "\n"
    if len(there) != 1:
        return None
    span = there[0]
    opening = _opening(mask_comments(old_body[span.start : span.end]))
    if opening is None:
        return None
    closing = old_body.rfind("\\end", span.start, span.end)
    before = old_body[: span.start + opening]
    return before + "\n" + head.strip("\n") + "\n" + old_body[closing:]


def _opening(masked: str) -> int | None:
    """Length of a picture's \\begin{...} with its options; None where it takes no \\draw."""
    begin = _TAKES_INSIDES.match(masked)
    if begin is None:
        return None
    at = begin.end()
    if not masked.startswith("[", at):
        return len(masked[:at].rstrip())
    braces = brackets = 0
    for i in range(at, len(masked)):
        char = masked[i]
        braces += (char == "{") - (char == "}")
        brackets += ((char == "[") - (char == "]")) if braces == 0 else 0
        if brackets == 0 and braces == 0 and char == "]":
            return i + 1
    return len(masked[:at].rstrip())


def _squeeze(statement: str) -> str:
    return re.sub(r"\s+", "", mask_comments(statement))
