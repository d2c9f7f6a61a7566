"""A sample of the image track: a picture and the turns in which it is to be edited."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Scale = Literal["low", "high"]
SCALES: tuple[Scale, ...] = ("low", "high")
"""`low`: an attribute changes; `high`: an entity is replaced."""


@dataclass(frozen=True)
class Question:
    """A question about the edited picture, and the answer that a perfect edit gives."""

    question: str
    answer: str


@dataclass(frozen=True)
class Turn:
    """One round of a dialogue: what is asked, and what counts as right where that is known.

    `round` counts from 1; a number that is missing among a sample's turns was filtered out.
    `start` is the picture that the round is an edit of, where it is another than the gold of the
    round before (in round 1: than the sample's picture) or that gold is not there.
    `overlay` is a drawn instruction, transparent, of the size of the picture it is drawn on; one
    of `instruction` and `overlay` is there. `mask` is the foreground of `gold` (of the picture
    where there is no gold), `source_mask` that of the picture before the edit: files for
    `redline.pixels.read_mask`. `questions_error` says why a benchmark's makers have no questions.
    `entities` is their own account of what is edited, as they give it; `category` their own word
    for the kind of edit, `rubric` the plain name of the rubric they judge it by.
    """

    round: int
    instruction: str = ""
    scale: Scale | None = None
    start: Path | None = None
    overlay: Path | None = None
    gold: Path | None = None
    mask: Path | None = None
    source_mask: Path | None = None
    questions: tuple[Question, ...] = ()
    questions_error: str = ""
    entities: Mapping[str, Any] = field(default_factory=dict)
    category: str = ""
    rubric: str = ""


@dataclass(frozen=True)
class ImageSample:
    """A picture and its turns, in the order of their rounds; one turn, round 1, where the edit is
    of a single turn.

    Paths are absolute and lie inside the benchmark folder. Samples over one picture share
    `source_id`, by which intervals resample; a line without one gets it from the picture's bytes.
    Low and high samples that belong together share `context` ("" where there is none).
    """

    id: str
    picture: Path
    turns: tuple[Turn, ...]
    origin: str = ""
    source_id: str = ""
    context: str = ""
    licence: str = ""
    instruction_model: str | None = None
    gold_model: str | None = None
    annotator: str | None = None
    ratings: tuple[Mapping[str, Any], ...] = ()
    files: Mapping[str, Path] = field(default_factory=dict)
    """Every file the sample names, by its path relative to the folder."""

    def start_of(self, turn: Turn) -> Path | None:
        """The picture that a turn is an edit of when every round starts from what is right: its
        `start`, else the sample's picture (round 1) or the gold of the round just before; None
        where that round or its gold is not there."""
        if turn.start is not None:
            return turn.start
        if turn.round == 1:
            return self.picture
        before = {t.round: t.gold for t in self.turns}
        return before.get(turn.round - 1)

    @property
    def gaps(self) -> tuple[int, ...]:
        """The rounds before the last one that are not there: they were filtered out."""
        there = {t.round for t in self.turns}
        return tuple(r for r in range(1, max(there, default=0)) if r not in there)
