"""Picture measures of 8 models on one gold against the usual script, and the memory of many rows.

Both sides have the same seeded weights, files and torch, one thread each, one after the other.
The peers get an environment of their own (torch for the processor, about 1 GB; --peers keeps it).
The figures at the top are those of the trunk where we gain least.
Run: python -m benchmarks.image_measures --json [--trunks alex,vgg] [--rows 10000]
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
import venv
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from tools.golden import seeded

ROOT = Path(__file__).resolve().parents[1]
MODELS = 8
SIZE = (683, 1024)
TORCH = "torch==2.13.0"


def peers_python(folder: Path) -> Path:
    """The interpreter of the peers' environment, which is made where it isn't there."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        pip = [python, "-m", "pip", "install", "-q"]
        subprocess.run([*pip, TORCH], check=True, stdout=sys.stderr)
        packages = ["transformers", "scikit-image", "pillow", "tqdm", TORCH]
        subprocess.run([*pip, *packages], check=True, stdout=sys.stderr)
        # Without what they ask for: they would take another torch.
        subprocess.run(
            [*pip, "--no-deps", "torchvision==0.28.0", "lpips==0.1.4"],
            check=True,
            stdout=sys.stderr,
        )
    return python


def prepare(folder: Path, trunks: list[str]) -> None:
    """Pictures, mask and weights of CLIP's real size, all from seeds."""
    import torch
    from transformers import CLIPConfig, CLIPModel

    from redline.image.perceptual.weights import TRUNKS

    gold = seeded.picture(1, *SIZE)
    Image.fromarray(gold).save(folder / "gold.png")
    for i in range(MODELS):
        Image.fromarray(seeded.edited(gold, 10 + i)).save(folder / f"candidate{i}.png")
    Image.fromarray(seeded.mask(*SIZE).astype(np.uint8) * 255).save(folder / "mask.png")
    weights = folder / "weights"
    weights.mkdir()
    for trunk in trunks:
        state = {k: torch.from_numpy(v) for k, v in seeded.trunk(trunk).items()}
        torch.save(state, weights / TRUNKS[trunk])
    torch.manual_seed(0)
    # The defaults of CLIPConfig are ViT-B/32's.
    CLIPModel(CLIPConfig()).save_pretrained(weights / "clip-vit-base-patch32")


def ours(folder: Path, trunk: str, dtype: Any) -> dict[str, Any]:
    """What the peer script does, by `Measurer`: run in a fresh process."""
    from redline.image.measuring import Measurer
    from redline.image.profiles import CORRECTED

    measurer = Measurer(CORRECTED, weights_dir=folder / "weights", trunk=trunk, dtype=dtype)
    candidates = sorted(folder.glob("candidate*.png"))
    wall, cpu = time.perf_counter(), time.process_time()
    rows = measurer.measure_rows(None, folder / "gold.png", folder / "mask.png", candidates)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return {"s": wall, "cpu_s": cpu, "rows": [dict(r.metrics) for r in rows]}  # type: ignore[union-attr]


def stream(folder: Path, rows: int) -> dict[str, Any]:
    """Many rows of small pictures through a pool: run in a fresh process, whose memory counts."""
    from redline.image.pool import Job, Pool
    from redline.image.profiles import CORRECTED

    pictures = folder / "small"
    pictures.mkdir()
    gold = seeded.picture(1, 64, 64)
    Image.fromarray(seeded.mask(64, 64).astype(np.uint8) * 255).save(pictures / "mask.png")
    Image.fromarray(gold).save(pictures / "gold.png")
    for i in range(10):
        Image.fromarray(seeded.edited(gold, i)).save(pictures / f"{i}.png")
    jobs = (
        Job(pictures / "gold.png", (pictures / f"{i % 10}.png",), pictures / "mask.png")
        for i in range(rows)
    )
    names = ["PSNR", "SSIM", "LPIPS_ALL", "LPIPS_FG", "LPIPS_BG"]
    options = {"measures": names, "weights_dir": folder / "weights", "trunk": "alex"}
    begun = time.perf_counter()
    with Pool(2, replace(CORRECTED, side=64), **options) as pool:
        total = sum(len(figures[0].metrics) for figures in pool.measure(jobs))  # type: ignore[union-attr]
    assert total == rows * len(names)
    return {
        "rows": rows,
        "s": round(time.perf_counter() - begun, 1),
        "parent_peak_mb": round(peak_mb()),
        "worker_peak_mb": round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024),
    }


