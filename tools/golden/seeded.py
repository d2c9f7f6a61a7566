"""Weights and pictures made of a seed, the same on every machine: for tests and benchmarks only.

NumPy's RandomState is frozen for ever, so values can be committed that were made with it. Random
trunks are no LPIPS: they show that two programs compute the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]

# name: channels in, channels out, kernel, as in torchvision's models.
_FIRES = (
    (3, 64, 16, 64), (4, 128, 16, 64), (6, 128, 32, 128), (7, 256, 32, 128),
    (9, 256, 48, 192), (10, 384, 48, 192), (11, 384, 64, 256), (12, 512, 64, 256),
)  # fmt: skip
CONVOLUTIONS: dict[str, dict[str, tuple[int, int, int]]] = {
    "alex": {
        "features.0": (3, 64, 11),
        "features.3": (64, 192, 5),
        "features.6": (192, 384, 3),
        "features.8": (384, 256, 3),
        "features.10": (256, 256, 3),
    },
    "vgg": {
        f"features.{i}": (a, b, 3)
        for i, a, b in (
            (0, 3, 64), (2, 64, 64), (5, 64, 128), (7, 128, 128), (10, 128, 256), (12, 256, 256),
            (14, 256, 256), (17, 256, 512), (19, 512, 512), (21, 512, 512), (24, 512, 512),
            (26, 512, 512), (28, 512, 512),
        )
    },
    "squeeze": {"features.0": (3, 64, 3)}
    | {f"features.{i}.squeeze": (a, s, 1) for i, a, s, _ in _FIRES}
    | {f"features.{i}.expand1x1": (s, e, 1) for i, _, s, e in _FIRES}
    | {f"features.{i}.expand3x3": (s, e, 3) for i, _, s, e in _FIRES},
}  # fmt: skip


def trunk(name: str, seed: int = 0) -> dict[str, Array]:
    """A state dict of `alex`, `vgg` or `squeeze`: normal weights of He's deviation, small biases,
    so that features neither die nor explode."""
    random = np.random.RandomState(seed)
    state: dict[str, Array] = {}
    for layer, (into, out, kernel) in CONVOLUTIONS[name].items():
        deviation = np.sqrt(2 / (into * kernel * kernel))
        weight = random.standard_normal((out, into, kernel, kernel)) * deviation
        state[f"{layer}.weight"] = weight.astype(np.float32)
        state[f"{layer}.bias"] = (random.standard_normal(out) * 0.05).astype(np.float32)
    return state


def picture(seed: int, height: int, width: int) -> NDArray[np.uint8]:
    """A picture with large shapes, fine grain and flat parts: height x width x 3, uint8."""
    random = np.random.RandomState(seed)
    y, x = np.mgrid[0:height, 0:width]
    waves = sum(
        np.sin((x * fx + y * fy) * 6.283 / max(height, width) + phase)[..., None] * colour
        for fx, fy, phase, colour in zip(
            random.uniform(-4, 4, 5), random.uniform(-4, 4, 5), random.uniform(0, 6, 5),
            random.uniform(10, 40, (5, 3)), strict=True,
        )
    )  # fmt: skip
    grain = random.uniform(-12, 12, (height, width, 3)) * ((x // 16 + y // 16) % 2)[..., None]
    return np.clip(128 + waves + grain, 0, 255).astype(np.uint8)


def edited(base: NDArray[np.uint8], seed: int) -> NDArray[np.uint8]:
    """The picture with a coloured disc somewhere and a little noise everywhere."""
    random = np.random.RandomState(seed)
    height, width = base.shape[:2]
    y, x = np.mgrid[0:height, 0:width]
    cy, cx = random.uniform(0.3, 0.7) * height, random.uniform(0.3, 0.7) * width
    disc = (y - cy) ** 2 + (x - cx) ** 2 < (0.15 * min(height, width)) ** 2
    noisy = base + random.uniform(-6, 6, base.shape)
    noisy[disc] = random.uniform(0, 255, 3)
    return np.clip(noisy, 0, 255).astype(np.uint8)


def mask(height: int, width: int) -> NDArray[np.bool_]:
    """An ellipse off the middle: height x width, bool."""
    y, x = np.mgrid[0:height, 0:width]
    inside: NDArray[np.bool_] = (
        ((y - 0.55 * height) / (0.25 * height)) ** 2 + ((x - 0.4 * width) / (0.2 * width)) ** 2
    ) < 1
    return inside
