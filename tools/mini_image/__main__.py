"""Makes the bundled benchmark mini-image: `python -m tools.mini_image [--out FOLDER]`.

Needs numpy and Pillow. Running it twice gives the same bytes. The photographs are taken from the
benchmark as they are; tools/mini_image/photographs.py makes those.
"""

from __future__ import annotations

import argparse
import importlib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tools.mini_image.photographs import BENCH
from tools.mini_image.sample import Context
from tools.mini_image.writing import write

CONTEXTS = ("photos.coffee", "photos.astronaut", "photos.cat", "photos.rocket", "photos.galaxies",
            "photos.raccoon", "photos.dandelions", "scenes.fruit_table", "scenes.desk", "scenes.room",
            "scenes.street", "scenes.beach")  # fmt: skip


def made(module: str) -> Context:
    context = importlib.import_module(f"tools.mini_image.{module}").context()
    assert isinstance(context, Context)
    return context


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=BENCH)
    parser.add_argument("--processes", type=int, default=2)
    chosen = parser.parse_args()
    with ProcessPoolExecutor(chosen.processes) as pool:
        contexts = list(pool.map(made, CONTEXTS))
    write(contexts, chosen.out)
    files = [f for f in chosen.out.rglob("*") if f.is_file()]
    print(
        f"{len(contexts)} contexts, {sum(f.stat().st_size for f in files) / 1e6:.1f} MB in {chosen.out}"
    )


if __name__ == "__main__":
    main()
