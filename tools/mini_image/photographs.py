"""The photographs of mini-image: found by their hash, made small, kept in the benchmark.

`python -m tools.mini_image.photographs FOLDER` makes them anew from the originals named in
sources.toml, which FOLDER must hold under their own names. It needs doing only where one is added.
"""

from __future__ import annotations

import bz2
import hashlib
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from tools.mini_image.edits import Picture, packed

HERE = Path(__file__).resolve().parent
BENCH = HERE.parents[1] / "src" / "redline" / "mini" / "image"
SOURCES: dict[str, dict[str, Any]] = tomllib.loads((HERE / "sources.toml").read_text("utf-8"))


def photograph(name: str) -> Picture:
    """A photograph of the benchmark, height x width x 3 in 0 to 1."""
    with Image.open(BENCH / "pictures" / f"{name}.webp") as image:
        return np.asarray(image.convert("RGB"), np.float64) / 255


def small(name: str, originals: Path) -> Image.Image:
    """The original, cropped and made small as sources.toml says. Raises ValueError where the file
    is another than the one whose licence was looked at."""
    source = SOURCES[name]
    data = (originals / source["file"]).read_bytes()
    if hashlib.sha256(data).hexdigest() != source["sha256"]:
        raise ValueError(f"{source['file']} is not the file that sources.toml names")
    if source["file"].endswith(".dat"):
        raw = np.frombuffer(bz2.decompress(data), np.uint8)
        image = Image.fromarray(raw.reshape(768, 1024, 3))
    else:
        image = Image.open(originals / source["file"]).convert("RGB")
    if "crop" in source:
        image = image.crop(tuple(source["crop"]))
    image.thumbnail((source["long_side"],) * 2, Image.Resampling.LANCZOS)
    return Image.fromarray(packed(np.asarray(image, np.float64) / 255))


def main(originals: Path) -> None:
    folder = BENCH / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    for name in SOURCES:
        image = small(name, originals)
        image.save(folder / f"{name}.webp", lossless=True, quality=100, method=6, exact=True)
        print(name, image.size)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
