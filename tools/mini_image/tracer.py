"""A small ray tracer: spheres, turned boxes, upright cylinders and cones on a floor, one soft light.

Lengths are in units of the scene, y is up, the floor is y = 0. The same scene gives the same
picture: the samples of light and of each pixel are a fixed grid, nothing is drawn by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tools.mini_image.painter import rgb

Array = NDArray[np.float64]
FAR = 1e9
EPSILON = 1e-4


@dataclass(frozen=True)
class Material:
    """`mirror` is the part of light that is reflected; `gloss` the strength of the highlight;
    `second` the other colour of stripes (by height)."""

    colour: str
    mirror: float = 0.0
    gloss: float = 0.3
    second: str = ""


@dataclass(frozen=True)
class Body:
    """A sphere, box, cylinder or cone that stands at (x, y, z): its lowest point's height is y.

    `size` is the radius (half the edge of a box), `height` that of cylinder and cone, `turn` the
    box's angle about the upright in degrees.
    """

    kind: str
    at: tuple[float, float, float]
    size: float
    material: Material
    height: float = 1.0
    turn: float = 0.0

    def hit(self, origin: Array, way: Array) -> tuple[Array, Array]:
        """Distances along the rays (FAR where there is no hit) and outward normals, N x 3."""
        if self.kind == "sphere":
            return _sphere(origin - np.add(self.at, (0, self.size, 0)), way, self.size)
        a = np.deg2rad(self.turn)
        turn = np.array([[np.cos(a), 0, -np.sin(a)], [0, 1, 0], [np.sin(a), 0, np.cos(a)]])
        o, d = (origin - np.array(self.at)) @ turn.T, way @ turn.T
        if self.kind == "box":
            t, normal = _box(o - np.array((0, self.size, 0)), d, self.size)
        else:
            t, normal = _round(o, d, self.size, self.height, self.kind == "cone")
        return t, normal @ turn


def _sphere(o: Array, d: Array, r: float) -> tuple[Array, Array]:
    b = np.einsum("ij,ij->i", o, d)
    under = b * b - np.einsum("ij,ij->i", o, o) + r * r
    root = np.sqrt(np.maximum(under, 0))
    near = np.where(-b - root > EPSILON, -b - root, -b + root)
    t = np.where((under > 0) & (near > EPSILON), near, FAR)
    return t, (o + t[:, None] * d) / r


def _box(o: Array, d: Array, half: float) -> tuple[Array, Array]:
    inverse = 1 / np.where(np.abs(d) < 1e-12, 1e-12, d)
    first, second = (-half - o) * inverse, (half - o) * inverse
    near, far = np.minimum(first, second), np.maximum(first, second)
    axis = near.argmax(axis=1)
    enter, leave = near.max(axis=1), far.min(axis=1)
    t = np.where((enter < leave) & (enter > EPSILON), enter, FAR)
    normal = np.zeros_like(o)
    rows = np.arange(len(o))
    normal[rows, axis] = -np.sign(d[rows, axis])
    return t, normal


def _round(o: Array, d: Array, r: float, height: float, cone: bool) -> tuple[Array, Array]:
    """A cylinder or a cone on y = 0. Side: x^2 + z^2 = (r - slope * y)^2."""
    slope = r / height if cone else 0.0
    wide, change = r - slope * o[:, 1], slope * d[:, 1]
    a = d[:, 0] ** 2 + d[:, 2] ** 2 - change**2
    b = o[:, 0] * d[:, 0] + o[:, 2] * d[:, 2] + wide * change
    c = o[:, 0] ** 2 + o[:, 2] ** 2 - wide**2
    under = b * b - a * c
    a = np.where(np.abs(a) < 1e-12, 1e-12, a)
    root = np.sqrt(np.maximum(under, 0))
    t = np.full(len(o), FAR)
    for sign in (-1, 1):
        s = (-b + sign * root) / a
        y = o[:, 1] + s * d[:, 1]
        good = (under > 0) & (s > EPSILON) & (y >= 0) & (y <= height) & (s < t)
        t = np.where(good, s, t)
    point = o + t[:, None] * d
    normal = np.stack(
        [point[:, 0], slope * np.hypot(point[:, 0], point[:, 2]), point[:, 2]], axis=1
    )
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
    for y, up in ((0.0, -1.0),) if cone else ((0.0, -1.0), (height, 1.0)):
        s = (y - o[:, 1]) / np.where(np.abs(d[:, 1]) < 1e-12, 1e-12, d[:, 1])
        p = o + s[:, None] * d
        good = (s > EPSILON) & (p[:, 0] ** 2 + p[:, 2] ** 2 <= r * r) & (s < t)
        t = np.where(good, s, t)
        normal[good] = (0, up, 0)
    return t, normal


@dataclass(frozen=True)
class Scene:
    """Bodies on a floor of planks before a wall."""

    bodies: Sequence[Body]
    floor: str = "#b98a5e"
    wall: str = "#8fa9b8"
    light: tuple[float, float, float] = (-4.0, 7.0, -3.5)
    eye: tuple[float, float, float] = (0.0, 2.5, -6.4)
    target: tuple[float, float, float] = (0.0, 0.72, 0.0)
    zoom: float = 2.3


def traced(
    scene: Scene, width: int = 512, height: int = 384, per_side: int = 2
) -> NDArray[np.uint8]:
    """The picture of a scene, height x width x 3, per_side squared rays a pixel."""
    n = per_side
    forward = np.subtract(scene.target, scene.eye)
    forward = forward / np.linalg.norm(forward)
    right = np.cross((0, 1, 0), forward)
    right /= np.linalg.norm(right)
    up = np.cross(forward, right)
    y, x = np.mgrid[0 : height * n, 0 : width * n]
    across = ((x.ravel() + 0.5) / n - width / 2) / (width / 2)
    down = ((y.ravel() + 0.5) / n - height / 2) / (width / 2)
    way = forward * scene.zoom + across[:, None] * right - down[:, None] * up
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    colours = np.empty_like(way)
    for rows in np.array_split(np.arange(len(way)), 16):
        colours[rows] = _colour(
            scene, np.broadcast_to(np.array(scene.eye), way[rows].shape), way[rows], 2
        )
    picture = colours.reshape(height, n, width, n, 3).mean(axis=(1, 3))
    return np.asarray(np.rint(np.clip(picture, 0, 1) * 255), dtype=np.uint8)


def _nearest(scene: Scene, o: Array, d: Array) -> tuple[Array, Array, NDArray[np.int_]]:
    best, normal = np.full(len(o), FAR), np.zeros_like(o)
    which = np.full(len(o), -1)
    down = np.where(d[:, 1] < -1e-9, d[:, 1], -1e-9)
    t = np.where(d[:, 1] < -1e-9, -o[:, 1] / down, FAR)
    floor = (t > EPSILON) & (t < 60)
    best[floor], which[floor] = t[floor], -2
    normal[floor] = (0, 1, 0)
    for k, body in enumerate(scene.bodies):
        t, n = body.hit(o, d)
        closer = t < best
        best[closer], normal[closer], which[closer] = t[closer], n[closer], k
    return best, normal, which


def _lit(scene: Scene, point: Array) -> Array:
    """The part of the light, a square of 4 x 4 lamps, that is seen from each point."""
    seen = np.zeros(len(point))
    for u in (-0.6, -0.2, 0.2, 0.6):
        for v in (-0.6, -0.2, 0.2, 0.6):
            way = np.array(scene.light) + (u, 0, v) - point
            far = np.linalg.norm(way, axis=1)
            way /= far[:, None]
            free = np.ones(len(point), dtype=bool)
            for body in scene.bodies:
                t, _ = body.hit(point, way)
                free &= t >= far
            seen += free
    return seen / 16


def _colour(scene: Scene, o: Array, d: Array, bounces: int) -> Array:
    t, normal, which = _nearest(scene, o, d)
    out = _wall(scene, d)
    there = which != -1
    if not there.any():
        return out
    o, d, t, normal, which = o[there], d[there], t[there], normal[there], which[there]
    point = o + t[:, None] * d + normal * 1e-3
    base, mirror, gloss = np.zeros_like(d), np.zeros(len(d)), np.zeros(len(d))
    floor = which == -2
    base[floor] = _planks(scene, point[floor])
    for k, body in enumerate(scene.bodies):
        own, m = which == k, body.material
        base[own] = rgb(m.colour)
        if m.second:
            odd = np.floor((point[own, 1] - body.at[1]) / 0.22) % 2 == 1
            base[own] = np.where(odd[:, None], rgb(m.second), rgb(m.colour))
        mirror[own], gloss[own] = m.mirror, m.gloss
    way = np.array(scene.light) - point
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    seen = _lit(scene, point)
    facing = np.clip(np.einsum("ij,ij->i", normal, way), 0, 1)
    reflected = d - 2 * np.einsum("ij,ij->i", d, normal)[:, None] * normal
    shine = np.clip(np.einsum("ij,ij->i", reflected, way), 0, 1) ** 40 * gloss * seen
    sky = 0.34 + 0.12 * normal[:, 1]
    colour = base * (sky + 0.72 * facing * seen)[:, None] + shine[:, None]
    near = mirror > 0
    if bounces and near.any():
        beyond = _colour(scene, point[near], reflected[near], bounces - 1)
        part = mirror[near][:, None]
        tint = 0.35 + 0.65 * base[near]
        colour[near] = (
            colour[near] * (1 - part) + beyond * part * tint + shine[near][:, None] * part
        )
    # The floor fades into the wall far away.
    fade = (np.clip((t - 9) / 9, 0, 1) * floor)[:, None]
    out[there] = colour * (1 - fade) + _wall(scene, d) * fade
    return out


def _wall(scene: Scene, d: Array) -> Array:
    height = np.clip(d[:, 1:2] * 1.6 + 0.45, 0, 1)
    return np.asarray(rgb(scene.wall) * (0.72 + 0.5 * height))


def _planks(scene: Scene, point: Array) -> Array:
    plank = np.floor(point[:, 2] / 0.9)
    along = point[:, 0] + plank * 1.7
    tone = (
        1
        + 0.07 * np.sin(plank * 12.9898)
        + 0.035 * np.sin(along * 1.1 + 3 * np.sin(point[:, 2] * 9))
    )
    tone += 0.02 * np.sin(along * 2.7 + point[:, 2] * 31)
    seam = np.abs(point[:, 2] / 0.9 - np.round(point[:, 2] / 0.9)) < 0.012
    return np.asarray(rgb(scene.floor) * (tone * np.where(seam, 0.62, 1))[:, None])
