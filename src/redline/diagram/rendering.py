"""Stage render: the candidate, its original and its golds as pixels, one engine, one scale."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from PIL import Image

from redline.bench.sample import DiagramSample
from redline.diagram.agreement import Raster
from redline.diagram.lineage import OF, answer
from redline.diagram.references import ReferenceFault, References, Renders, references
from redline.diagram.task import DiagramTask, digest
from redline.pixels import PictureError, encode_png, letterbox, load_picture
from redline.tex import choose_engine
from redline.tex.result import Render
from redline.track import Context, Finder, Finished, Unit


class RenderStage:
    """One unit a generated candidate. Blobs: png, pdf and log of the candidate; original, gold,
    gold2, ... as rendered beside it."""

    name = "render"

    def __init__(self, task: DiagramTask, renderer: Renders, fingerprint: str) -> None:
        """`fingerprint` covers what makes the renderer's pixels: profile, limits, TeX version."""
        self._task = task
        self._renderer = renderer
        self._fingerprint = fingerprint

    def units(self, done: Finder) -> Iterable[Unit]:
        for key, sample in self._task.rows():
            made = done.get("generate", key)
            if made is None or made.status != "ok":
                continue
            inputs = digest(
                answer(made), sample.code, sample.golds, self._fingerprint, self._task.want
            )
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
            refs, render = self._together(sample, code)
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
        return Finished(status, reason, _described(render), blobs)  # type: ignore[arg-type]

    def _together(self, sample: DiagramSample, code: str) -> tuple[References, Render]:
        """Candidate and references under one engine: the original's, unless the candidate's
        preamble or an engine-specific error asks for another, which then renders all three."""
        refs = references(self._renderer, sample)
        asked = choose_engine(code)
        if asked not in ("pdflatex", refs.engine):
            refs = references(self._renderer, sample, asked)
        render = self._renderer.render(code, engine=refs.engine, scale=refs.scale)
        if render.status == "failed" and render.error and render.error.kind == "engine_mismatch":
            free = self._renderer.render(code, scale=refs.scale)
            if free.png is not None and free.engine != refs.engine:
                refs = references(self._renderer, sample, free.engine)
                render = self._renderer.render(code, engine=refs.engine, scale=refs.scale)
        return refs, render

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
        side = self._task.input_size
        original = load_picture(refs.original).array
        _, placement = letterbox(original, side)
        height, width = answer.array.shape[:2]
        notes = list(answer.notes)
        if abs(width - height) > 0.01 * max(width, height):
            notes.append(f"The answer is {width}x{height}, not square as the picture sent was.")
        if max(width, height) != side:
            notes.append(f"The answer was resized from {width}x{height} to fit {side}x{side}.")
        factor = side / max(width, height)
        fitted = _resized(
            answer.array, max(1, round(width * factor)), max(1, round(height * factor))
        )
        cut = placement.undo(letterbox(fitted, side)[0])
        png = encode_png(_resized(cut, original.shape[1], original.shape[0]))
        value = {
            "status": "ok",
            "engine": refs.engine,
            "answer_px": [width, height],
            "notes": notes,
        }
        return Finished("ok", None, value, {**blobs, "png": png})


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


def _described(render: Render) -> dict[str, Any]:
    return {
        "status": render.status,
        "engine": render.engine,
        "error": asdict(render.error) if render.error else None,
        "pages": render.pages,
        "page_pt": render.page_pt,
        "size_px": render.size_px,
        "scale": render.scale,
        "scale_reduced": render.scale_reduced,
        "passes": render.passes,
        "missing_characters": list(render.missing_characters),
        "sandboxed": render.sandboxed,
    }
