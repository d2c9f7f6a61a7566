"""Stage measure: judge-free figures of every candidate, from blobs alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from redline.bench.sample import DiagramSample
from redline.diagram import agreement, similarity
from redline.diagram.agreement import pixel_agreement
from redline.diagram.lineage import OF, sight
from redline.diagram.rendering import gold_blobs
from redline.diagram.similarity import code_similarity
from redline.diagram.task import DiagramTask
from redline.pixels import load_picture
from redline.track import Context, Finder, Finished, Unit, digest


class Measure:
    """One unit a rendered candidate, or one with a code that gave no page."""

    name = "measure"

    def __init__(self, task: DiagramTask) -> None:
        self._task = task

    def units(self, done: Finder) -> Iterable[Unit]:
        for key, sample in self._task.rows():
            made, render = done.get("generate", key), done.get("render", key)
            if made is None or render is None or render.status == "unscored":
                continue
            versions = [agreement.AGREEMENT_VERSION, similarity.SIMILARITY_VERSION]
            inputs = digest(sight(made, render), sample.golds, versions)
            yield Unit(key, inputs, (sample, made, render))

    async def run(self, unit: Unit, context: Context) -> Finished:
        sample, made, render = unit.payload
        code = context.blob(made.blobs["code"]).decode() if "code" in made.blobs else None
        candidate = context.blob(render.blobs["png"]) if "png" in render.blobs else None
        original = context.blob(render.blobs["original"])
        golds = [context.blob(h) for h in gold_blobs(render.blobs)]
        value = await context.in_thread(_figures, sample, code, candidate, original, golds)
        return Finished("ok", None, {**value, OF: sight(made, render)})


def _figures(
    sample: DiagramSample,
    code: str | None,
    candidate: bytes | None,
    original: bytes,
    golds: list[bytes],
) -> dict[str, Any]:
    """A candidate without a page agrees with nothing (0): the failure is the model's."""
    figures: dict[str, Any] = {}
    if code is not None:
        figures["code_similarity"] = code_similarity(code, sample.golds)
    if candidate is None:
        return {**figures, "px_inside": 0.0, "px_outside": 0.0}
    found = pixel_agreement(
        load_picture(original).array,
        [load_picture(g).array for g in golds],
        load_picture(candidate).array,
    )
    return {
        **figures,
        "px_inside": found.inside,
        "px_outside": found.outside,
        "gold_used": found.gold,
    }
