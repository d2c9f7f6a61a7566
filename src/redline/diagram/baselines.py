"""Three baselines whose order is known: oracle (the gold), identity (the original), degraded."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

from redline.bench.sample import DiagramSample
from redline.diagram.codediff import Hunk, apply, hunks

BASELINES = ("oracle", "identity", "degraded")
MOST_TRIES = 8
BASELINES_VERSION = 1
"""Raised whenever a baseline gives another code for the same sample (differences of codes
included): what was generated before is then stale."""


@dataclass(frozen=True)
class Edited:
    """A baseline's code, and a sentence where it could not do what its name says."""

    code: str
    note: str | None = None


def oracle(sample: DiagramSample) -> Edited:
    """The first accepted gold."""
    return Edited(sample.golds[0])


def identity(sample: DiagramSample) -> Edited:
    """The original, untouched."""
    return Edited(sample.code)


def _parts(changes: Sequence[Hunk], rng: random.Random) -> list[tuple[Hunk, ...]]:
    """Proper parts of the changes to try, those nearest to a half first, shuffled by `rng`."""
    n = len(changes)
    tries: list[tuple[Hunk, ...]] = []
    for size in sorted(range(1, n), key=lambda k: (abs(2 * k - n), k)):
        if n <= 8:
            some = list(combinations(range(n), size))
            rng.shuffle(some)
        else:
            some = [tuple(sorted(rng.sample(range(n), size))) for _ in range(2)]
        tries += [tuple(changes[i] for i in pick) for pick in some]
    return tries[:MOST_TRIES]


def degraded(sample: DiagramSample, draws: Callable[[str], bytes | None], seed: int = 0) -> Edited:
    """A seeded part of the first gold's edit that still compiles.

    `draws` gives a code's picture as PNG bytes, or None where it does not compile cleanly; what it
    raises where that can't be known passes through, since not knowing is no reason to give the
    original back. A part that draws the same picture as the original or as the gold is no part of
    the edit. Where none of up to eight parts will do, the edit is one indivisible change: the
    original is given back, with a note.
    """
    changes = hunks(sample.code, sample.golds[0])
    whole = {draws(sample.code), draws(sample.golds[0])}
    for part in _parts(changes, random.Random(f"{seed}/{sample.id}")):
        code = apply(sample.code, part)
        picture = draws(code)
        if picture is not None and picture not in whole:
            return Edited(code)
    return Edited(sample.code, "The gold is one indivisible change: counts as identity.")
