"""An astronaut's portrait: the colour of her suit, what she holds."""

from __future__ import annotations

import numpy as np

from tools.mini_image import solids as s
from tools.mini_image.cutting import cutout, spot
from tools.mini_image.edits import Picture, blurred, dyed, ellipse, laid, polygon, ramp
from tools.mini_image.photographs import photograph
from tools.mini_image.sample import Context, Edit
from tools.mini_image.solids import Floats
from tools.mini_image.tracing import Light, Material, Thing, srgb

SIZE = (448, 448)


def _suit(picture: Picture) -> np.ndarray:
    r, g, b = picture[..., 0], picture[..., 1], picture[..., 2]
    strong = ramp((r - b) / np.maximum(r, 0.02), 0.35, 0.55)
    orange = strong * ramp(r - np.maximum(g, b), 0.06, 0.16)
    body = polygon(SIZE, [(18, 448), (18, 330), (38, 240), (62, 205), (98, 178), (112, 196), (135, 222),
                          (175, 243), (215, 250), (250, 238), (268, 205), (300, 226), (314, 262), (322, 300),
                          (296, 318), (262, 350), (246, 400), (246, 448)], feather=1)  # fmt: skip
    arm = polygon(SIZE, [(18, 448), (18, 430), (100, 430), (92, 448)])
    return orange * np.clip(body + arm, 0, 1)


def suit(picture: Picture, colour: str) -> Picture:
    return dyed(picture, colour, _suit(picture), bright=1.1)


def _studio(rays: Floats) -> Floats:
    up = (0.5 + 0.5 * rays[:, 1:2]).astype(np.float32)
    lamp = (rays[:, 0] < -0.2) & (rays[:, 1] > 0.25) & (rays[:, 1] < 0.55) & (rays[:, 0] > -0.5)
    return np.float32([0.6, 0.58, 0.58]) * (0.3 + 0.9 * up) + lamp[:, None] * np.float32(2.0)


def beach_ball(picture: Picture) -> Picture:
    """A beach ball where the helmet was."""
    x, y, z = spot(SIZE, 345, 410)
    radius = 1.14
    turn = s.rotation(yaw=-25, pitch=38, roll=-18)
    colours = np.float32(
        [srgb(c) for c in ("#f4f1ea", "#d92323", "#f4f1ea", "#1f62c8", "#f4f1ea", "#f2c21a")]
    )

    def paint(p: Floats) -> Floats:
        q = ((p - np.float32([x, y, z])) / np.float32(radius)) @ turn
        gore = np.floor((np.arctan2(q[:, 2], q[:, 0]) / (2 * np.pi) + 0.5) * 6).astype(int) % 6
        found = colours[gore]
        found[np.abs(q[:, 1]) > 0.955] = colours[0]
        return found

    ball = Thing("ball", s.ball((x, y, z), radius), Material(paint, gloss=0.04, shine=0.25, sharpness=50),
                 (x, y, z), radius * 1.05)  # fmt: skip
    lights = [Light((-0.45, 0.7, 0.8), (1.0, 0.98, 0.95), 1.25, width=0.3)]
    drawn, cover = cutout(SIZE, [ball], lights, _studio, ambient=0.5)
    # The suit is darker where the ball touches it.
    shade = 0.45 * ellipse(SIZE, (341, 412), (124, 124), feather=7)
    inside = polygon(SIZE, [(180, 448), (180, 250), (330, 250), (330, 448)], feather=6)
    picture = laid(picture, picture * 0.35, shade * inside)
    return laid(picture, blurred(drawn, 0.5), cover)


def context() -> Context:
    source = photograph("astronaut")
    return Context(
        "astronaut", source,
        Edit("low", "Make the orange space suit blue.", suit(source, "#2a56c6"), {
            "Is the space suit blue?": "yes",
            "Is the space suit orange?": "no",
            "Is there a space shuttle model on the right?": "yes",
        }),
        Edit("high", "Replace the helmet she holds with a beach ball.", beach_ball(source), {
            "Does she hold a colourful beach ball?": "yes",
            "Does she hold a black-visored helmet?": "no",
        }),
    )  # fmt: skip
