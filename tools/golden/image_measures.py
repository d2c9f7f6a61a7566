"""Golden values of picture measures by the peers they must agree with: lpips and scikit-image.

    python -m venv /tmp/peers
    /tmp/peers/bin/pip install torch==2.13.0 scikit-image tqdm
    /tmp/peers/bin/pip install --no-deps torchvision==0.28.0 lpips
    /tmp/peers/bin/python -m tools.golden.image_measures > tests/image/golden.json

Pictures, masks and weights are those of `seeded`, so nothing but the values is kept.
"""

from __future__ import annotations

import importlib.metadata
import json

import torch
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

from tools.golden import peers, seeded

QUALITY = ((1, 96, 128), (2, 7, 7), (3, 41, 64), (4, 256, 200))
"""Seed, height and width of a picture; it is compared with its edit of seed + 10."""

DISTANCE = ((5, 96, 128), (6, 289, 61))
"""Likewise. The second is higher than the black picture that Redline takes a large one's cells
from, and no side is a multiple of 16."""


def quality(seed: int, height: int, width: int) -> dict[str, float]:
    gold = seeded.picture(seed, height, width)
    candidate = seeded.edited(gold, seed + 10)
    return {
        "PSNR": float(peak_signal_noise_ratio(gold, candidate)),
        "SSIM": float(structural_similarity(gold, candidate, channel_axis=-1)),
    }


def distances(trunk: str, seed: int, height: int, width: int) -> dict[str, float]:
    """`black`: masked pixels black; `twice`: masked at -1 to 1, then normalised once more."""
    model = peers.lpips_model(trunk, seeded.trunk(trunk))
    gold = peers.tensor(picture := seeded.picture(seed, height, width))
    candidate = peers.tensor(seeded.edited(picture, seed + 10))
    mask = torch.from_numpy(seeded.mask(height, width)).float()

    def value(one: torch.Tensor, other: torch.Tensor) -> float:
        with torch.no_grad():
            return float(model(one, other, normalize=True))

    found = {"ALL": value(gold, candidate)}
    for region, kept in (("FG", mask), ("BG", 1 - mask)):
        found[f"{region} black"] = value(gold * kept, candidate * kept)
        found[f"{region} twice"] = value((2 * gold - 1) * kept, (2 * candidate - 1) * kept)
    return found


def main() -> None:
    packages = ("lpips", "scikit-image", "torch", "torchvision", "numpy")
    golden = {
        "made by": "tools/golden/image_measures.py",
        "versions": {p: importlib.metadata.version(p) for p in packages},
        "quality": {" ".join(map(str, case)): quality(*case) for case in QUALITY},
        "lpips": {
            trunk: {" ".join(map(str, case)): distances(trunk, *case) for case in DISTANCE}
            for trunk in seeded.CONVOLUTIONS
        },
    }
    print(json.dumps(golden, indent=1))


if __name__ == "__main__":
    main()
