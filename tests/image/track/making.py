"""Photographs of a few pixels in dialogues, models that answer with pictures, stages run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redline.bench.image_sample import ImageSample, Question, Turn
from redline.bench.sample import Benchmark
from redline.image.task import ImageTask
from redline.models.protocol import PicturePart, Reply, Request, TextPart, Usage
from redline.pixels import encode_png
from redline.run import Role, RunFolder, Summary, execute
from redline.track import Done, Stage
from tests.run import toy

SIDE = 32


def picture(*squares: tuple[int, int, tuple[int, int, int]], side: int = SIDE) -> bytes:
    """A grey ramp with 8 x 8 squares of a colour at (row, column)."""
    ramp = np.linspace(40, 200, side, dtype=np.uint8)
    array = np.repeat(np.repeat(ramp[None, :, None], side, axis=0), 3, axis=2).copy()
    for y, x, colour in squares:
        array[y : y + 8, x : x + 8] = colour
    return encode_png(array)


def mask(y: int, x: int, side: int = SIDE) -> bytes:
    array = np.zeros((side, side), np.uint8)
    array[y : y + 8, x : x + 8] = 255
    return encode_png(array)


def array_of(data: bytes) -> NDArray[np.uint8]:
    from redline.pixels import load_picture

    return load_picture(data).array


RED, GREEN, BLUE = (250, 0, 0), (0, 250, 0), (0, 0, 250)
SQUARES = [(4, 4, RED), (4, 20, GREEN), (20, 4, BLUE), (20, 20, RED)]
"""What each round of a dialogue adds."""


def asks(round_: int) -> tuple[Question, ...]:
    return (Question(f"Is square {round_} there?", "Yes"),)


def dialogue(
    folder: Path,
    id_: str = "d",
    rounds: Sequence[int] = (1, 2, 3),
    *,
    drawn: Sequence[int] = (),
    goldless: Sequence[int] = (),
    scales: str = "lh",
    questions: Callable[[int], tuple[Question, ...]] | None = None,
    **more: Any,
) -> ImageSample:
    """A dialogue whose round n adds the n-th of SQUARES; `rounds` are those that are there."""
    folder.mkdir(parents=True, exist_ok=True)

    def kept(name: str, data: bytes) -> Path:
        path = folder / f"{id_}-{name}.png"
        path.write_bytes(data)
        return path

    turns = []
    for r in rounds:
        y, x, _ = SQUARES[r - 1]
        overlay = np.zeros((SIDE, SIDE, 4), np.uint8)
        overlay[y : y + 2, x : x + 2] = (255, 0, 255, 255)
        turns.append(
            Turn(
                r,
                f"Add square {r}.",
                scale={"l": "low", "h": "high", "-": None}[scales[(r - 1) % len(scales)]],  # type: ignore[arg-type]
                overlay=kept(f"overlay{r}", encode_png(overlay)) if r in drawn else None,
                gold=None if r in goldless else kept(f"gold{r}", picture(*SQUARES[:r])),
                mask=kept(f"mask{r}", mask(y, x)),
                questions=questions(r)
                if questions
                else (Question(f"Is square {r} there?", "Yes"),),
            )
        )
    fields: dict[str, Any] = {"origin": "set", "source_id": f"source-{id_}", **more}
    return ImageSample(id_, kept("picture", picture()), tuple(turns), **fields)


def single(folder: Path, id_: str = "s", **more: Any) -> ImageSample:
    return dialogue(folder, id_, (1,), **more)


def benchmark(*samples: ImageSample) -> Benchmark[ImageSample]:
    return Benchmark("b", "1", "image", "CC0-1.0", Path("b"), samples, "h" * 64)


def task(*samples: ImageSample, candidate: str = "toy/m", **options: Any) -> ImageTask:
    fields: dict[str, Any] = {"mode": "cumulative", **options}
    return ImageTask(benchmark(*samples), candidate, **fields)


def words(request: Request) -> str:
    """The last text of a request."""
    return [p.text for m in request.messages for p in m.parts if isinstance(p, TextPart)][-1]


def seen(request: Request) -> list[bytes]:
    """The pictures of a request."""
    return [p.data for m in request.messages for p in m.parts if isinstance(p, PicturePart)]


def give(data: bytes, **more: Any) -> Reply:
    return Reply("", more.pop("finish", "stop"), pictures=(data,), usage=Usage(1, 1), **more)


def say(text: str, finish: Any = "stop") -> Reply:
    return Reply(text, finish, raw=text.encode(), usage=Usage(1, 1))


Answer = Callable[[Request], Reply]


class Model:
    """A model in this process that keeps what it was asked."""

    name = "toy/m"

    def __init__(self, answer: Answer) -> None:
        self.asked: list[Request] = []
        self._answer = answer

    async def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        return self._answer(request)

    async def close(self) -> None: ...


def adds_squares(request: Request) -> Reply:
    """A perfect editor: adds the square that the instruction numbers to the picture it is shown."""
    y, x, colour = SQUARES[int(words(request).split("square ")[1][0]) - 1]
    array = array_of(seen(request)[0]).copy()
    array[y : y + 8, x : x + 8] = colour
    return give(encode_png(array))


def carry_out(path: Path, stages: Sequence[Stage], model: Any = None, judge: Any = None) -> Summary:
    """Run stages on a folder; the judge's role is `toy/judge`."""
    model = model or Model(adds_squares)
    with RunFolder.create_or_open(path, toy.manifest()) as folder:
        roles = {"model": Role(model, toy.CARD), "toy/judge": Role(judge or model, toy.CARD)}
        return asyncio.run(execute(folder, stages, roles, toy.FAST))


def kept(path: Path, stage: str, key: str) -> Done | None:
    with RunFolder.open(path) as folder:
        return folder.get(stage, key)


def found(path: Path, stage: str, key: str) -> Done:
    record = kept(path, stage, key)
    assert record is not None, f"{stage} has no {key}"
    return record
