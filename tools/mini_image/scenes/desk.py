"""A desk in the evening: a lamp, a mug, books."""

from __future__ import annotations

import numpy as np

from tools.mini_image import fruit, furniture, paints, solids
from tools.mini_image.sample import Context
from tools.mini_image.scenes.states import States
from tools.mini_image.solids import Floats
from tools.mini_image.tracing import Light, Material, Scene, Thing, srgb


def evening(rays: Floats) -> Floats:
    up = (0.5 + 0.5 * rays[:, 1:2]).astype(np.float32)
    return np.float32([0.3, 0.36, 0.5]) * (0.35 + 0.8 * up)


def scene(mug: str = "#e0b03a", right: str = "books") -> Scene:
    """The desk; on its right are "books" or a "cactus"."""
    board = paints.wood(srgb("#a8703f"), srgb("#6e4020"), seed=4)
    things = [
        Thing("desk", lambda p: p[:, 1], Material(board, gloss=0.04, shine=0.1)),
        Thing("wall", lambda p: p[:, 2] + np.float32(1.35), Material(srgb("#54736f"))),
    ]
    things += furniture.desk_lamp("lamp", (-0.95, 0, -0.35), "#c8402f", 1.08)
    things += fruit.mug("mug", (0.02, 0, 0.42), 0.46, srgb(mug), yaw=-25)
    paper = solids.placed(
        solids.block((0, 0, 0), (0.36, 0.006, 0.27), 0.004), (-0.62, 0.006, 0.68), yaw=16
    )
    ruled = paints.striped([srgb("#f4efe2")] * 5 + [srgb("#9fb4cf")], 0.016, axis=2)
    things.append(Thing("paper", paper, Material(ruled), (-0.62, 0, 0.68), 0.5))
    pencil = solids.rod((-0.72, 0.035, 0.86), (-0.3, 0.035, 0.6), 0.02)
    things.append(Thing("pencil", pencil, Material(srgb("#e8a91c")), (-0.51, 0.03, 0.73), 0.3))
    frame = solids.without(solids.block((-0.02, 1.25, -1.33), (0.36, 0.28, 0.03), 0.01),
                           solids.block((-0.02, 1.25, -1.3), (0.31, 0.23, 0.05), 0.0))  # fmt: skip
    things.append(Thing("frame", frame, Material(srgb("#2c221b")), (-0.02, 1.25, -1.33), 0.5))

    def view(p: Floats) -> Floats:
        x, y = p[:, 0] + 0.02, p[:, 1] - 1.25
        hill = -0.05 + 0.07 * np.sin(x * 9) + 0.03 * np.sin(x * 23)
        colour = paints.mixed(srgb("#f0c48a"), srgb("#7fb2cf"), (y + 0.1) * 3.5)
        colour[y < hill] = srgb("#4f7d4a")
        colour[y < hill - 0.09] = srgb("#355c3b")
        colour[(x - 0.12) ** 2 + (y - 0.1) ** 2 < 0.0022] = srgb("#fff0b8")
        return colour.astype(np.float32)

    canvas = solids.block((-0.02, 1.25, -1.34), (0.315, 0.235, 0.02), 0.0)
    things.append(Thing("canvas", canvas, Material(view), (-0.02, 1.25, -1.34), 0.45))
    if right == "books":
        for k, (colour, yaw, half) in enumerate(
            (("#23456e", 6, 0.44), ("#8e2d2a", -7, 0.4), ("#3d6b45", 10, 0.35))
        ):
            things += furniture.book(
                "books", (0.8, 0.085 + 0.165 * k, -0.05), (half, 0.078, 0.3), colour, yaw
            )
        things += fruit.apple("apple", (0.78, 0.5, -0.05), 0.16, "#7da62e", "#c9b545", 3)
    else:
        things += furniture.cactus("cactus", (0.85, 0, -0.05), 0.68, srgb("#c4673f"))
    lamp = (-0.55, 0.92, -0.25)
    return Scene(
        things,
        [
            Light(lamp, (1.0, 0.78, 0.5), 1.9, far=False, width=0.12),
            Light((0.55, 0.8, 0.7), (0.62, 0.72, 1.0), 0.5, width=0.3),
        ],
        eye=(0.05, 1.35, 3.5), target=(0.02, 0.58, 0), view=40, sky=evening, ambient=0.75,
        ground=(0.3, 0.2, 0.12), exposure=1.15,
    )  # fmt: skip


def context() -> Context:
    states = States(scene)
    low = states.edit({}, {"mug": "#7b3fa6"}, ("mug",), "low", "Make the yellow mug purple.", {
        "Is the mug purple?": "yes",
        "Is the mug yellow?": "no",
    })  # fmt: skip
    high = states.edit({}, {"right": "cactus"}, ("books", "apple", "cactus"), "high",
                       "Replace the stack of books and the apple on it with a cactus in a pot.", {
        "Is there a cactus in a pot on the desk?": "yes",
        "Are there books on the desk?": "no",
        "Is the mug yellow?": "yes",
    })  # fmt: skip
    return Context("desk", states.shot({}).picture, low, high)
