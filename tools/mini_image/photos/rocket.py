"""A rocket at dusk: its paint, what stands in its place."""

from __future__ import annotations

import numpy as np

from tools.mini_image import solids as s
from tools.mini_image.cutting import cutout, spot
from tools.mini_image.edits import Picture, blurred, ellipse, laid, polygon, ramp, tinted
from tools.mini_image.photographs import photograph
from tools.mini_image.sample import Context, Edit
from tools.mini_image.solids import Floats
from tools.mini_image.tracing import Light, Material, Thing, srgb

SIZE = (480, 320)


def painted(picture: Picture, colour: str) -> Picture:
    hull = polygon(SIZE, [(242, 95), (246, 100), (250, 112), (250, 131), (248.6, 135), (248.6, 304), (234.5, 304),
                          (234.5, 135), (233, 131), (233, 112), (237, 101)], feather=0.6)  # fmt: skip
    bright = ramp(picture.max(axis=2), 0.2, 0.32)
    return tinted(picture, colour, hull * bright, bright=1.15)


def _dusk(rays: Floats) -> Floats:
    up = (0.5 + 0.5 * rays[:, 1:2]).astype(np.float32)
    return np.float32([0.2, 0.25, 0.42]) * up + np.float32([0.75, 0.48, 0.22]) * (1 - up)


def lighthouse(picture: Picture) -> Picture:
    """A lighthouse, lit from below, in the rocket's place."""
    x, y, z = spot(SIZE, 242, 306)
    bands = [srgb("#efe9dc"), srgb("#c3271f")]

    def stone(p: Floats) -> Floats:
        h = p[:, 1] - y
        band = np.floor((h - 0.42) / 0.27).astype(int) % 2
        colour = np.float32(bands)[band]
        colour[h < 0.42] = srgb("#8f8577")
        dark = (
            (np.abs(p[:, 0] - x) < 0.035)
            & (np.abs((h - 0.62) % 0.54 - 0.27) < 0.05)
            & (p[:, 2] > z)
        )
        colour[dark & (h > 0.5)] = srgb("#2a2320")
        return colour

    tower = s.turned_on_lathe(
        (x, y, z), [(0, 0), (0.4, 0), (0.38, 0.4), (0.25, 0.42), (0.155, 1.62), (0, 1.62)]
    )
    gallery = s.union(s.drum((x, y + 1.64, z), 0.235, 0.03), s.ring((x, y + 1.76, z), 0.225, 0.009),
                      *[s.rod((x + 0.225 * np.cos(a), y + 1.65, z + 0.225 * np.sin(a)),
                              (x + 0.225 * np.cos(a), y + 1.76, z + 0.225 * np.sin(a)), 0.008)
                        for a in np.arange(8) * np.pi / 4])  # fmt: skip
    roof = s.turned_on_lathe((x, y, z), [(0, 1.94), (0.17, 1.94), (0.12, 2.04), (0.03, 2.11), (0.014, 2.24),
                                         (0, 2.24)])  # fmt: skip
    things = [
        Thing("tower", tower, Material(stone, shine=0.05), (x, y + 0.8, z), 0.95),
        Thing("gallery", gallery, Material(srgb("#3a3634")), (x, y + 1.7, z), 0.3),
        Thing("lamp", s.drum((x, y + 1.8, z), 0.12, 0.15), Material(srgb("#ffd98a"), glow=2.4),
              (x, y + 1.8, z), 0.25),
        Thing("roof", roof, Material(srgb("#a3231c"), shine=0.3), (x, y + 2.06, z), 0.28),
    ]  # fmt: skip
    lights = [
        Light((x - 0.9, y - 0.1, z + 1.3), (1.0, 0.75, 0.42), 2.6, far=False, shadows=False),
        Light((x + 1.0, y - 0.1, z + 1.2), (1.0, 0.75, 0.42), 1.7, far=False, shadows=False),
        Light((-0.5, 0.5, 0.7), (0.7, 0.75, 1.0), 0.35, shadows=False),
    ]
    drawn, cover = cutout(SIZE, things, lights, _dusk, ambient=0.55)
    halo = (
        ellipse(SIZE, (242, 126), (9, 9), feather=11)[..., None] * np.array([1.0, 0.8, 0.45]) * 0.5
    )
    lit = 1 - (1 - picture) * (1 - halo)
    return laid(lit, blurred(drawn, 0.4), cover)


def context() -> Context:
    source = photograph("rocket")
    return Context(
        "rocket", source,
        Edit("low", "Paint the white rocket red.", painted(source, "#ff3a2c"), {
            "Is the rocket red?": "yes",
            "Is the rocket white all over?": "no",
        }),
        Edit("high", "Replace the rocket with a red and white striped lighthouse.", lighthouse(source), {
            "Does a striped lighthouse stand in the middle?": "yes",
            "Is there a rocket in the picture?": "no",
        }),
        least=3,
    )  # fmt: skip
