"""Things of a street: a house, cars, trees, a street lamp."""

from __future__ import annotations

import numpy as np

from tools.mini_image import solids as s
from tools.mini_image.noise import fractal, noise
from tools.mini_image.paints import mixed
from tools.mini_image.solids import Floats, Triple
from tools.mini_image.tracing import Material, Thing, srgb

GLASS = srgb("#26343f")
RUBBER = Material(srgb("#1d1d20"))


def house(at: Triple, roof: str, door: str, walls: str = "#e8d8b8") -> list[Thing]:
    """A house with a pitched roof, its front towards the viewer."""
    x, y, z = at
    wide, high, deep = 1.15, 1.35, 0.8
    plaster, frame, door_c, pane = srgb(walls), srgb("#f7f3ea"), srgb(door), srgb("#5d7f96")

    def front(p: Floats) -> Floats:
        u, v = p[:, 0] - x, p[:, 1] - y
        colour = (
            np.broadcast_to(np.float32(plaster), p.shape) * (0.9 + 0.2 * fractal(p * 6, 3))[:, None]
        )
        facing = p[:, 2] > z + deep - 0.03
        colour[v < 0.12] = srgb("#9b8f80")
        for cu, cv in ((-0.68, 0.72), (0.68, 0.72)):
            a, b = np.abs(u - cu), np.abs(v - cv)
            colour[facing & (a < 0.27) & (b < 0.31)] = frame
            colour[facing & (a < 0.22) & (b < 0.26) & (a > 0.015) & (b > 0.015)] = pane
        colour[facing & (np.abs(u) < 0.27) & (v < 0.99)] = frame
        colour[facing & (np.abs(u) < 0.22) & (v > 0.06) & (v < 0.93)] = door_c
        knob = (u - 0.15) ** 2 + (v - 0.5) ** 2 < 0.0011
        colour[facing & knob] = srgb("#e3c25a")
        return colour.astype(np.float32)

    body = s.block((x, y + high / 2, z), (wide, high / 2, deep), 0.01)
    tilt = 0.72

    def tiles(p: Floats) -> Floats:
        row = (p[:, 1] - y) * 7.5
        column = p[:, 0] * 7 + 0.5 * (np.floor(row) % 2)
        edge = ((row % 1) < 0.14) | (np.abs(column % 1 - 0.5) > 0.45)
        base = np.float32(srgb(roof))
        tone = 0.75 + 0.5 * noise(np.stack([np.floor(column), np.floor(row), row * 0], 1) + 0.5, 3)
        colour = base * tone[:, None]
        colour[edge] *= 0.62
        return colour.astype(np.float32)

    ridge = y + high + 0.78
    roof_solid = s.common(
        s.block((x, y + high + 0.39, z), (wide + 0.16, 0.42, deep + 0.25), 0.01),
        s.half_space((0, deep + 0.2, tilt + 0.06), (x, ridge, z)),
        s.half_space((0, deep + 0.2, -tilt - 0.06), (x, ridge, z)),
    )
    chimney = s.block((x + 0.62, y + high + 0.62, z - 0.1), (0.13, 0.45, 0.13), 0.01)
    middle = (x, y + 0.9, z)
    return [
        Thing("house", body, Material(front, shine=0.05), middle, 1.75),
        Thing("roof", roof_solid, Material(tiles, shine=0.05), (x, y + high + 0.4, z), 1.75),
        Thing(
            "house", chimney, Material(srgb("#a4553f")), (x + 0.62, y + high + 0.62, z - 0.1), 0.5
        ),
    ]


def _wheels(
    name: str, x: float, y: float, z: float, places: tuple[float, ...], radius: float
) -> list[Thing]:
    found = []
    for place in places:
        centre = (x + place, y + radius, z + 0.42)
        found.append(
            Thing(name, s.drum(centre, radius, 0.08, 0.03, axis=2), RUBBER, centre, radius * 1.15)
        )
        hub = (x + place, y + radius, z + 0.485)
        found.append(Thing(name, s.drum(hub, radius * 0.52, 0.03, 0.015, axis=2),
                           Material(srgb("#c9ccd0"), shine=0.5), hub, radius * 0.6))  # fmt: skip
    return found


def car(at: Triple, colour: str, stripe: str | None = None) -> list[Thing]:
    """A small car seen from its side, driving to the right."""
    x, y, z = at
    lower = s.block((x, y + 0.37, z), (0.95, 0.2, 0.42), 0.12)
    cabin = s.common(
        s.block((x - 0.1, y + 0.66, z), (0.62, 0.25, 0.36), 0.1),
        s.half_space((0.8, 0.62, 0), (x + 0.36, y + 0.74, z)),
        s.half_space((-0.85, 0.5, 0), (x - 0.62, y + 0.72, z)),
    )
    arches = s.union(
        *[s.drum((x + a, y + 0.2, z + 0.42), 0.235, 0.12, 0.02, axis=2) for a in (-0.56, 0.58)]
    )
    base, dark = np.float32(srgb(colour)), np.float32(GLASS)

    def paint(p: Floats) -> Floats:
        u, v, w = p[:, 0] - x, p[:, 1] - y, p[:, 2] - z
        tint = np.broadcast_to(base, p.shape).copy()
        if stripe:
            tint[(v > 0.36) & (v < 0.44)] = srgb(stripe)
        side = (v > 0.6) & (v < 0.82) & (w > 0.3)
        slant = 0.36 - (v - 0.6) * 0.85
        tint[side & (u > -0.55 + (v - 0.6) * 0.5) & (u < slant) & (np.abs(u + 0.1) > 0.03)] = dark
        tint[(v > 0.6) & (v < 0.85) & (np.abs(w) < 0.3) & ((u > 0.15) | (u < -0.5))] = dark
        tint[(np.abs(u + 0.1) < 0.006) & (v < 0.6) & (v > 0.3) & (w > 0.3)] *= 0.45
        tint[(np.abs(u + 0.24) < 0.05) & (np.abs(v - 0.52) < 0.012) & (w > 0.3)] = srgb("#c9ccd0")
        tint[(u > 0.86) & (np.abs(v - 0.42) < 0.06)] = srgb("#fff1c4")
        tint[(u < -0.88) & (np.abs(v - 0.42) < 0.06)] = srgb("#b5121b")
        return tint

    body = Material(paint, gloss=0.07, shine=0.5, sharpness=80)
    return [
        Thing("car", s.without(s.melted(0.06, lower, cabin), arches), body, (x, y + 0.5, z), 1.2),
        *_wheels("car", x, y, z, (-0.56, 0.58), 0.2),
    ]


