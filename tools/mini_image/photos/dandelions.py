"""Dandelions against the evening sun: the colour of the largest, a flower in its place."""

from __future__ import annotations

import numpy as np

from tools.mini_image.edits import Picture, blurred, code, ellipse, laid, polygon, ramp, tinted
from tools.mini_image.noise import plane_noise
from tools.mini_image.photographs import photograph
from tools.mini_image.sample import Context, Edit

SIZE = (480, 270)
MIDDLE = (140.0, 88.0)


def pink(picture: Picture, colour: str = "#ff6fae") -> Picture:
    ball = ellipse(SIZE, (140, 85), (75, 65), feather=5)
    inside = ellipse(SIZE, (140, 86), (64, 54), feather=4)
    bright = ramp(picture.min(axis=2), 0.08, 0.28)
    return tinted(picture, colour, ball * np.maximum(inside, bright), bright=1.3)


def _petal(angle: float, near: float, far: float, wide: float) -> list[tuple[float, float]]:
    """A pointed petal from the middle outwards."""
    t = np.linspace(0, 1, 24)
    half = wide * np.sin(np.pi * t**0.75) ** 0.8
    r = near + (far - near) * t
    c, s = np.cos(angle), np.sin(angle)
    side = [
        (MIDDLE[0] + c * a - s * b, MIDDLE[1] + (s * a + c * b) * 0.94)
        for a, b in zip(r, half, strict=True)
    ]
    back = [
        (MIDDLE[0] + c * a + s * b, MIDDLE[1] + (s * a - c * b) * 0.94)
        for a, b in zip(r, half, strict=True)
    ]
    return [*side, *back[::-1]]


def sunflower(picture: Picture) -> Picture:
    """A sunflower in place of the largest dandelion's head."""
    height, width = picture.shape[:2]
    y, x = np.mgrid[:height, :width]
    dx, dy = x - MIDDLE[0], (y - MIDDLE[1]) / 0.94
    radius = np.hypot(dx, dy)
    glow = np.clip(0.9 + 0.28 * (dx * 0.55 - dy * 0.8) / 90, 0.35, 1.2)
    vein = plane_noise((height, width), 5.0, 3, 4)
    chance = np.random.default_rng(5)
    for ring, (count, far, wide, dark) in enumerate(
        ((19, 99, 11.5, 0.62), (19, 93, 12, 0.82), (17, 84, 11.5, 1.0))
    ):
        for k in range(count):
            angle = 2 * np.pi * (k + 0.5 * ring) / count + chance.uniform(-0.07, 0.07)
            shape = polygon(
                SIZE, _petal(angle, 14, far * chance.uniform(0.93, 1.03), wide), feather=0.5
            )
            edge = polygon(SIZE, _petal(angle, 10, far * 0.98, wide * 0.62), feather=3)
            tone = code("#f2a90f") * (1 - edge[..., None]) + code("#ffd23a") * edge[..., None]
            tone = (
                tone * (dark * glow * (0.86 + 0.28 * vein) * chance.uniform(0.92, 1.05))[..., None]
            )
            shadow = polygon(SIZE, _petal(angle, 14, far * 1.02, wide * 1.25), feather=2.5)
            picture = laid(picture, picture * 0.62, shadow * (radius < 82) * 0.8)
            picture = laid(picture, np.clip(tone, 0, 1), shape)
    disc = ellipse(SIZE, MIDDLE, (39, 36.6), feather=1.2)
    picture = laid(picture, picture * 0.4, ellipse(SIZE, MIDDLE, (45, 42), feather=4) * 0.7)
    brown = code("#4a2a10") * (0.55 + 0.6 * np.clip(radius / 39, 0, 1))[..., None]
    picture = laid(picture, np.clip(brown * glow[..., None], 0, 1), disc)
    for k in range(420):
        r, a = 1.86 * np.sqrt(k), k * 2.39996
        px, py = MIDDLE[0] + r * np.cos(a), MIDDLE[1] + 0.94 * r * np.sin(a)
        tip = np.exp(-((x - px) ** 2 + (y - py + 0.3) ** 2) / 0.85)
        colour = code("#b9772a") if r > 26 else code("#7c4c1e") if r > 12 else code("#8f8a3a")
        picture = laid(picture, colour * float(glow[int(py), int(px)]), np.clip(tip, 0, 1) * 0.85)
    return picture


def softened(picture: Picture, source: Picture) -> Picture:
    """The flower as sharp as the photograph is."""
    return laid(
        source, blurred(picture, 0.5), (np.abs(picture - source).max(axis=2) > 0).astype(float)
    )


def context() -> Context:
    source = photograph("dandelions")
    return Context(
        "dandelions", source,
        Edit("low", "Make the large dandelion head in front pink.", pink(source), {
            "Is the large dandelion head in front pink?": "yes",
            "Are all the dandelion heads white?": "no",
        }),
        Edit("high", "Replace the large dandelion head in front with a sunflower.",
             softened(sunflower(source), source), {
            "Is there a yellow sunflower in front?": "yes",
            "Is the flower in front a white dandelion head?": "no",
            "Are there dandelion heads in the background?": "yes",
        }),
    )  # fmt: skip
