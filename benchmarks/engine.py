"""What the engine costs: a run against a bare loop with the openai SDK, same requests, same server.

Every sample asks three times in a row, each time with two pictures; 64 connections; the server
answers after 50 ms from a process of its own. Ours keeps every reply durably, renders nothing.
Run: python -m benchmarks.engine --json [--samples 700] [--rounds 1]
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

CONNECTIONS = 64
LATENCY_S = 0.05
PICTURE_BYTES = 200_000
PICTURE_PAIRS = 16
STEPS = ("verbalize", "edit", "repair")
PROMPT = "Edit the diagram as the instruction picture says. Step: "


def pictures(folder: Path, sample: int) -> tuple[bytes, bytes]:
    pair = sample % PICTURE_PAIRS
    return (folder / f"{pair}-a.png").read_bytes(), (folder / f"{pair}-b.png").read_bytes()


async def ours(folder: Path, port: int, samples: int) -> float:
    """The engine with our provider, into a fresh run folder."""
    from redline.models import Message, PicturePart, Request, Settings, TextPart, open_model
    from redline.models.protocol import ModelCard
    from redline.run import Manifest, Options, Role, RunFolder, execute
    from redline.track import Context, Finder, Finished, Unit

    class Generate:
        name = "generate"

        def units(self, done: Finder) -> Iterable[Unit]:
            return [Unit(f"s{n}#0", "1", n) for n in range(samples)]

        async def run(self, unit: Unit, context: Context) -> Finished:
            original, instruction = pictures(folder, unit.payload)
            text = ""
            for step in STEPS:
                parts = (
                    TextPart(f"{PROMPT}{step} {unit.key}"),
                    PicturePart(original, "original"),
                    PicturePart(instruction, "instruction"),
                )
                reply = await context.call("model", step, Request((Message("user", parts),)))
                text = reply.text
            return Finished("ok", value={"characters": len(text)})

    name = f"http://127.0.0.1:{port}/v1#fake-1"
    model = open_model(name, Settings(temperature=0.0))
    card = ModelCard(name, "fake", "fake", input_per_mtok=0.0, output_per_mtok=0.0)
    manifest = Manifest("engine", "0", "0", samples, "fake-1")
    started = time.perf_counter()
    with RunFolder.create_or_open(folder / f"run-{time.time_ns()}", manifest) as run:
        options = Options(connections=CONNECTIONS)
        summary = await execute(run, [Generate()], {"model": Role(model, card)}, options)
    seconds = time.perf_counter() - started
    await model.close()
    if summary.exit_status or summary.calls_sent != samples * len(STEPS):
        raise SystemExit(f"the run went wrong: {summary.sentence()} {summary.stopped}")
    return seconds


async def peer(folder: Path, port: int, samples: int) -> float:
    """A bare loop: AsyncOpenAI, a semaphore, nothing kept."""
    import openai

    client = openai.AsyncOpenAI(
        base_url=f"http://127.0.0.1:{port}/v1", api_key="none", max_retries=0
    )
    turn = asyncio.Semaphore(CONNECTIONS)

    def url(picture: bytes) -> str:
        return "data:image/png;base64," + base64.b64encode(picture).decode()

    async def one(n: int) -> int:
        original, instruction = pictures(folder, n)
        text = ""
        for step in STEPS:
            async with turn:
                content: list[Any] = [
                    {"type": "text", "text": f"{PROMPT}{step} s{n}#0"},
                    {"type": "image_url", "image_url": {"url": url(original)}},
                    {"type": "image_url", "image_url": {"url": url(instruction)}},
                ]
                answer = await client.chat.completions.create(
                    model="fake-1",
                    messages=[{"role": "user", "content": content}],
                    temperature=0.0,
                )
                text = answer.choices[0].message.content or ""
        return len(text)

    started = time.perf_counter()
    await asyncio.gather(*(one(n) for n in range(samples)))
    seconds = time.perf_counter() - started
    await client.close()
    return seconds


def arm(name: str, folder: Path, port: int, samples: int) -> dict[str, float]:
    """Run one arm in a process of its own: seconds of the work, peak memory of the process."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "benchmarks.engine"),
            *("--arm", name, str(folder), str(port), "--samples", str(samples)),
        ],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    answer: dict[str, float] = json.loads(done.stdout)
    return answer


def measure(samples: int, rounds: int) -> dict[str, Any]:
    draw = random.Random(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for pair in range(PICTURE_PAIRS):
            for side in "ab":
                (folder / f"{pair}-{side}.png").write_bytes(draw.randbytes(PICTURE_BYTES))
        server = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.chat_server", str(LATENCY_S)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert server.stdout is not None
        port = int(server.stdout.readline())
        try:
            runs = [
                (arm("peer", folder, port, samples), arm("ours", folder, port, samples))
                for _ in range(rounds)
            ]
        finally:
            server.kill()
            server.wait()
            server.stdout.close()
    ours_s = statistics.median(o["seconds"] for _, o in runs)
    peer_s = statistics.median(p["seconds"] for p, _ in runs)
    return {
        "samples": samples,
        "calls": samples * len(STEPS),
        "connections": CONNECTIONS,
        "latency_ms": LATENCY_S * 1000,
        "rounds": rounds,
        "ours_seconds": round(ours_s, 3),
        "openai_sdk_seconds": round(peer_s, 3),
        "ratio_ours_vs_openai_sdk": round(ours_s / peer_s, 3),
        "ours_peak_rss_mb": round(max(o["rss_mb"] for _, o in runs), 1),
        "openai_sdk_peak_rss_mb": round(max(p["rss_mb"] for p, _ in runs), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=700)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--arm", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.arm:
        name, folder, port = given.arm
        work = {"ours": ours, "peer": peer}[name]
        seconds = asyncio.run(work(Path(folder), int(port), given.samples))
        rss_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({"seconds": seconds, "rss_mb": rss_mb}))
        return
    result = measure(given.samples, given.rounds)
    if given.json:
        print(json.dumps(result))
    else:
        for name, value in result.items():
            print(f"{name:>26} {value}")


if __name__ == "__main__":
    main()
