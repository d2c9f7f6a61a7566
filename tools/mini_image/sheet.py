"""Contact sheets for a look at every edit: `python -m tools.mini_image.sheet OUT [ID...]`.

A row is a turn: the picture before it (with its drawing), the gold, and the gold with all but the
mask darkened.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from redline.bench import load
from redline.bench.image_sample import ImageSample
from redline.pixels import composite, load_picture, load_rgba, read_mask
from tools.mini_image.photographs import BENCH


def sheet(sample: ImageSample) -> Image.Image:
    rows = []
    for turn in sample.turns:
        start = sample.start_of(turn)
        assert start is not None and turn.gold is not None and turn.mask is not None
        before, gold = load_picture(start).array, load_picture(turn.gold).array
        if turn.overlay is not None:
            before = composite(before, load_rgba(turn.overlay))
        inside = read_mask(turn.mask).array
        shown = np.where(inside[..., None], gold, gold // 5)
        row = Image.fromarray(np.hstack([before, gold, shown]))
        words = "   ".join(f"{q.question} {q.answer}." for q in turn.questions)
        page = Image.new("RGB", (row.width, row.height + 34), "white")
        page.paste(row, (0, 34))
        draw = ImageDraw.Draw(page)
        draw.text(
            (4, 3), f"{sample.id} #{turn.round} {turn.scale}: {turn.instruction}", fill="black"
        )
        draw.text((4, 18), words, fill="black")
        rows.append(np.asarray(page))
    return Image.fromarray(np.vstack(rows))


def main(out: Path, wanted: list[str]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for sample in load(BENCH).samples:
        if isinstance(sample, ImageSample) and (not wanted or sample.id in wanted):
            sheet(sample).save(out / f"{sample.id}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
