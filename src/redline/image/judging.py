"""Stage judge: questions about each candidate, earlier rounds' questions again, a rubric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from redline.bench.image_sample import Question
from redline.errors import UserError
from redline.image import sending
from redline.image.lineage import OF, picture
from redline.image.questions import (
    NoAnswer,
    Protocol,
    ask_question,
    earlier_questions,
    protocol_hash,
)
from redline.image.sending import sent_picture
from redline.image.starts import FileHashes, Made, made_rows
from redline.image.task import ImageTask
from redline.judge import JudgeInputs, Malformed, Rubric, ask, verdict_request
from redline.models.protocol import Request
from redline.pixels import read_file
from redline.pixels.loading import MAX_BYTES
from redline.track import Context, Finder, Finished, Unit, digest

JUDGING_VERSION = 1
"""Raised whenever a judge is shown something else of the same candidate, or its reply is read in
another way: older verdicts are then stale. Their replies are kept by call, so that only what was
never asked is bought."""

Kind = Literal["questions", "retention", "rubric"]

SHOWN = {
    "original": "picture",
    "instruction_picture": "picture",
    "instruction_text": "text",
    "gold": "picture",
    "candidate": "picture",
}
"""What a rubric may show of a turn, by its labels, and as what."""

UNDEFINED = "undefined"
"""The key under which a verdict without a figure says why it has none."""


@dataclass(frozen=True)
class ImageJudging:
    """A judge and how it is asked. `judge` is its name and its role; `settings` a digest of its
    sampling settings. `protocol` is how questions are asked and `rubric` what is scored beside
    them, each None where it is not; `retention` asks earlier rounds' questions again. `inputs` are
    what the rubric may show."""

    judge: str
    protocol: Protocol | None = "referee"
    rubric: Rubric | None = None
    inputs: JudgeInputs = field(default_factory=JudgeInputs.all)
    retention: bool = False
    repeats: int = 1
    settings: str = ""

    def __post_init__(self) -> None:
        """Raises UserError for a judge that is asked nothing, and what the rubric raises where it
        can't do with the inputs."""
        if self.protocol is None and self.rubric is None:
            raise UserError(f"The judge {self.judge} is asked neither questions nor a rubric.")
        if self.retention and self.protocol is None:
            raise UserError("Retention asks earlier questions again: it needs a question protocol.")
        if self.rubric is not None:
            if self.rubric.level != "image":
                raise UserError(
                    f"Rubric {self.rubric.name} judges at {self.rubric.level} level; photographs "
                    "need one for image level."
                )
            for item in self.rubric.shown(self.inputs):
                if SHOWN.get(item.label) != item.kind:
                    raise UserError(
                        f"Rubric {self.rubric.name} asks for the {item.kind} {item.label!r}, which "
                        f"the image track has not: it has {', '.join(SHOWN)}."
                    )

    def entry(self) -> dict[str, Any]:
        """This judge as run.json lists it. `columns` are the figures of the rubric with their
        lowest and highest values, so that results need no rubric."""
        r = self.rubric
        columns = [[c.name, c.low, c.high] for c in r.criteria] if r else []
        if r and r.overall:
            columns.append([r.overall.name, r.overall.low, r.overall.high])
        return {
            "judge": self.judge,
            "settings": self.settings,
            "questions": [self.protocol, protocol_hash(self.protocol)] if self.protocol else None,
            "retention": self.retention,
            "rubric": [r.name, r.hash] if r else None,
            "columns": columns,
            "inputs": str(self.inputs) if r else "",
            "repeats": self.repeats,
        }


def verdict_keys(row: str, judge: Mapping[str, Any]) -> list[tuple[Kind, str]]:
    """The verdicts that a row should have, each with its key: row, judge, what it is asked (with
    the hash of its files and what it may see), settings and repeat. `judge` is an entry of run.json
    (`ImageJudging.entry`)."""
    asked: list[tuple[Kind, str]] = []
    if judge["questions"]:
        name, hash_ = judge["questions"]
        asked.append(("questions", f"{name}:{hash_[:12]}"))
        if judge["retention"]:
            asked.append(("retention", f"{name}:{hash_[:12]}/earlier"))
    if judge["rubric"]:
        name, hash_ = judge["rubric"]
        asked.append(("rubric", f"{name}:{hash_[:12]}/{judge['inputs']}"))
    return [
        (kind, f"{row}@{judge['judge']}/{what}/{judge['settings'][:8]}/{repeat}")
        for repeat in range(judge["repeats"])
        for kind, what in asked
    ]


@dataclass(frozen=True)
class _Asked:
    """What a unit asks about a row's candidate; `of` is the candidate's SHA-256 or None."""

    kind: Kind
    made: Made
    of: str | None
    questions: Sequence[tuple[int, Question]] = ()


