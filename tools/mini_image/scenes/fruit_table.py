"""A still life: fruit, a jug and a bottle on a wooden table by a window."""

from __future__ import annotations

import numpy as np

from tools.mini_image import fruit, paints, solids
from tools.mini_image.sample import Context
from tools.mini_image.scenes.states import States
from tools.mini_image.solids import Floats
from tools.mini_image.tracing import Light, Material, Scene, Thing, srgb


def window(rays: Floats) -> Floats:
    """Warm grey all around, a bright window on the left."""
    unit = rays / np.linalg.norm(rays, axis=1, keepdims=True)
    up = 0.5 + 0.5 * unit[:, 1:2]
    around = np.float32([0.62, 0.55, 0.47]) * (0.45 + 0.75 * up)
    left = np.maximum(-unit[:, 0], 1e-3)
    high, deep = unit[:, 1] / left - 0.55, unit[:, 2] / left - 0.45
    pane = (unit[:, 0] < -0.35) & (np.abs(high) < 0.42) & (np.abs(deep) < 0.5)
    bars = (np.abs(high) < 0.03) | (np.abs(deep) < 0.03)
    return (around + (pane & ~bars)[:, None] * np.float32([2.6, 2.8, 3.0])).astype(np.float32)


def scene(
    apple: tuple[str, str] = ("#b3151c", "#d9a03a"),
    vase: str = "#2f5d8a",
    pear: str = "pear",
    lemon: str = "lemon",
    cloth: str = "#e9e2d2",
) -> Scene:
    """The table. `pear` is "pear" or "bottle", `lemon` "lemon", "orange" or "mug"."""
    board = paints.wood(srgb("#b98450"), srgb("#7d4c25"), plank=0.55)
    wall = paints.mottled(srgb("#8c9a86"), srgb("#a3ad98"), 1.2, 5)
    napkin = paints.striped([srgb(cloth)] * 5 + [srgb("#b5544a")], 0.075, axis=0, start=0.02)
    things = [
        Thing("table", lambda p: p[:, 1], Material(board, gloss=0.035, shine=0.08)),
        Thing("wall", lambda p: p[:, 2] + np.float32(1.9), Material(wall)),
        Thing("napkin", solids.placed(solids.block((0, 0, 0), (0.62, 0.012, 0.42), 0.01), (0.28, 0.012, 0.62),
                                      yaw=14), Material(napkin), (0.28, 0.0, 0.62), 0.8),
    ]  # fmt: skip
    things += fruit.vase("vase", (-0.85, 0, -0.4), 1.2, srgb(vase))
    things += fruit.apple("apple", (-0.28, 0, 0.3), 0.3, *apple)
    if pear == "pear":
        things += fruit.pear("pear", (0.35, 0, -0.2), 0.29, "#b9b03a", "#c98a3a")
    else:
        things += fruit.bottle("bottle", (0.35, 0, -0.25), 1.28, "#12301c", "#efe6cf")
    if lemon == "lemon":
        things += fruit.citrus("lemon", (0.42, 0.02, 0.62), 0.2, "#eec21c", 1.3, yaw=25)
    elif lemon == "orange":
        things += fruit.citrus("orange", (0.42, 0.02, 0.62), 0.25, "#ee7a10")
    elif lemon == "mug":
        things += fruit.mug("mug", (0.42, 0.02, 0.6), 0.5, srgb("#e8e4da"), yaw=-20)
    return Scene(
        things,
        [Light((-0.75, 0.75, 0.55), (1.0, 0.93, 0.82), 2.1, width=0.09)],
        eye=(0.1, 1.25, 3.6), target=(-0.1, 0.52, 0.0), view=37, sky=window, ambient=0.6,
        ground=(0.3, 0.2, 0.13), exposure=0.95,
    )  # fmt: skip


def context() -> Context:
    states = States(scene)
    low = states.edit({}, {"vase": "#b5532f"}, ("vase",), "low", "Make the blue vase terracotta red.", {
        "Is the vase terracotta red?": "yes",
        "Is the vase blue?": "no",
    })  # fmt: skip
    high = states.edit({}, {"pear": "bottle"}, ("pear", "bottle"), "high",
                       "Replace the pear with a bottle of wine.", {
        "Is there a bottle on the table?": "yes",
        "Is there a pear on the table?": "no",
        "Is the vase blue?": "yes",
    })  # fmt: skip
    dialogue = states.rounds([
        ({"apple": ("#6f9e2a", "#b7b544")}, ("apple",), "low", "Make the red apple green.", {
            "Is the apple green?": "yes",
            "Is the apple red?": "no",
        }),
        ({"lemon": "orange"}, ("lemon", "orange"), "high", "Replace the lemon with an orange.", {
            "Is there an orange on the napkin?": "yes",
            "Is there a lemon on the table?": "no",
            "Is the apple green?": "yes",
        }),
        ({"vase": "#e4dfd3"}, ("vase",), "low", "Make the blue vase white.", {
            "Is the vase white?": "yes",
            "Is the vase blue?": "no",
        }),
        ({"pear": "bottle"}, ("pear", "bottle"), "high", "Replace the pear with a bottle of wine.", {
            "Is there a bottle on the table?": "yes",
            "Is there a pear on the table?": "no",
            "Is the vase white?": "yes",
        }),
        ({"apple": ("#b3151c", "#d9a03a")}, ("apple",), "low", "Make the apple red again.", {
            "Is the apple red?": "yes",
            "Is the apple green?": "no",
        }),
        ({"lemon": "mug"}, ("orange", "mug", "drink"), "high", "Replace the orange with a white mug.", {
            "Is there a white mug on the napkin?": "yes",
            "Is there an orange on the table?": "no",
            "Is there a bottle on the table?": "yes",
        }),
    ])  # fmt: skip
    return Context("fruit-table", states.shot({}).picture, low, high, dialogue)
