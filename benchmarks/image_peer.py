"""The usual script: one pair at a time by lpips, transformers' CLIP and scikit-image, all regions.

Runs in the peers' environment: python -m benchmarks.image_peer FOLDER TRUNK. Prints JSON.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

from tools.golden import peers, seeded

SIDE = (768, 768)


def load(path: Path) -> np.ndarray:
    return np.asarray(Image.open(path).convert("RGB").resize(SIDE, Image.Resampling.LANCZOS))


def pair(gold: Path, candidate: Path, mask: Path, lpips: Any, clip: Any) -> dict[str, float]:
    one, other = load(gold), load(candidate)
    grey = Image.open(mask).convert("L").resize(SIDE, Image.Resampling.NEAREST)
    foreground = np.asarray(grey) > 128
    found = {
        "PSNR": float(peak_signal_noise_ratio(one, other)),
        "SSIM": float(structural_similarity(one, other, channel_axis=-1)),
    }
    for region, kept in (("ALL", None), ("FG", foreground), ("BG", ~foreground)):
        a, b = (p if kept is None else p * kept[..., None] for p in (one, other))
        distance = lpips(peers.tensor(a), peers.tensor(b), normalize=True)
        found[f"LPIPS_{region}"] = float(distance)
        x, y = (embedding(clip, p) for p in (a, b))
        found[f"CLIP_{region}"] = float(torch.nn.functional.cosine_similarity(x, y))
    return found


def embedding(clip: tuple[Any, Any], picture: np.ndarray) -> torch.Tensor:
    model, processor = clip
    inputs = processor(images=Image.fromarray(picture), return_tensors="pt")
    return model.get_image_features(**inputs).pooler_output


def main() -> None:
    # After peers, which prepares torchvision.
    from transformers import CLIPImageProcessorPil, CLIPModel

    torch.set_num_threads(1)
    folder, trunk = Path(sys.argv[1]), sys.argv[2]
    lpips = peers.lpips_model(trunk, seeded.trunk(trunk))
    model = CLIPModel.from_pretrained(folder / "weights" / "clip-vit-base-patch32").eval()
    clip = (model, CLIPImageProcessorPil())
    candidates = sorted(folder.glob("candidate*.png"))
    with torch.inference_mode():
        wall, cpu = time.perf_counter(), time.process_time()
        rows = [pair(folder / "gold.png", c, folder / "mask.png", lpips, clip) for c in candidates]
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(json.dumps({"s": wall, "cpu_s": cpu, "rows": rows}))


if __name__ == "__main__":
    main()
