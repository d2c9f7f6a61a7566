"""A living room: a sofa, a lamp, a picture on the wall."""

from __future__ import annotations

import numpy as np

from tools.mini_image import fruit, furniture, paints, solids
from tools.mini_image.noise import fractal
from tools.mini_image.sample import Context
from tools.mini_image.scenes.states import States
from tools.mini_image.solids import Floats
from tools.mini_image.tracing import Light, Material, Scene, Thing, srgb


def daylight(rays: Floats) -> Floats:
    up = (0.5 + 0.5 * rays[:, 1:2]).astype(np.float32)
    return np.float32([0.8, 0.8, 0.78]) * (0.5 + 0.55 * up)


def scene(
    sofa: str = "#3f7a63", left: str = "lamp", wall: str = "painting", cushion: str = "#e2a83c",
    table: str = "table", pot: str = "#e9e4da",
) -> Scene:  # fmt: skip
    """The room. `left` is "lamp" or "plant", `wall` "painting" or "clock", `table` "table" or
    "pouf"."""
    boards = paints.wood(srgb("#c79b68"), srgb("#94683f"), plank=0.3, along=2, seed=6)
    things = [
        Thing("floor", lambda p: p[:, 1], Material(boards, gloss=0.03, shine=0.06)),
        Thing("wall", lambda p: p[:, 2] + np.float32(1.5), Material(srgb("#d9cdbb"))),
        Thing(
            "skirting",
            solids.block((0, 0.07, -1.49), (6, 0.07, 0.03), 0.01),
            Material(srgb("#f3efe6")),
        ),
    ]

    def woven(p: Floats) -> Floats:
        r = np.hypot(p[:, 0] / 1.45, (p[:, 2] - 0.35) / 0.72)
        band = np.float32([srgb("#e6dcc6"), srgb("#b4573c"), srgb("#e6dcc6"), srgb("#3f5f7a")])
        colour = band[np.floor(r * 7.99).astype(int) % 4]
        return colour * (0.85 + 0.3 * fractal(p * np.float32(40), 2, 5))[:, None]

    rug = solids.placed(
        lambda p: (
            solids.drum((0, 0, 0), 1, 0.012, 0.008)(p / np.float32([1.45, 1, 0.72]))
            * np.float32(0.7)
        ),
        (0, 0.01, 0.35),
    )
    things.append(Thing("rug", rug, Material(woven), (0, 0, 0.35), 1.5))
    things += furniture.sofa("sofa", (0.1, 0, -0.3), 2.1, srgb(sofa))
    things += furniture.cushion("cushion", (-0.52, 0.78, -0.72), 0.24, srgb(cushion), roll=12)
    things += furniture.cushion(
        "other cushion", (0.72, 0.78, -0.72), 0.24, srgb("#efe6d6"), roll=-9
    )
    if left == "lamp":
        things += furniture.floor_lamp("lamp", (-1.5, 0, -0.75), 1.9, "#f3e2b4")
    else:
        things += furniture.leafy_plant("plant", (-1.5, 0, -0.7), 0.82, srgb(pot), 15)
    if wall == "painting":
        frame = solids.without(solids.block((0.1, 1.62, -1.47), (0.62, 0.36, 0.03), 0.008),
                               solids.block((0.1, 1.62, -1.44), (0.57, 0.31, 0.05), 0.0))  # fmt: skip
        things.append(Thing("painting", frame, Material(srgb("#2b2622")), (0.1, 1.62, -1.47), 0.75))

        def shapes(p: Floats) -> Floats:
            x, y = p[:, 0] - 0.1, p[:, 1] - 1.62
            colour = np.broadcast_to(np.float32(srgb("#f1e9da")), p.shape).copy()
            colour[y < -0.08 + 0.1 * np.sin(x * 5)] = srgb("#33658a")
            colour[y < -0.18 + 0.06 * np.sin(x * 7 + 2)] = srgb("#1d3c55")
            colour[(x - 0.2) ** 2 + (y - 0.08) ** 2 < 0.016] = srgb("#e0633a")
            return colour

        canvas = solids.block((0.1, 1.62, -1.48), (0.58, 0.32, 0.02), 0.0)
        things.append(Thing("painting", canvas, Material(shapes), (0.1, 1.62, -1.48), 0.7))
    else:
        face = solids.drum((0.1, 1.62, -1.47), 0.34, 0.03, 0.01, axis=2)

        def dial(p: Floats) -> Floats:
            x, y = p[:, 0] - 0.1, p[:, 1] - 1.62
            r, a = np.hypot(x, y), np.arctan2(x, y)
            colour = np.broadcast_to(np.float32(srgb("#f6f2e8")), p.shape).copy()
            hour = np.abs((a / (np.pi / 6) + 0.5) % 1 - 0.5) * (np.pi / 6) * r
            black = (r > 0.22) & (r < 0.27) & (hour < 0.012)
            for angle, far, wide in ((-np.pi / 3, 0.15, 0.016), (np.pi / 3, 0.22, 0.011)):
                along = x * np.sin(angle) + y * np.cos(angle)
                aside = np.abs(x * np.cos(angle) - y * np.sin(angle))
                black |= (along > -0.03) & (along < far) & (aside < wide)
            colour[black | (r < 0.022)] = srgb("#22252b")
            colour[r > 0.295] = srgb("#2b3a4a")
            return colour

        things.append(Thing("clock", face, Material(dial, shine=0.1), (0.1, 1.62, -1.47), 0.4))
    if table == "table":
        top = solids.drum((0.15, 0.36, 0.5), 0.46, 0.022, 0.015)
        legs = solids.union(*[solids.rod((0.15 + 0.3 * np.cos(a), 0.36, 0.5 + 0.3 * np.sin(a)),
                                         (0.15 + 0.38 * np.cos(a), 0, 0.5 + 0.38 * np.sin(a)), 0.024)
                              for a in (0.5, 2.6, 4.7)])  # fmt: skip
        grain = Material(
            paints.wood(srgb("#7a5233"), srgb("#4b2f1b"), seed=8), gloss=0.04, shine=0.2
        )
        things.append(Thing("table", solids.union(top, legs), grain, (0.15, 0.2, 0.5), 0.6))
        things += fruit.bowl("bowl", (0.15, 0.385, 0.5), 0.19, srgb("#f2f0ea"))
        for x, z in ((0.07, 0.47), (0.21, 0.44), (0.16, 0.56)):
            things += fruit.citrus("oranges", (x, 0.43, z), 0.075, "#ee7a10")
    else:
        knit = Material(
            srgb("#c96a4a"),
            wrap=0.2,
            shine=0.02,
            bump=lambda p: np.float32(0.006) * np.sin(p[:, 1] * 70),
        )
        pouf = solids.ellipsoid((0.15, 0.24, 0.5), (0.46, 0.25, 0.46))
        things.append(Thing("pouf", pouf, knit, (0.15, 0.24, 0.5), 0.5))
    return Scene(
        things,
        [Light((0.75, 0.75, 0.6), (1.0, 0.95, 0.86), 1.35, width=0.2)],
        eye=(0.15, 1.45, 4.2), target=(-0.05, 0.83, 0), view=44, sky=daylight, ambient=0.72,
        ground=(0.4, 0.3, 0.2), exposure=0.95,
    )  # fmt: skip


