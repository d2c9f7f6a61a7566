"""A picture of runs: original, instruction, gold and each run's candidate, sample by sample."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from redline.bench import Benchmark, DiagramSample, find, load, of_track
from redline.cli.reading_runs import RunView
from redline.run import RunFolder

CELL = (300, 230)
GAP = 10
HEAD = 26


def write_contact_sheet(path: Path, views: Sequence[RunView], rows: int = 6) -> Path:
    """Write a PNG of up to `rows` samples, spread over edit types; columns as in the module's
    first line. What a run has no picture of stays an empty cell that says why."""
    benchmark = of_track(load(find(views[0].manifest.benchmark.rpartition(" ")[0])), "diagram")
    folders = [RunFolder.open(v.path) for v in views]
    chosen = _spread([r.sample.id for r in views[0].rows], benchmark, rows)
    columns = ["original", "instruction", "gold", *(v.manifest.model for v in views)]
    width = GAP + len(columns) * (CELL[0] + GAP)
    sheet = Image.new("RGB", (width, HEAD + GAP + len(chosen) * (CELL[1] + HEAD)), "white")
    draw = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(15)
    for c, name in enumerate(columns):
        draw.text((GAP + c * (CELL[0] + GAP), 6), name, fill="black", font=font)
    samples = {s.id: s for s in benchmark.samples}
    for r, sample_id in enumerate(chosen):
        top = HEAD + r * (CELL[1] + HEAD)
        sample = samples[sample_id]
        render = folders[0].get("render", f"{sample_id}#0")
        cells: list[bytes | str] = ["not rendered", "no drawing", "not rendered"]
        if render is not None:
            for c, name in ((0, "original"), (2, "gold")):
                if name in render.blobs:
                    cells[c] = folders[0].blob(render.blobs[name])
        if sample.instruction_picture is not None:
            cells[1] = sample.instruction_picture.read_bytes()
        for folder in folders:
            done = folder.get("render", f"{sample_id}#0")
            if done is not None and "png" in done.blobs:
                cells.append(folder.blob(done.blobs["png"]))
            else:
                cells.append(str(done.reason if done is not None else "missing"))
        for c, cell in enumerate(cells):
            left = GAP + c * (CELL[0] + GAP)
            draw.rectangle((left - 1, top - 1, left + CELL[0], top + CELL[1]), outline="#cccccc")
            if isinstance(cell, str):
                draw.text((left + 8, top + 8), cell, fill="#888888", font=font)
                continue
            with Image.open(io.BytesIO(cell)) as picture:
                small = picture.convert("RGB")
            small.thumbnail(CELL, Image.Resampling.LANCZOS)
            x = left + (CELL[0] - small.width) // 2
            sheet.paste(small, (x, top + (CELL[1] - small.height) // 2))
    for folder in folders:
        folder.close()
    path.parent.mkdir(parents=True, exist_ok=True)
    sheet.save(path, optimize=True)
    return path


def _spread(ids: Sequence[str], benchmark: Benchmark[DiagramSample], rows: int) -> list[str]:
    """One sample of each edit type in turn, in file order."""
    by_type: dict[str, list[str]] = {}
    wanted = set(ids)
    for s in benchmark.samples:
        if s.id in wanted:
            by_type.setdefault(s.edit_type, []).append(s.id)
    chosen: list[str] = []
    while len(chosen) < rows and any(by_type.values()):
        for left in by_type.values():
            if left and len(chosen) < rows:
                chosen.append(left.pop(0))
    return chosen
