"""Makes the bundled benchmark mini-image: `python -m tools.mini_image [--out FOLDER]`.

With `--only` the lines of other contexts stay as they are in the folder.

Needs numpy and Pillow. Running it twice gives the same bytes. The photographs are taken from the
benchmark as they are; tools/mini_image/photographs.py makes those.
"""

from __future__ import annotations

import argparse
import importlib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from tools.mini_image.photographs import BENCH
from tools.mini_image.sample import Context
from tools.mini_image.writing import write_context, write_lines

CONTEXTS = ("photos.coffee", "photos.astronaut", "photos.cat", "photos.rocket", "photos.galaxies",
            "photos.raccoon", "photos.dandelions", "scenes.fruit_table", "scenes.desk", "scenes.room",
            "scenes.street", "scenes.beach")  # fmt: skip


def made(module: str, folder: Path) -> list[dict[str, Any]]:
    """Makes a context, writes its files and gives its lines."""
    context = importlib.import_module(f"tools.mini_image.{module}").context()
    assert isinstance(context, Context)
    return write_context(context, folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=BENCH)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", nargs="*", default=CONTEXTS, metavar="CONTEXT", choices=CONTEXTS)
    chosen = parser.parse_args()
    with ProcessPoolExecutor(chosen.processes) as pool:
        lines = list(pool.map(made, chosen.only, [chosen.out] * len(chosen.only)))
    write_lines([line for context in lines for line in context], chosen.out)
    files = [f for f in chosen.out.rglob("*") if f.is_file()]
    print(
        f"{len(lines)} contexts, {sum(f.stat().st_size for f in files) / 1e6:.1f} MB in {chosen.out}"
    )


if __name__ == "__main__":
    main()
