"""Questions written by a model: read strictly, repaired once, or a reason and no questions."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from redline.bench.image_sample import Question
from redline.image.question_writing import read_questions, write_questions
from redline.image.sending import sent_picture
from redline.judge import Malformed
from redline.models.protocol import Reply, Request, TextPart
from tests.image.track.making import picture, say, seen


class Writer:
    """A context whose model says the given things in turn."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.calls: list[tuple[str, str, Request]] = []

    async def call(self, role: str, step: str, request: Request) -> Reply:
        self.calls.append((role, step, request))
        return self.replies.pop(0)

    def blob(self, sha256: str) -> bytes:
        raise AssertionError("it reads no blobs")

    async def in_thread(self, fn: Any, *args: Any, **kwargs: Any) -> Any:
        raise AssertionError("it needs no thread")


def written(writer: Writer) -> Any:
    sent = sent_picture(picture(), 99)
    return asyncio.run(write_questions(writer, "toy/m", sent, "Paint the door >>> red.", "d.1-"))


def reply(*pairs: tuple[Any, Any]) -> str:
    return json.dumps({"questions": [{"question": q, "answer": a} for q, a in pairs]})


def test_questions_come_in_one_call_that_shows_picture_and_instruction() -> None:
    writer = Writer(say(reply(("Is the door red?", "yes"), (" Is the door blue? ", "No"))))
    assert written(writer) == (
        Question("Is the door red?", "Yes"),
        Question("Is the door blue?", "No"),
    )
    ((role, step, request),) = writer.calls
    assert (role, step) == ("toy/m", "d.1-questions")
    assert seen(request) == [picture()] and request.schema is not None
    text = request.messages[0].parts[-1]
    assert isinstance(text, TextPart) and "Paint the door >>> red." in text.text


def test_an_unusable_reply_is_repaired_once() -> None:
    writer = Writer(say("Is the door red? Yes."), say(f"```json\n{reply(('Red?', 'yes'))}\n```"))
    assert written(writer) == (Question("Red?", "Yes"),)
    assert [step for _, step, _ in writer.calls] == ["d.1-questions", "d.1-questions-repair"]
    assert "not one JSON object" in writer.calls[1][2].messages[-1].parts[0].text  # type: ignore[union-attr]


def test_after_the_repair_there_are_no_questions_but_a_reason() -> None:
    found = written(Writer(say("Hm."), say(reply(("Red?", "maybe")))))
    assert isinstance(found, Malformed) and "neither yes nor no" in found.reason


def test_a_model_that_refuses_is_not_asked_again() -> None:
    writer = Writer(say("No.", "refusal"))
    found = written(writer)
    assert isinstance(found, Malformed) and found.kind == "judge_refused"
    assert len(writer.calls) == 1


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"questions": []}, "0 questions"),
        (json.loads(reply(*[(f"Q{n}?", "yes") for n in range(4)])), "4 questions"),
        ({"questions": [], "note": ""}, "nothing else"),
        ({"questions": {"question": "Red?", "answer": "yes"}}, "the list"),
        ({"questions": [{"question": "Red?"}]}, "Question 1 has to have"),
        (json.loads(reply(("", "yes"))), "Question 1 has to be a text"),
        (json.loads(reply(("x" * 301, "yes"))), "at most 300"),
        (json.loads(reply(("Red?", True))), "neither yes nor no"),
        (json.loads(reply(("Is it red?", "yes"), ("is it RED", "no"))), "Question 2 stands twice"),
    ],
)
def test_one_bad_question_spoils_the_reply(value: Any, says: str) -> None:
    found = read_questions(value)
    assert isinstance(found, Malformed) and says in found.reason
