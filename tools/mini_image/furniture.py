"""Things of a room and a desk: lamps, books, plants, seats."""

from __future__ import annotations

import numpy as np

from tools.mini_image import solids as s
from tools.mini_image.noise import fractal, noise
from tools.mini_image.paints import mixed
from tools.mini_image.solids import Floats, Triple
from tools.mini_image.tracing import Material, Paint, Thing, srgb

STEEL = Material(srgb("#8d9096"), gloss=0.25, shine=0.5, sharpness=70, metal=True)
PAPER = srgb("#efe7d4")


def desk_lamp(name: str, at: Triple, colour: str, size: float = 1.0) -> list[Thing]:
    """An angle-poise lamp whose shade looks to the right and down."""
    x, y, z = at
    k = size
    paint = Material(srgb(colour), gloss=0.05, shine=0.4, sharpness=60)
    elbow, head = (x - 0.28 * k, y + 0.62 * k, z), (x + 0.2 * k, y + 1.16 * k, z + 0.05 * k)
    foot = s.union(s.drum((x, y + 0.035 * k, z), 0.26 * k, 0.035 * k, 0.02 * k))
    arms = s.union(s.rod((x, y + 0.05 * k, z), elbow, 0.022 * k), s.rod(elbow, head, 0.022 * k),
                   s.ball(elbow, 0.045 * k), s.ball(head, 0.05 * k))  # fmt: skip
    cone = s.turned_on_lathe((0, 0, 0), [(0, 0.02), (0.07, 0.02), (0.09, -0.08), (0.27, -0.34), (0.25, -0.34),
                                         (0.075, -0.09), (0, -0.05)])  # fmt: skip
    shade = s.placed(cone, head, roll=28, size=k)
    ax, ay = head[0] + 0.1 * k, head[1] - 0.2 * k
    return [
        Thing(name, foot, paint, (x, y, z), 0.3 * k),
        Thing(name, arms, STEEL, (x, y + 0.6 * k, z), 0.75 * k),
        Thing(name, shade, paint, (ax, ay, head[2]), 0.42 * k),
        Thing(name, s.ball((ax, ay, head[2]), 0.085 * k), Material(srgb("#fff0c8"), glow=3.0),
              (ax, ay, head[2]), 0.09 * k),
    ]  # fmt: skip


def book(name: str, at: Triple, half: Triple, colour: str, yaw: float = 0.0) -> list[Thing]:
    """A closed book lying flat, its spine towards the viewer."""
    hx, hy, hz = half
    cover = s.union(
        s.block((0, hy - 0.008, 0), (hx, 0.012, hz), 0.008),
        s.block((0, -hy + 0.008, 0), (hx, 0.012, hz), 0.008),
        s.block((0, 0, hz - 0.01), (hx, hy, 0.016), 0.012),
    )
    pages = s.block((0, 0, -0.02), (hx - 0.025, hy - 0.015, hz - 0.02), 0.004)
    base = srgb(colour)
    turn, c = s.rotation(yaw), np.float32(at)

    def leather(p: Floats) -> Floats:
        q = (p - c) @ turn
        gold = (np.abs(np.abs(q[:, 0]) - hx * 0.72) < 0.018) & (q[:, 2] > hz - 0.04)
        title = (np.abs(q[:, 1]) < hy * 0.3) & (np.abs(q[:, 0]) < hx * 0.42) & (q[:, 2] > hz - 0.02)
        colour = np.broadcast_to(np.float32(base), p.shape) * (0.85 + 0.3 * noise(p * 30))[:, None]
        colour[gold | title] = srgb("#d9b65a")
        return colour.astype(np.float32)

    reach = float(np.linalg.norm(half)) + 0.03
    return [
        Thing(name, s.placed(cover, at, yaw=yaw), Material(leather, shine=0.15), at, reach),
        Thing(name, s.placed(pages, at, yaw=yaw), Material(PAPER), at, reach),
    ]


def pot(name: str, at: Triple, size: float, paint: Paint) -> list[Thing]:
    x, y, z = at
    profile = [
        (0, 0),
        (0.26, 0),
        (0.36, 0.5),
        (0.41, 0.5),
        (0.42, 0.64),
        (0.35, 0.64),
        (0.33, 0.55),
        (0, 0.55),
    ]
    body = s.turned_on_lathe(at, [(r * size, h * size) for r, h in profile])
    earth = s.drum((x, y + 0.53 * size, z), 0.33 * size, 0.04 * size)
    middle = (x, y + 0.32 * size, z)
    return [
        Thing(name, body, Material(paint, shine=0.1), middle, 0.6 * size),
        Thing(name, earth, Material(srgb("#35251a")), middle, 0.6 * size),
    ]


