"""Draws the instructions of a benchmark in Excalidraw: `python tools/drawing/draw.py BENCH`.

Reads specs/ID.json beside this file and BENCH/pictures/ID.png, writes BENCH/drawings/ID.overlay.png
(transparent), ID.instruction.png (overlay on picture) and ID.excalidraw (scene without files).
Needs Node 20 and Chromium; the page is built on first use. No pixel outside of the drawing changes.
"""

from __future__ import annotations

import argparse
import base64
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import marks
from PIL import Image

from redline.pixels import composite, encode_png, load_picture, load_rgba

HERE = Path(__file__).resolve().parent
PAGE = HERE / "page"
SITE = PAGE / "node_modules" / ".site"


def built() -> Path:
    """The built page; made when the page is newer."""
    if not (PAGE / "node_modules" / "vite").exists():
        subprocess.run(["npm", "ci"], cwd=PAGE, check=True)
    newest = max(f.stat().st_mtime for f in [PAGE / "src" / "page.js", PAGE / "index.html"])
    if not (SITE / "index.html").exists() or (SITE / "index.html").stat().st_mtime < newest:
        env = {**os.environ, "DRAWING_OUT": str(SITE)}
        subprocess.run(["npm", "run", "build", "--silent"], cwd=PAGE, check=True, env=env)
    return SITE


def drawn(jobs: list[dict[str, object]], chromium: str) -> Iterator[dict[str, str]]:
    """What the page answers, job by job."""
    lines = "".join(json.dumps(j) + "\n" for j in jobs)
    command = ["node", str(PAGE / "draw.mjs"), str(built()), chromium]
    done = subprocess.run(command, input=lines, stdout=subprocess.PIPE, text=True, check=True)
    for line in done.stdout.splitlines():
        yield json.loads(line)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bench", type=Path)
    parser.add_argument("--only", nargs="*", default=[], metavar="ID")
    parser.add_argument("--chromium", default=shutil.which("chromium") or "chromium")
    chosen = parser.parse_args()
    specs = {
        p.stem: json.loads(p.read_text("utf-8")) for p in sorted((HERE / "specs").glob("*.json"))
    }
    jobs: list[dict[str, object]] = []
    for name, spec in specs.items():
        if chosen.only and name not in chosen.only:
            continue
        picture = (chosen.bench / "pictures" / f"{name}.png").read_bytes()
        with Image.open(io.BytesIO(picture)) as opened:
            width, height = opened.size
        url = "data:image/png;base64," + base64.b64encode(picture).decode()
        jobs.append({"id": name, "elements": marks.elements(spec), "picture": url,
                     "width": width, "height": height})  # fmt: skip
    out = chosen.bench / "drawings"
    out.mkdir(exist_ok=True)
    for answer in drawn(jobs, chosen.chromium):
        name = answer["id"]
        overlay = base64.b64decode(answer["overlay"])
        picture = load_picture(chosen.bench / "pictures" / f"{name}.png")
        laid = composite(picture.array, load_rgba(overlay))
        (out / f"{name}.overlay.png").write_bytes(overlay)
        (out / f"{name}.instruction.png").write_bytes(encode_png(laid))
        (out / f"{name}.excalidraw").write_text(answer["scene"] + "\n", encoding="utf-8")
    print(f"{len(jobs)} instructions drawn into {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
