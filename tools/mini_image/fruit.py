"""Fruit, drinks and dishes, each standing at a place on a table."""

from __future__ import annotations

import numpy as np

from tools.mini_image import solids as s
from tools.mini_image.noise import fractal, noise
from tools.mini_image.paints import mixed
from tools.mini_image.solids import Floats, Triple
from tools.mini_image.tracing import Colour, Material, Paint, Thing, srgb

STEM = srgb("#5b4326")


def _bits(size: float, depth: float, seed: int = 3):  # type: ignore[no-untyped-def]
    return lambda p: noise(p / np.float32(size), seed) * np.float32(depth)


def _skin(at: Triple, radius: float, main: Colour, blush: Colour, seed: int) -> Paint:
    """The skin of an apple: one colour, streaked and blushed with another, paler in the dimple."""

    def paint(p: Floats) -> Floats:
        q = (p - np.array(at, np.float32)) / np.float32(radius)
        angle = np.arctan2(q[:, 2], q[:, 0])
        streak = fractal(
            np.stack([np.cos(angle) * 5, q[:, 1] * 0.7, np.sin(angle) * 5], 1), 3, seed
        )
        side = 0.5 + 0.5 * q[:, 0] + 0.25 * q[:, 1]
        colour = mixed(main, blush, (streak - 0.42) * 2.2 * np.clip(side + 0.3, 0, 1))
        dimple = np.exp(-(q[:, 0] ** 2 + q[:, 2] ** 2) * 14) * (q[:, 1] > 0)
        colour = mixed(colour, srgb("#a9a548"), dimple.astype(np.float32) * 0.8)
        dots = noise(q * np.float32(22), seed + 5) > 0.86
        return mixed(colour, srgb("#f2dfae"), dots.astype(np.float32) * 0.28)

    return paint


def apple(
    name: str, at: Triple, radius: float, main: str, blush: str, seed: int = 1
) -> list[Thing]:
    """An apple on the point `at`, with its stem."""
    x, y, z = at
    profile = s.curve([(0, 0.16), (0.18, 0.06), (0.45, 0.02), (0.78, 0.28), (1.0, 0.85), (0.93, 1.32),
                       (0.6, 1.62), (0.28, 1.58), (0.1, 1.42), (0, 1.36)])  # fmt: skip
    body = s.turned_on_lathe((x, y, z), [(r * radius, h * radius) for r, h in profile])
    middle = (x, y + 0.85 * radius, z)
    skin = Material(_skin(middle, radius, srgb(main), srgb(blush), seed), gloss=0.05, shine=0.35,
                    sharpness=60)  # fmt: skip
    top = y + 1.36 * radius
    stem = s.rod((x, top, z), (x + 0.16 * radius, top + 0.52 * radius, z), 0.045 * radius,
                 0.07 * radius)  # fmt: skip
    return [
        Thing(name, body, skin, middle, radius * 1.2),
        Thing(name, stem, Material(STEM), (x, top + 0.25 * radius, z), radius * 0.5),
    ]


def pear(name: str, at: Triple, radius: float, main: str, blush: str, seed: int = 2) -> list[Thing]:
    x, y, z = at
    profile = s.curve([(0, 0.08), (0.4, 0.02), (0.85, 0.35), (1.0, 0.85), (0.86, 1.4), (0.55, 1.95),
                       (0.4, 2.4), (0.24, 2.62), (0, 2.66)])  # fmt: skip
    body = s.turned_on_lathe((x, y, z), [(r * radius, h * radius) for r, h in profile])
    middle = (x, y + 1.3 * radius, z)
    skin = Material(_skin(middle, radius * 1.3, srgb(main), srgb(blush), seed), gloss=0.03,
                    shine=0.2, sharpness=35)  # fmt: skip
    top = y + 2.6 * radius
    stem = s.rod((x, top, z), (x - 0.14 * radius, top + 0.6 * radius, z), 0.06 * radius)
    return [
        Thing(name, body, skin, middle, radius * 1.75),
        Thing(name, stem, Material(STEM), (x, top + 0.3 * radius, z), radius * 0.6),
    ]


