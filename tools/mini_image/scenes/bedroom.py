"""A bedroom: a bed, a window, a picture on the wall, a bedside table and a rug."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tools.mini_image.painter import (
    Canvas,
    Paint,
    box,
    curve,
    ellipse,
    flat,
    line,
    linear,
    mix,
    polygon,
    radial,
    smooth,
    stripes,
)  # fmt: skip


def bedroom(
    cover: str = "#3f6fb0",
    striped: bool = False,
    on_wall: str = "painting",
    on_table: str = "lamp",
    shade: str = "#f4dfae",
    curtain: str = "#b6503f",
    walls: str = "#d9d2c0",
    on_bed: str = "cat",
    fur: str = "#d98a3d",
    rug: str = "#8c5a7c",
) -> NDArray[np.uint8]:
    """512 x 384. `on_wall`: painting or clock; `on_table`: lamp or vase; `on_bed`: cat, dog or
    guitar, the last without a use for `fur`."""
    c = Canvas()
    wall = c.whole(linear((0, 0), (512, 260), mix(walls, "#ffffff", 0.25), walls,
                          mix(walls, "#3a3040", 0.2)))  # fmt: skip
    c.texture(wall, 31, (3, 3), 0.02)
    floor = c.fill(box(-5, 288, 517, 390), linear((0, 288), (0, 384), "#8a5f3e", "#a87850"))
    for k, y in enumerate((300, 316, 336, 360)):
        c.fill(line([(-5, y), (517, y)], 1), "#4f3420", 0.6)
        for x in range(-60 + k * 37, 540, 130):
            c.fill(line([(x, y), (x - 10, y + 14 + k * 4)], 1).within(floor), "#4f3420", 0.5)
    c.texture(floor, 32, (30, 1.2), 0.1)
    c.solid(box(-5, 278, 517, 289), "#f3eee2", 1.5, 0.3)
    _window(c, curtain)
    {"painting": _painting, "clock": _clock}[on_wall](c)
    _rug(c, rug)
    _table(c)
    {"lamp": _lamp, "vase": _vase}[on_table](c, shade)
    _bed(c, cover, striped)
    {"cat": _cat, "dog": _dog, "guitar": _guitar}[on_bed](c, fur)
    return c.finished(14, 0.5)


def _window(c: Canvas, curtain: str) -> None:
    frame = box(40, 40, 156, 186)
    c.shadow(frame, 3, 4, 5, 0.3)
    c.fill(frame, "#f7f3e8")
    glass = c.fill(box(48, 48, 148, 178), linear((0, 48), (0, 178), "#7fbce8", "#d6ecf5"))
    c.fill(
        smooth([(30, 190), (50, 146), (84, 156), (118, 138), (160, 152), (160, 190)]).within(glass),
        "#6f9e56",
    )
    c.fill(smooth([(60, 200), (100, 158), (150, 164), (170, 190)]).within(glass), "#8fb768")
    c.fill(ellipse(116, 74, 18, 7), "#ffffff", 0.9)
    c.fill(box(95, 48, 101, 178), "#f7f3e8")
    c.fill(box(48, 108, 148, 113), "#f7f3e8")
    c.light(frame, 2, 0.25)
    c.solid(box(34, 184, 162, 194), "#efe9da", 2, 0.35)
    for x0, x1, pull in ((24, 66, 44), (130, 172, 152)):
        drape = smooth([(x0, 30), (x1, 30), (x1 - 4, 100), (pull + 10, 150), (x1 - 2, 214), (x0 + 2, 214),
                        (pull - 12, 150), (x0 + 2, 100)])  # fmt: skip
        c.shadow(drape, 3, 3, 4, 0.25)
        c.solid(drape, linear((x0, 0), (x1, 0), mix(curtain, "#ffffff", 0.15), curtain), 4, 0.3)
        for t in (0.25, 0.5, 0.75):
            x = x0 + (x1 - x0) * t
            fold = line(curve([(x, 30), (x, 100), (pull + (t - 0.5) * 16, 150), (x, 214)]), 2)
            c.fill(fold.within(drape), "#000000", 0.22)
        c.fill(box(pull - 12, 146, pull + 12, 153, 3), "#f0cf72")
    c.solid(box(14, 25, 182, 31, 3), "#6a4a30", 1.5, 0.5)
    for x in (14, 182):
        c.solid(ellipse(x, 28, 6, 6), "#6a4a30", 2, 0.5)


def _painting(c: Canvas) -> None:
    frame = box(250, 44, 372, 126)
    c.shadow(frame, 4, 6, 5, 0.4)
    c.solid(frame, "#c89b4a", 2, 0.45)
    inner = c.fill(box(259, 53, 363, 117), linear((0, 53), (0, 117), "#f4a25c", "#fbe0a8"))
    c.fill(ellipse(322, 78, 11, 11), "#fff2c8")
    c.fill(polygon([(255, 104), (284, 72), (306, 96), (330, 84), (368, 106), (368, 120), (255, 120)]).within(inner),
           "#7a4f6c")  # fmt: skip
    c.fill(box(259, 104, 363, 117), "#3f6d78")
    c.light(inner, 2, -0.4)


def _clock(c: Canvas) -> None:
    rim = ellipse(311, 86, 44, 44)
    c.shadow(rim, 4, 6, 5, 0.4)
    c.solid(rim, "#33475a", 3, 0.45)
    face = c.fill(ellipse(311, 86, 37, 37), radial((300, 74), 60, "#ffffff", "#e6dfcd"))
    for k in range(12):
        a = k * np.pi / 6
        inner = 27 if k % 3 == 0 else 31
        c.fill(line([(311 + inner * np.sin(a), 86 - inner * np.cos(a)),
                     (311 + 34 * np.sin(a), 86 - 34 * np.cos(a))], 2.4 if k % 3 == 0 else 1.3), "#222a33")  # fmt: skip
    c.light(face, 2, -0.3)
    c.fill(line([(311, 86), (295, 74)], 3.4), "#222a33")
    c.fill(line([(311, 86), (326, 62)], 2.2), "#222a33")
    c.fill(ellipse(311, 86, 3.4, 3.4), "#c8322d")


def _rug(c: Canvas, colour: str) -> None:
    rug = ellipse(150, 344, 142, 32)
    c.shadow(rug, 0, 2, 2, 0.3)
    c.fill(rug, colour)
    for part, other in ((0.86, mix(colour, "#ffffff", 0.6)), (0.78, colour),
                        (0.5, mix(colour, "#ffffff", 0.4)), (0.42, colour)):  # fmt: skip
        c.fill(ellipse(150, 344, 142 * part, 32 * part), other)
    c.texture(rug, 33, (2, 1), 0.1)


def _table(c: Canvas) -> None:
    c.shadow(box(176, 310, 234, 318), 0, 0, 4, 0.45)
    for x in (176, 228):
        c.solid(box(x, 290, x + 7, 318), "#5d3c24", 1.5, 0.4)
    c.solid(box(172, 232, 238, 296, 2), linear((172, 0), (238, 0), "#8d5d38", "#734a2b"), 3, 0.35)
    for y in (242, 268):
        c.light(box(178, y, 232, y + 22, 2), 1.5, 0.35)
        c.fill(ellipse(205, y + 11, 3, 3), "#e8c873")
    c.solid(box(166, 224, 244, 233, 2), "#9a6740", 2, 0.35)


def _lamp(c: Canvas, shade: str) -> None:
    c.glow(205, 166, 92, "#fff0bd", 0.45)
    c.solid(ellipse(205, 222, 20, 5), "#4a6670", 2, 0.4)
    c.solid(
        smooth([(199, 222), (192, 206), (202, 192), (208, 192), (218, 206), (211, 222)]),
        "#5b8290",
        4,
        0.45,
    )
    c.fill(box(203, 182, 207, 194), "#d8b45c")
    hood = polygon([(188, 142), (222, 142), (236, 186), (174, 186)])
    c.solid(
        hood,
        radial((205, 174), 46, mix(shade, "#ffffff", 0.7), shade, mix(shade, "#a06a30", 0.2)),
        3,
        0.15,
    )


def _vase(c: Canvas, shade: str) -> None:
    del shade
    for k, (x, y) in enumerate(((182, 150), (205, 132), (230, 146), (192, 172), (220, 170))):
        c.fill(
            line(curve([(205, 200), ((205 + x) / 2, (y + 200) / 2 + 6), (x, y)]), 2.2), "#3f7a3c"
        )
        colour = ("#e8486a", "#f2b632", "#f7f1f5", "#b56be0", "#f08a3c")[k]
        for p in range(6):
            a = p * 1.0472 + k
            c.solid(
                ellipse(x + 8 * np.cos(a), y + 8 * np.sin(a), 6.5, 5, np.rad2deg(a)),
                colour,
                2,
                0.35,
            )
        c.fill(ellipse(x, y, 4, 4), "#7a4a1c" if k != 2 else "#f2c63c")
    for tip in ((172, 190), (240, 188)):
        c.solid(
            smooth([(205, 202), ((205 + tip[0]) / 2, 184), tip, ((205 + tip[0]) / 2, 200)]),
            "#4f8f45",
            2,
            0.3,
        )
    vase = smooth(
        [
            (194, 196),
            (216, 196),
            (212, 204),
            (222, 214),
            (216, 227),
            (194, 227),
            (188, 214),
            (198, 204),
        ]
    )
    c.shadow(ellipse(205, 227, 16, 3), 2, 0, 2, 0.35)
    c.solid(vase, linear((188, 0), (222, 0), "#bfe3e8", "#5aa5b5", "#2f7383"), 4, 0.35)


def _bed(c: Canvas, cover: str, striped: bool) -> None:
    c.shadow(box(246, 336, 516, 366), 0, 4, 7, 0.45)
    head = box(488, 150, 530, 350, 10)
    c.solid(head, "#6b4529", 4, 0.4)
    c.solid(box(240, 256, 258, 368, 4), "#6b4529", 3, 0.4)
    c.solid(box(246, 318, 530, 350, 3), "#7b5231", 3, 0.35)
    c.fill(box(252, 266, 520, 322, 8), "#f3efe6")
    for x, tilt in ((446, -8), (470, 6)):
        pillow = smooth([(x - 34, 258), (x - 30, 222 + tilt), (x + 8, 210 + tilt), (x + 30, 226), (x + 30, 262),
                         (x, 268)])  # fmt: skip
        c.solid(pillow, "#fbf8f0", 8, 0.3)
    blanket = smooth([(244, 284), (256, 250), (300, 240), (370, 240), (410, 246), (424, 262), (428, 300),
                      (424, 334), (340, 342), (262, 340), (242, 326)])  # fmt: skip
    paint: Paint = flat(cover)
    if striped:
        paint = stripes(cover, mix(cover, "#ffffff", 0.82), 13, 12)
    c.fill(blanket, paint)
    c.light(blanket, 11, 0.4)
    for a, b, d in (((300, 250), (290, 290), (296, 336)), ((350, 248), (358, 292), (346, 338)),
                    ((398, 256), (392, 296), (402, 334))):  # fmt: skip
        c.fill(line(curve([a, b, d]), 3).within(blanket), "#000000", 0.12)
    c.texture(blanket, 34, (2.4, 2.4), 0.05)
    c.solid(smooth([(404, 244), (426, 252), (432, 300), (428, 336), (412, 336), (416, 296), (410, 258)]),
            "#fbf8f0", 3, 0.25)  # fmt: skip


def _cat(c: Canvas, fur: str) -> None:
    dark = mix(fur, "#3a1c08", 0.45)
    c.shadow(ellipse(334, 252, 52, 8), 3, 4, 4, 0.4)
    tail = line(curve([(378, 244), (398, 236), (396, 214), (384, 206)]), 10)
    c.solid(tail, fur, 3, 0.4)
    body = smooth(
        [(288, 250), (292, 224), (318, 208), (356, 208), (384, 226), (388, 250), (340, 256)]
    )
    c.solid(body, fur, 8, 0.4)
    for x in (330, 346, 362):
        c.fill(line(curve([(x, 208), (x + 5, 220), (x + 3, 232)]), 4).within(body), dark, 0.6)
    for ear in ([(282, 206), (282, 180), (300, 194)], [(308, 194), (324, 180), (324, 206)]):
        c.solid(polygon(ear), fur, 2, 0.4)
    for ear in ([(286, 201), (286, 188), (296, 196)], [(312, 196), (320, 188), (320, 201)]):
        c.fill(polygon(ear), "#e8a8a0")
    head = ellipse(303, 214, 26, 23)
    c.solid(head, fur, 6, 0.4)
    c.fill(ellipse(303, 224, 12, 9), mix(fur, "#ffffff", 0.7))
    for x in (292, 314):
        c.fill(line(curve([(x - 5, 211), (x, 214), (x + 5, 211)]), 1.8), "#2a1608")
    c.fill(polygon([(300, 219), (306, 219), (303, 223)]), "#c8605a")
    for k in (-1, 1):
        for dy in (-2, 2):
            c.fill(line([(303 + k * 8, 224), (303 + k * 30, 223 + dy * 2)], 0.7), "#ffffff", 0.9)
    for x in (298, 318):
        c.solid(ellipse(x, 251, 11, 6), mix(fur, "#ffffff", 0.5), 2, 0.35)


def _dog(c: Canvas, fur: str) -> None:
    del fur
    coat, dark = "#efe4d2", "#6b4428"
    c.shadow(ellipse(336, 252, 56, 8), 3, 4, 4, 0.4)
    c.solid(line(curve([(384, 238), (402, 224), (404, 204)]), 8), coat, 3, 0.4)
    body = smooth(
        [(288, 252), (290, 222), (318, 206), (360, 204), (390, 224), (392, 252), (340, 258)]
    )
    c.solid(body, coat, 8, 0.4)
    c.fill(
        smooth([(344, 200), (372, 204), (388, 226), (372, 236), (346, 228)]).within(body),
        dark,
        0.95,
    )
    c.light(body, 8, 0.3)
    head = smooth(
        [(276, 206), (284, 182), (308, 176), (328, 186), (334, 206), (322, 226), (290, 226)]
    )
    c.solid(head, coat, 6, 0.4)
    c.solid(
        smooth([(286, 214), (304, 206), (322, 214), (322, 232), (304, 238), (286, 232)]),
        "#faf4e8",
        4,
        0.3,
    )
    for ear in ([(284, 182), (264, 188), (260, 216), (272, 228), (282, 210)],
                [(326, 184), (346, 188), (350, 216), (338, 228), (328, 210)]):  # fmt: skip
        c.solid(smooth(ear), dark, 3, 0.4)
    for x in (294, 316):
        c.fill(ellipse(x, 203, 3.4, 4), "#1c120c")
        c.fill(ellipse(x - 1, 201.5, 1.1, 1.1), "#ffffff")
    c.fill(ellipse(304, 215, 6.5, 4.6), "#1c120c")
    c.fill(smooth([(299, 228), (309, 228), (308, 240), (304, 243), (300, 240)]), "#e8707a")
    for x in (296, 322):
        c.solid(ellipse(x, 253, 12, 6), "#faf4e8", 2, 0.35)


def _guitar(c: Canvas, fur: str) -> None:
    del fur
    body = smooth([(272, 246), (276, 216), (302, 206), (324, 216), (346, 212), (362, 226), (360, 246),
                   (340, 254), (322, 250), (298, 262)])  # fmt: skip
    c.shadow(body, 4, 6, 4, 0.4)
    c.solid(body, radial((316, 230), 52, "#e8a552", "#b5682a", "#7a3f18"), 4, 0.4)
    c.fill(ellipse(330, 231, 11, 10), "#2a1608")
    c.solid(box(290, 222, 298, 244, 1), "#4a2814", 1, 0.4)
    c.solid(polygon([(338, 226), (420, 208), (421, 216), (340, 237)]), "#4a2814", 1.5, 0.4)
    c.solid(polygon([(418, 205), (442, 198), (446, 208), (421, 218)]), "#2e1a0e", 1.5, 0.4)
    for k in range(4):
        c.fill(line([(294, 227 + k * 4), (440, 203 + k * 1.6)], 0.6), "#f3ead2", 0.9)
