"""Fewer samples of a benchmark: by id, by edit type or scale, by origin, the first so many."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from redline.bench.faults import did_you_mean
from redline.bench.image_sample import SCALES
from redline.bench.sample import EDIT_TYPES, Benchmark, DiagramSample, S_co
from redline.errors import UserError


def select(
    benchmark: Benchmark[S_co],
    ids: Iterable[str] | None = None,
    limit: int | None = None,
    edit_type: str | None = None,
    scale: str | None = None,
    origin: str | None = None,
) -> Benchmark[S_co]:
    """The benchmark with the samples that are among `ids`, of `edit_type` (diagrams), of `scale`
    (images: with at least one turn of it; dialogues stay whole) and of `origin`, of those the
    first `limit`, always in the order of the file. `hash` stays the folder's; `sample_set_hash`
    says which samples are left.

    Raises UserError for unknown ids, edit types, scales and origins, for an edit type or a scale
    where the track has none, and for a limit below 1.
    """
    kept = benchmark.samples
    if ids is not None:
        wanted = set(ids)
        known = {s.id for s in kept}
        if unknown := sorted(wanted - known):
            hint = did_you_mean(unknown[0], known)
            raise UserError(
                f"{benchmark.name} has no sample {', '.join(unknown[:5])}{hint}. "
                f"redline bench show {benchmark.name} lists them."
            )
        kept = tuple(s for s in kept if s.id in wanted)
    if edit_type is not None:
        kind = _known("edit type", edit_type, edit_type.upper(), EDIT_TYPES)
        if benchmark.track != "diagram":
            raise UserError(f"{benchmark.name} has no edit types; it is of track image.")
        kept = tuple(s for s in kept if isinstance(s, DiagramSample) and s.edit_type == kind)
    if scale is not None:
        size = _known("scale", scale, scale.lower(), SCALES)
        if benchmark.track != "image":
            raise UserError(f"{benchmark.name} has no scales; it is of track diagram.")
        kept = tuple(
            s for s in kept
            if not isinstance(s, DiagramSample) and any(t.scale == size for t in s.turns)
        )  # fmt: skip
    if origin is not None:
        _known("origin", origin, origin, sorted({s.origin for s in benchmark.samples if s.origin}))
        kept = tuple(s for s in kept if s.origin == origin)
    if limit is not None:
        if limit < 1:
            raise UserError(f"The limit is {limit}; give 1 or more.")
        kept = kept[:limit]
    return replace(benchmark, samples=kept)


def _known(what: str, given: str, meant: str, known: Iterable[str]) -> str:
    known = list(known)
    if meant in known:
        return meant
    hint = did_you_mean(meant, known)
    use = f"use one of {', '.join(known[:20])}" if known else "there are none"
    raise UserError(f"There is no {what} {given!r}{hint}; {use}.")
