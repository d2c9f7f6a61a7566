"""Stage judge: what a judge sees of a candidate, at image level and at code level."""

from __future__ import annotations

from collections.abc import Iterable

from redline.bench.sample import DiagramSample
from redline.diagram.codediff import unified
from redline.diagram.lineage import OF, answer, sight
from redline.diagram.references import InputPictures
from redline.diagram.task import DiagramTask, Judging, Level, verdict_key
from redline.errors import UserError
from redline.judge import Malformed, ask, verdict_request
from redline.models.protocol import Request
from redline.track import Context, Done, Finder, Finished, Unit, digest

JUDGING_VERSION = 1
"""Raised whenever a judge is shown something else of the same candidate, or its reply is read in
another way: older verdicts are then stale. Their replies are kept by call, so that only what was
never asked is bought."""


class JudgeStage:
    """One unit a row, level and repeat. A candidate without a page gets the lowest scores at image
    level, one without a code at code level, without a call: that is the benchmark's rule."""

    name = "judge"

    def __init__(self, task: DiagramTask, judging: Judging, pictures: InputPictures) -> None:
        self._task = task
        self._judging = judging
        self._pictures = pictures

    def units(self, done: Finder) -> Iterable[Unit]:
        levels = [n for n in self._judging.levels if n == "image" or self._task.want == "code"]
        for key, sample in self._task.rows():
            made, render = done.get("generate", key), done.get("render", key)
            if made is None or made.status == "unscored":
                continue
            for level in levels:
                if level == "image" and made.status == "ok" and _pending(render):
                    continue
                yield from self._repeats(key, sample, level, made, render)

    def _repeats(
        self, key: str, sample: DiagramSample, level: Level, made: Done, render: Done | None
    ) -> Iterable[Unit]:
        j = self._judging
        seen = sight(made, render) if level == "image" and render else answer(made)
        told = [sample.code, sample.golds, sample.instruction]
        inputs = digest(seen, told, j.settings, JUDGING_VERSION)
        for repeat in range(j.repeats):
            key_ = verdict_key(key, j.entry(), level, repeat)
            yield Unit(key_, inputs, (level, sample, made, render, seen))

    async def run(self, unit: Unit, context: Context) -> Finished:
        level, sample, made, render, seen = unit.payload
        j = self._judging
        rubric = j.rubric(level)
        about = {"row": unit.key.partition("@")[0], "level": level, OF: seen}
        blob = render.blobs.get("png") if level == "image" and render else made.blobs.get("code")
        if blob is None:
            reason = "no_page" if level == "image" else "no_code"
            return Finished("failed", reason, {**about, "scores": rubric.lowest()})
        request = await context.in_thread(self._request, level, sample, made, render, context)
        verdict = await ask(context, j.judge, rubric, request)
        if isinstance(verdict, Malformed):
            value = {**about, "message": verdict.reason}
            return Finished("unscored", verdict.kind, value, ask_again=("verdict", "repair"))
        value = {**about, "scores": dict(verdict.scores), "reasons": dict(verdict.reasons)}
        return Finished("ok", None, value)

    def _request(
        self, level: Level, sample: DiagramSample, made: Done, render: Done | None, context: Context
    ) -> Request:
        """What the rubric shows and the judge inputs allow, as far as the sample has it."""
        rubric = self._judging.rubric(level)
        code = context.blob(made.blobs["code"]).decode() if "code" in made.blobs else None
        pictures: dict[str, bytes] = {}
        texts: dict[str, str] = {}
        for item in rubric.shown(self._judging.inputs):
            if item.kind == "text":
                text = _text(item.label, sample, code)
                if text:
                    texts[item.label] = text
            elif item.label == "instruction_picture":
                if sample.instruction_picture is not None:
                    pictures[item.label] = self._pictures.get(sample, "instruction")
            elif render is not None:
                name = "png" if item.label == "candidate" else item.label
                picture = context.blob(render.blobs[name])
                pictures[item.label] = self._pictures.letterboxed(picture)
        return verdict_request(rubric, pictures, texts)


def _text(label: str, sample: DiagramSample, code: str | None) -> str | None:
    """A text that a rubric may show, by its label."""
    gold = sample.golds[0]
    if label == "instruction_text":
        return sample.instruction
    if label == "original_code":
        return sample.code
    if label == "original_to_gold":
        return unified(sample.code, gold, "original", "reference")
    if code is None:
        return None
    if label == "original_to_candidate":
        return unified(sample.code, code, "original", "candidate")
    if label == "gold_to_candidate":
        return unified(gold, code, "reference", "candidate")
    raise UserError(f"A rubric asks for the text {label!r}, which the diagram track has not.")


def _pending(render: Done | None) -> bool:
    return render is None or render.status == "unscored"
