"""A cat's face: the colour of its eyes, what is behind it."""

from __future__ import annotations

import numpy as np

from tools.mini_image.edits import Picture, blurred, code, ellipse, laid, polygon, ramp, tinted
from tools.mini_image.noise import plane_noise
from tools.mini_image.photographs import photograph
from tools.mini_image.sample import Context, Edit

SIZE = (451, 300)


def eyes(picture: Picture, colour: str) -> Picture:
    r, g, b = picture[..., 0], picture[..., 1], picture[..., 2]
    iris = ramp((g - b) / np.maximum(g, 0.02), 0.1, 0.2) * ramp(g / np.maximum(r, 0.02), 0.72, 0.84)
    left = ellipse(SIZE, (170, 116), (34, 30), 12, feather=1)
    right = ellipse(SIZE, (318, 136), (23, 28), -14, feather=1)
    both = np.clip(left + right, 0, 1) * iris * ramp(g, 0.16, 0.3)
    return tinted(picture, colour, both, bright=1.75)


def bookshelf(picture: Picture) -> Picture:
    """Shelves of books, out of focus, behind the cat on the right."""
    height, width = picture.shape[:2]
    shelf = np.broadcast_to(code("#2b1c12"), picture.shape).copy()
    chance = np.random.default_rng(11)
    spines = [
        "#8e2f2a",
        "#2f5d7a",
        "#c9a24b",
        "#3e6b46",
        "#d8cdb8",
        "#6a3f63",
        "#b5643a",
        "#27455e",
    ]
    for top, bottom in ((-30, 84), (98, 196), (210, 320)):
        x = 290.0
        while x < width:
            wide = chance.uniform(13, 24)
            high = top + chance.uniform(6, 28)
            colour = code(spines[chance.integers(len(spines))])
            y0, x0, x1 = max(int(high), 0), int(x), min(int(x + wide) - 1, width)
            across = np.linspace(-1, 1, max(x1 - x0, 1))[:, None]
            shelf[y0 : max(bottom, 0), x0:x1] = (
                colour * (1 - 0.35 * across**2) * chance.uniform(0.8, 1.1)
            )
            if chance.random() < 0.6:
                band = y0 + 12
                shelf[band : band + 5, x0:x1] = code("#e2cf9a")
            x += wide
        shelf[max(bottom, 0) : bottom + 14] = code("#7a5534")
    shelf = blurred(np.clip(shelf * 0.85, 0, 1), 3.2)
    grain = plane_noise((height, width), 2.0, 2, 3)[..., None] - 0.5
    shelf = np.clip(shelf + 0.025 * grain, 0, 1)
    behind = polygon(SIZE, [(401, -5), (396, 12), (384, 34), (368, 58), (357, 76), (357, 92), (363, 112),
                            (362, 128), (356, 148), (346, 168), (334, 184), (324, 198), (316, 214), (311, 236),
                            (310, 262), (304, 282), (298, 305), (460, 305), (460, -5)], feather=2.2)  # fmt: skip
    return laid(picture, shelf, behind)


def context() -> Context:
    source = photograph("cat")
    return Context(
        "cat", source,
        Edit("low", "Make the cat's eyes blue.", eyes(source, "#4f9df2"), {
            "Are the cat's eyes blue?": "yes",
            "Are the cat's eyes green?": "no",
        }),
        Edit("high", "Replace the blanket behind the cat, on the right, with a bookshelf.", bookshelf(source), {
            "Is there a bookshelf behind the cat on the right?": "yes",
            "Are the cat's eyes blue?": "no",
        }),
    )  # fmt: skip
