"""Solids drawn for laying into a photograph: a hundred pixels are one unit, seen straight on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tools.mini_image.edits import Picture, Region
from tools.mini_image.solids import Floats
from tools.mini_image.tracing import Light, Scene, Thing, shot

_AWAY = 20.0


def spot(size: tuple[int, int], x: float, y: float, z: float = 0.0) -> tuple[float, float, float]:
    """The place in space of a pixel of a picture of width x height."""
    return ((x - size[0] / 2) / 100, (size[1] / 2 - y) / 100, z)


def cutout(
    size: tuple[int, int],
    things: Sequence[Thing],
    lights: Sequence[Light],
    sky: Callable[[Floats], Floats],
    ambient: float = 0.6,
    exposure: float = 1.0,
    fine: int = 3,
) -> tuple[Picture, Region]:
    """Things as a picture of that size and how much they cover of each pixel."""
    view = 2 * np.degrees(np.arctan(size[0] / 200 / _AWAY))
    scene = Scene(things, lights, (0, 0, _AWAY), (0, 0, 0), float(view), sky, size, ambient,
                  ground=(0.25, 0.2, 0.17), exposure=exposure, far=30)  # fmt: skip
    drawn = shot(scene, by=fine)
    cover = np.sum(list(drawn.cover.values()), axis=0)
    return drawn.picture, np.clip(cover, 0, 1)
