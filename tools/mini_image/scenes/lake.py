"""A lake in the mountains by night, with a camp on its shore."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tools.mini_image.painter import (
    Canvas,
    blurred,
    box,
    ellipse,
    line,
    linear,
    mix,
    polygon,
    radial,
    smooth,
)  # fmt: skip


def lake(
    shelter: str = "tent",
    shelter_colour: str = "#e07b2e",
    moon: float = 20,
    moon_colour: str = "#fbf6dc",
    on_water: str = "canoe",
    boat_colour: str = "#b23a2f",
) -> NDArray[np.uint8]:
    """512 x 384. `shelter`: tent or cabin; `moon` is its radius; `on_water`: canoe or swan."""
    c = Canvas()
    c.whole(linear((0, 0), (0, 240), "#0b1533", "#1d2f5e", "#48588a", "#8d7fa0"))
    rng = np.random.default_rng(21)
    for _ in range(150):
        x, y, r = rng.uniform(0, 512), rng.uniform(0, 1) ** 1.5 * 190, rng.uniform(0.35, 1.0)
        if np.hypot(x - 392, y - 64) > 52:
            c.fill(ellipse(x, y, r, r), "#ffffff", float(rng.uniform(0.5, 1)))
    c.glow(392, 64, moon * 2.4, moon_colour, 0.5)
    disc = c.fill(ellipse(392, 64, moon, moon), moon_colour)
    for dx, dy, r in (
        (-0.3, -0.2, 0.24),
        (0.3, 0.25, 0.3),
        (0.05, -0.55, 0.14),
        (-0.35, 0.45, 0.16),
    ):
        c.fill(ellipse(392 + dx * moon, 64 + dy * moon, r * moon, r * moon).within(disc),
               mix(moon_colour, "#8a8878", 0.35), 0.6)  # fmt: skip
    _mountains(c)
    water = c.fill(
        box(-5, 226, 517, 390), linear((0, 226), (0, 384), "#6f6a92", "#2b3d6a", "#0e1b3a")
    )
    _mirror(c)
    c.texture(water, 24, (34, 1.4), 0.12)
    for k in range(12):
        y = 234 + k * 8
        w = 8 + k * 1.6 + (k * 7 % 5)
        c.fill(ellipse(392 + (k * 13 % 9 - 4), y, w, 0.9), moon_colour, 0.5 - k * 0.025)
    {"canoe": _canoe, "swan": _swan}[on_water](c, boat_colour)
    _shore(c)
    {"tent": _tent, "cabin": _cabin}[shelter](c, shelter_colour)
    _fire(c)
    return c.finished(13, 0.6)


def _mountains(c: Canvas) -> None:
    far = polygon([(-5, 180), (40, 150), (84, 168), (140, 112), (186, 150), (232, 122), (300, 170),
                   (352, 138), (420, 168), (470, 134), (520, 160), (520, 230), (-5, 230)])  # fmt: skip
    c.fill(far, linear((0, 110), (0, 226), "#4a5580", "#6e6c94"))
    near = polygon([(-5, 140), (58, 104), (96, 138), (130, 128), (196, 196), (250, 214), (300, 220),
                    (520, 218), (520, 230), (-5, 230)])  # fmt: skip
    c.fill(near, linear((0, 104), (0, 226), "#2f3d66", "#3d456e"))
    c.fill(
        polygon([(58, 104), (40, 114), (50, 118), (56, 130), (66, 122), (74, 134), (84, 127)]),
        "#dfe3f2",
        0.9,
    )
    c.fill(
        polygon([(140, 112), (126, 126), (137, 128), (144, 136), (150, 128), (160, 130)]),
        "#dfe3f2",
        0.7,
    )
    c.fill(polygon([(470, 134), (456, 143), (468, 146), (476, 152), (486, 142)]), "#dfe3f2", 0.6)
    rng = np.random.default_rng(22)
    for x in range(-6, 520, 9):
        h = rng.uniform(14, 30)
        c.fill(polygon([(x - 6, 228), (x, 228 - h), (x + 6, 228)]), "#17233f")


def _mirror(c: Canvas) -> None:
    """The bank's reflection: the 60 pixels above the water, upside down and faint."""
    s = 3
    above = c.pixels[(226 - 120) * s : 226 * s][::-1]
    soft = np.stack([blurred(np.ascontiguousarray(above[..., k]), 5) for k in range(3)], axis=-1)
    part = np.linspace(0.75, 0.0, len(soft), dtype=np.float32)[:, None, None]
    below = c.pixels[226 * s : (226 + 120) * s]
    c.pixels[226 * s : (226 + 120) * s] = below * (1 - part) + soft * part * 0.9


def _canoe(c: Canvas, colour: str) -> None:
    c.fill(ellipse(214, 287, 54, 5), "#060d20", 0.6)
    hull = smooth([(158, 266), (172, 276), (214, 279), (256, 276), (270, 266), (262, 284), (214, 290),
                   (166, 284)])  # fmt: skip
    c.solid(hull, linear((0, 266), (0, 290), colour, mix(colour, "#000000", 0.45)), 3, 0.4)
    c.fill(smooth([(168, 274), (214, 276), (260, 274), (214, 281)]), "#2a1a12")
    c.solid(box(198, 275, 230, 278), "#c79a62", 1, 0.3)
    c.fill(line([(206, 272), (246, 258)], 2), "#d9b27a")
    c.fill(ellipse(250, 256, 6, 2.6, -20), "#d9b27a")


