"""A raccoon among leaves: the season of the leaves, the raccoon's nose."""

from __future__ import annotations

import numpy as np

from tools.mini_image import solids as s
from tools.mini_image.cutting import cutout, spot
from tools.mini_image.edits import Picture, blurred, ellipse, laid, polygon, ramp
from tools.mini_image.photographs import photograph
from tools.mini_image.sample import Context, Edit
from tools.mini_image.solids import Floats
from tools.mini_image.tracing import Light, Material, Thing, srgb

SIZE = (448, 336)


def autumn(picture: Picture) -> Picture:
    """Green leaves turned red: their green light becomes red, their yellow stays warm."""
    r, g, b = picture[..., 0], picture[..., 1], picture[..., 2]
    warm = (np.maximum(r, g) - b) / np.maximum(np.maximum(r, g), 0.02)
    green = ramp(warm, 0.04, 0.16) * ramp(g / np.maximum(r, 0.02), 0.86, 0.96)
    fur = polygon(SIZE, [(0, 0), (0, 122), (60, 160), (145, 190), (190, 205), (205, 250), (240, 285), (270, 255),
                         (332, 246), (326, 227), (310, 233), (288, 230), (299, 203), (330, 180), (372, 160), (400, 130), (396, 96),
                         (415, 40), (372, 40), (370, 0)], feather=2)  # fmt: skip
    blade = polygon(SIZE, [(138, 204), (185, 180), (240, 172), (330, 172), (330, 184), (240, 184), (190, 194),
                           (140, 216)], feather=2)  # fmt: skip
    leaves = green * np.clip(1 - fur + blade, 0, 1)
    red = np.stack([np.clip(g * 1.02, 0, 1), r * 0.4 + 0.1 * b, b * 0.4], -1)
    return laid(picture, red, leaves)


def _garden(rays: Floats) -> Floats:
    up = (0.5 + 0.5 * rays[:, 1:2]).astype(np.float32)
    pane = (rays[:, 1] > 0.55) & (np.abs(rays[:, 0] + 0.1) < 0.3)
    return np.float32([0.55, 0.6, 0.5]) * (0.3 + 0.8 * up) + pane[:, None] * np.float32(1.6)


def red_nose(picture: Picture) -> Picture:
    """A clown's ball in place of the raccoon's nose."""
    x, y, z = spot(SIZE, 272, 198)
    ball = Thing("nose", s.ball((x, y, z), 0.26), Material(srgb("#d8141b"), gloss=0.06, shine=0.5, sharpness=50),
                 (x, y, z), 0.3)  # fmt: skip
    lights = [Light((-0.2, 0.85, 0.6), (1.0, 1.0, 0.97), 1.5, width=0.3)]
    drawn, cover = cutout(SIZE, [ball], lights, _garden, ambient=0.55)
    shade = 0.6 * ellipse(SIZE, (273, 207), (25, 23), feather=4)
    picture = laid(picture, picture * 0.3, shade)
    return laid(picture, blurred(drawn, 0.5), cover)


def context() -> Context:
    source = photograph("raccoon")
    return Context(
        "raccoon", source,
        Edit("low", "Make the green leaves autumn red.", autumn(source), {
            "Are the leaves red?": "yes",
            "Are most of the leaves green?": "no",
        }),
        Edit("high", "Replace the raccoon's nose with a red clown nose.", red_nose(source), {
            "Does the raccoon have a round red clown nose?": "yes",
            "Is the raccoon's nose black?": "no",
            "Are the leaves green?": "yes",
        }),
    )  # fmt: skip
