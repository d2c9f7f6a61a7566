"""A man with a film camera on a meadow, in black and white."""

from __future__ import annotations

import numpy as np

from tools.mini_image.painter import Canvas, box, ellipse, line, linear, polygon, rgb
from tools.mini_image.retouch import Photo, blended, canvas_of, cover_of, filled, photo_of, ramp


def cameraman(photo: Photo, coat: str = "", instead: str = "") -> Photo:
    """`coat`: its colour; `instead`: windmill, in place of the tall building."""
    if coat:
        region = polygon([(124, 81), (104, 94), (62, 108), (40, 138), (22, 178), (-2, 200), (-2, 330), (80, 330),
                          (112, 298), (162, 230), (192, 245), (226, 226), (226, 196), (214, 186), (200, 178),
                          (192, 200), (186, 178), (180, 160), (166, 158), (148, 160), (140, 166), (136, 150),
                          (128, 118), (124, 100)])  # fmt: skip
        light = photo.astype(np.float32).max(axis=2)
        gloves = polygon([(124, 174), (138, 166), (166, 156), (182, 158), (196, 166), (178, 180), (160, 197),
                          (144, 201), (130, 190)])  # fmt: skip
        cover = cover_of(region.without(gloves), photo, 0.8) * (1 - ramp(light, 70, 110))
        photo = blended(photo, (light[..., None] * 2 + 36) * rgb(coat), cover)
    if instead == "windmill":
        photo = filled(photo, np.rint(cover_of(box(316, 88, 345, 139), photo)), 64, 1.2)
        canvas = canvas_of(photo)
        _windmill(canvas)
        photo = photo_of(canvas)
    return photo


def _windmill(c: Canvas) -> None:
    tower = polygon([(322, 92), (342, 92), (350, 152), (314, 152)])
    c.solid(tower, linear((314, 0), (350, 0), "#e6e6e6", "#b4b4b4", "#6a6a6a"), 3, 0.3)
    for y in (112, 130):
        c.fill(box(329, y, 335, y + 8, 1), "#3a3a3a")
    c.solid(polygon([(320, 93), (324, 80), (332, 75), (340, 80), (344, 93)]), "#4a4a4a", 2.5, 0.4)
    for k in range(4):
        a = np.deg2rad(24 + 90 * k)
        way, side = np.array((np.cos(a), np.sin(a))), np.array((-np.sin(a), np.cos(a)))
        hub = np.array((332.0, 88.0))
        p = [hub + way * 9, hub + way * 43, hub + way * 43 + side * 9, hub + way * 9 + side * 8]
        c.fill(polygon([tuple(q) for q in p]), "#f2f2f2", 0.92)
        c.fill(line([tuple(hub), tuple(hub + way * 44)], 1.8), "#2e2e2e")
        for t in range(12, 44, 6):
            c.fill(line([tuple(hub + way * t), tuple(hub + way * t + side * 8.5)], 0.7), "#4a4a4a")
        c.fill(
            line([tuple(hub + way * 9 + side * 8), tuple(hub + way * 43 + side * 9)], 0.8),
            "#4a4a4a",
        )
    c.fill(ellipse(332, 88, 3.2, 3.2), "#2e2e2e")
