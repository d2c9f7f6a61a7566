"""Solids as distance functions: how far a point is from the surface, negative inside.

Every function takes what it is made of and gives a `Distance`: points (N x 3, x right, y up, z
towards the viewer) to N distances. Formulas are the usual ones of distance fields.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Distance = Callable[[Floats], Floats]
Triple = tuple[float, float, float]


def _f(values: Sequence[float]) -> Floats:
    return np.asarray(values, np.float32)


def _length(v: Floats) -> Floats:
    return np.sqrt(np.einsum("...i,...i->...", v, v))


def ball(centre: Triple, radius: float) -> Distance:
    c = _f(centre)
    return lambda p: _length(p - c) - np.float32(radius)


def ellipsoid(centre: Triple, radii: Triple) -> Distance:
    """Not exact away from the surface, never too large near it."""
    c, r = _f(centre), _f(radii)

    def distance(p: Floats) -> Floats:
        q = (p - c) / r
        k0, k1 = _length(q), _length(q / r)
        return k0 * (k0 - 1) / np.maximum(k1, np.float32(1e-6))

    return distance


def block(centre: Triple, half: Triple, rounding: float = 0.02) -> Distance:
    """A box of half sizes `half`, its edges rounded inside of them."""
    c, h = _f(centre), _f(half) - np.float32(rounding)

    def distance(p: Floats) -> Floats:
        q = np.abs(p - c) - h
        outside = _length(np.maximum(q, 0))
        return outside + np.minimum(q.max(axis=1), 0) - np.float32(rounding)

    return distance


def rod(a: Triple, b: Triple, radius: float, radius_b: float | None = None) -> Distance:
    """A round-ended rod from a to b; a second radius makes it taper."""
    pa, pb = _f(a), _f(b)
    axis = pb - pa
    square = np.float32(axis @ axis)
    taper = np.float32((radius if radius_b is None else radius_b) - radius)

    def distance(p: Floats) -> Floats:
        way = np.clip((p - pa) @ axis / square, 0, 1)
        return _length(p - pa - way[:, None] * axis) - np.float32(radius) - way * taper

    return distance


def drum(centre: Triple, radius: float, half: float, rounding: float = 0.01,
         axis: int = 1) -> Distance:  # fmt: skip
    """A cylinder along an axis (0 x, 1 y, 2 z)."""
    c = _f(centre)
    others = [k for k in range(3) if k != axis]

    def distance(p: Floats) -> Floats:
        q = p - c
        across = _length(q[:, others]) - np.float32(radius - rounding)
        along = np.abs(q[:, axis]) - np.float32(half - rounding)
        outside = np.sqrt(np.maximum(across, 0) ** 2 + np.maximum(along, 0) ** 2)
        return outside + np.minimum(np.maximum(across, along), 0) - np.float32(rounding)

    return distance


def ring(centre: Triple, radius: float, thickness: float, axis: int = 1) -> Distance:
    """A torus around an axis."""
    c = _f(centre)
    others = [k for k in range(3) if k != axis]

    def distance(p: Floats) -> Floats:
        q = p - c
        across = _length(q[:, others]) - np.float32(radius)
        return np.sqrt(across**2 + q[:, axis] ** 2) - np.float32(thickness)

    return distance


def turned_on_lathe(centre: Triple, profile: Sequence[tuple[float, float]]) -> Distance:
    """A solid of revolution: a closed polygon of (radius, height) turned about the upright axis.
    Distances to the polygon are looked up in a table made once."""
    c = _f(centre)
    corners = np.asarray(profile, np.float32)
    tall = float(np.ptp(corners[:, 1]))
    margin = 0.3 * max(tall, float(corners[:, 0].max()))
    cell = np.float32(max(tall, float(corners[:, 0].max())) / 260)
    low = corners[:, 1].min() - np.float32(margin)
    columns = int((corners[:, 0].max() + margin) / cell) + 2
    rows = int((corners[:, 1].max() + margin - low) / cell) + 2
    y, rho = np.mgrid[:rows, :columns].astype(np.float32) * cell
    table = _to_polygon(rho.ravel(), y.ravel() + low, corners).reshape(rows, columns)

    def distance(p: Floats) -> Floats:
        q = p - c
        u, v = _length(q[:, [0, 2]]) / cell, (q[:, 1] - low) / cell
        cu, cv = np.clip(u, 0, columns - 1.001), np.clip(v, 0, rows - 1.001)
        away = np.sqrt((u - cu) ** 2 + (v - cv) ** 2) * cell
        i, j = cv.astype(np.int32), cu.astype(np.int32)
        a, b = cv - i, cu - j
        top = table[i, j] * (1 - b) + table[i, j + 1] * b
        bottom = table[i + 1, j] * (1 - b) + table[i + 1, j + 1] * b
        return (top * (1 - a) + bottom * a + away).astype(np.float32)

    return distance


def _to_polygon(x: Floats, y: Floats, corners: Floats) -> Floats:
    """Distances of points (x, y) to a closed polygon, negative inside."""
    best = np.full(len(x), np.inf, np.float32)
    inside = np.zeros(len(x), bool)
    for (x0, y0), (x1, y1) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        ex, ey = x1 - x0, y1 - y0
        wx, wy = x - x0, y - y0
        way = np.clip((wx * ex + wy * ey) / max(ex * ex + ey * ey, 1e-12), 0, 1)
        best = np.minimum(best, (wx - ex * way) ** 2 + (wy - ey * way) ** 2)
        if ey != 0:
            inside ^= ((y >= y0) != (y >= y1)) & (x < x0 + (y - y0) * ex / ey)
    return np.where(inside, -1, 1).astype(np.float32) * np.sqrt(best)


def curve(points: Sequence[tuple[float, float]], steps: int = 12) -> list[tuple[float, float]]:
    """A polygon through points, smoothed (Catmull-Rom): profiles for the lathe."""
    pts = [points[0], *points, points[-1]]
    out: list[tuple[float, float]] = []
    for a, b, c, d in zip(pts, pts[1:], pts[2:], pts[3:], strict=False):
        for k in range(steps):
            t = k / steps
            out.append(tuple(  # type: ignore[arg-type]
                0.5 * (2 * q + (r - p) * t + (2 * p - 5 * q + 4 * r - s) * t**2
                       + (3 * q - p - 3 * r + s) * t**3)
                for p, q, r, s in zip(a, b, c, d, strict=True)
            ))  # fmt: skip
    return [*out, points[-1]]


def union(*parts: Distance) -> Distance:
    return lambda p: np.minimum.reduce([part(p) for part in parts])


def melted(blend: float, *parts: Distance) -> Distance:
    """A union whose seams are filled smoothly over about `blend`."""
    k = np.float32(blend)

    def distance(p: Floats) -> Floats:
        d = parts[0](p)
        for part in parts[1:]:
            e = part(p)
            h = np.maximum(k - np.abs(d - e), 0) / k
            d = np.minimum(d, e) - h * h * k / 4
        return d

    return distance


def without(whole: Distance, *holes: Distance) -> Distance:
    return lambda p: np.maximum.reduce([whole(p), *(-hole(p) for hole in holes)])


def common(*parts: Distance) -> Distance:
    return lambda p: np.maximum.reduce([part(p) for part in parts])


def placed(part: Distance, at: Triple, yaw: float = 0.0, pitch: float = 0.0,
           roll: float = 0.0, size: float = 1.0) -> Distance:  # fmt: skip
    """A solid made about the origin, scaled, turned (degrees: about y, then x, then z) and put."""
    turn, c = rotation(yaw, pitch, roll), _f(at)
    return lambda p: part(((p - c) @ turn) / np.float32(size)) * np.float32(size)


def rotation(yaw: float = 0.0, pitch: float = 0.0, roll: float = 0.0) -> Floats:
    """The matrix of a turn: by roll about z, then pitch about x, then yaw about y, in degrees."""
    y, x, z = (math.radians(v) for v in (yaw, pitch, roll))
    about_y = [[math.cos(y), 0, math.sin(y)], [0, 1, 0], [-math.sin(y), 0, math.cos(y)]]
    about_x = [[1, 0, 0], [0, math.cos(x), -math.sin(x)], [0, math.sin(x), math.cos(x)]]
    about_z = [[math.cos(z), -math.sin(z), 0], [math.sin(z), math.cos(z), 0], [0, 0, 1]]
    return (np.array(about_y) @ np.array(about_x) @ np.array(about_z)).astype(np.float32)


def displaced(part: Distance, by: Callable[[Floats], Floats], near: float = 0.1) -> Distance:
    """A solid whose surface is moved outwards by `by` of the point; looked at near it only."""

    def distance(p: Floats) -> Floats:
        d = part(p)
        close = np.abs(d) < near
        if close.any():
            d[close] -= by(p[close])
        return d * np.float32(0.8)

    return distance


def half_space(normal: Triple, at: Triple) -> Distance:
    """All that lies behind a plane through `at`; `normal` points out of it."""
    n = _f(normal) / np.float32(math.hypot(*normal))
    c = _f(at)
    return lambda p: (p - c) @ n
