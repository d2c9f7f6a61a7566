"""The benchmark folder of mini-image: lines and pictures from samples.toml."""

from __future__ import annotations

import io
import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tools.mini_image.originals import sources
from tools.mini_image.overlays import overlay
from tools.mini_image.states import SCENES, Pixels, edited, retouched, scene

SAMPLES = Path(__file__).with_name("samples.toml")

BENCHMARK = """\
name = "mini-image"
version = "1"
track = "image"
licence = "CC0-1.0; photographs CC0-1.0 or public domain, as each line says"
description = "12 pictures, each edited at low and at high scale, and 4 dialogues: photographs in the public domain and scenes made by code. For trying things out, not for ranking."
"""


def samples() -> list[dict[str, Any]]:
    """The samples as samples.toml has them."""
    told: list[dict[str, Any]] = tomllib.loads(SAMPLES.read_text("utf-8"))["sample"]
    return told


def build(folder: Path, photographs: Mapping[str, Pixels]) -> list[str]:
    """Makes every file in `folder` and returns their paths there. `photographs` has the pictures
    that no code can make, by name. A file whose pixels are right is left as it is, so that another
    version of an encoder changes nothing."""
    made: list[str] = ["benchmark.toml", "samples.jsonl"]
    lines = []
    for sample in samples():
        line, files = build_sample(sample, photographs)
        lines.append(line)
        for name, pixels in files.items():
            _write(folder / name, pixels)
            made.append(name)
    (folder / "benchmark.toml").write_text(BENCHMARK, "utf-8")
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (folder / "samples.jsonl").write_text(text, "utf-8")
    return made


def build_sample(
    sample: Mapping[str, Any], photographs: Mapping[str, Pixels]
) -> tuple[dict[str, Any], dict[str, Pixels]]:
    """The line of a sample and the pixels of the files it names."""
    name, identity = sample["picture"], sample["id"]
    settings: dict[str, Any] = {}

    def state() -> Pixels:
        if name in SCENES:
            return scene(name, settings)
        return retouched(name, photographs[name], settings)

    picture = f"pictures/{name}.webp"
    start = state()
    files: dict[str, Pixels] = {picture: start}
    turns: list[dict[str, Any]] = []
    single = len(sample["turn"]) == 1
    gap = False
    for number, told in enumerate(sample["turn"], start=1):
        settings.update(told["set"])
        gold, mask = edited(start, state())
        if told.get("filtered"):
            start, gap = gold, True
            continue
        stem = identity if single else f"{identity}.{number}"
        turn = {"round": number, "scale": told["scale"], "instruction": told["instruction"]}
        if gap:
            turn["start"] = f"starts/{stem}.webp"
            files[turn["start"]] = start
            gap = False
        if marks := told.get("overlay"):
            turn["overlay"] = f"overlays/{stem}.png"
            files[turn["overlay"]] = overlay(marks, gold.shape[1], gold.shape[0])
        turn["gold"], turn["mask"] = f"golds/{stem}.webp", f"masks/{stem}.png"
        files[turn["gold"]], files[turn["mask"]] = gold, mask
        turn["questions"] = [{"question": q, "answer": a} for q, a, _ in told["questions"]]
        turns.append(turn)
        start = gold
    line = {"id": identity, "picture": picture, "context": name, "source_id": name, "turns": turns}
    return line | _origin(name), files


def _origin(name: str) -> dict[str, str]:
    if name in SCENES:
        return {"origin": "made by code for this project", "licence": "CC0-1.0"}
    source = sources()[name]
    return {
        "origin": f"photograph by {source['author']}, from {source['file']} of {source['package']}; "
        "edits made by code for this project",
        "licence": f"photograph {source['licence']}, edits CC0-1.0",
    }


def _write(path: Path, pixels: NDArray[np.uint8]) -> None:
    if path.exists() and np.array_equal(stored(path), pixels):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    out = io.BytesIO()
    image = Image.fromarray(pixels)
    if path.suffix == ".webp":
        image.save(out, "WEBP", lossless=True, quality=100, method=6)
    else:
        image.save(out, "PNG", optimize=True)
    path.write_bytes(out.getvalue())


def stored(path: Path) -> Pixels:
    """The pixels of a file of the benchmark, as they are stored."""
    with Image.open(path) as image:
        return np.asarray(image)
