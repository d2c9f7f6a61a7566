"""Samples, a renderer that does as told, and stages run on a run folder, for tests of the track."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from redline.bench.sample import Benchmark, DiagramSample
from redline.diagram import DiagramTask
from redline.pixels import encode_png
from redline.run import RunFolder, Summary
from redline.tex import Engine, Render, TexError, choose_engine
from redline.tex.result import ErrorClass
from redline.track import Done, Stage
from tests.run import toy

ORIGINAL, GOLD = "original\nb\nc\nd\n", "gold\nb\nC\nD\n"
SAMPLE = DiagramSample("s", "ADD", 1, ORIGINAL, (GOLD,), "Add a node.")
PNG = encode_png(np.full((8, 8, 3), 255, np.uint8))


def benchmark(*samples: DiagramSample) -> Benchmark:
    return Benchmark("b", "1", "diagram", "CC0-1.0", Path("b"), samples or (SAMPLE,), "h" * 64)


def task(*samples: DiagramSample, candidate: str = "toy/m", **options: Any) -> DiagramTask:
    fields: dict[str, Any] = {"condition": "text", "inputs": ("code", "picture"), **options}
    return DiagramTask(benchmark(*samples), candidate, **fields)


def page(code: str, engine: Engine = "pdflatex", png: bytes = PNG) -> Render:
    return Render("ok", engine, png=png, scale=1.0, log=code)


def fails(kind: ErrorClass, engine: Engine = "pdflatex", status: Any = "failed") -> Render:
    return Render(status, engine, TexError(kind, f"{kind} with {engine}"))


@dataclass
class FakeRenderer:
    """Draws as `draws(code, engine)` says; without an engine it takes the one the code asks for.
    `asked` are the codes and engines it was given."""

    draws: Callable[[str, Engine], Render] = page
    print: str = "one"
    asked: list[tuple[str, Engine | None]] = field(default_factory=list)

    def render(self, code: str, engine: Engine | None = None, scale: float | None = None) -> Render:
        self.asked.append((code, engine))
        return self.draws(code, engine or choose_engine(code))

    def fingerprint(self) -> str:
        return self.print


def carry_out(path: Path, stages: Sequence[Stage], model: Any = None) -> Summary:
    return toy.run(path, stages, model or toy.Scripted())


def kept(path: Path, stage: str, key: str = "s#0") -> Done:
    with RunFolder.open(path) as folder:
        found = folder.get(stage, key)
    assert found is not None
    return found