def bus(at: Triple, colour: str) -> list[Thing]:
    """A town bus, driving to the right."""
    x, y, z = at
    whole = s.block((x, y + 0.68, z), (1.45, 0.54, 0.42), 0.09)
    arches = s.union(
        *[s.drum((x + a, y + 0.22, z + 0.42), 0.25, 0.12, 0.02, axis=2) for a in (-0.85, 0.9)]
    )
    base, dark = np.float32(srgb(colour)), np.float32(GLASS)

    def paint(p: Floats) -> Floats:
        u, v, w = p[:, 0] - x, p[:, 1] - y, p[:, 2] - z
        tint = np.broadcast_to(base, p.shape).copy()
        tint[v > 1.14] = srgb("#f2efe6")
        tint[(v > 0.47) & (v < 0.53)] = srgb("#f2efe6")
        row = (v > 0.68) & (v < 1.04) & (w > 0.3)
        tint[row & (np.abs((u + 1.4) % 0.42 - 0.21) < 0.18) & (np.abs(u) < 1.3)] = dark
        door = (np.abs(u - 0.42) < 0.2) & (v > 0.25) & (v < 1.06) & (w > 0.3)
        tint[door] = srgb("#e9e4d6")
        tint[door & (np.abs(np.abs(u - 0.42) - 0.1) < 0.075) & (v > 0.34) & (v < 1.0)] = dark
        tint[(u > 1.38) & (v > 0.6)] = dark
        tint[(u > 1.36) & (np.abs(v - 0.4) < 0.06)] = srgb("#fff1c4")
        return tint

    body = Material(paint, gloss=0.06, shine=0.45, sharpness=80)
    return [
        Thing("bus", s.without(whole, arches), body, (x, y + 0.68, z), 1.65),
        *_wheels("bus", x, y, z, (-0.85, 0.9), 0.22),
    ]


def tree(at: Triple, leaves: str, light: str) -> list[Thing]:
    x, y, z = at
    trunk = s.rod((x, y, z), (x + 0.05, y + 1.2, z), 0.11, 0.07)
    clumps = ((0, 1.75, 0, 0.55), (-0.42, 1.5, 0.1, 0.4), (0.44, 1.55, 0.05, 0.42), (0.12, 2.15, -0.05, 0.4),
              (-0.22, 2.0, 0.15, 0.36), (0.1, 1.45, 0.3, 0.38))  # fmt: skip
    crown = s.melted(0.15, *[s.ball((x + a, y + b, z + c), r) for a, b, c, r in clumps])

    def rough(p: Floats) -> Floats:
        return (fractal(p * np.float32(7), 3, 6) - 0.5) * np.float32(0.22)

    def green(p: Floats) -> Floats:
        return mixed(srgb(leaves), srgb(light), (fractal(p * np.float32(9), 3, 9) - 0.35) * 1.7)

    return [
        Thing("tree", trunk, Material(srgb("#5a3f2a")), (x, y + 0.6, z), 0.75),
        Thing(
            "tree",
            s.displaced(crown, rough, 0.2),
            Material(green, wrap=0.15, shine=0.03),
            (x, y + 1.75, z),
            1.1,
        ),
    ]


def street_lamp(at: Triple) -> list[Thing]:
    x, y, z = at
    post = s.union(s.rod((x, y, z), (x, y + 1.85, z), 0.06, 0.035), s.drum((x, y + 0.12, z), 0.11, 0.12, 0.03),
                   s.drum((x, y + 1.9, z), 0.13, 0.02, 0.01))  # fmt: skip
    cap = s.turned_on_lathe(
        (x, y + 2.22, z), [(0, 0), (0.19, 0), (0.05, 0.13), (0.02, 0.22), (0, 0.22)]
    )
    glass = s.turned_on_lathe((x, y + 1.9, z), [(0, 0), (0.09, 0), (0.15, 0.33), (0, 0.33)])
    iron = Material(srgb("#23282c"), shine=0.4)
    return [
        Thing("street lamp", post, iron, (x, y + 1.0, z), 1.15),
        Thing("street lamp", glass, Material(srgb("#fff2cf"), glow=0.55), (x, y + 2.05, z), 0.3),
        Thing("street lamp", cap, iron, (x, y + 2.3, z), 0.3),
    ]
