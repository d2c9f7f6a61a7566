"""The published evaluation and its correction, written out from the table of their differences
with nothing of the package: whole pictures through whole networks, one pair at a time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import uniform_filter
from torch import nn

from tools.golden import seeded

_HEADS = Path(__file__).parents[2] / "src/redline/image/perceptual/heads"


def squashed(path: Path, side: int, filter_: Image.Resampling) -> NDArray[np.uint8]:
    return np.asarray(Image.open(path).convert("RGB").resize((side, side), filter_))


def squashed_mask(path: Path, side: int) -> NDArray[np.bool_]:
    grey = Image.open(path).convert("L").resize((side, side), Image.Resampling.NEAREST)
    return np.asarray(grey) > 128


def psnr(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> float:
    return float(10 * np.log10(255**2 / ((one.astype(float) - other.astype(float)) ** 2).mean()))


def ssim(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> float:
    """Window 7, uniform, sample covariance, a channel at a time, data range 255."""
    channels = []
    for c in range(3):
        x, y = one[..., c].astype(float), other[..., c].astype(float)
        mx, my = uniform_filter(x, 7), uniform_filter(y, 7)
        n = 49 / 48
        vx = n * (uniform_filter(x * x, 7) - mx * mx)
        vy = n * (uniform_filter(y * y, 7) - my * my)
        vxy = n * (uniform_filter(x * y, 7) - mx * my)
        c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
        top = (2 * mx * my + c1) * (2 * vxy + c2)
        bottom = (mx * mx + my * my + c1) * (vx + vy + c2)
        channels.append((top / bottom)[3:-3, 3:-3].mean())
    return float(np.mean(channels))


class AlexLpips(nn.Module):
    """LPIPS on AlexNet as its article writes it down."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 64, 11, 4, 2), nn.ReLU(), nn.MaxPool2d(3, 2),
            nn.Conv2d(64, 192, 5, 1, 2), nn.ReLU(), nn.MaxPool2d(3, 2),
            nn.Conv2d(192, 384, 3, 1, 1), nn.ReLU(), nn.Conv2d(384, 256, 3, 1, 1), nn.ReLU(),
            nn.Conv2d(256, 256, 3, 1, 1), nn.ReLU(),
        )  # fmt: skip
        self.load_state_dict({k: torch.from_numpy(v) for k, v in seeded.trunk("alex").items()})
        heads = torch.load(_HEADS / "alex.pth", map_location="cpu", weights_only=True)
        self.heads = [heads[f"lin{i}.model.1.weight"][0] for i in range(5)]

    def taps(self, x: torch.Tensor) -> list[torch.Tensor]:
        mean = torch.tensor([-0.030, -0.088, -0.188])[:, None, None]
        deviation = torch.tensor([0.458, 0.448, 0.450])[:, None, None]
        x = (x - mean) / deviation
        found = []
        for i, layer in enumerate(self.features):
            x = layer(x)
            if i in (1, 4, 7, 9, 11):
                found.append(x / (x.square().sum(0, keepdim=True).sqrt() + 1e-10))
        return found

    @torch.no_grad()
    def distance(self, one: torch.Tensor, other: torch.Tensor) -> float:
        """Of pictures 3 x height x width, as they go into the network's own normalisation."""
        pairs = zip(self.taps(one), self.taps(other), self.heads, strict=True)
        return sum(float(((a - b).square() * w).sum(0).mean()) for a, b, w in pairs)


def unit_range(picture: NDArray[np.uint8]) -> torch.Tensor:
    """0 to 1, 3 x height x width."""
    return torch.from_numpy(picture.copy()).permute(2, 0, 1).float() / 255


class ClipCosine:
    """The transformers package's own model and its Pillow image processor."""

    def __init__(self, folder: Path) -> None:
        from transformers import CLIPImageProcessorPil, CLIPModel

        self.model = CLIPModel.from_pretrained(folder).eval()
        self.processor = CLIPImageProcessorPil()

    @torch.no_grad()
    def embedding(self, picture: NDArray[np.uint8]) -> torch.Tensor:
        inputs = self.processor(images=Image.fromarray(picture), return_tensors="pt")
        return self.model.get_image_features(**inputs).pooler_output[0]

    def cosine(self, one: NDArray[np.uint8], other: NDArray[np.uint8]) -> float:
        a, b = self.embedding(one), self.embedding(other)
        return float(torch.nn.functional.cosine_similarity(a, b, dim=0))


def figures(
    gold: NDArray[np.uint8],
    candidate: NDArray[np.uint8],
    mask: NDArray[np.bool_],
    lpips: AlexLpips,
    clip: ClipCosine,
    upstream: bool,
) -> dict[str, float]:
    """Row by row of the table: `upstream` is its left column, else the right one."""
    found = {"PSNR": psnr(gold, candidate), "SSIM": ssim(gold, candidate)}
    a, b = unit_range(gold), unit_range(candidate)
    found["LPIPS_ALL"] = lpips.distance(2 * a - 1, 2 * b - 1)
    found["CLIP_ALL"] = clip.cosine(gold, candidate)
    for region, kept in (("FG", mask), ("BG", ~mask)):
        if upstream and not kept.any():
            # Empty region: LPIPS 0, CLIP 0, weight 0.
            found |= {f"LPIPS_{region}": 0.0, f"CLIP_{region}": 0.0}
            continue
        m = torch.from_numpy(kept).float()
        if upstream:
            # Image in [-1, 1] times mask, then normalised again: masked pixels are -1.
            x, y = (2 * ((2 * v - 1) * m) - 1 for v in (a, b))
        else:
            # Black in [0, 1], normalised once.
            x, y = (2 * (v * m) - 1 for v in (a, b))
        found[f"LPIPS_{region}"] = lpips.distance(x, y)
        black = [p * kept[..., None].astype(np.uint8) for p in (gold, candidate)]
        if upstream and region == "BG":
            # Mask in an alpha channel that RGB conversion drops.
            found["CLIP_BG"] = clip.cosine(gold, candidate)
        else:
            found[f"CLIP_{region}"] = clip.cosine(*black)
    return found
