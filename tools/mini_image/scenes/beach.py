"""A beach: a parasol, a ball, a boat on the sea."""

from __future__ import annotations

import numpy as np

from tools.mini_image import paints, solids
from tools.mini_image.noise import fractal, noise
from tools.mini_image.overlays import circled
from tools.mini_image.sample import Context
from tools.mini_image.scenes.states import States
from tools.mini_image.scenes.street import clouds
from tools.mini_image.solids import Floats, Triple
from tools.mini_image.tracing import Light, Material, Scene, Thing, srgb

SIZE = (480, 320)


def _parasol(at: Triple, colour: str) -> list[Thing]:
    x, y, z = at
    top = (x + 0.12, y + 1.95, z)
    pole = solids.rod((x - 0.06, y - 0.05, z), (top[0], top[1] + 0.06, z), 0.025)
    canopy = solids.turned_on_lathe(
        (0, 0, 0),
        solids.curve(
            [
                (0.0, 0.02),
                (0.35, -0.05),
                (0.7, -0.2),
                (1.0, -0.42),
                (0.985, -0.43),
                (0.68, -0.23),
                (0.34, -0.08),
                (0, -0.01),
            ],
            6,
        ),
    )
    turn = solids.rotation(roll=-6)

    def gores(p: Floats) -> Floats:
        q = (p - np.float32(top)) @ turn
        angle = np.arctan2(q[:, 2], q[:, 0]) / (2 * np.pi) + 0.5
        return np.float32([srgb(colour), srgb("#f7f2e6")])[
            np.floor(angle * 10 + 0.25).astype(int) % 2
        ]

    return [
        Thing("parasol", pole, Material(srgb("#e6e0d2")), (x, y + 1, z), 1.1),
        Thing("parasol", solids.placed(canopy, top, roll=-6), Material(gores, wrap=0.25, shine=0.05),
              (top[0], top[1] - 0.2, z), 1.1),
    ]  # fmt: skip


def _ball(at: Triple, radius: float) -> list[Thing]:
    x, y, z = at
    middle = (x, y + radius, z)
    turn = solids.rotation(yaw=20, pitch=35, roll=25)
    colours = np.float32(
        [srgb(c) for c in ("#f6f2e8", "#e03a2f", "#f6f2e8", "#2d6fd1", "#f6f2e8", "#f3c22b")]
    )

    def gores(p: Floats) -> Floats:
        q = (p - np.float32(middle)) @ turn
        return colours[
            np.floor((np.arctan2(q[:, 2], q[:, 0]) / (2 * np.pi) + 0.5) * 6).astype(int) % 6
        ]

    return [
        Thing(
            "ball",
            solids.ball(middle, radius),
            Material(gores, gloss=0.04, shine=0.4),
            middle,
            radius * 1.05,
        )
    ]


def _castle(at: Triple, size: float) -> list[Thing]:
    """A castle of wet sand."""
    x, y, z = at
    k = size
    parts = [solids.block((x, y + 0.2 * k, z), (0.5 * k, 0.22 * k, 0.3 * k), 0.03)]
    for a, b, r, h in ((-0.5, 0.12, 0.2, 0.62), (0.5, 0.12, 0.2, 0.62), (0, -0.15, 0.22, 0.85)):
        tower = solids.turned_on_lathe(
            (x + a * k, y, z + b * k),
            [
                (0, 0),
                (1.15 * r * k, 0),
                (r * k, h * k),
                (1.2 * r * k, h * k),
                (1.2 * r * k, (h + 0.14) * k),
                (0, (h + 0.14) * k),
            ],
        )
        notches = [
            solids.block(
                (x + a * k, y + (h + 0.14) * k, z + b * k), (2 * r * k, 0.06 * k, 0.045 * k), 0.0
            ),
            solids.block(
                (x + a * k, y + (h + 0.14) * k, z + b * k), (0.045 * k, 0.06 * k, 2 * r * k), 0.0
            ),
        ]
        parts.append(solids.without(tower, *notches))
    gate = solids.union(
        solids.block((x, y + 0.1 * k, z + 0.3 * k), (0.09 * k, 0.12 * k, 0.1 * k), 0.01),
        solids.drum((x, y + 0.2 * k, z + 0.3 * k), 0.09 * k, 0.1 * k, 0.01, axis=2),
    )
    body = solids.without(solids.union(*parts), gate)
    grainy = Material(
        paints.mottled(srgb("#b98f55"), srgb("#d4ac70"), 0.05, 5, 1.5),
        shine=0.02,
        bump=lambda p: noise(p * np.float32(70), 3) * np.float32(0.004),
    )
    flag_at = (x, y + 0.99 * k, z - 0.15 * k)
    pole = solids.rod(flag_at, (x, y + 1.4 * k, z - 0.15 * k), 0.014 * k)
    flag = solids.block((x + 0.13 * k, y + 1.3 * k, z - 0.15 * k), (0.13 * k, 0.08 * k, 0.008), 0.0)
    return [
        Thing("castle", body, grainy, (x, y + 0.45 * k, z), 0.95 * k),
        Thing("castle", pole, Material(srgb("#6b4a2c")), (x, y + 1.2 * k, z - 0.15 * k), 0.3 * k),
        Thing("castle", flag, Material(srgb("#d6302a")), (x + 0.13 * k, y + 1.3 * k, z - 0.15 * k), 0.2 * k),
    ]  # fmt: skip


