"""Stage judge: what a judge sees of a candidate, at image level and at code level."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, get_args

from redline.bench.sample import DiagramSample
from redline.diagram.codediff import unified
from redline.diagram.references import InputPictures
from redline.diagram.task import DiagramTask, Judging, digest
from redline.judge import Malformed, ask, verdict_request
from redline.models.protocol import Request
from redline.track import Context, Done, Finder, Finished, Unit

Level = Literal["image", "code"]


class JudgeStage:
    """One unit a row, level and repeat. A candidate without a page gets the lowest scores at image
    level, one without a code at code level, without a call: that is the benchmark's rule."""

    name = "judge"

    def __init__(self, task: DiagramTask, judging: Judging, pictures: InputPictures) -> None:
        self._task = task
        self._judging = judging
        self._pictures = pictures

    def units(self, done: Finder) -> Iterable[Unit]:
        levels: tuple[Level, ...] = get_args(Level) if self._task.want == "code" else ("image",)
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
        seen: dict[str, Any] = {"code": made.blobs.get("code")}
        if level == "image":
            seen = {k: v for k, v in (render.blobs if render else {}).items() if k != "log"}
            seen.pop("pdf", None)
        inputs = digest(seen, sample.code, sample.golds, sample.instruction, j.settings)
        for repeat in range(j.repeats):
            yield Unit(j.key(key, level, repeat), inputs, (level, sample, made, render))

    async def run(self, unit: Unit, context: Context) -> Finished:
        level, sample, made, render = unit.payload
        j = self._judging
        rubric = j.rubric(level)
        about = {"row": unit.key.partition("@")[0], "level": level}
        blob = render.blobs.get("png") if level == "image" and render else made.blobs.get("code")
        if blob is None:
            return Finished("failed", "no_page" if level == "image" else "no_code",
                            {**about, "scores": rubric.lowest()})
        if level == "image":
            request = await context.in_thread(self._image, sample, render, context)
        else:
            request = self._code(sample, context.blob(blob).decode())
        verdict = await ask(context, j.judge, rubric, request)
        if isinstance(verdict, Malformed):
            return Finished("unscored", verdict.kind, {**about, "message": verdict.reason})
        value = {**about, "scores": dict(verdict.scores), "reasons": dict(verdict.reasons)}
        return Finished("ok", None, value)

    def _image(self, sample: DiagramSample, render: Done, context: Context) -> Request:
        inputs = self._judging.inputs
        pictures = {"candidate": self._pictures.letterboxed(context.blob(render.blobs["png"]))}
        for label in ("original", "gold"):
            if label in inputs:
                data = context.blob(render.blobs[label])
                pictures[label] = self._pictures.letterboxed(data)
        if "instruction_picture" in inputs and sample.instruction_picture is not None:
            pictures["instruction_picture"] = self._pictures.get(sample, "instruction")
        texts = {}
        if "instruction_text" in inputs and sample.instruction:
            texts["instruction_text"] = sample.instruction
        return verdict_request(self._judging.image, pictures, texts)

    def _code(self, sample: DiagramSample, code: str) -> Request:
        gold = sample.golds[0]
        texts = {
            "instruction_text": sample.instruction,
            "original_to_candidate": unified(sample.code, code, "original", "candidate"),
            "original_to_gold": unified(sample.code, gold, "original", "gold"),
            "gold_to_candidate": unified(gold, code, "gold", "candidate"),
        }
        return verdict_request(self._judging.code, {}, {k: v for k, v in texts.items() if v})


def _pending(render: Done | None) -> bool:
    return render is None or render.status == "unscored"
