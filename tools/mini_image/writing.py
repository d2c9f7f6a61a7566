"""Contexts as a benchmark folder: pictures, golds, masks and overlays as files, samples as lines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from tools.mini_image.edits import Rgb8, changed, packed, replaced
from tools.mini_image.photographs import SOURCES
from tools.mini_image.sample import Context, Edit

TOML = """\
name = "mini-image"
version = "1"
track = "image"
licence = "CC0-1.0"
description = "24 single edits and 4 dialogues on seven free photographs and five drawn scenes, made for this project. For trying things out, not for ranking."
citation = "mini-image, bundled with Redline"
"""


def write_context(context: Context, folder: Path) -> list[dict[str, Any]]:
    """Writes the pictures, golds, masks and overlays of a context; gives its lines."""
    for name in ("pictures", "golds", "masks", "overlays"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    name, picture = context.name, f"pictures/{context.name}.webp"
    source = packed(context.source)
    save_picture(source, folder / picture)
    lines = []
    for edit in (context.low, context.high):
        turn, _ = _turn(edit, f"{name}-{edit.scale}", source, context.least, folder)
        lines.append(_line(f"{name}-{edit.scale}", context, picture, [turn]))
    if context.dialogue:
        rounds = _rounds(context, source, folder)
        lines.append(_line(f"{name}-dialogue", context, picture, rounds))
    return lines


def write_lines(lines: Sequence[dict[str, Any]], folder: Path) -> None:
    """Writes samples.jsonl, single turns before dialogues, and benchmark.toml. Lines that are in
    the folder and were not made anew stay, in their place."""
    path = folder / "samples.jsonl"
    old = path.read_text("utf-8").splitlines() if path.exists() else []
    merged = {line["id"]: line for line in map(json.loads, old)}
    merged.update({line["id"]: line for line in lines})
    ordered = sorted(merged.values(), key=lambda line: len(line["turns"]) > 1)
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in ordered)
    path.write_text(text, encoding="utf-8")
    (folder / "benchmark.toml").write_text(TOML, encoding="utf-8")


def _rounds(context: Context, source: Rgb8, folder: Path) -> list[dict[str, Any]]:
    """The turns of a dialogue; a round that was filtered out leaves a gap, and its picture is
    where the next one starts."""
    turns, now, start = [], source, None
    for edit in context.dialogue:
        name = f"{context.name}-{edit.round}"
        if edit.dropped:
            _, now = _edited(now, edit, context.least)
            start = f"pictures/{name}.webp"
            save_picture(now, folder / start)
            continue
        turn, now = _turn(edit, name, now, context.least, folder)
        turns.append(turn if start is None else {**turn, "start": start})
        start = None
    return turns


def _line(id: str, context: Context, picture: str, turns: list[dict[str, Any]]) -> dict[str, Any]:
    photo = SOURCES.get(context.name)
    origin = (
        f"{photo['title']}, {photo['author']}; {photo['package']}"
        if photo
        else "drawn for this project"
    )
    licence = photo["licence"] if photo else "CC0-1.0"
    # Low and high share a context; a dialogue has the picture, and so the source, in common only.
    shared = {"context": context.name} if len(turns) == 1 else {}
    return {"id": id, "origin": origin, "source_id": context.name, "licence": licence,
            "picture": picture, **shared, "turns": turns}  # fmt: skip


def _edited(before: Rgb8, edit: Edit, least: int) -> tuple[np.ndarray[Any, Any], Rgb8]:
    """The mask of an edit and its gold, which is the picture before it outside of the mask."""
    if edit.core is not None:
        return replaced(before, edit.gold, edit.core)
    after = packed(edit.gold)
    mask = changed(before, after, least)
    return mask, np.where(mask[..., None], after, before)


def _turn(
    edit: Edit, name: str, before: Rgb8, least: int, folder: Path
) -> tuple[dict[str, Any], Rgb8]:
    mask, gold = _edited(before, edit, least)
    save_picture(gold, folder / "golds" / f"{name}.webp")
    Image.fromarray((mask * 255).astype(np.uint8)).save(
        folder / "masks" / f"{name}.png", optimize=True
    )
    turn: dict[str, Any] = {
        "round": edit.round,
        "scale": edit.scale,
        "instruction": edit.instruction,
    }
    if edit.overlay is not None:
        turn["overlay"] = f"overlays/{name}.png"
        rgba = np.round(edit.overlay * 255).astype(np.uint8)
        Image.fromarray(rgba).save(folder / turn["overlay"], optimize=True)
    turn |= {"gold": f"golds/{name}.webp", "mask": f"masks/{name}.png"}
    turn["questions"] = [{"question": q, "answer": a} for q, a in edit.questions.items()]
    return turn, gold


def save_picture(picture: Rgb8, path: Path) -> None:
    Image.fromarray(picture).save(path, lossless=True, quality=100, method=6, exact=True)
