"""Toy bodies on a wooden floor, traced: a cube, a ball, a column and a cone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tools.mini_image.tracer import Body, Material, Scene, traced


def toys(
    ball: str = "#2f62c4",
    ball_mirror: float = 0.0,
    left: str = "cube",
    left_colour: str = "#c8382e",
    column: str = "#e3b23c",
    column_second: str = "",
    small: float = 0.36,
) -> NDArray[np.uint8]:
    """512 x 384. `left`: cube or cone; `ball_mirror` is the part of light the ball reflects;
    `small` is the radius of the small green ball in front."""
    shine = Material(ball, ball_mirror, 0.9 if ball_mirror else 0.35)
    first = Material(left_colour, 0.0, 0.15)
    bodies = [
        Body("box", (-1.55, 0, 0.25), 0.62, first, turn=28)
        if left == "cube"
        else Body("cone", (-1.55, 0, 0.25), 0.72, first, height=1.7),
        Body("sphere", (0.25, 0, 0.5), 0.82, shine),
        Body(
            "cylinder", (1.85, 0, 0.7), 0.46, Material(column, 0, 0.25, column_second), height=1.78
        ),
        Body("sphere", (0.95, 0, -1.15), small, Material("#4d9a4a", 0.0, 0.5)),
    ]
    return traced(Scene(bodies))
