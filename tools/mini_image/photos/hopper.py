"""Portrait of an officer before a blue backdrop, a flag behind her."""

from __future__ import annotations

import numpy as np

from tools.mini_image.painter import Canvas, box, linear, mix, polygon
from tools.mini_image.retouch import (
    Photo,
    blended,
    canvas_of,
    cover_of,
    near_hue,
    photo_of,
    ramp,
    recoloured,
    saturation,
)  # fmt: skip


def hopper(photo: Photo, backdrop: str = "", behind: str = "") -> Photo:
    """`backdrop`: its colour; `behind`: bookcase, in place of the flag."""
    if backdrop:
        region = polygon([(183, -2), (405, -2), (405, 372), (370, 330), (330, 300), (280, 280), (255, 262),
                          (250, 150), (270, 90), (230, 50), (200, 30), (184, 26)])  # fmt: skip
        light = photo.astype(np.float32).max(axis=2)
        blue = near_hue(photo, 215, 50) * ramp(saturation(photo), 0.1, 0.22) * ramp(light, 45, 80)
        photo = recoloured(photo, cover_of(region, photo, 0.6) * blue, backdrop)
    if behind == "bookcase":
        region = polygon([(-4, -4), (181, -4), (184, 18), (172, 27), (160, 36), (142, 52), (136, 66), (124, 76),
                          (119, 96), (120, 134), (121, 152), (124, 176), (127, 196), (122, 214), (134, 226),
                          (152, 233), (158, 246), (152, 262), (138, 269), (107, 279), (78, 289), (58, 297),
                          (47, 303), (38, 315), (30, 342), (25, 370), (24, 405), (-4, 405)])  # fmt: skip
        canvas = canvas_of(photo)
        _bookcase(canvas)
        shelves = photo_of(canvas).astype(np.float32)
        photo = blended(photo, shelves, cover_of(region, photo, 0.7))
    return photo


def _bookcase(c: Canvas) -> None:
    c.fill(box(-4, -4, 183, 404), "#2a1a10")
    rng = np.random.default_rng(65)
    colours = (
        "#7a2f2a",
        "#2f4a6a",
        "#3f5f3f",
        "#b08a3c",
        "#5a3a5a",
        "#8a5a34",
        "#c9b98f",
        "#2f6068",
        "#933f3a",
    )
    for row, top in enumerate((-62, 46, 154, 262)):
        shelf = top + 98
        x = -6.0
        while x < 176:
            width, height = rng.uniform(9, 19), rng.uniform(66, 88)
            colour = colours[int(rng.integers(len(colours)))]
            book = box(x, shelf - height, min(x + width, 176), shelf, 1)
            c.fill(book, linear((x, 0), (x + width, 0), mix(colour, "#000000", 0.3), mix(colour, "#ffffff", 0.12),
                                mix(colour, "#000000", 0.35)))  # fmt: skip
            if rng.uniform() < 0.7:
                for y in (0.16, 0.8):
                    band = box(
                        x + 1, shelf - height * (1 - y), x + width - 1, shelf - height * (1 - y) + 3
                    )
                    c.fill(band.within(book), "#d9bb6a", 0.8)
            x += width + 0.8
        c.shadow(box(-4, top - 2, 183, top + 4), 0, 6, 5, 0.5)
        board = box(-4, shelf, 183, shelf + 9)
        c.solid(board, linear((0, shelf), (0, shelf + 9), "#8a5a34", "#5f3a20"), 1.5, 0.3)
        c.texture(board, 66 + row, (24, 1), 0.2)
    side = box(175, -4, 184, 404)
    c.solid(side, linear((175, 0), (184, 0), "#8a5a34", "#5a3720"), 1.5, 0.3)
    c.texture(side, 71, (1, 24), 0.2)
