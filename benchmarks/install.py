"""How heavy Redline is: the start of its command line and the size of a fresh default install."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def _fastest(command: list[str], rounds: int = 7) -> float:
    best = float("inf")
    for _ in range(rounds):
        begun = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        best = min(best, time.perf_counter() - begun)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object (always does)")
    parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"

        def size() -> int:
            return sum(f.stat().st_size for f in Path(folder).rglob("*") if f.is_file())

        empty = size()
        subprocess.run([python, "-m", "pip", "install", "-q", str(ROOT)], check=True)
        full = size()
        bare = _fastest([str(python), "-c", "pass"])
        start = _fastest([str(Path(folder) / "bin" / "redline"), "--help"])
    print(
        json.dumps(
            {
                "python": sys.version.split()[0],
                "help_s": round(start, 3),
                "bare_python_s": round(bare, 3),
                "ratio_help_to_bare_python": round(start / bare, 2),
                "install_mb": round((full - empty) / 1e6, 1),
                "venv_mb": round(full / 1e6, 1),
                "limits": {"help_s": 0.3, "venv_mb": 350},
            }
        )
    )


if __name__ == "__main__":
    main()