class JudgeStage:
    """One unit a row, kind and repeat. A failed row gets 0 for its questions and the lowest scores
    of the rubric without a call; a row without questions gets a record that says so."""

    name = "judge"

    def __init__(self, task: ImageTask, judging: ImageJudging) -> None:
        self._task = task
        self._judging = judging
        self._hashes = FileHashes()

    def units(self, done: Finder) -> Iterable[Unit]:
        entry = self._judging.entry()
        for made in made_rows(self._task, done, self._hashes):
            for kind, key in verdict_keys(made.step.key, entry):
                yield self._unit(kind, key, made)

    def _unit(self, kind: Kind, key: str, made: Made) -> Unit:
        sample, turn = made.step.sample, made.step.turn
        of = picture(made.record)
        common = [of, self._judging.settings, self._task.input_size]
        versions = [JUDGING_VERSION, sending.SENDING_VERSION]
        if kind == "rubric":
            files = [self._hashes.maybe(f) for f in (turn.gold, turn.overlay)]
            start = made.start.sha256 if made.start else None
            inputs = digest(common, start, files, turn.instruction, versions)
            return Unit(key, inputs, _Asked(kind, made, of))
        questions = (
            earlier_questions(sample, turn)
            if kind == "retention"
            else [(turn.round, q) for q in turn.questions]
        )
        told = [[r, q.question, q.answer] for r, q in questions]
        inputs = digest(common, told, turn.questions_error, versions)
        return Unit(key, inputs, _Asked(kind, made, of, questions))

    async def run(self, unit: Unit, context: Context) -> Finished:
        asked: _Asked = unit.payload
        about = {"row": asked.made.step.key, "kind": asked.kind, OF: asked.of}
        if asked.kind == "rubric":
            return await self._scores(asked, about, context)
        if not asked.questions:
            return Finished("ok", None, {**about, "answers": [], UNDEFINED: _why_none(asked)})
        if asked.of is None:
            return Finished("failed", asked.made.record.reason, {**about, "answers": []})
        return await self._answers(asked, asked.of, about, context)

    async def _answers(
        self, asked: _Asked, of: str, about: dict[str, Any], context: Context
    ) -> Finished:
        j = self._judging
        assert j.protocol is not None
        shown = await context.in_thread(sent_picture, context.blob(of), self._task.input_size)
        answers = []
        for name, (round_, question) in _named(asked.questions):
            found = await ask_question(context, j.judge, j.protocol, shown, question, f"{name}-")
            if isinstance(found, NoAnswer):
                value = {**about, "message": found.fault.reason, "question": question.question}
                return Finished("unscored", found.fault.kind, value, ask_again=found.steps)
            answers.append({"round": round_, **found.as_json()})
        return Finished("ok", None, {**about, "answers": answers})

    async def _scores(self, asked: _Asked, about: dict[str, Any], context: Context) -> Finished:
        j = self._judging
        assert j.rubric is not None
        if asked.of is None:
            lowest = _with_overall(j.rubric, j.rubric.lowest())
            return Finished("failed", asked.made.record.reason, {**about, **lowest})
        if asked.made.start is None and "original" in j.inputs:
            message = "The output of the round before is missing, so its edit can't be judged."
            return Finished("unscored", "no_start_picture", {**about, "message": message})
        request = await context.in_thread(self._request, j.rubric, asked, asked.of, context)
        verdict = await ask(context, j.judge, j.rubric, request)
        if isinstance(verdict, Malformed):
            value = {**about, "message": verdict.reason}
            return Finished("unscored", verdict.kind, value, ask_again=("verdict", "repair"))
        told = {"reasons": dict(verdict.reasons), **_with_overall(j.rubric, verdict.scores)}
        return Finished("ok", None, {**about, **told})

    def _request(self, rubric: Rubric, asked: _Asked, of: str, context: Context) -> Request:
        """What the rubric shows and the judge inputs allow, as far as the turn has it. The original
        is the picture that the round started from: the judge sees one edit, not the dialogue."""
        turn, side = asked.made.step.turn, self._task.input_size
        start = asked.made.start.read(context) if asked.made.start else None
        drawn = read_file(turn.overlay, MAX_BYTES) if turn.overlay else None
        there = {
            "original": start,
            "instruction_picture": start if drawn else None,
            "gold": read_file(turn.gold, MAX_BYTES) if turn.gold else None,
            "candidate": context.blob(of),
        }
        pictures: dict[str, bytes] = {}
        texts: dict[str, str] = {}
        for item in rubric.shown(self._judging.inputs):
            if item.kind == "text":
                texts |= {item.label: turn.instruction} if turn.instruction else {}
            elif (data := there[item.label]) is not None:
                over = drawn if item.label == "instruction_picture" else None
                pictures[item.label] = sent_picture(data, side, over).data
        return verdict_request(rubric, pictures, texts)


def _named(
    questions: Sequence[tuple[int, Question]],
) -> Iterator[tuple[str, tuple[int, Question]]]:
    """Each question with the beginning of its steps' names: `r2.q1`."""
    counts: dict[int, int] = {}
    for round_, question in questions:
        counts[round_] = counts.get(round_, 0) + 1
        yield f"r{round_}.q{counts[round_]}", (round_, question)


def _why_none(asked: _Asked) -> str:
    if asked.kind == "retention":
        return "no earlier question"
    return "questions_error" if asked.made.step.turn.questions_error else "no question"


def _with_overall(rubric: Rubric, scores: Mapping[str, int | bool]) -> dict[str, Any]:
    overall = {rubric.overall.name: rubric.overall.value(scores)} if rubric.overall else {}
    return {"scores": {**scores, **overall}}