def context() -> Context:
    states = States(scene)
    low = states.edit({}, {"sofa": "#b3392f"}, ("sofa",), "low", "Make the green sofa red.", {
        "Is the sofa red?": "yes",
        "Is the sofa green?": "no",
    })  # fmt: skip
    high = states.edit({}, {"left": "plant"}, ("lamp", "plant"), "high",
                       "Replace the floor lamp with a tall potted plant.", {
        "Is there a potted plant to the left of the sofa?": "yes",
        "Is there a floor lamp in the room?": "no",
    })  # fmt: skip
    dialogue = states.rounds([
        ({"sofa": "#2f5fa8"}, ("sofa",), "low", "Make the green sofa blue.", {
            "Is the sofa blue?": "yes",
            "Is the sofa green?": "no",
        }),
        ({"cushion": "#d8587a"}, ("cushion",), "low", "Make the yellow cushion pink.", {
            "Is the left cushion pink?": "yes",
            "Is there a yellow cushion on the sofa?": "no",
            "Is the sofa blue?": "yes",
        }),
        ({"left": "plant"}, ("lamp", "plant"), "high",
         "Replace the floor lamp with a tall plant in a white pot.", {
            "Is there a potted plant to the left of the sofa?": "yes",
            "Is there a floor lamp in the room?": "no",
        }),
        ({"pot": "#d9722e"}, ("plant",), "low", "Make the plant's pot orange.", {
            "Is the plant's pot orange?": "yes",
            "Is the left cushion pink?": "yes",
        }),
        ({"wall": "clock"}, ("painting", "clock"), "high",
         "Replace the painting on the wall with a round clock.", {
            "Does a round clock hang on the wall?": "yes",
            "Does a painting hang on the wall?": "no",
        }),
        ({"table": "pouf"}, ("table", "bowl", "oranges", "pouf"), "high",
         "Replace the coffee table and the bowl on it with a round pouf.", {
            "Does a pouf stand in front of the sofa?": "yes",
            "Is there a bowl of oranges in the room?": "no",
            "Does a clock hang on the wall?": "yes",
        }),
        ({"sofa": "#9a9489"}, ("sofa",), "low", "Make the blue sofa grey.", {
            "Is the sofa grey?": "yes",
            "Is the sofa blue?": "no",
            "Is the plant's pot orange?": "yes",
        }),
    ])  # fmt: skip
    return Context("room", states.shot({}).picture, low, high, dialogue)
