"""Has a model write verifiable yes-or-no questions for an edit instruction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from redline.bench.image_sample import Question
from redline.image.prompts import prompt
from redline.image.questions import normalised, yes_or_no
from redline.image.sending import Sent
from redline.judge import Malformed, read_object
from redline.judge.requests import fenced
from redline.models.protocol import Message, Reply, Request, TextPart
from redline.track import Context

MOST = 3
LONGEST = 300
"""Characters of a question; a longer one asks for more than one thing."""

_REPEATED = 4_000  # characters of an unusable reply that its repair turn shows again


async def write_questions(
    context: Context, role: str, picture: Sent, instruction: str, about: str = ""
) -> tuple[Question, ...] | Malformed:
    """One to three questions about the picture edited as `instruction` asks, or why there are none.
    `picture` is the one to be edited. One call and at most one repair; their steps are "questions"
    and "questions-repair" with `about` before them. Unanswered passes through."""
    text = prompt("write-questions").fill(instruction=fenced(instruction))
    message = Message("user", (picture.part("picture"), TextPart(text)))
    request = Request((message,), schema=_schema())
    reply = await context.call(role, f"{about}questions", request)
    found = _read(reply)
    if not isinstance(found, Malformed) or found.kind == "judge_refused":
        return found
    repair = prompt("write-questions-repair").fill(fault=found.reason)
    again = Request(
        (
            message,
            Message("assistant", (TextPart(reply.text.strip()[:_REPEATED] or "(no text)"),)),
            Message("user", (TextPart(repair),)),
        ),
        schema=_schema(),
    )
    return _read(await context.call(role, f"{about}questions-repair", again))


def _schema() -> dict[str, Any]:
    """How many there may be is not in it: not every provider takes limits of lists."""

    def keyed(values: Mapping[str, Any]) -> dict[str, Any]:
        required = list(values)
        return {
            "type": "object",
            "properties": dict(values),
            "required": required,
            "additionalProperties": False,
        }

    answer = {"type": "string", "enum": ["yes", "no"]}
    one = keyed({"question": {"type": "string"}, "answer": answer})
    return keyed({"questions": {"type": "array", "items": one}})


def _read(reply: Reply) -> tuple[Question, ...] | Malformed:
    if reply.finish in ("refusal", "content_filter"):
        return Malformed(f"The model wrote no questions ({reply.finish}).", "judge_refused")
    value = read_object(reply.text)
    return value if isinstance(value, Malformed) else read_questions(value)


def read_questions(value: Mapping[str, Any]) -> tuple[Question, ...] | Malformed:
    """The questions in a parsed reply: all of them, or why it can't be used. Pure."""
    listed = value.get("questions")
    if set(value) != {"questions"} or not isinstance(listed, list):
        return Malformed('It has to be an object with the list "questions" and nothing else.')
    if not 1 <= len(listed) <= MOST:
        return Malformed(f"It has {len(listed)} questions; one to {MOST} were asked for.")
    found: dict[str, Question] = {}
    for n, item in enumerate(listed, start=1):
        if not isinstance(item, dict) or set(item) != {"question", "answer"}:
            return Malformed(f'Question {n} has to have "question" and "answer" and nothing else.')
        question, answer = item["question"], item["answer"]
        if not isinstance(question, str) or not 0 < len(question.strip()) <= LONGEST:
            return Malformed(f"Question {n} has to be a text of at most {LONGEST} characters.")
        right = yes_or_no(answer) if isinstance(answer, str) else None
        if right is None:
            return Malformed(f"The answer to question {n} is neither yes nor no.")
        if normalised(question) in found:
            return Malformed(f"Question {n} stands twice.")
        found[normalised(question)] = Question(question.strip(), right.capitalize())
    return tuple(found.values())
