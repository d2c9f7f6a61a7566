"""A cup of espresso: its red glaze, what is in the cup."""

from __future__ import annotations

import numpy as np

from tools.mini_image import solids as s
from tools.mini_image.cutting import cutout, spot
from tools.mini_image.edits import Picture, blurred, dyed, ellipse, laid, polygon, ramp
from tools.mini_image.fruit import citrus
from tools.mini_image.noise import fractal, noise
from tools.mini_image.paints import mixed
from tools.mini_image.photographs import photograph
from tools.mini_image.sample import Context, Edit
from tools.mini_image.solids import Floats
from tools.mini_image.tracing import Light, Material, Thing, srgb

SIZE = (480, 320)
RIM = (234, 88), (79, 65.5), 5.0
"""The inner edge of the cup's rim: centre, radii, turn."""
LIGHTS = [Light((0.55, 0.75, 0.6), (1.0, 0.86, 0.68), 1.5, width=0.25),
          Light((-0.6, 0.3, 0.7), (1.0, 0.8, 0.6), 0.35, shadows=False)]  # fmt: skip


def _sky(rays: Floats) -> Floats:
    up = (0.5 + 0.5 * rays[:, 1:2]).astype(np.float32)
    return np.float32([0.75, 0.55, 0.4]) * (0.35 + 0.9 * up)


def _glaze(picture: Picture) -> np.ndarray:
    """The red glaze of cup and saucer, 0 to 1."""
    r, g = picture[..., 0], picture[..., 1]
    red = ramp((r - g) / np.maximum(r, 0.02), 0.45, 0.6) * ramp(r, 0.03, 0.07)
    dish = ellipse(SIZE, (222, 181), (163.8, 129.8), 3, feather=1.2)
    edge = ellipse(SIZE, (222, 181), (150, 118), 3, feather=4)
    # At the saucer's edge the glaze is hardly redder than the wood: take the whole edge there.
    rim = (1 - edge) * ramp((r - g) / np.maximum(r, 0.02), 0.36, 0.5)
    inside = ellipse(SIZE, (230, 88), (93, 76), 5)
    spoon = polygon(SIZE, [(316, 50), (342, 52), (334, 84), (318, 150), (312, 186), (326, 215), (322, 240),
                           (300, 262), (272, 258), (259, 234), (264, 208), (254, 204), (256, 193), (284, 190),
                           (304, 170)], feather=1)  # fmt: skip
    return dish * (1 - inside) * (1 - spoon) * np.maximum(red, rim)


def glazed(picture: Picture, colour: str) -> Picture:
    return dyed(picture, colour, _glaze(picture), bright=1.15)


def _scoop_paint(colour: str, bits: str):  # type: ignore[no-untyped-def]
    base, bit = srgb(colour), srgb(bits)

    def paint(p: Floats) -> Floats:
        spots = fractal(p * np.float32(9), 3, 6)
        return mixed(base, bit, np.clip((spots - 0.62) * 9, 0, 0.8))

    return paint


def _in_cup(picture: Picture, things: list[Thing], pool: str, deep: float) -> Picture:
    """Things stand in the cup, over a pool of a colour where the coffee was."""
    inside = ellipse(SIZE, *RIM, feather=1.0)
    surface = ellipse(SIZE, (230, 117), (68, 44), 4, feather=1.5) * inside
    grey = blurred(picture, 2.0) @ np.array([0.5, 0.35, 0.15])
    melted = np.clip(grey[..., None] * 1.55, 0, 1) * np.array(
        [int(pool[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    )
    shade = ellipse(SIZE, (222, 128), (56, 30), 0, feather=7)
    melted = melted * (1 - deep * shade[..., None])
    picture = laid(picture, melted, surface)
    drawn, cover = cutout(SIZE, things, LIGHTS, _sky, ambient=0.7)
    front = ellipse(SIZE, *RIM, feather=0.7)
    below = polygon(SIZE, [(0, 100), (480, 100), (480, 320), (0, 320)])
    return laid(picture, drawn, cover * np.maximum(front, 1 - below))


def scoop(
    picture: Picture, colour: str = "#e98a9d", bits: str = "#b02a45", pool: str = "#f2989c"
) -> Picture:
    """A scoop of ice cream where the coffee was."""
    x, y, z = spot(SIZE, 229, 96)
    lump = s.melted(
        0.12, s.ball((x, y, z), 0.5), s.ellipsoid((x, y - 0.33, z + 0.1), (0.56, 0.17, 0.5))
    )
    body = s.displaced(lump, lambda p: (fractal(p * np.float32(7), 3, 2) - 0.5) * np.float32(0.09)
                       + (noise(p * np.float32(24), 5) - 0.5) * np.float32(0.022), near=0.12)  # fmt: skip
    ice = Material(_scoop_paint(colour, bits), shine=0.12, sharpness=18, wrap=0.25)
    return _in_cup(picture, [Thing("scoop", body, ice, (x, y, z), 0.75)], pool, 0.25)


def orange(picture: Picture) -> Picture:
    """A whole orange where the coffee was."""
    x, y, z = spot(SIZE, 229, 96)
    return _in_cup(picture, citrus("orange", (x, y - 0.52, z), 0.52, "#f08a16"), "#6b3a1c", 0.7)


def context() -> Context:
    source = photograph("coffee")
    blue = glazed(source, "#1f5fd0")
    first = glazed(source, "#2f9a4c")
    second = scoop(first)
    third = scoop(first, "#a9c06a", "#6f8a35", "#b3c486")
    fourth = orange(first)
    return Context(
        "coffee", source,
        Edit("low", "Make the red cup and its saucer blue.", blue, {
            "Is the saucer blue?": "yes",
            "Is the outside of the cup red?": "no",
            "Is there coffee in the cup?": "yes",
        }),
        Edit("high", "Replace the coffee in the cup with a scoop of strawberry ice cream.", scoop(source), {
            "Is there a scoop of pink ice cream in the cup?": "yes",
            "Is there brown coffee in the cup?": "no",
        }),
        [
            Edit("low", "Make the red cup and its saucer green.", first, {
                "Is the saucer green?": "yes",
                "Is the saucer red?": "no",
            }, round=1),
            Edit("high", "Replace the coffee with a scoop of strawberry ice cream.", second, {
                "Is there a scoop of ice cream in the cup?": "yes",
                "Is there brown coffee in the cup?": "no",
                "Is the saucer green?": "yes",
            }, round=2),
            Edit("low", "Turn the strawberry ice cream into pistachio ice cream: make it pale green.", third, {
                "Is the ice cream pale green?": "yes",
                "Is the ice cream pink?": "no",
            }, round=3),
            Edit("high", "Replace the ice cream with a whole orange.", fourth, {
                "Is there an orange in the cup?": "yes",
                "Is there ice cream in the cup?": "no",
                "Is the saucer green?": "yes",
            }, round=4),
        ],
    )  # fmt: skip
