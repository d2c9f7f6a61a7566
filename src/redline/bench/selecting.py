"""Fewer samples of a benchmark: by id, by edit type, the first so many."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from redline.bench.faults import did_you_mean
from redline.bench.sample import EDIT_TYPES, Benchmark
from redline.errors import UserError


def select(
    benchmark: Benchmark,
    ids: Iterable[str] | None = None,
    limit: int | None = None,
    edit_type: str | None = None,
) -> Benchmark:
    """The benchmark with the samples that are among `ids` and of `edit_type`, of those the first
    `limit`, always in the order of the file. `hash` stays the folder's; `sample_set_hash` says
    which samples are left.

    Raises UserError for unknown ids and edit types and a limit below 1.
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
        if edit_type.upper() not in EDIT_TYPES:
            hint = did_you_mean(edit_type.upper(), EDIT_TYPES)
            raise UserError(
                f"There is no edit type {edit_type!r}{hint}; use one of {', '.join(EDIT_TYPES)}."
            )
        kept = tuple(s for s in kept if s.edit_type == edit_type.upper())
    if limit is not None:
        if limit < 1:
            raise UserError(f"The limit is {limit}; give 1 or more.")
        kept = kept[:limit]
    return replace(benchmark, samples=kept)
