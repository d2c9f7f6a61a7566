"""What a diagram run asks: all options that decide it, and how they enter digests."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from redline.bench.sample import Benchmark, DiagramSample
from redline.diagram.conditions import Condition, Input
from redline.judge import JudgeInputs, Rubric

MODEL_ROLE = "model"
VERBALIZER_ROLE = "verbalizer"


def digest(*parts: Any) -> str:
    """SHA-256 over JSON-able parts."""
    text = json.dumps(parts, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


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

    def rubric(self, level: Literal["image", "code"]) -> Rubric:
        return self.image if level == "image" else self.code

    def key(self, unit_key: str, level: Literal["image", "code"], repeat: int) -> str:
        """The verdict's key: sample, judge, rubric, judge inputs and repeat."""
        rubric = self.rubric(level)
        seen = f"/{self.inputs}" if level == "image" else ""
        return f"{unit_key}@{self.judge}/{rubric.name}:{rubric.hash[:12]}{seen}/{repeat}"


@dataclass(frozen=True)
class DiagramTask:
    """A diagram run. `candidate` is the model's name; `want` what it answers with; `settings` and
    `verbalizer_settings` are digests of sampling settings; `input_size` the side in pixels of the
    square that every picture is letterboxed to."""

    benchmark: Benchmark
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

    def rows(self) -> Iterator[tuple[str, DiagramSample]]:
        """Every unit key `SAMPLE#EPOCH` with its sample."""
        for epoch in range(self.epochs):
            for sample in self.benchmark.samples:
                yield f"{sample.id}#{epoch}", sample
