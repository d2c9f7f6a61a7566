"""Galaxies: one is circled, and takes another colour or gives way to a planet."""

from __future__ import annotations

import numpy as np

from tools.mini_image import solids as s
from tools.mini_image.cutting import cutout, spot
from tools.mini_image.edits import Picture, blurred, code, ellipse, laid
from tools.mini_image.noise import noise
from tools.mini_image.overlays import circled
from tools.mini_image.paints import mixed
from tools.mini_image.photographs import photograph
from tools.mini_image.sample import Context, Edit
from tools.mini_image.solids import Floats
from tools.mini_image.tracing import Light, Material, Thing, srgb

SIZE = (420, 315)
MIDDLE = (165.5, 136.0)


def blue(picture: Picture) -> Picture:
    near = ellipse(SIZE, MIDDLE, (25, 25), feather=4)
    grey = picture.max(axis=2, keepdims=True)
    core = ellipse(SIZE, MIDDLE, (5, 5), feather=3)[..., None]
    colour = grey * (code("#4d8dff") * (1 - core) + core)
    return laid(picture, np.clip(colour * 1.1, 0, 1), near)


def planet(picture: Picture) -> Picture:
    """A ringed planet in the galaxy's place, lit from the left."""
    x, y, z = spot(SIZE, *MIDDLE)
    turn = s.rotation(pitch=24, roll=-20)
    radius = 0.27

    def local(p: Floats) -> Floats:
        return ((p - np.float32([x, y, z])) @ turn) / np.float32(radius)

    def bands(p: Floats) -> Floats:
        q = local(p)
        wave = noise(np.stack([q[:, 1] * 7, q[:, 1] * 0, q[:, 0] * 0.3], 1) + 3, 2)
        return mixed(srgb("#e9cf9c"), srgb("#b58a58"), wave * 1.2)

    def lanes(p: Floats) -> Floats:
        r = np.linalg.norm(local(p)[:, [0, 2]], axis=1)
        wave = noise(np.stack([r * 9, r * 0, r * 0], 1) + 1, 4)
        return mixed(srgb("#d8c6a4"), srgb("#8f7d63"), wave)

    def disc(inner: float, outer: float) -> s.Distance:
        flat = s.without(s.drum((0, 0, 0), outer, 0.02, 0.005), s.drum((0, 0, 0), inner, 1, 0.005))
        return lambda p: flat(local(p)) * np.float32(radius)

    things = [
        Thing("globe", s.ball((x, y, z), radius), Material(bands, shine=0.05), (x, y, z), radius * 1.1),
        Thing("rings", s.union(disc(1.3, 1.82), disc(1.9, 2.25)), Material(lanes, shine=0.0, wrap=0.8),
              (x, y, z), radius * 2.4),
    ]  # fmt: skip
    lights = [Light((-0.75, 0.45, 0.6), (1.0, 0.97, 0.92), 1.9, width=0.05)]
    drawn, cover = cutout(
        SIZE, things, lights, lambda r: np.zeros_like(r) + np.float32(0.06), ambient=0.5
    )
    space = ellipse(SIZE, MIDDLE, (24, 24), feather=3)
    dark = laid(picture, code("#0c0c0c"), space)
    return laid(dark, blurred(drawn, 0.5), cover)


def context() -> Context:
    source = photograph("galaxies")
    ring = circled(SIZE, (MIDDLE[0] - 36, MIDDLE[1] - 34, MIDDLE[0] + 36, MIDDLE[1] + 34), seed=3)
    return Context(
        "galaxies", source,
        Edit("low", "Make the circled galaxy blue.", blue(source), {
            "Is the large round galaxy left of the middle blue?": "yes",
            "Is the large round galaxy left of the middle orange?": "no",
        }, overlay=ring),
        Edit("high", "Replace the circled galaxy with a planet with rings.", planet(source), {
            "Is there a planet with rings in the picture?": "yes",
            "Is there a large round orange galaxy left of the middle?": "no",
        }, overlay=ring),
    )  # fmt: skip
