"""A street: a house, a tree, a car going by."""

from __future__ import annotations

import numpy as np

from tools.mini_image import paints, solids, town
from tools.mini_image.noise import fractal
from tools.mini_image.overlays import pointed_at
from tools.mini_image.sample import Context
from tools.mini_image.scenes.states import States
from tools.mini_image.solids import Floats
from tools.mini_image.tracing import Light, Material, Scene, Thing, srgb

SIZE = (480, 320)


def clouds(rays: Floats) -> Floats:
    """A summer sky with white clouds."""
    y = np.maximum(rays[:, 1:2], 0)
    sky = (
        np.float32([0.2, 0.44, 0.88]) * (1 - 0.45 * y) + np.float32([0.4, 0.35, 0.2]) * (1 - y) ** 7
    )
    flat = rays / np.maximum(rays[:, 1:2] + 0.35, 0.05)
    puff = fractal(
        np.stack([flat[:, 0] * 1.6 + 3, flat[:, 2] * 0.3, rays[:, 1] * 9], 1).astype(np.float32),
        5,
        12,
    )
    share = np.clip((puff - 0.56) * 7, 0, 1) * np.clip(rays[:, 1] * 9, 0, 1)
    return paints.mixed(sky.astype(np.float32), np.float32([1.15, 1.15, 1.15]), share)


def scene(
    vehicle: str = "car", colour: str = "#cf2a24", roof: str = "#a8452f", left: str = "tree",
    door: str = "#2f6f73", stripe: str = "",
) -> Scene:  # fmt: skip
    """The street. `vehicle` is "car" or "bus", `left` "tree" or "street lamp"."""
    lawn = paints.mottled(srgb("#5d8f3c"), srgb("#86b352"), 0.35, 3, 1.6)

    def ground(p: Floats) -> Floats:
        z = p[:, 2]
        colour = lawn(p)
        tar = (
            np.float32(srgb("#55585d")) * (0.85 + 0.3 * fractal(p * np.float32(14), 2, 5))[:, None]
        )
        slab = (
            np.float32(srgb("#c9c2b4")) * (0.92 + 0.16 * fractal(p * np.float32(6), 2, 7))[:, None]
        )
        slab[np.abs(p[:, 0] % 0.5 - 0.25) > 0.24] *= 0.75
        colour = np.where((z > 0.45)[:, None], slab, colour)
        colour = np.where((z > 0.95)[:, None], tar, colour)
        dash = (np.abs(z - 2.35) < 0.04) & (p[:, 0] % 0.9 < 0.5)
        colour[dash] = srgb("#efece2")
        path = (np.abs(p[:, 0] - 0.55) < 0.25) & (z <= 0.45)
        colour[path] = slab[path] * 0.95
        return colour.astype(np.float32)

    curb = solids.block((0, 0.02, 0.95), (12, 0.045, 0.05), 0.02)
    things = [
        Thing("ground", lambda p: p[:, 1], Material(ground, shine=0.02)),
        Thing("curb", curb, Material(srgb("#aaa498"))),
        *town.house((0.55, 0, -0.85), roof, door),
    ]
    hedge = solids.displaced(
        solids.block((2.75, 0.3, -0.15), (0.75, 0.32, 0.22), 0.12),
        lambda p: (fractal(p * np.float32(11), 3, 2) - 0.5) * np.float32(0.14), 0.12)  # fmt: skip
    things.append(Thing("hedge", hedge, Material(paints.mottled(srgb("#2f5f2c"), srgb("#5f9444"), 0.12, 8, 1.6),
                                                wrap=0.1, shine=0.02), (2.75, 0.3, -0.15), 0.95))  # fmt: skip
    if left == "tree":
        things += town.tree((-1.75, 0, -0.2), "#3c7a34", "#7db04a")
    else:
        things += town.street_lamp((-1.75, 0, -0.1))
    if vehicle == "car":
        things += town.car((-0.35, 0, 1.5), colour, stripe or None)
    else:
        things += town.bus((-0.35, 0, 1.5), colour)
    return Scene(
        things,
        [Light((-0.55, 0.85, 0.75), (1.0, 0.95, 0.84), 2.1, width=0.06)],
        eye=(0.1, 2.0, 7.2), target=(0.1, 1.02, 0), view=43, sky=clouds, size=SIZE, ambient=0.5,
        ground=(0.25, 0.25, 0.15), exposure=0.95, far=40,
    )  # fmt: skip


def context() -> Context:
    states = States(scene)
    arrow = pointed_at(SIZE, [(395, 238), (345, 240), (298, 246)], seed=5)
    low = states.edit({}, {"colour": "#1f57c4"}, ("car",), "low", "Make the red car blue.", {
        "Is the car blue?": "yes",
        "Is the car red?": "no",
    })  # fmt: skip
    high = states.edit({}, {"vehicle": "bus", "colour": "#e0a81e"}, ("car", "bus"), "high",
                       "Replace what the arrow points at with a yellow bus.", {
        "Is there a yellow bus on the street?": "yes",
        "Is there a red car on the street?": "no",
        "Is there a tree to the left of the house?": "yes",
    }, overlay=arrow)  # fmt: skip
    dialogue = states.rounds([
        ({"roof": "#3f5f96"}, ("roof",), "low", "Make the roof of the house blue.", {
            "Is the roof of the house blue?": "yes",
            "Is the roof of the house red?": "no",
        }),
        ({"left": "street lamp"}, ("tree", "street lamp"), "high", "Replace the tree with a street lamp.", {
            "Is there a street lamp to the left of the house?": "yes",
            "Is there a tree to the left of the house?": "no",
            "Is the roof blue?": "yes",
        }),
        ({"stripe": "#f5f1e4"}, ("car",), "low", "Paint a white stripe along the side of the car.", {}),
        ({"vehicle": "bus", "colour": "#e0a81e"}, ("car", "bus"), "high",
         "Replace the striped car with a yellow bus.", {
            "Is there a yellow bus on the street?": "yes",
            "Is there a car on the street?": "no",
        }),
        ({"colour": "#2f8a4a"}, ("bus",), "low", "Make the bus green.", {
            "Is the bus green?": "yes",
            "Is the bus yellow?": "no",
            "Is there a street lamp to the left of the house?": "yes",
        }),
        ({"roof": "#a8452f"}, ("roof",), "low", "Make the blue roof red again.", {
            "Is the roof of the house red?": "yes",
            "Is the roof of the house blue?": "no",
            "Is the bus green?": "yes",
        }),
    ], dropped=(3,))  # fmt: skip
    return Context("street", states.shot({}).picture, low, high, dialogue)
