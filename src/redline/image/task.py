"""What an image run asks: its rows, what each starts from, and which turns are left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from redline.bench.image_sample import ImageSample, Turn
from redline.bench.sample import Benchmark
from redline.errors import UserError
from redline.track import calls_nobody

MODEL_ROLE = "model"

Mode = Literal["single", "cumulative", "gt_input"]
"""What a round starts from. `cumulative`: the picture that the model itself gave in the round
before; `gt_input`: what is right before it (`ImageSample.start_of`: the gold of the round before);
in both, the sample's picture in round 1.
`single`: there are only first rounds."""
MODES: tuple[Mode, ...] = get_args(Mode)

Condition = Literal["text", "visual", "visual+text"]
"""How a model gets the instruction: in words, drawn on the picture, or both."""
CONDITIONS: tuple[Condition, ...] = get_args(Condition)


def single_turn(sample: ImageSample) -> bool:
    """Whether a sample is one edit and no dialogue."""
    return [t.round for t in sample.turns] == [1]


def resolve_mode(benchmark: Benchmark[ImageSample], asked: str) -> Mode:
    """The mode of a run. Where all samples are of a single turn it is `single` whatever is asked;
    `auto` is cumulative otherwise. Raises UserError."""
    known = next((m for m in MODES if m == asked), None)
    if asked != "auto" and known is None:
        raise UserError(f"There is no mode {asked!r} of turns; choose auto, {', '.join(MODES)}.")
    if all(single_turn(s) for s in benchmark.samples):
        return "single"
    if known == "single":
        raise UserError(
            f"{benchmark.name} has samples of several rounds: choose cumulative (each round starts "
            "from the model's own last picture) or gt_input (from the last gold)."
        )
    return known or "cumulative"


def row_id(sample: str, round_: int) -> str:
    """`SAMPLE/ROUND`: by what results know a turn."""
    return f"{sample}/{round_}"


def row_key(id_: str, epoch: int) -> str:
    """`SAMPLE/ROUND#EPOCH`: the key of a row's units."""
    return f"{id_}#{epoch}"


@dataclass(frozen=True)
class Step:
    """A row of a run: a turn of a sample in one epoch."""

    key: str
    sample: ImageSample
    turn: Turn

    @property
    def id(self) -> str:
        return row_id(self.sample.id, self.turn.round)


@dataclass(frozen=True)
class LeftOut:
    """A turn of the benchmark that is no row of the run, and why, as part of a sentence."""

    sample: str
    round: int
    why: str


@dataclass(frozen=True)
class ImageTask:
    """An image run. `candidate` is the model's name; `settings` a digest of its sampling settings;
    `input_size` the longest side in pixels at which a picture is sent as it is: a larger one is
    scaled down to it."""

    benchmark: Benchmark[ImageSample]
    candidate: str
    mode: Mode
    condition: Condition = "text"
    epochs: int = 1
    seed: int = 0
    input_size: int = 1024
    settings: str = ""

    def dialogues(self) -> Iterator[tuple[Step, ...]]:
        """The rows of each sample and epoch, in the order of their rounds; none is empty."""
        kept = [
            (sample, [turn for turn, why in self._turns(sample) if why is None])
            for sample in self.benchmark.samples
        ]
        for epoch in range(self.epochs):
            for sample, turns in kept:
                if turns:
                    yield tuple(
                        Step(row_key(row_id(sample.id, t.round), epoch), sample, t) for t in turns
                    )

    def rows(self) -> Iterator[Step]:
        """Every row of the run."""
        for dialogue in self.dialogues():
            yield from dialogue

    def left_out(self) -> tuple[LeftOut, ...]:
        """Turns of the benchmark that this run does not ask, in order."""
        return tuple(
            LeftOut(sample.id, turn.round, why)
            for sample in self.benchmark.samples
            for turn, why in self._turns(sample)
            if why is not None
        )

    def _turns(self, sample: ImageSample) -> Iterator[tuple[Turn, str | None]]:
        """Each turn, and why it is left out, if it is: a round is never run on another state than
        the one it was written for, nor without what the condition shows to whoever is asked. A
        cumulative dialogue ends at the first round that is not there or is left out."""
        following, ended = 1, None
        for turn in sample.turns:
            why = ended or self._why_not(sample, turn, following)
            if why and self.mode == "cumulative":
                ended = ended or f"it follows round {turn.round}, which is left out: {why}"
            yield turn, why
            following = turn.round + 1

    def _why_not(self, sample: ImageSample, turn: Turn, following: int) -> str | None:
        if self.mode == "cumulative" and turn.round != following:
            return f"round {following} is not in the benchmark"
        if self.mode != "cumulative" and sample.start_of(turn) is None:
            return "the picture that it starts from is not in the benchmark"
        if calls_nobody(self.candidate):
            return None
        if self.condition != "text" and turn.overlay is None:
            return "it has no drawn instruction"
        if self.condition != "visual" and not turn.instruction:
            return "it has no instruction in words"
        return None
