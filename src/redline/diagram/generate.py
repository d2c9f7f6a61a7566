"""Stage generate: ask the model (or a baseline) for the edit and read its reply."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from redline.bench.sample import DiagramSample
from redline.diagram import baselines, conditions, reading
from redline.diagram.conditions import (
    edit_request,
    pictures_sent,
    prompt_hashes,
    reads_text,
    verbalize_request,
    verbalizes,
)
from redline.diagram.references import InputPictures, ReferenceFault, Renders, drawn_clean
from redline.diagram.task import MODEL_ROLE, VERBALIZER_ROLE, DiagramTask
from redline.models.protocol import Reply
from redline.pixels import PictureError, sha256_file
from redline.track import Context, Finder, Finished, Unit, calls_nobody, digest


class Generate:
    """One unit a sample and epoch. Keeps the code it read, or the picture, as a blob."""

    name = "generate"

    def __init__(self, task: DiagramTask, pictures: InputPictures, renderer: Renders) -> None:
        self._task = task
        self._pictures = pictures
        self._renderer = renderer
        self._sent = pictures_sent(task.condition, task.inputs)

    def units(self, done: Finder) -> Iterable[Unit]:
        """Replies are kept by call and not by this digest: a unit that is stale because its reply
        is read in another way now is read again and not bought again. Outputs made elsewhere can't
        be made again from here."""
        if self._task.candidate.startswith("outputs/"):
            return
        inputs = self._of_baseline if calls_nobody(self._task.candidate) else self._of_model
        seen: dict[str, str] = {}
        for key, sample in self._task.rows():
            if sample.id not in seen:
                seen[sample.id] = inputs(sample)
            yield Unit(key, seen[sample.id], sample)

    def _of_baseline(self, sample: DiagramSample) -> str:
        t = self._task
        draws = self._renderer.fingerprint() if t.candidate == "baseline/degraded" else None
        return digest(
            t.candidate, t.seed, sample.code, sample.golds, baselines.BASELINES_VERSION, draws
        )

    def _of_model(self, sample: DiagramSample) -> str:
        t = self._task
        rendered = any(self._pictures.rendered(sample, p) for p in self._sent)
        files = {"picture": sample.picture, "instruction": sample.instruction_picture}
        return digest(
            sample.code,
            sample.instruction if reads_text(t.told) else None,
            [sha256_file(f) if (f := files[p]) else None for p in self._sent],
            self._renderer.fingerprint() if rendered else None,
            [t.candidate, t.settings, t.condition, t.inputs, t.want, t.input_size, t.seed],
            [t.verbalizer, t.verbalizer_settings] if verbalizes(t.told) else None,
            [prompt_hashes(t.condition, t.inputs, t.want), conditions.ASKING_VERSION],
            reading.READER_VERSION if t.want == "code" else None,
        )

    async def run(self, unit: Unit, context: Context) -> Finished:
        sample: DiagramSample = unit.payload
        t = self._task
        if calls_nobody(t.candidate):
            return await context.in_thread(self._baseline, sample)
        try:
            pictures: dict[str, bytes] = {
                p: await context.in_thread(self._pictures.get, sample, p) for p in self._sent
            }
        except (ReferenceFault, PictureError) as e:
            return Finished("unscored", "input_picture", {"message": str(e)})

        words = sample.instruction
        value: dict[str, Any] = {}
        if verbalizes(t.told):
            reply = await context.call(
                VERBALIZER_ROLE, "verbalize", verbalize_request(sample, t.inputs, pictures)
            )
            words = reply.text.strip()
            value = {"verbalization": words}
            if reply.finish == "content_filter":
                return Finished("unscored", "provider_content_filter", value)
            if fault := _no_words(reply):
                # Another model's words are no merit and no fault of the one that edits.
                own = t.verbalizer == t.candidate
                return Finished("failed" if own else "unscored", f"verbalization: {fault}", value)
        request = edit_request(sample, t.condition, t.inputs, pictures, words, t.want)
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
            try:
                edited = baselines.degraded(sample, self._draws(sample), self._task.seed)
            except ReferenceFault as e:
                return Finished("unscored", f"degraded: {e}")
        else:
            edited = {"oracle": baselines.oracle, "identity": baselines.identity}[kind](sample)
        value = {"how": "baseline", "note": edited.note}
        return Finished("ok", None, value, {"code": edited.code.encode()})

    def _draws(self, sample: DiagramSample) -> Callable[[str], bytes | None]:
        names = {sample.golds[0]: "its gold", sample.code: "its original"}

        def draws(code: str) -> bytes | None:
            what = names.get(code, "a part of its edit")
            return drawn_clean(self._renderer, code, what)

        return draws


def _no_words(reply: Reply) -> str | None:
    """Why a verbalization can't be edited by, or None."""
    if reply.finish == "refusal":
        return "refusal"
    if reply.finish == "length":
        return "cut_off"
    return None if reply.text.strip() else "empty"


def _code(reply: Reply, sample: DiagramSample, value: dict[str, Any]) -> Finished:
    found = reading.read_reply(reply.text, sample.code, reply.finish)
    value = {**value, "how": found.how, "notes": list(found.notes)}
    if found.code is None:
        return Finished("failed", found.reason, value)
    return Finished("ok", None, value, {"code": found.code.encode(errors="replace")})


def _picture(reply: Reply, value: dict[str, Any]) -> Finished:
    value = {**value, "how": "picture", "pictures": len(reply.pictures)}
    if not reply.pictures:
        reason = {"refusal": "refusal", "length": "cut_off"}.get(reply.finish, "no_picture")
        return Finished("failed", reason, value)
    return Finished("ok", None, value, {"picture": reply.pictures[-1]})
