"""Documents a second: the usual route, one plain pass, and Redline's renderer in its sandbox.

    python -m benchmarks.tex_render --json [--documents N] [--folder DIR] [--workers N]

All three do the same documents in the same run with the same number of workers, each from source to
a picture with a long side of 1,024 px. The usual route is latexmk, pdfCropMargins called in the
process, pdf2image (as in DeTikZify). The plain one is a single pdflatex pass and pdfium: no
sandbox, no limits, no second pass. Redline runs with its render cache off; fonts that are drawn or
prepared once stay prepared for all three, because a first round that isn't counted warms all.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

from redline.tex import Renderer, choose_engine, tex_version

LONG_SIDE = 1024
BUNDLED = Path(__file__).parents[1] / "src" / "redline" / "mini" / "diagram" / "code"


def usual(path: str) -> bool:
    """latexmk, crop, pdf2image; whether a picture came out."""
    from pdf2image import convert_from_path
    from pdfCropMargins import crop

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "doc.tex")
        source.write_bytes(Path(path).read_bytes())
        subprocess.run(
            ["latexmk", "-pdf", "-interaction=nonstopmode", "-f", "doc.tex"],
            cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=120,
        )  # fmt: skip
        pdf = source.with_suffix(".pdf")
        if not pdf.exists():
            return False
        out = pdf.with_name("cropped.pdf")
        with open(os.devnull, "w") as null:  # noqa: PTH123
            saved, sys.stdout = sys.stdout, null
            try:
                crop(["-p", "0", "-o", str(out), str(pdf)])
            finally:
                sys.stdout = saved
        pages = convert_from_path(out, size=LONG_SIDE, single_file=True)
        pages[0].save(Path(folder, "doc.png"))
        return True


def plain(path: str) -> bool:
    """One pdflatex pass and pdfium; whether a picture came out."""
    import pypdfium2

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "doc.tex")
        source.write_bytes(Path(path).read_bytes())
        subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "doc.tex"],
            cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=120,
        )  # fmt: skip
        pdf = source.with_suffix(".pdf")
        if not pdf.exists():
            return False
        page = pypdfium2.PdfDocument(pdf)[0]
        image = page.render(scale=LONG_SIDE / max(page.get_size())).to_pil()
        image.save(Path(folder, "doc.png"))
        return True


def measure(
    do: Callable[[str], bool], paths: Sequence[str], pool: Executor, rounds: int
) -> tuple[float, int]:
    """Documents a second, best of `rounds` after one that warms up; and how many gave a picture."""
    best, pictures = 0.0, 0
    for k in range(rounds + 1):
        begun = time.perf_counter()
        pictures = sum(pool.map(do, paths))
        if k:
            best = max(best, len(paths) / (time.perf_counter() - begun))
    return best, pictures


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    ask.add_argument("--json", action="store_true", help="print one JSON object")
    ask.add_argument("--documents", type=int, default=16)
    ask.add_argument("--folder", type=Path, default=BUNDLED)
    ask.add_argument("--workers", type=int, default=2)
    ask.add_argument("--rounds", type=int, default=2)
    options = ask.parse_args()
    # Only what plain pdflatex can do, for all three alike; spread over the whole folder.
    found = sorted(p for p in options.folder.glob("*.tex") if "gold" not in p.name)
    found = [p for p in found if choose_engine(p.read_text("utf-8", "replace")) == "pdflatex"]
    step = max(1, len(found) // options.documents)
    paths = [str(p) for p in found[::step][: options.documents]]
    if not paths:
        sys.exit(f"There is no document for pdflatex in {options.folder}.")

    with ProcessPoolExecutor(options.workers) as pool:
        latexmk, latexmk_pictures = measure(usual, paths, pool, options.rounds)
    with ProcessPoolExecutor(options.workers) as pool:
        one_pass, one_pass_pictures = measure(plain, paths, pool, options.rounds)
    with (
        tempfile.TemporaryDirectory() as folder,
        Renderer(cache_dir=Path(folder), reuse=False) as renderer,
        ThreadPoolExecutor(options.workers) as threads,
    ):
        ours, our_pictures = measure(
            lambda path: renderer.render(Path(path).read_text("utf-8", "replace")).png is not None,
            paths, threads, options.rounds,
        )  # fmt: skip

    result = {
        "benchmark": "tex_render",
        "documents": len(paths),
        "workers": options.workers,
        "rounds": options.rounds,
        "cpus": os.cpu_count(),
        "tex": tex_version(),
        "docs_per_s_latexmk": round(latexmk, 3),
        "docs_per_s_plain": round(one_pass, 3),
        "docs_per_s_ours": round(ours, 3),
        "pictures_latexmk": latexmk_pictures,
        "pictures_plain": one_pass_pictures,
        "pictures_ours": our_pictures,
        "ratio_ours_vs_latexmk": round(ours / latexmk, 3),
        "ratio_ours_vs_plain": round(ours / one_pass, 3),
    }
    if options.json:
        print(json.dumps(result, indent=2))
    else:
        for name, value in result.items():
            print(f"{name:24} {value}")


if __name__ == "__main__":
    main()