def _boat(at: Triple, size: float) -> list[Thing]:
    x, y, z = at
    k = size
    hull = solids.common(
        solids.ellipsoid((x, y + 0.25 * k, z), (0.95 * k, 0.42 * k, 0.3 * k)),
        solids.half_space((0, 1, 0), (x, y + 0.22 * k, z)),
    )
    mast = solids.rod((x, y, z), (x, y + 2.2 * k, z), 0.03 * k)

    def sail(
        a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]
    ) -> solids.Distance:
        corners = [a, b, c]
        planes = [solids.block((x, y + 1.1 * k, z), (1.5 * k, 1.5 * k, 0.02 * k), 0.0)]
        for (ax, ay), (bx, by) in zip(corners, [*corners[1:], corners[0]], strict=True):
            planes.append(solids.half_space((by - ay, ax - bx, 0), (x + ax * k, y + ay * k, z)))
        return solids.common(*planes)

    cloth = Material(srgb("#fbf8f0"), wrap=0.4, shine=0.02)
    middle = (x, y + 1.1 * k, z)
    return [
        Thing("boat", hull, Material(srgb("#7c4a2a")), (x, y + 0.2 * k, z), 1.05 * k),
        Thing("boat", mast, Material(srgb("#5a4028")), middle, 1.2 * k),
        Thing("boat", sail((0.06, 0.4), (0.95, 0.42), (0.06, 2.1)), cloth, middle, 1.6 * k),
        Thing("boat", sail((-0.7, 0.45), (-0.06, 0.42), (-0.06, 1.7)), cloth, middle, 1.6 * k),
    ]


def scene(parasol: str = "#d8342c", right: str = "ball") -> Scene:
    """The beach; in front on the right is a "ball" or a "castle" of sand."""
    sand = paints.mottled(srgb("#e6cf9e"), srgb("#d3b57d"), 0.5, 4, 1.5)

    def shore(p: Floats) -> Floats:
        edge = -1.35 + 0.16 * np.sin(p[:, 0] * 1.1) + 0.07 * np.sin(p[:, 0] * 2.9 + 1)
        wet = np.clip((edge + 0.42 - p[:, 2]) * 3, 0, 1)
        colour = sand(p) * (0.93 + 0.14 * noise(p * np.float32(30), 7))[:, None]
        colour = paints.mixed(colour, srgb("#a5834f"), wet * 0.75)
        return colour.astype(np.float32)

    def water(p: Floats) -> Floats:
        far = np.clip((-1.3 - p[:, 2]) / 14, 0, 1) ** 0.5
        colour = paints.mixed(srgb("#57c3bd"), srgb("#17639c"), far * 1.15)
        edge = -1.35 + 0.16 * np.sin(p[:, 0] * 1.1) + 0.07 * np.sin(p[:, 0] * 2.9 + 1)
        wave = edge - p[:, 2] + 0.12 * (fractal(p * np.float32(3), 3, 5) - 0.5)
        foam = (wave < 0.14) | (np.abs(wave - 0.75) < 0.035) | (np.abs(wave - 1.7) < 0.03)
        colour[foam] = srgb("#f4f8f6")
        return colour.astype(np.float32)

    def sea(p: Floats) -> Floats:
        edge = -1.35 + 0.16 * np.sin(p[:, 0] * 1.1) + 0.07 * np.sin(p[:, 0] * 2.9 + 1)
        return (np.maximum(p[:, 1] - 0.012, (p[:, 2] - edge) * 0.8)).astype(np.float32)

    def ripples(p: Floats) -> Floats:
        q = p * np.float32([2.2, 1, 5])
        fade = np.exp(np.minimum(p[:, 2] + 1.3, 0) * 0.1)
        return (noise(q, 3) + 0.5 * noise(q * np.float32(2.3), 4)) * np.float32(0.016) * fade

    towel = solids.placed(
        solids.block((0, 0, 0), (0.38, 0.014, 0.72), 0.01), (-1.0, 0.012, 0.35), yaw=-28
    )
    cloth = paints.striped([srgb("#3f8f8a"), srgb("#f4eee0")], 0.11, axis=2)
    things = [
        Thing("sand", lambda p: p[:, 1], Material(shore, shine=0.02,
              bump=lambda p: fractal(p * np.float32(5), 3, 2) * np.float32(0.02))),
        Thing("sea", sea, Material(water, gloss=0.12, shine=0.3, sharpness=120, bump=ripples)),
        Thing("towel", towel, Material(cloth, wrap=0.1), (-1.0, 0, 0.35), 0.9),
        *_parasol((-1.3, 0, -0.45), parasol),
        *_boat((1.1, 0, -9.5), 0.85),
    ]  # fmt: skip
    if right == "ball":
        things += _ball((0.95, 0, 0.45), 0.33)
    else:
        things += _castle((1.02, 0, 0.4), 0.66)
    return Scene(
        things,
        [Light((0.5, 0.9, 0.55), (1.0, 0.96, 0.86), 2.0, width=0.06)],
        eye=(0, 1.35, 4.9), target=(0, 0.92, 0), view=44, sky=clouds, size=SIZE, ambient=0.55,
        ground=(0.4, 0.33, 0.22), exposure=0.95, far=60,
    )  # fmt: skip


def context() -> Context:
    states = States(scene)
    low = states.edit({}, {"parasol": "#2a62c9"}, ("parasol",), "low",
                      "Make the red and white parasol blue and white.", {
        "Is the parasol blue and white?": "yes",
        "Does the parasol have red stripes?": "no",
    })  # fmt: skip
    high = states.edit({}, {"right": "castle"}, ("ball", "castle"), "high",
                       "Replace the circled thing with a sandcastle with a red flag.", {
        "Is there a sandcastle on the beach?": "yes",
        "Is there a ball on the beach?": "no",
        "Is there a sailing boat on the sea?": "yes",
    }, overlay=circled(SIZE, (306, 186, 426, 302), seed=7))  # fmt: skip
    return Context("beach", states.shot({}).picture, low, high)
