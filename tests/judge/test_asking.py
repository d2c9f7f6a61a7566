"""The judging loop: one call, at most one repair, never a guess."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from redline.judge import Malformed, Verdict, ask, judge_flags, load_rubric, verdict_request
from redline.models.protocol import Finish, Reply, Request
from redline.track import Unanswered

RUBRIC = load_rubric("viseditbench-code-v1")
REQUEST = verdict_request(RUBRIC, {}, {"original_to_candidate": "+x"})
NAMES = ("code_IA", "code_CP")
GOOD = json.dumps({"reasons": dict.fromkeys(NAMES, "why"), "scores": dict.fromkeys(NAMES, 3)})


class Judge:
    """A context whose judge says the given things in turn."""

    def __init__(self, *replies: Reply | Exception) -> None:
        self.replies = list(replies)
        self.calls: list[tuple[str, str, Request]] = []

    async def call(self, role: str, step: str, request: Request) -> Reply:
        self.calls.append((role, step, request))
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply

    def blob(self, sha256: str) -> bytes:
        raise AssertionError("a judge reads no blobs")

    async def in_thread(self, fn: Any, *args: Any, **kwargs: Any) -> Any:
        raise AssertionError("a judge needs no thread")


def say(text: str, finish: Finish = "stop") -> Reply:
    return Reply(text, finish)


def run(judge: Judge) -> Verdict | Malformed:
    return asyncio.run(ask(judge, "openai/judge", RUBRIC, REQUEST))


def test_a_good_reply_takes_one_call() -> None:
    judge = Judge(say(GOOD))
    assert run(judge) == Verdict(dict.fromkeys(NAMES, 3), dict.fromkeys(NAMES, "why"))
    assert judge.calls == [("openai/judge", "verdict", REQUEST)]


def test_a_malformed_reply_is_repaired_once() -> None:
    judge = Judge(say("I give it 4/5"), say(GOOD))
    assert isinstance(run(judge), Verdict)
    assert [step for _, step, _ in judge.calls] == ["verdict", "repair"]
    assert judge.calls[1][2].messages[1].role == "assistant"


def test_a_second_malformed_reply_ends_without_a_number() -> None:
    judge = Judge(say("I give it 4/5"), say(GOOD[:-3], "length"))
    found = run(judge)
    assert isinstance(found, Malformed) and found.kind == "malformed_verdict"
    assert "not valid JSON" in found.reason
    assert len(judge.calls) == 2


@pytest.mark.parametrize("finish", ["refusal", "content_filter"])
def test_a_judge_that_refuses_is_not_asked_again(finish: Finish) -> None:
    judge = Judge(say(GOOD, finish))
    found = run(judge)
    assert isinstance(found, Malformed) and found.kind == "judge_refused"
    assert len(judge.calls) == 1


def test_a_refusal_of_the_repair_is_a_refusal() -> None:
    found = run(Judge(say("hm"), say("", "refusal")))
    assert isinstance(found, Malformed) and found.kind == "judge_refused"


def test_a_call_without_an_answer_passes_through() -> None:
    for replies in ([Unanswered("503")], [say("hm"), Unanswered("503")]):
        with pytest.raises(Unanswered):
            run(Judge(*replies))


def family(name: str) -> str:
    for known in ("gemini", "gpt", "claude"):
        if known in name:
            return known
    return "unknown"


@pytest.mark.parametrize(
    ("judge", "candidate", "gold", "said"),
    [
        ("google/gemini-3", "openai/gpt-5", None, []),
        ("google/gemini-3", "openai/gpt-5", "claude-4.5", []),
        ("google/gemini-3", "google/gemini-2", None, ["candidate's family"]),
        ("google/gemini-3", "google/gemini-3", None, ["judged itself"]),
        ("google/gemini-3", "openai/gpt-5", "gemini-3-pro", ["made golds"]),
        ("google/gemini-3", "google/gemini-2", "gemini-3", ["candidate's family", "made golds"]),
        ("http://host#a", "http://host#b", "other", []),
        ("http://host#a", "http://host#a", "other", ["judged itself"]),
    ],
)
def test_a_judge_with_a_stake_is_flagged(
    judge: str, candidate: str, gold: str | None, said: list[str]
) -> None:
    flags = judge_flags(judge, candidate, gold, family)
    assert len(flags) == len(said)
    assert all(words in flag for words, flag in zip(said, flags, strict=True))
