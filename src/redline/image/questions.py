"""Verifiable questions about an edited picture: two protocols, one question at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from redline.bench.image_sample import ImageSample, Question, Turn
from redline.image.prompts import prompt, question_rubric
from redline.image.sending import Sent
from redline.judge import Malformed, ask, verdict_request
from redline.judge.requests import fenced
from redline.models.protocol import Message, Reply, Request, TextPart
from redline.models.thinking import split_thinking
from redline.track import Context

Protocol = Literal["referee", "answer-match"]
"""`referee`: a judge sees the picture, the question and its right answer and says True or False
(the article of Omni IIE Bench). `answer-match`: a judge answers the question from the picture
alone; then the answer is compared with the right one (its published code)."""
PROTOCOLS: tuple[Protocol, ...] = get_args(Protocol)

ASKING_VERSION = 1
"""Raised whenever answers are read or compared in another way (beside the prompt files)."""

_YES_NO = ("yes", "no")
_REPEATED = 2_000  # characters of an unreadable answer that its repair turn shows again


@dataclass(frozen=True)
class Answered:
    """What came of a question: `said` is the judge's own answer (`answer-match` only), `why` its
    reason for calling it right or not where it gave one."""

    question: str
    right: str
    correct: bool
    said: str | None = None
    why: str | None = None

    def as_json(self) -> dict[str, Any]:
        told = {"said": self.said, "why": self.why}
        return {
            "question": self.question,
            "right": self.right,
            "correct": self.correct,
            **{k: v for k, v in told.items() if v is not None},
        }


@dataclass(frozen=True)
class NoAnswer:
    """A question that a judge gave no readable answer to: why, and which of its calls are asked
    anew when it is tried again."""

    fault: Malformed
    steps: tuple[str, ...]


def protocol_hash(protocol: Protocol) -> str:
    """SHA-256 over all files that a protocol asks with and the version of what reads answers."""
    if protocol == "referee":
        parts = [question_rubric("referee").hash]
    else:
        parts = [prompt("answer").hash, prompt("answer-repair").hash, question_rubric("match").hash]
    return hashlib.sha256("\n".join([*parts, str(ASKING_VERSION)]).encode()).hexdigest()


async def ask_question(
    context: Context,
    judge: str,
    protocol: Protocol,
    picture: Sent,
    question: Question,
    about: str,
) -> Answered | NoAnswer:
    """Ask one question about a picture; `about` begins the name of each call, and tells apart the
    questions of a unit. Unanswered passes through."""
    if protocol == "referee":
        texts = {"question": question.question, "answer": question.answer}
        request = verdict_request(question_rubric("referee"), {"candidate": picture.data}, texts)
        verdict = await ask(context, judge, question_rubric("referee"), request, about)
        if isinstance(verdict, Malformed):
            return NoAnswer(verdict, (f"{about}verdict", f"{about}repair"))
        correct = bool(verdict.scores["correct"])
        why = verdict.reasons["correct"]
        return Answered(question.question, question.answer, correct, why=why)
    return await _answer_and_match(context, judge, picture, question, about)


async def _answer_and_match(
    context: Context, judge: str, picture: Sent, question: Question, about: str
) -> Answered | NoAnswer:
    right = yes_or_no(question.answer)
    said = await _blind_answer(context, judge, picture, question, about, right is not None)
    if isinstance(said, Malformed):
        return NoAnswer(said, (f"{about}answer", f"{about}answer-repair"))
    if right is not None:
        return Answered(question.question, question.answer, yes_or_no(said) == right, said)
    match = question_rubric("match")
    texts = {"question": question.question, "right": question.answer, "given": said}
    verdict = await ask(context, judge, match, verdict_request(match, {}, texts), f"{about}match-")
    if isinstance(verdict, Malformed):
        return NoAnswer(verdict, (f"{about}match-verdict", f"{about}match-repair"))
    same, why = bool(verdict.scores["same"]), verdict.reasons["same"]
    return Answered(question.question, question.answer, same, said, why)


async def _blind_answer(
    context: Context, judge: str, picture: Sent, question: Question, about: str, one_word: bool
) -> str | Malformed:
    """The judge's answer without having seen the right one; `one_word`: it must be yes or no."""
    text = prompt("answer").fill(question=fenced(question.question))
    request = Request((Message("user", (picture.part("picture"), TextPart(text))),))
    reply = await context.call(judge, f"{about}answer", request)
    said = _said(reply, one_word)
    if isinstance(said, str) or said.kind == "judge_refused":
        return said
    repair = prompt("answer-repair").fill(fault=said.reason)
    again = Request(
        (
            *request.messages,
            Message("assistant", (TextPart(reply.text.strip()[:_REPEATED] or "(no text)"),)),
            Message("user", (TextPart(repair),)),
        )
    )
    return _said(await context.call(judge, f"{about}answer-repair", again), one_word)


def _said(reply: Reply, one_word: bool) -> str | Malformed:
    if reply.finish in ("refusal", "content_filter"):
        return Malformed(f"The judge gave no answer ({reply.finish}).", "judge_refused")
    if reply.finish == "length":
        return Malformed("It was cut off.")
    text = split_thinking(reply.text).answer.strip()
    if not text:
        return Malformed("It holds no answer.")
    if one_word and yes_or_no(text) is None:
        return Malformed("It is neither yes nor no.")
    return text


def yes_or_no(text: str) -> str | None:
    """ "yes" or "no" where a text is just that, in any case and punctuation; else None."""
    word = text.strip().strip(".!,;:*_`'\"“”‘’()").strip().casefold()
    return word if word in _YES_NO else None


def normalised(text: str) -> str:
    """A text by which two questions or entities are the same."""
    return " ".join(text.casefold().split()).rstrip("?!. ")


def earlier_questions(sample: ImageSample, turn: Turn) -> list[tuple[int, Question]]:
    """Questions of earlier rounds that still hold after `turn`, each with its round: none of the
    rounds since (this one included) asks the same question, or says in its `entities` that what it
    changes (`source_entity`) is what that round made (`target_entity`)."""
    found = []
    for earlier in sample.turns:
        if earlier.round >= turn.round:
            break
        since = [t for t in sample.turns if earlier.round < t.round <= turn.round]
        asked = {normalised(q.question) for t in since for q in t.questions}
        changed = {n for t in since for n in _names(t.entities, "source_entity")}
        if changed.isdisjoint(_names(earlier.entities, "target_entity")):
            found += [
                (earlier.round, q) for q in earlier.questions if normalised(q.question) not in asked
            ]
    return found


def _names(entities: Mapping[str, Any], key: str) -> set[str]:
    """Entities under a key of a benchmark's own account, which has no fixed form."""
    value = entities.get(key)
    listed = value if isinstance(value, list) else [value]
    return {normalised(n) for n in listed if isinstance(n, str) and n.strip()}