def cactus(name: str, at: Triple, size: float, paint: Paint) -> list[Thing]:
    """A cactus with two arms in a pot."""
    x, y, z = at
    k = size
    base = y + 0.5 * k

    def ribs(p: Floats) -> Floats:
        a = np.arctan2(p[:, 2] - z, p[:, 0] - x)
        return np.cos(a * 14).astype(np.float32) * np.float32(0.012 * k)

    body = s.melted(
        0.08 * k,
        s.rod((x, base, z), (x, base + 1.15 * k, z), 0.2 * k),
        s.rod((x + 0.1 * k, base + 0.45 * k, z), (x + 0.4 * k, base + 0.5 * k, z), 0.1 * k),
        s.rod((x + 0.4 * k, base + 0.5 * k, z), (x + 0.42 * k, base + 0.85 * k, z), 0.1 * k),
        s.rod((x - 0.1 * k, base + 0.65 * k, z), (x - 0.36 * k, base + 0.7 * k, z), 0.09 * k),
        s.rod((x - 0.36 * k, base + 0.7 * k, z), (x - 0.37 * k, base + 0.98 * k, z), 0.09 * k),
    )
    green, pale = srgb("#3f7d3a"), srgb("#8fbf6a")

    def skin(p: Floats) -> Floats:
        a = np.arctan2(p[:, 2] - z, p[:, 0] - x)
        ridge = (0.5 + 0.5 * np.cos(a * 14)).astype(np.float32) ** 3
        spines = (noise(p * np.float32(34 / k), 8) > 0.8) * 0.5
        return mixed(green, pale, 0.55 * ridge + spines * ridge)

    middle = (x, base + 0.6 * k, z)
    flower = s.ellipsoid((x, base + 1.37 * k, z), (0.1 * k, 0.06 * k, 0.1 * k))
    return [
        *pot(name, at, k, paint),
        Thing(name, s.displaced(body, ribs, 0.06 * k), Material(skin), middle, 0.95 * k),
        Thing(name, flower, Material(srgb("#e8559a")), (x, base + 1.37 * k, z), 0.12 * k),
    ]


def leafy_plant(name: str, at: Triple, size: float, paint: Paint, leaves: int = 11) -> list[Thing]:
    """A plant of long bent leaves in a pot, about twice `size` high."""
    x, y, z = at
    k = size
    base = y + 0.5 * k
    parts = []
    chance = np.random.default_rng(4)
    for n in range(leaves):
        a = n * 2.39996
        lean = 0.16 + 0.62 * (n / leaves)
        high = 1.55 - 0.65 * (n / leaves) + chance.uniform(-0.08, 0.08)
        mid = (
            x + 0.45 * lean * k * np.cos(a),
            base + 0.62 * high * k,
            z + 0.45 * lean * k * np.sin(a),
        )
        tip = (x + lean * k * np.cos(a), base + high * k, z + lean * k * np.sin(a))
        blade = s.melted(
            0.03 * k,
            s.rod((x, base, z), mid, 0.03 * k, 0.075 * k),
            s.rod(mid, tip, 0.075 * k, 0.008),
        )
        parts.append(blade)
    green, pale = srgb("#2f6b35"), srgb("#7fb357")

    def skin(p: Floats) -> Floats:
        share = fractal(p * np.float32([9 / k, 3 / k, 9 / k]), 3, 3)
        return mixed(green, pale, (share - 0.3) * 1.5)

    middle = (x, base + 0.8 * k, z)
    return [
        *pot(name, at, k, paint),
        Thing(name, s.union(*parts), Material(skin, shine=0.2), middle, 1.1 * k),
    ]


def floor_lamp(name: str, at: Triple, height: float, colour: str) -> list[Thing]:
    x, y, z = at
    h = height
    stand = s.union(
        s.drum((x, y + 0.025, z), 0.24, 0.025, 0.015), s.rod((x, y, z), (x, y + 0.85 * h, z), 0.022)
    )
    shade = s.turned_on_lathe(
        (x, y + 0.74 * h, z), [(0.17, 0.26 * h), (0.3, 0), (0.285, 0), (0.155, 0.26 * h)]
    )
    return [
        Thing(name, stand, Material(srgb("#3a332d"), shine=0.4), (x, y + 0.45 * h, z), 0.55 * h),
        Thing(name, shade, Material(srgb(colour), glow=0.75), (x, y + 0.87 * h, z), 0.4),
    ]


def sofa(name: str, at: Triple, width: float, paint: Paint) -> list[Thing]:
    """A two-seat sofa facing the viewer; `at` is the middle of its front edge on the floor."""
    x, y, z = at
    w = width / 2
    soft = s.melted(
        0.04,
        s.block((x, y + 0.3, z - 0.45), (w, 0.16, 0.45), 0.07),
        s.block((x, y + 0.68, z - 0.8), (w, 0.42, 0.16), 0.12),
        s.block((x - w + 0.12, y + 0.45, z - 0.45), (0.15, 0.28, 0.47), 0.12),
        s.block((x + w - 0.12, y + 0.45, z - 0.45), (0.15, 0.28, 0.47), 0.12),
    )
    seat = w / 2 - 0.15
    pads = s.union(*[s.block((x + side * (seat + 0.012), y + 0.52, z - 0.36), (seat, 0.1, 0.38), 0.08)
                     for side in (-1, 1)])  # fmt: skip
    legs = s.union(*[s.rod((x + a * (w - 0.15), y, z - b), (x + a * (w - 0.15), y + 0.18, z - b), 0.035)
                     for a in (-1, 1) for b in (0.1, 0.8)])  # fmt: skip
    cloth = Material(paint, shine=0.02, sharpness=8, wrap=0.2,
                     bump=lambda p: noise(p * np.float32(60), 2) * np.float32(0.0012))  # fmt: skip
    middle, reach = (x, y + 0.55, z - 0.45), float(np.hypot(w + 0.1, 0.8))
    return [
        Thing(name, s.union(soft, pads), cloth, middle, reach),
        Thing(name + " legs", legs, Material(srgb("#4a3220")), middle, reach),
    ]


def cushion(name: str, at: Triple, size: float, paint: Paint, roll: float = 0.0) -> list[Thing]:
    pad = s.placed(s.common(s.block((0, 0, 0), (1, 1, 0.4), 0.3), s.ellipsoid((0, 0, 0), (1.5, 1.5, 0.36))),
                   at, pitch=-18, roll=roll, size=size)  # fmt: skip
    return [Thing(name, pad, Material(paint, wrap=0.2, shine=0.02), at, size * 1.5)]
