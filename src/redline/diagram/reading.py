"""Reads a model's reply: finds the edited code in it, or names why there is none."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from redline.diagram.latex import (
    documents,
    mask_comments,
    pictures,
    starts_document,
    statements,
)
from redline.diagram.patching import PatchError, apply_patches, looks_like_patch
from redline.diagram.splicing import is_preamble, rank, splice, trim
from redline.models.protocol import Finish
from redline.models.thinking import split_thinking

READER_VERSION = 1
"""Raised whenever a reply is read into another code than before, or fails for another reason (by a
change here, in latex.py, patching.py, splicing.py or models/thinking.py). Replies that a run keeps
are then read again; none is bought again."""

ReadingHow = Literal["document", "spliced_body", "patched", "none"]
ReadingReason = Literal[
    "empty",  # no text at all
    "refusal",  # the provider says so, or the text declines and holds no code
    "cut_off",  # a document or picture begins and does not end, or the token limit was hit
    "only_thinking",  # all text is thinking
    "patch_does_not_apply",  # the only code is a patch that does not fit the original
    "no_code",  # text without code that could be a picture
]


@dataclass(frozen=True)
class Reading:
    """What was found. `code` is a complete document where `status` is ok, else None.

    `notes` say what had to be overlooked on the way (thinking removed, an unclosed fence, ...).
    """

    status: Literal["ok", "failed"]
    how: ReadingHow
    code: str | None = None
    reason: ReadingReason | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Segment:
    """A stretch of the reply between two fence lines."""

    text: str
    info: str = ""
    fenced: bool = False
    closed: bool = True


# No TeX ``quotes'': three marks or more, and after them at most a word or a setting.
_FENCE = re.compile(
    r"^([ \t>]{0,16})(`{3,64}|~{3,64})[ \t]*([\w+#.-]{0,40})[ \t]*(?:\{[^`\n]*\})?"
    r"(?:[ \t]+[\w-]+=[^`\n]*)?$"
)
# A fence with prose before it or code behind it on its line.
_FENCE_BEHIND_PROSE = re.compile(r"^[^`\\\n]{1,400}(```)([\w+#.-]{0,40})[ \t]*$")
_FENCE_BEFORE_CODE = re.compile(r"^[ \t]*(```)([\w+#.-]{0,40})[ \t]*(?=\\)")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f\ufeff\ufffe\uffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|#39|#x27);")
_HEAD_LINE = re.compile(r"\s*(?:%|\\(?:PassOptionsToPackage|RequirePackage|DocumentMetadata)\b)")
_CODE_LINE = re.compile(r"^[ \t]*\\(?:documentclass|begin)\b", re.MULTILINE)
_REFUSAL = re.compile(
    r"\b(?:I['’]?m|I am|we are|we['’]re)\s+(?:\w+\s+)?(?:sorry|unable|not able|not allowed)\b"
    r"|\b(?:I|we)\s+(?:\w+\s+)?(?:can['’]?t|cannot|can not|won['’]?t|will not|must decline)\b"
    r"|\bsorry,? but\b",
    re.IGNORECASE,
)
_JSON_KEYS = ("code", "tikz", "tikz_code", "latex", "tex", "edited_code", "document", "answer")


def read_reply(text: str, original_code: str, finish: Finish = "stop") -> Reading:
    r"""Find the edited code in a reply. Never raises, whatever the text; linear in its length.

    In this order:
    1. A provider's refusal fails as `refusal`; a reply without text as `cut_off` where the token
       limit was hit, else `empty`.
    2. Line ends become \n; control characters and lone surrogates go.
    3. Thinking blocks go. A block left open is thinking to the end; only a complete document in
       it is still taken, and only from a reply that was not cut off.
    4. JSON that is the whole answer, or the whole of one code block, gives its code.
    5. The last complete document (\documentclass to \end{document}), fenced or bare, is the
       code: `document`.
    6. A reply that hit the token limit without one fails as `cut_off`. Nothing cut is completed.
    7. The last piece of a document (whole pictures before insides of a picture) is spliced into
       the original: `spliced_body`.
    8. A patch is applied to the original: `patched`; else `patch_does_not_apply`.
    9. A document or picture that begins and does not end: `cut_off`; text that declines:
       `refusal`; else `no_code`.

    A reply stopped by a provider's content filter is not the model's fault and must not be given
    to this function.
    """
    if finish == "refusal":
        return Reading("failed", "none", reason="refusal")
    clean, notes = _clean(text)
    if not clean.strip():
        return _failed("cut_off" if finish == "length" else "empty", notes)
    split = split_thinking(clean)
    if split.thought:
        notes.append("thinking_removed")
    if not split.answer.strip():
        if split.open is not None and finish != "length":
            code = _last_document(_segments(split.open), notes)
            if code is not None:
                return _ok("document", code, [*notes, "thinking_left_open"])
        return _failed("cut_off" if finish == "length" else "only_thinking", notes)
    answer = _from_json(split.answer, notes)
    segments = _segments(answer)
    if (code := _last_document(segments, notes)) is not None:
        return _ok("document", code, notes)
    if split.open is not None and finish != "length":
        code = _last_document(_segments(split.open), notes)
        if code is not None:
            return _ok("document", code, [*notes, "thinking_left_open"])
    if finish == "length":
        return _failed("cut_off", notes)
    if (code := _spliced(segments, original_code, notes)) is not None:
        return _ok("spliced_body", code, notes)
    patches = [s.text for s in segments if looks_like_patch(s.text, s.info)]
    if patches:
        try:
            return _ok("patched", apply_patches(patches, original_code), notes)
        except PatchError as error:
            return _failed("patch_does_not_apply", [*notes, str(error)])
    if any(_begins_and_does_not_end(s) for s in segments):
        return _failed("cut_off", notes)
    return _failed("refusal" if _REFUSAL.search(answer) else "no_code", notes)


def _ok(how: ReadingHow, code: str, notes: Iterable[str]) -> Reading:
    return Reading("ok", how, code, None, tuple(dict.fromkeys(notes)))


def _failed(reason: ReadingReason, notes: Iterable[str]) -> Reading:
    return Reading("failed", "none", None, reason, tuple(dict.fromkeys(notes)))


def _clean(text: str) -> tuple[str, list[str]]:
    notes = []
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    kept = _SURROGATE.sub("\ufffd", _CONTROL.sub("", text))
    if kept != text:
        notes.append("control_characters_removed")
    return kept, notes


def _from_json(answer: str, notes: list[str]) -> str:
    """The code in an answer that is JSON as a whole or in its only block; else the answer."""
    blocks = [s.text for s in _segments(answer) if s.fenced and s.text.strip()]
    for candidate in [answer, *(blocks if len(blocks) == 1 else [])]:
        candidate = candidate.strip()
        if not (candidate.startswith("{") and candidate.endswith("}")):
            continue
        try:
            value = json.loads(candidate, strict=False)
        except (ValueError, RecursionError):
            continue
        if not isinstance(value, dict):
            continue
        texts = [value[k] for k in _JSON_KEYS if isinstance(value.get(k), str)]
        texts += [v for v in value.values() if isinstance(v, str) and "\\begin{" in v]
        if texts:
            notes.append("code_in_json")
            return _clean(texts[0])[0]
    return answer


def _segments(text: str) -> list[_Segment]:
    """Cut at every fence line, so that no fence, closed or not, can hide or join two codes."""
    found: list[_Segment] = []
    lines: list[str] = []
    prefix = mark = info = ""

    def end(closed: bool) -> None:
        if lines:
            found.append(_Segment("\n".join(lines), info, bool(mark), closed))
            lines.clear()

    def begin(fence: re.Match[str], at: str, mark_group: int = 1) -> None:
        nonlocal prefix, mark, info
        end(closed=not mark)
        prefix, mark, info = at, fence[mark_group], fence[mark_group + 1].lower()

    for line in text.split("\n"):
        ticks = "```" in line or "~~~" in line
        fence = _FENCE.match(line) if ticks else None
        if fence is not None:
            if mark and not fence[3]:
                if fence[2].startswith(mark):
                    end(closed=True)
                    prefix = mark = info = ""
                # else: a shorter or other bare fence inside is only nesting
                continue
            begin(fence, fence[1], 2)
            continue
        if ticks and not mark:
            if glued := _FENCE_BEHIND_PROSE.match(line):
                begin(glued, "")
                continue
            if glued := _FENCE_BEFORE_CODE.match(line):
                begin(glued, "")
                line = line[glued.end() :]
        bare = line.removeprefix(prefix) if prefix else line
        bare = "" if prefix and line == prefix.rstrip() else bare
        if ticks and mark and bare.rstrip().endswith(mark):
            lines.append(bare.rstrip().removesuffix(mark))
            end(closed=True)
            prefix = mark = info = ""
            continue
        lines.append(bare)
    end(closed=not mark)
    return found


def _last_document(segments: list[_Segment], notes: list[str]) -> str | None:
    code: str | None = None
    count = 0
    for segment in segments:
        if looks_like_patch(segment.text, segment.info):
            continue
        masked = mask_comments(segment.text)
        spans = documents(masked)
        count += len(spans)
        if not spans:
            continue
        start, end = spans[-1].start, spans[-1].end
        floor = spans[-2].end if len(spans) > 1 else 0
        code = _head(segment.text[floor:start]) + segment.text[start:end] + "\n"
        unclosed = not segment.closed
    if code is None:
        return None
    if count > 1:
        notes.append("several_documents")
    if unclosed:
        notes.append("fence_unclosed")
    return _unescaped(code, notes)


def _head(before: str) -> str:
    r"""The lines right before \documentclass that belong to the document: magic comments and
    options that must come first."""
    lines = before.split("\n")
    if lines[-1].strip():
        return ""  # prose on the same line
    first = len(lines) - 1
    while first and (not lines[first - 1].strip() or _HEAD_LINE.match(lines[first - 1])):
        first -= 1
    return "\n".join(lines[first:]).lstrip("\n")


def _unescaped(code: str, notes: list[str]) -> str:
    """Undo HTML escaping where every ampersand is one and no bare angle bracket is left."""
    if "<" in code or ">" in code or "&" not in code:
        return code
    if len(_ENTITY.findall(code)) != code.count("&"):
        return code
    notes.append("html_unescaped")
    return html.unescape(code)


def _spliced(segments: list[_Segment], original: str, notes: list[str]) -> str | None:
    best: tuple[int, _Segment] | None = None
    loads: list[str] = []
    for segment in segments:
        if looks_like_patch(segment.text, segment.info):
            continue
        if starts_document(mask_comments(segment.text)):
            continue
        if segment.fenced and is_preamble(segment.text):
            loads += statements(segment.text)
            continue
        worth = rank(segment.text)
        if worth and not segment.fenced and not _is_code_or_holds_pictures(segment.text):
            continue
        if worth and (best is None or worth >= best[0]):
            best = (worth, segment)
    if best is None:
        return None
    segment = best[1]
    piece = segment.text if segment.fenced else trim(segment.text)
    code = splice(_unescaped(piece, notes), original, loads)
    if code is not None and not segment.closed:
        notes.append("fence_unclosed")
    return code


def _is_code_or_holds_pictures(text: str) -> bool:
    """Whether text outside fences is code from end to end, or prose around whole pictures."""
    masked = mask_comments(text).strip()
    bare = masked.startswith("\\") and masked.endswith((";", "}"))
    return bare or bool(pictures(masked)[0])


def _begins_and_does_not_end(segment: _Segment) -> bool:
    masked = mask_comments(segment.text)
    if not segment.fenced and not _CODE_LINE.search(masked):
        return False  # prose may mention \begin{tikzpicture}
    return starts_document(masked) or not pictures(masked)[1]
