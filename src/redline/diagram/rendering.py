"""Stage render: the candidate, its original and its golds as pixels, one engine, one scale."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

from redline.bench.sample import DiagramSample
from redline.diagram.agreement import Raster
from redline.diagram.conditions import shown
from redline.diagram.lineage import OF, answer
from redline.diagram.references import ReferenceFault, References, Renders, references
from redline.diagram.task import DiagramTask
from redline.pixels import PictureError, encode_png, letterbox, load_picture, sha256_file
from redline.tex import choose_engine, described
from redline.tex.result import Engine, Render
from redline.track import Context, Finder, Finished, Unit, digest

RENDER_VERSION = 1
"""Raised whenever this stage makes something else of the same candidate (the choice of the engine,
the fitting of answered pictures): what was rendered before is then stale."""


class RenderStage:
    """One unit a generated candidate. Blobs: png, pdf and log of the candidate; original, gold,
    gold2, ... as rendered beside it."""

    name = "render"

    def __init__(self, task: DiagramTask, renderer: Renders) -> None:
        self._task = task
        self._renderer = renderer

    def units(self, done: Finder) -> Iterable[Unit]:
        pixels = [self._renderer.fingerprint(), RENDER_VERSION, self._task.want]
        for key, sample in self._task.rows():
            made = done.get("generate", key)
            if made is None or made.status != "ok":
                continue
            frame = self._frame(sample) if self._task.want == "picture" else None
            inputs = digest(answer(made), sample.code, sample.golds, pixels, frame)
            yield Unit(key, inputs, (sample, made))

    async def run(self, unit: Unit, context: Context) -> Finished:
        sample, made = unit.payload
        if self._task.want == "picture":
            data = context.blob(made.blobs["picture"])
            found = await context.in_thread(self._picture, sample, data)
        else:
            code = context.blob(made.blobs["code"]).decode()
            found = await context.in_thread(self._code, sample, code)
        return replace(found, value={**found.value, OF: answer(made)})

    def _code(self, sample: DiagramSample, code: str) -> Finished:
        try:
            refs, render, refused = self._together(sample, code)
        except ReferenceFault as e:
            return Finished("unscored", "reference_not_rendered", {"message": str(e)})
        blobs = _reference_blobs(refs)
        blobs["log"] = render.log.encode(errors="replace")
        if render.png is not None:
            blobs["png"] = render.png
        if render.pdf is not None:
            blobs["pdf"] = render.pdf
        status = {"failed": "failed", "unavailable": "unscored"}.get(render.status, "ok")
        reason = render.error.kind if render.error and status != "ok" else None
        value = {**described(render), **refused}
        return Finished(status, reason, value, blobs)  # type: ignore[arg-type]

    def _together(
        self, sample: DiagramSample, code: str
    ) -> tuple[References, Render, dict[str, str]]:
        """Candidate and references under one engine: the original's, unless the candidate's
        preamble or an engine-specific error asks for another, which then renders all three.

        Where the references can't do with that other engine, the candidate has to do with the
        original's: it was shown what it edits, and no line in its preamble may take it out of the
        count. The last of the results then says which engine was asked for and why it is not used.
        Raises ReferenceFault where the references don't render under the original's engine, and
        where this machine can't run the engine asked for.
        """
        own = references(self._renderer, sample)
        refused: dict[str, str] = {}

        def under(engine: Engine) -> References | None:
            try:
                return references(self._renderer, sample, engine)
            except ReferenceFault as e:
                if e.untried:
                    raise
                refused.update(engine_asked=engine, engine_not_used=str(e))
                return None

        asked = choose_engine(code)
        refs = own if asked in ("pdflatex", own.engine) else under(asked) or own
        render = self._renderer.render(code, engine=refs.engine, scale=refs.scale)
        mismatch = render.error is not None and render.error.kind == "engine_mismatch"
        if refused or render.status != "failed" or not mismatch:
            return refs, render, refused
        free = self._renderer.render(code, scale=refs.scale)
        if free.status == "unavailable":
            return refs, free, refused
        if free.png is not None and free.engine != refs.engine and (other := under(free.engine)):
            refs = other
            render = self._renderer.render(code, engine=refs.engine, scale=refs.scale)
        return refs, render, refused

    def _picture(self, sample: DiagramSample, data: bytes) -> Finished:
        try:
            refs = references(self._renderer, sample)
        except ReferenceFault as e:
            return Finished("unscored", "reference_not_rendered", {"message": str(e)})
        blobs = _reference_blobs(refs)
        try:
            answer = load_picture(data)
        except PictureError as e:
            return Finished("failed", "unreadable_picture", {"message": str(e)}, blobs)
        original = load_picture(refs.original).array
        height, width = answer.array.shape[:2]
        notes = list(answer.notes)
        inner = self._framed(sample, answer.array, original, notes)
        png = encode_png(_resized(inner, original.shape[1], original.shape[0]))
        value = {
            "status": "ok",
            "engine": refs.engine,
            "answer_px": [width, height],
            "notes": notes,
        }
        return Finished("ok", None, value, {**blobs, "png": png})

    def _frame(self, sample: DiagramSample) -> list[str | int | None]:
        """What decides where in its square the picture lay that the model was sent."""
        path = self._sent(sample)
        return [sha256_file(path) if path else None, self._task.input_size]

    def _sent(self, sample: DiagramSample) -> Path | None:
        """The committed picture whose frame the model saw; None where a rendered original was
        sent, or no picture."""
        given = shown(self._task.condition, self._task.inputs)
        if "picture" in given:
            return sample.picture
        return sample.instruction_picture if "instruction" in given else None

    def _framed(
        self, sample: DiagramSample, answer: Raster, original: Raster, notes: list[str]
    ) -> Raster:
        """The part of an answered picture that shows the diagram: what was sent lay in the middle
        of a white square of the input size. An answer of the sent picture's own size, or of its
        proportions where these are no square's, has no such border."""
        path, side = self._sent(sample), self._task.input_size
        sent = load_picture(path).array if path else original
        height, width = answer.shape[:2]
        tall, wide = sent.shape[:2]
        square = abs(width - height) <= 0.01 * max(width, height)
        alike = abs(width * tall - height * wide) <= 0.01 * max(width * tall, height * wide)
        if (height, width) == (tall, wide) or (alike and not square):
            return answer
        if not square:
            notes.append(f"The answer is {width}x{height}, not square as the picture sent was.")
        if max(width, height) != side:
            notes.append(f"The answer was resized from {width}x{height} to fit {side}x{side}.")
        factor = side / max(width, height)
        size = (max(1, round(width * factor)), max(1, round(height * factor)))
        _, placement = letterbox(sent, side)
        return placement.undo(letterbox(_resized(answer, *size), side)[0])


def _resized(array: Raster, width: int, height: int) -> Raster:
    if array.shape[:2] == (height, width):
        return array
    return np.asarray(Image.fromarray(array).resize((width, height), Image.Resampling.LANCZOS))


def _reference_blobs(refs: References) -> dict[str, bytes]:
    names = ["gold", *(f"gold{k}" for k in range(2, len(refs.golds) + 1))]
    return {"original": refs.original, **dict(zip(names, refs.golds, strict=True))}


def gold_blobs(blobs: Mapping[str, str]) -> list[str]:
    """The SHA-256 of every gold's picture among a render unit's blobs, in order."""
    names = ["gold"]
    while f"gold{len(names) + 1}" in blobs:
        names.append(f"gold{len(names) + 1}")
    return [blobs[n] for n in names]
