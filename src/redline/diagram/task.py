"""What a diagram run asks: all options that decide it, and how they enter digests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from redline.bench.sample import Benchmark, DiagramSample
from redline.diagram.conditions import Condition, Input, Told, told
from redline.judge import JudgeInputs, Rubric

MODEL_ROLE = "model"
VERBALIZER_ROLE = "verbalizer"


Level = Literal["image", "code"]


def verdict_key(row: str, judge: Mapping[str, Any], level: Level, repeat: int) -> str:
    """The key of a verdict: row, judge, rubric, judge inputs and repeat. `judge` is an entry of
    run.json (`Judging.entry`)."""
    name, rubric_hash = judge[f"{level}_rubric"]
    asked = f"{judge['judge']}/{name}:{rubric_hash[:12]}/{judge['inputs']}/{judge['settings'][:8]}"
    return f"{row}@{asked}/{repeat}"


@dataclass(frozen=True)
class Judging:
    """A judge and how it is asked. `judge` is its name and its role; `settings` a digest of its
    sampling settings. All of it is part of each verdict's identity."""

    judge: str
    image: Rubric
    code: Rubric
    inputs: JudgeInputs
    repeats: int = 1
    settings: str = ""
    levels: tuple[Level, ...] = ("image", "code")

    def rubric(self, level: Level) -> Rubric:
        return self.image if level == "image" else self.code

    def entry(self) -> dict[str, Any]:
        """This judge as run.json lists it."""
        return {
            "judge": self.judge,
            "settings": self.settings,
            "image_rubric": [self.image.name, self.image.hash],
            "code_rubric": [self.code.name, self.code.hash],
            "inputs": str(self.inputs),
            "repeats": self.repeats,
            "levels": list(self.levels),
        }


@dataclass(frozen=True)
class DiagramTask:
    """A diagram run. `candidate` is the model's name; `want` what it answers with; `settings` and
    `verbalizer_settings` are digests of sampling settings; `input_size` the side in pixels of the
    square that every picture is letterboxed to."""

    benchmark: Benchmark[DiagramSample]
    candidate: str
    condition: Condition
    inputs: tuple[Input, ...]
    want: Literal["code", "picture"] = "code"
    epochs: int = 1
    seed: int = 0
    input_size: int = 1024
    settings: str = ""
    verbalizer: str = ""
    verbalizer_settings: str = ""

    @property
    def told(self) -> Told:
        """How the instruction reaches the model that edits."""
        return told(self.condition, self.inputs)

    def rows(self) -> Iterator[tuple[str, DiagramSample]]:
        """Every unit key `SAMPLE#EPOCH` with its sample."""
        for epoch in range(self.epochs):
            for sample in self.benchmark.samples:
                yield f"{sample.id}#{epoch}", sample