def peak_mb() -> float:
    """This process's own peak. Not getrusage's, which begins with that of the process that
    started this one."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def run(python: Path | str, *arguments: str) -> dict[str, Any]:
    done = subprocess.run(
        [str(python), "-W", "ignore", "-m", *arguments],
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def largest_differences(one: dict[str, Any], other: dict[str, Any]) -> dict[str, float]:
    return {
        name: max(abs(a[name] - b[name]) for a, b in zip(one["rows"], other["rows"], strict=True))
        for name in one["rows"][0]
    }


def compare(folder: Path, python: Path, trunk: str, rounds: int) -> dict[str, Any]:
    me = "benchmarks.image_measures"
    peer, mine, quick = [], [], []
    for _ in range(rounds):
        peer.append(run(python, "benchmarks.image_peer", str(folder), trunk))
        mine.append(run(sys.executable, me, "--ours", str(folder), trunk, "fp32"))
        if bf16():
            quick.append(run(sys.executable, me, "--ours", str(folder), trunk, "bf16"))
    fastest = [min(runs, key=lambda r: r["cpu_s"]) for runs in (peer, mine)]
    found = {
        "peer_s": round(fastest[0]["s"], 2),
        "ours_s": round(fastest[1]["s"], 2),
        "peer_cpu_s": round(fastest[0]["cpu_s"], 2),
        "ours_cpu_s": round(fastest[1]["cpu_s"], 2),
        "ratio_speed": round(fastest[0]["s"] / fastest[1]["s"], 2),
        "ratio_speed_cpu": round(fastest[0]["cpu_s"] / fastest[1]["cpu_s"], 2),
        "differences": largest_differences(*fastest),
    }
    if quick:
        best = min(quick, key=lambda r: r["cpu_s"])
        found["bf16_s"] = round(best["s"], 2)
        found["ratio_bf16_to_fp32_cpu"] = round(fastest[1]["cpu_s"] / best["cpu_s"], 2)
        found["bf16_differences"] = largest_differences(fastest[1], best)
    return found


def bf16() -> bool:
    import torch

    from redline.errors import UserError
    from redline.image.networks import _torch_dtype

    try:
        return _torch_dtype("bf16") is torch.bfloat16
    except UserError:
        return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object (always does)")
    parser.add_argument("--trunks", default="alex,vgg", help="of alex, vgg, squeeze")
    parser.add_argument("--rounds", type=int, default=3, help="of alex; the others have one")
    parser.add_argument("--rows", type=int, default=10_000, help="rows for the memory; 0: none")
    parser.add_argument("--peers", type=Path, help="keep the peers' environment in this folder")
    parser.add_argument("--ours", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--stream", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.ours:
        folder, trunk, dtype = options.ours
        print(json.dumps(ours(Path(folder), trunk, dtype)))
        return
    if options.stream:
        print(json.dumps(stream(Path(options.stream[0]), int(options.stream[1]))))
        return
    trunks = options.trunks.split(",")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        python = peers_python(options.peers or folder / "peers")
        prepare(folder, sorted({*trunks, "alex"}))
        by_trunk = {
            t: compare(folder, python, t, options.rounds if t == "alex" else 1) for t in trunks
        }
        result: dict[str, Any] = {
            "models": MODELS,
            "picture": f"{SIZE[1]}x{SIZE[0]}",
            "foreground_box": 0.2,
        }
        result |= min(by_trunk.values(), key=lambda found: found["ratio_speed"])
        for trunk, found in by_trunk.items():
            result[f"ratio_speed_{trunk}"] = found["ratio_speed"]
            result[f"ratio_speed_cpu_{trunk}"] = found["ratio_speed_cpu"]
        result["max_abs_diff"] = max(max(f["differences"].values()) for f in by_trunk.values())
        result["by_trunk"] = by_trunk
        if options.rows:
            me = "benchmarks.image_measures"
            result["memory"] = run(sys.executable, me, "--stream", temporary, str(options.rows))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