def citrus(name: str, at: Triple, radius: float, colour: str, long: float = 1.0,
           yaw: float = 0.0) -> list[Thing]:  # fmt: skip
    """An orange (`long` 1) or a lemon (about 1.35, with its nipple), lying at `at`."""
    x, y, z = at
    parts = [s.ellipsoid((0, 0, 0), (long, 1, 1))]
    if long > 1.1:
        parts.append(s.ellipsoid((long * 1.0, 0, 0), (0.34, 0.24, 0.24)))
    body = s.placed(s.melted(0.3, *parts), (x, y + radius, z), yaw=yaw, size=radius)
    base = srgb(colour)

    def paint(p: Floats) -> Floats:
        share = fractal(p / np.float32(radius * 0.8), 3, 4)
        return mixed(tuple(c * 0.8 for c in base), base, share * 1.3)  # type: ignore[arg-type]

    skin = Material(
        paint, gloss=0.03, shine=0.3, sharpness=25, bump=_bits(radius / 14, radius / 90)
    )
    return [Thing(name, body, skin, (x, y + radius, z), radius * (long + 0.45))]


def bottle(name: str, at: Triple, height: float, glass: str, label: str) -> list[Thing]:
    """A wine bottle of dark glass with a paper label."""
    h = height
    profile = s.curve([(0.0, 0.0), (0.12, 0.0), (0.14, 0.03), (0.14, 0.3), (0.14, 0.58), (0.11, 0.68),
                       (0.05, 0.76), (0.045, 0.9), (0.045, 0.95), (0.05, 0.96), (0.05, 1.0), (0, 1.0)])  # fmt: skip
    body = s.turned_on_lathe(at, [(r * h, y * h) for r, y in profile])
    dark, paper, cap = srgb(glass), srgb(label), srgb("#7a1f2b")

    def paint(p: Floats) -> Floats:
        y = (p[:, 1] - at[1]) / h
        colour = np.broadcast_to(np.float32(dark), p.shape).copy()
        colour[(y > 0.16) & (y < 0.46)] = paper
        colour[(y > 0.2) & (y < 0.225)] = cap
        colour[(y > 0.395) & (y < 0.42)] = cap
        colour[y > 0.82] = cap
        return colour

    return [Thing(name, body, Material(paint, gloss=0.1, shine=0.5, sharpness=90),
                  (at[0], at[1] + h / 2, at[2]), h * 0.56)]  # fmt: skip


def bowl(name: str, at: Triple, radius: float, paint: Paint) -> list[Thing]:
    r = radius
    profile = s.curve([(0.0, 0.05), (0.35, 0.0), (0.42, 0.06), (0.8, 0.25), (1.0, 0.58), (0.97, 0.6),
                       (0.76, 0.3), (0.4, 0.13), (0, 0.12)])  # fmt: skip
    body = s.turned_on_lathe(at, [(a * r, b * r) for a, b in profile])
    return [Thing(name, body, Material(paint, gloss=0.07, shine=0.4, sharpness=80),
                  (at[0], at[1] + 0.3 * r, at[2]), r * 1.12)]  # fmt: skip


def mug(name: str, at: Triple, size: float, paint: Paint, drink: str | None = "#3a2012",
        yaw: float = 0.0) -> list[Thing]:  # fmt: skip
    """A mug whose handle points to x, turned by `yaw`; size is its height."""
    shell = s.without(s.drum((0, 0.5, 0), 0.42, 0.5, 0.05), s.drum((0, 0.62, 0), 0.365, 0.5, 0.04))
    handle = s.common(
        s.placed(s.ring((0, 0, 0), 0.25, 0.055, axis=2), (0.43, 0.5, 0)),
        s.block((0.75, 0.5, 0), (0.36, 0.5, 0.2), 0.01),
    )
    body = s.placed(s.melted(0.06, shell, handle), at, yaw=yaw, size=size)
    middle = (at[0], at[1] + 0.5 * size, at[2])
    found = [
        Thing(name, body, Material(paint, gloss=0.07, shine=0.4, sharpness=90), middle, 0.95 * size)
    ]
    if drink:
        level = s.drum((at[0], at[1] + 0.45 * size, at[2]), 0.37 * size, 0.42 * size, 0.01)
        found.append(Thing("drink", level, Material(srgb(drink), gloss=0.05), middle, 0.7 * size))
    return found


def vase(name: str, at: Triple, height: float, paint: Paint) -> list[Thing]:
    h = height
    profile = s.curve([(0, 0), (0.2, 0), (0.3, 0.18), (0.33, 0.42), (0.22, 0.68), (0.12, 0.82), (0.13, 0.92),
                       (0.18, 1.0), (0.15, 1.0), (0.09, 0.9), (0.08, 0.8), (0, 0.75)])  # fmt: skip
    body = s.turned_on_lathe(at, [(a * h, b * h) for a, b in profile])
    return [Thing(name, body, Material(paint, gloss=0.08, shine=0.45, sharpness=80),
                  (at[0], at[1] + h / 2, at[2]), h * 0.6)]  # fmt: skip
