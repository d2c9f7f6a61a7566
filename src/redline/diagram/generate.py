"""Stage generate: ask the model (or a baseline) for the edit and read its reply."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from redline.bench.sample import DiagramSample
from redline.diagram import baselines
from redline.diagram.conditions import (
    edit_request,
    prompt_hashes,
    sees_drawing,
    shown,
    verbalize_request,
    verbalizes,
)
from redline.diagram.reading import read_reply
from redline.diagram.references import InputPictures, ReferenceFault, Renders
from redline.diagram.task import MODEL_ROLE, VERBALIZER_ROLE, DiagramTask, digest
from redline.models.protocol import Reply
from redline.pixels import PictureError, sha256_file
from redline.track import Context, Finder, Finished, Unit


class Generate:
    """One unit a sample and epoch. Keeps the code it read, or the picture, as a blob."""

    name = "generate"

    def __init__(self, task: DiagramTask, pictures: InputPictures, renderer: Renders) -> None:
        self._task = task
        self._pictures = pictures
        self._renderer = renderer

    def units(self, done: Finder) -> Iterable[Unit]:
        t = self._task
        seen: dict[str, str] = {}
        for key, sample in t.rows():
            if sample.id not in seen:
                seen[sample.id] = digest(
                    sample.code,
                    sample.golds if t.candidate.startswith("baseline/") else None,
                    sample.instruction if "text" in t.condition else None,
                    self._pictures_seen(sample),
                    [t.candidate, t.settings, t.condition, t.inputs, t.want, t.input_size],
                    [t.verbalizer, t.verbalizer_settings] if verbalizes(t.condition) else None,
                    [t.seed, prompt_hashes(t.condition, t.want)],
                )
            yield Unit(key, seen[sample.id], sample)

    def _pictures_seen(self, sample: DiagramSample) -> list[str | None]:
        t = self._task
        files = []
        if "picture" in t.inputs:
            files.append(sample.picture)
        if "instruction" in t.inputs and (sees_drawing(t.condition) or verbalizes(t.condition)):
            files.append(sample.instruction_picture)
        return [sha256_file(f) if f else None for f in files]

    async def run(self, unit: Unit, context: Context) -> Finished:
        sample: DiagramSample = unit.payload
        if self._task.candidate.startswith("baseline/"):
            return await context.in_thread(self._baseline, sample)
        t = self._task
        try:
            pictures: dict[str, bytes] = {
                i: await context.in_thread(self._pictures.get, sample, i)
                for i in t.inputs
                if i == "picture"
                or (i == "instruction" and (sees_drawing(t.condition) or verbalizes(t.condition)))
            }
        except (ReferenceFault, PictureError, OSError) as e:
            return Finished("unscored", "input_picture", {"message": str(e)})

        words = sample.instruction
        value: dict[str, Any] = {}
        if verbalizes(t.condition):
            reply = await context.call(
                VERBALIZER_ROLE, "verbalize", verbalize_request(sample, t.inputs, pictures)
            )
            words = reply.text.strip()
            value = {"verbalization": words}
            if reply.finish == "content_filter":
                return Finished("unscored", "provider_content_filter", value)
            if reply.finish == "refusal" or not words:
                return Finished("failed", "no_verbalization", value)
        request = edit_request(
            sample,
            t.condition,
            t.inputs,
            {i: pictures[i] for i in shown(t.condition, t.inputs) if i in pictures},
            words,
            t.want,
        )
        reply = await context.call(MODEL_ROLE, "edit", request)
        value = {**value, "finish": reply.finish, "model_id": reply.model_id}
        if reply.notes:
            value["reply_notes"] = list(reply.notes)
        if reply.finish == "content_filter":
            return Finished("unscored", "provider_content_filter", value)
        return _picture(reply, value) if t.want == "picture" else _code(reply, sample, value)

    def _baseline(self, sample: DiagramSample) -> Finished:
        kind = self._task.candidate.partition("/")[2]
        if kind == "degraded":
            edited = baselines.degraded(sample, self._draws, self._task.seed)
        else:
            edited = {"oracle": baselines.oracle, "identity": baselines.identity}[kind](sample)
        value = {"how": "baseline", "note": edited.note}
        return Finished("ok", None, value, {"code": edited.code.encode()})

    def _draws(self, code: str) -> bytes | None:
        render = self._renderer.render(code)
        return render.png if render.status == "ok" else None


def _code(reply: Reply, sample: DiagramSample, value: dict[str, Any]) -> Finished:
    reading = read_reply(reply.text, sample.code, reply.finish)
    value = {**value, "how": reading.how, "notes": list(reading.notes)}
    if reading.code is None:
        return Finished("failed", reading.reason, value)
    return Finished("ok", None, value, {"code": reading.code.encode(errors="replace")})


def _picture(reply: Reply, value: dict[str, Any]) -> Finished:
    value = {**value, "how": "picture", "pictures": len(reply.pictures)}
    if not reply.pictures:
        reason = {"refusal": "refusal", "length": "cut_off"}.get(reply.finish, "no_picture")
        return Finished("failed", reason, value)
    return Finished("ok", None, value, {"picture": reply.pictures[-1]})