def _swan(c: Canvas, colour: str) -> None:
    del colour
    c.fill(ellipse(216, 288, 46, 5), "#060d20", 0.5)
    neck = smooth([(178, 276), (176, 252), (184, 236), (178, 226), (168, 230), (164, 238), (158, 236),
                   (164, 222), (178, 216), (190, 226), (192, 244), (190, 262), (198, 276)])  # fmt: skip
    c.solid(neck, "#f2f3f8", 3, 0.35)
    body = smooth([(174, 272), (186, 262), (214, 258), (244, 252), (264, 256), (252, 276), (226, 288),
                   (190, 286)])  # fmt: skip
    c.solid(body, linear((0, 252), (0, 288), "#ffffff", "#b9c0d8"), 5, 0.35)
    wing = smooth([(198, 270), (214, 256), (244, 250), (262, 250), (246, 268), (222, 276)])
    c.solid(wing, "#eef0f8", 4, 0.45)
    c.fill(polygon([(166, 229), (150, 238), (164, 239)]), "#e88a2c")
    c.fill(ellipse(171, 228, 1.6, 1.6), "#101010")


def _shore(c: Canvas) -> None:
    bank = smooth(
        [(250, 400), (282, 340), (340, 318), (430, 306), (540, 298), (560, 420), (380, 440)]
    )
    c.solid(bank, linear((0, 300), (0, 384), "#31452f", "#18261f"), 5, 0.2)
    c.texture(bank, 25, (3, 2), 0.15)
    rng = np.random.default_rng(26)
    for _ in range(120):
        x, y = rng.uniform(300, 512), rng.uniform(322, 384)
        c.fill(line([(x, y), (x + rng.uniform(-3, 3), y - 6)], 0.9), "#4c6640", 0.7)
    for x, base, h in ((486, 322, 190), (452, 314, 128)):
        c.fill(box(x - 3, base - 18, x + 3, base), "#1c130d")
        for k in range(6):
            top = base - h + k * h * 0.14
            w = 8 + k * 7.0
            tier = polygon([(x, top), (x - w, top + h * 0.26), (x + w, top + h * 0.26)])
            c.solid(tier, mix("#0d2420", "#1f4638", 0.15 * (5 - k)), 2, 0.25)


def _tent(c: Canvas, colour: str) -> None:
    c.fill(ellipse(386, 352, 66, 8), "#050a08", 0.5)
    c.glow(386, 330, 90, "#ffd9a0", 0.25)
    side = polygon([(376, 282), (426, 288), (452, 346), (410, 352)])
    c.solid(
        side,
        linear((376, 0), (452, 0), mix(colour, "#000000", 0.25), mix(colour, "#000000", 0.5)),
        3,
        0.2,
    )
    front = polygon([(376, 282), (330, 350), (410, 352)])
    c.solid(front, radial((372, 336), 60, mix(colour, "#fff2c0", 0.55), colour), 3, 0.25)
    c.fill(
        polygon([(375, 296), (362, 351), (388, 351)]), radial((375, 345), 50, "#fff3c8", "#a05a20")
    )
    c.fill(line([(376, 282), (330, 350)], 1.4), "#fff2d8", 0.7)
    c.fill(line([(376, 282), (410, 352)], 1.4), "#fff2d8", 0.7)


def _cabin(c: Canvas, colour: str) -> None:
    del colour
    c.fill(ellipse(390, 354, 76, 8), "#050a08", 0.5)
    c.solid(box(428, 248, 442, 282), "#55504c", 2, 0.4)
    wall = box(332, 290, 450, 354)
    c.fill(wall, "#6a452a")
    for y in range(290, 354, 8):
        c.solid(box(330, y, 452, y + 8, 3), mix("#7b5231", "#3a2414", (y % 16) / 32), 2, 0.45)
    roof = polygon([(318, 294), (348, 254), (436, 254), (464, 294)])
    c.shadow(roof, 0, 6, 4, 0.4, wall)
    c.solid(roof, linear((0, 254), (0, 294), "#5a3a34", "#382320"), 3, 0.3)
    for x in (344, 412):
        c.glow(x + 12, 320, 44, "#ffd070", 0.5)
        c.fill(box(x, 310, x + 24, 332), radial((x + 12, 322), 18, "#fff0b0", "#f2b248"))
        c.fill(box(x + 11, 310, x + 13, 332), "#3a2414")
        c.fill(box(x, 320, x + 24, 322), "#3a2414")
    c.solid(box(378, 312, 400, 354, 1), "#3f2717", 2, 0.4)
    c.fill(ellipse(396, 334, 1.6, 1.6), "#f0cf72")


def _fire(c: Canvas) -> None:
    c.glow(300, 352, 70, "#ff9a3c", 0.55)
    for a, b in (((284, 366), (316, 358)), ((284, 358), (316, 366))):
        c.solid(line([a, b], 5), "#4a2c18", 1.5, 0.4)
    flame = smooth([(288, 360), (286, 344), (296, 326), (298, 336), (304, 316), (310, 338), (314, 346),
                    (312, 360)])  # fmt: skip
    c.fill(flame, linear((0, 318), (0, 362), "#ff6a1e", "#ff9a2a", "#ffd84a"))
    c.fill(smooth([(294, 360), (294, 348), (301, 336), (306, 348), (306, 360)]), "#fff2b0")
