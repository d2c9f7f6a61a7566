"""The requests sent to a judge: labelled pictures, fenced texts, the form of the answer."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from redline.judge.rubric import Criterion, Rubric, RubricError
from redline.judge.verdict import Malformed
from redline.models.protocol import Message, Part, PicturePart, Request, TextPart

_REPEATED = 8_000  # characters of a malformed reply that its repair turn shows again


def verdict_request(
    rubric: Rubric, pictures: Mapping[str, bytes], texts: Mapping[str, str]
) -> Request:
    """Ask for a verdict on what is handed over, by the labels of `rubric.inputs`.

    Each picture and text stands under a line that names it, in the rubric's order whatever the
    order of the mappings. Texts are fenced by a line made from their own SHA-256, which no text
    can hold, so that nothing in them can end the fence.

    Raises RubricError for a label that the rubric does not know and where nothing shows the
    candidate.
    """
    for kind, given in (("picture", pictures), ("text", texts)):
        known = {i.label for i in rubric.inputs if i.kind == kind}
        unknown = sorted(set(given) - known)
        if unknown:
            raise RubricError(f"rubric {rubric.name} takes no {kind} {', '.join(unknown)}")
    parts: list[Part] = []
    shows_candidate = False
    for item in rubric.inputs:
        if item.kind == "picture" and item.label in pictures:
            data = pictures[item.label]
            parts.append(TextPart(item.caption))
            parts.append(PicturePart(data, item.label, _media_type(data)))
        elif item.kind == "text" and item.label in texts:
            parts.append(TextPart(f"{item.caption}\n{fenced(texts[item.label])}"))
        else:
            continue
        shows_candidate |= "candidate" in item.needs
    if not shows_candidate:
        raise RubricError(f"rubric {rubric.name}: nothing that was handed over shows the candidate")
    criteria = "\n\n".join(_criterion(c) for c in rubric.criteria)
    parts.append(TextPart(rubric.task.replace("{criteria}", criteria)))
    return Request((Message("user", tuple(parts)),), system=rubric.prompt, schema=schema(rubric))


def repair_request(
    rubric: Rubric, request: Request, reply_text: str, malformed: Malformed
) -> Request:
    """The one repair turn: the conversation, the malformed reply, and what is wrong with it."""
    said = reply_text.strip()[:_REPEATED] or "(no text)"
    return Request(
        (
            *request.messages,
            Message("assistant", (TextPart(said),)),
            Message("user", (TextPart(rubric.repair.replace("{fault}", malformed.reason)),)),
        ),
        system=request.system,
        schema=request.schema,
        want=request.want,
    )


def schema(rubric: Rubric) -> dict[str, Any]:
    """JSON schema of a verdict: reasons first, then scores, nothing else."""

    def keyed(values: dict[str, Any]) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": values,
            "required": list(values),
            "additionalProperties": False,
        }

    scores: dict[str, Any] = {
        c.name: {"type": "boolean"}
        if c.kind == "yesno"
        else {"type": "integer", "enum": list(range(c.low, c.high + 1))}
        for c in rubric.criteria
    }
    reasons: dict[str, Any] = {c.name: {"type": "string"} for c in rubric.criteria}
    return keyed({"reasons": keyed(reasons), "scores": keyed(scores)})


def fenced(text: str) -> str:
    """The text between two lines that cannot occur in it; the same text gives the same lines."""
    seed = text.encode(errors="surrogatepass")
    mark = f"DATA-{hashlib.sha256(seed).hexdigest()[:32]}"
    while mark in text:  # would need a text that holds its own hash
        seed += b"+"
        mark = f"DATA-{hashlib.sha256(seed).hexdigest()[:32]}"
    return f"<<<{mark}\n{text}\n{mark}>>>"


def _criterion(c: Criterion) -> str:
    order = ["yes", "no"] if c.kind == "yesno" else sorted(c.anchors, key=int)
    words = {"yes": "true", "no": "false"}
    anchors = "\n".join(f"  {words.get(value, value)} = {c.anchors[value]}" for value in order)
    answer = "true or false" if c.kind == "yesno" else f"{c.low} to {c.high}"
    return f"{c.name} ({answer}). {c.question}\n{anchors}"


def _media_type(data: bytes) -> str:
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return "image/png"
