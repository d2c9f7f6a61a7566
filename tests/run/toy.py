"""A toy track with two or three calls a unit, and models to run it with."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from redline.models import open_model
from redline.models.protocol import (
    Message,
    ModelCard,
    ProviderError,
    Reply,
    Request,
    Settings,
    TextPart,
    Usage,
)
from redline.run import Manifest, Options, Role, RunFolder, Summary, execute
from redline.track import Context, Finder, Finished, Stage, Unit

CARD = ModelCard("toy/m", "toy", "toy", input_per_mtok=1.0, output_per_mtok=2.0)
UNPRICED = ModelCard("toy/m", "toy", "toy")


def ask(text: str) -> Request:
    return Request((Message("user", (TextPart(text),)),))


def manifest(**changes: Any) -> Manifest:
    fields: dict[str, Any] = {
        "benchmark": "toy",
        "benchmark_hash": "b" * 64,
        "sample_set_hash": "s" * 64,
        "samples": 3,
        "model": "toy/m",
        "settings": {"temperature": 0.0},
        "prompts": {"edit": "p" * 64},
        "params": {"condition": "text"},
        **changes,
    }
    return Manifest(**fields)


class Generate:
    """Each unit asks twice: "verbalize", then "edit" with what it got."""

    name = "generate"

    def __init__(self, keys: Sequence[str], inputs: str = "1") -> None:
        self.keys = keys
        self.inputs = inputs

    def units(self, done: Finder) -> Iterable[Unit]:
        return [Unit(key, self.inputs) for key in self.keys]

    async def run(self, unit: Unit, context: Context) -> Finished:
        words = await context.call("model", "verbalize", ask(f"verbalize {unit.key}"))
        edit = await context.call("model", "edit", ask(f"edit {unit.key}: {words.text}"))
        if edit.finish == "content_filter":
            return Finished("unscored", "content_filter")
        return Finished("ok", value={"text": edit.text}, blobs={"code": edit.text.encode()})


class Judge:
    """Each unit asks for a verdict, and once more where it is malformed."""

    name = "judge"

    def units(self, done: Finder) -> Iterable[Unit]:
        return [
            Unit(f"{d.key}@judge", d.blobs["code"], d.blobs["code"])
            for d in done.all("generate")
            if d.status == "ok"
        ]

    async def run(self, unit: Unit, context: Context) -> Finished:
        code = (await context.in_thread(context.blob, unit.payload)).decode()
        reply = await context.call("judge", "verdict", ask(f"verdict {unit.key} on {code}"))
        if "malformed" in reply.text:
            reply = await context.call("judge", "repair", ask(f"repair {unit.key}: {reply.text}"))
        return Finished("ok", value={"verdict": reply.text})


Answer = Callable[[str, int], Reply | ProviderError]


def say(text: str, **more: Any) -> Reply:
    return Reply(text, "stop", raw=json.dumps(text).encode(), usage=Usage(100, 50), **more)


class Scripted:
    """A model in this process: `answer(prompt, how often that was asked before)` says what."""

    def __init__(self, answer: Answer | None = None, name: str = "toy/m") -> None:
        self.name = name
        self.asked: list[str] = []
        self.most_at_once = 0
        self._now = 0
        self._answer = answer or (lambda prompt, n: say(f"re: {prompt}"))

    async def complete(self, request: Request) -> Reply:
        part = request.messages[0].parts[0]
        assert isinstance(part, TextPart)
        before = self.asked.count(part.text)
        self.asked.append(part.text)
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        try:
            await asyncio.sleep(0.002)
        finally:
            self._now -= 1
        answer = self._answer(part.text, before)
        if isinstance(answer, ProviderError):
            raise answer
        return answer

    async def close(self) -> None: ...


FAST = Options(connections=4, backoff_s=0.001, backoff_cap_s=0.01, workers=2)


def run(
    path: Path,
    stages: Sequence[Any],
    model: Any,
    options: Options = FAST,
    card: ModelCard = CARD,
) -> Summary:
    """Open the folder, run the stages with one model in every role, close it."""
    with RunFolder.create_or_open(path, manifest()) as folder:
        roles = {"model": Role(model, card), "judge": Role(model, card)}
        return asyncio.run(execute(folder, stages, roles, options))


async def _main(path: Path, name: str, samples: int) -> int:
    model = open_model(name, Settings())
    with RunFolder.create_or_open(path, manifest()) as folder:
        print("ready", flush=True)
        roles = {"model": Role(model, CARD), "judge": Role(model, CARD)}
        stages: list[Stage] = [Generate([f"s{i}#0" for i in range(samples)]), Judge()]
        summary = await execute(folder, stages, roles, FAST)
    await model.close()
    print(summary.sentence(), flush=True)
    return summary.exit_status


if __name__ == "__main__":
    sys.exit(asyncio.run(_main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))))
