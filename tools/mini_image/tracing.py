"""A small ray tracer over distance functions: soft light, soft shadows, gloss, and who is where.

Nothing is drawn by chance: the same scene gives the same picture, and recolouring one thing leaves
every other pixel as it was (light does not bleed from thing to thing, only into reflections).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tools.mini_image.solids import Distance, Floats, Triple

Colour = tuple[float, float, float]
"""Linear red, green and blue, 0 to 1."""
Paint = Colour | Callable[[Floats], Floats]
"""One colour, or colours (N x 3) of points."""


def srgb(code: str) -> Colour:
    """The linear colour of "#rrggbb"."""
    parts = [int(code[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return r, g, b


@dataclass(frozen=True)
class Material:
    """How a surface looks: `gloss` is how much it mirrors straight on (0 to 1), `shine` and
    `sharpness` make highlights of lights, `metal` tints reflections, `glow` is its own light."""

    paint: Paint
    gloss: float = 0.0
    shine: float = 0.15
    sharpness: float = 30.0
    metal: bool = False
    glow: float = 0.0
    wrap: float = 0.0
    bump: Callable[[Floats], Floats] | None = None


@dataclass(frozen=True)
class Thing:
    """A named solid. `centre` and `reach` are a ball that holds it; without them it is endless."""

    name: str
    distance: Distance
    material: Material
    centre: Triple = (0, 0, 0)
    reach: float = np.inf


@dataclass(frozen=True)
class Light:
    """A lamp at a place, or the sun (`far`): then `at` is its direction. `width` makes shadows
    soft: 0 is a point, 0.3 a large window."""

    at: Triple
    colour: Colour
    power: float
    far: bool = True
    width: float = 0.15
    shadows: bool = True


@dataclass(frozen=True)
class Scene:
    """Things, lights and a camera. `sky` gives the light from directions (N x 3)."""

    things: Sequence[Thing]
    lights: Sequence[Light]
    eye: Triple
    target: Triple
    view: float
    sky: Callable[[Floats], Floats]
    size: tuple[int, int] = (480, 360)
    ambient: float = 0.5
    ground: Colour = (0.3, 0.25, 0.2)
    exposure: float = 1.0
    far: float = 60.0


@dataclass(frozen=True)
class Shot:
    """A drawn scene: `picture` is height x width x 3 in 0 to 1 (display values), `cover` says for
    each name how much of a pixel it covers, 0 to 1."""

    picture: NDArray[np.float64]
    cover: dict[str, NDArray[np.float64]]


_SHADOWS = 6.0
"""How far away things may be that stand in the sun of others."""

SUPER = 2
"""Rays along each side of a pixel."""


def shot(scene: Scene, window: tuple[int, int, int, int] | None = None, by: int = SUPER) -> Shot:
    """Draw a scene, or a window of it (left, upper, right, lower, in pixels), `by` x `by` rays to
    a pixel."""
    left, upper, right, lower = window or (0, 0, *scene.size)
    origin, rays = _rays(scene, scene.size[0] * by, scene.size[1] * by)
    rays = rays[upper * by : lower * by, left * by : right * by].reshape(-1, 3)
    colours, who = _seen(scene, np.broadcast_to(origin, rays.shape), rays, mirrors=True)
    picture = _toned(colours * np.float32(scene.exposure))

    def smaller(values: NDArray[np.float64]) -> NDArray[np.float64]:
        split = values.reshape(lower - upper, by, right - left, by, -1)
        return split.mean(axis=(1, 3))

    cover: dict[str, NDArray[np.float64]] = {}
    for k, thing in enumerate(scene.things):
        part = smaller((who == k).astype(np.float64))[..., 0]
        cover[thing.name] = cover.get(thing.name, 0.0) + part
    return Shot(smaller(picture.astype(np.float64)), cover)


def _rays(scene: Scene, width: int, height: int) -> tuple[Floats, Floats]:
    eye, target = np.array(scene.eye, np.float32), np.array(scene.target, np.float32)
    ahead = target - eye
    ahead /= np.linalg.norm(ahead)
    right = np.cross(ahead, np.array([0, 1, 0], np.float32))
    right /= np.linalg.norm(right)
    up = np.cross(right, ahead)
    tangent = np.tan(np.radians(scene.view) / 2)
    y, x = np.mgrid[:height, :width].astype(np.float32)
    u = ((x + 0.5) / width * 2 - 1) * tangent
    v = (1 - (y + 0.5) / height * 2) * tangent * height / width
    rays = ahead + u[..., None] * right + v[..., None] * up
    rays = rays.astype(np.float32)
    return eye, rays / np.linalg.norm(rays, axis=-1, keepdims=True)


def _nearest(
    things: Sequence[Thing], p: Floats, near: Floats | float = 0.06
) -> tuple[Floats, NDArray[np.int16]]:
    """The distance to the nearest thing at points, and which it is. Farther than `near` from a
    thing's ball the distance to the ball stands for the thing's own, which is larger."""
    best = np.full(len(p), np.inf, np.float32)
    who = np.full(len(p), -1, np.int16)
    for k, thing in enumerate(things):
        if np.isinf(thing.reach):
            d = thing.distance(p)
        else:
            q = p - np.array(thing.centre, np.float32)
            d = np.sqrt(np.einsum("ij,ij->i", q, q)) - np.float32(thing.reach)
            close = np.flatnonzero((d < near) & (d < best))
            if len(close):
                d[close] = thing.distance(p[close])
        closer = d < best
        best = np.where(closer, d, best)
        who[closer] = k
    return best, who


def _marched(
    scene: Scene, origin: Floats, rays: Floats, steps: int = 160
) -> tuple[Floats, NDArray[np.int16]]:
    """How far each ray goes until it hits, and what (-1: nothing)."""
    t = np.full(len(rays), 1e-3, np.float32)
    who = np.full(len(rays), -1, np.int16)
    active = np.arange(len(rays))
    for _ in range(steps):
        p = origin[active] + rays[active] * t[active, None]
        d, k = _nearest(scene.things, p)
        hit = d < 4e-4 * np.maximum(t[active], 0.5)
        who[active[hit]] = k[hit]
        t[active[~hit]] += d[~hit]
        active = active[~hit & (t[active] < scene.far)]
        if not len(active):
            break
    return t, who


def _seen(
    scene: Scene, origin: Floats, rays: Floats, mirrors: bool
) -> tuple[Floats, NDArray[np.int16]]:
    t, who = _marched(scene, origin, rays)
    colours = np.asarray(scene.sky(rays), np.float32).copy()
    hit = np.flatnonzero(who >= 0)
    if len(hit):
        p = origin[hit] + rays[hit] * t[hit, None]
        colours[hit] = _lit(scene, p, rays[hit], who[hit], mirrors)
    return colours, who


def _lit(scene: Scene, p: Floats, rays: Floats, who: NDArray[np.int16], mirrors: bool) -> Floats:
    n = np.zeros_like(p)
    albedo = np.zeros_like(p)
    count = len(p)
    gloss, shine, sharpness, glow, wrap = (np.zeros(count, np.float32) for _ in range(5))
    metal = np.zeros(count, bool)
    for k in np.unique(who):
        at = np.flatnonzero(who == k)
        thing, m = scene.things[k], scene.things[k].material
        n[at] = _normals(thing, p[at])
        albedo[at] = m.paint(p[at]) if callable(m.paint) else np.array(m.paint, np.float32)
        gloss[at], shine[at], sharpness[at] = m.gloss, m.shine, m.sharpness
        glow[at], metal[at], wrap[at] = m.glow, m.metal, m.wrap
    lifted = p + n * np.float32(4e-3)
    open_sky = _openness(scene, lifted, n)
    up = np.float32(0.5) + np.float32(0.5) * n[:, 1]
    above = np.array(scene.sky(n * np.float32([1, 0.6, 1]) + np.float32([0, 0.45, 0])), np.float32)
    light = (
        np.float32(scene.ambient)
        * open_sky[:, None]
        * (above * up[:, None] + np.array(scene.ground, np.float32) * (1 - up)[:, None])
    )
    spark = np.zeros_like(p)
    for lamp in scene.lights:
        at = np.array(lamp.at, np.float32)
        way = np.broadcast_to(at, p.shape) if lamp.far else at - p
        far = np.linalg.norm(way, axis=1).astype(np.float32)
        way = way / far[:, None]
        power = np.float32(lamp.power) * (1 if lamp.far else 1 / (far * far))
        facing = np.einsum("ij,ij->i", n, way)
        facing = np.maximum((facing + wrap) / (1 + wrap), 0)
        shade = np.ones(count, np.float32)
        if lamp.shadows:
            towards = np.flatnonzero(facing > 0)
            reach = np.full(len(towards), _SHADOWS, np.float32) if lamp.far else far[towards] * 0.97
            shade[towards] = _shade(scene, lifted[towards], way[towards], reach, lamp.width)
        strength = (power * facing * shade)[:, None] * np.array(lamp.colour, np.float32)
        light += strength
        half = way - rays
        half /= np.linalg.norm(half, axis=1, keepdims=True)
        lobe = np.maximum(np.einsum("ij,ij->i", n, half), 0) ** sharpness
        spark += strength * (lobe * shine)[:, None]
    colours = albedo * (light * (1 - 0.5 * gloss[:, None]) + glow[:, None]) + spark
    if mirrors:
        at = np.flatnonzero(gloss > 0)
        if len(at):
            cosine = -np.einsum("ij,ij->i", n[at], rays[at])
            bounced = rays[at] + 2 * cosine[:, None] * n[at]
            seen, _ = _seen(scene, lifted[at], bounced, mirrors=False)
            rim = (1 - np.clip(cosine, 0, 1)) ** 5
            amount = (gloss[at] + (1 - gloss[at]) * rim * np.minimum(gloss[at] * 8, 0.7))[:, None]
            tint = np.where(metal[at, None], albedo[at], 1)
            kept = np.where(metal[at, None], 1 - amount, 1)
            colours[at] = colours[at] * kept + seen * amount * tint
    return colours


def _normals(thing: Thing, p: Floats) -> Floats:
    n = np.zeros_like(p)
    e = np.float32(4e-3)
    for corner in ((1, -1, -1), (-1, -1, 1), (-1, 1, -1), (1, 1, 1)):
        k = np.array(corner, np.float32)
        d = thing.distance(p + k * e)
        if thing.material.bump is not None:
            d = d - thing.material.bump(p + k * e)
        n += k * d[:, None]
    return n / np.maximum(np.linalg.norm(n, axis=1, keepdims=True), 1e-9)


def _openness(scene: Scene, p: Floats, n: Floats) -> Floats:
    """How much of the light from all around reaches points: 0 in a corner, 1 in the open."""
    hidden, weight = np.zeros(len(p), np.float32), np.float32(1)
    for step in (0.03, 0.09, 0.2, 0.38, 0.65):
        d, _ = _nearest(scene.things, p + n * np.float32(step), step)
        hidden += weight * np.maximum(np.float32(step) - d, 0) / np.float32(step) * np.float32(0.36)
        weight *= np.float32(0.72)
    return np.clip(1 - hidden, 0.06, 1)


def _shade(scene: Scene, p: Floats, way: Floats, reach: Floats, width: float) -> Floats:
    """How much of a lamp points see, 0 to 1: the narrowest gap on the way against its size."""
    left = np.ones(len(p), np.float32)
    t = np.full(len(p), 0.02, np.float32)
    active = np.arange(len(p))
    sharp = np.float32(1 / max(width, 1e-3))
    for _ in range(100):
        near = np.maximum(np.float32(width) * t[active], 0.06)
        d, _ = _nearest(scene.things, p[active] + way[active] * t[active, None], near)
        gap = np.float32(0.5) + np.float32(0.5) * sharp * d / t[active]
        left[active] = np.minimum(left[active], gap)
        t[active] += np.clip(d * np.float32(0.65), 0.015, 0.5)
        active = active[(t[active] < reach[active]) & (left[active] > 0)]
        if not len(active):
            break
    left = np.clip(left, 0, 1)
    return left * left * (3 - 2 * left)


def _toned(linear: Floats) -> Floats:
    """Linear light as display values, 0 to 1: a film-like curve (Narkowicz 2015), then sRGB."""
    x = np.maximum(linear, 0) * np.float32(0.72)
    film = np.clip(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 0, 1)
    return np.where(film <= 0.0031308, film * 12.92, 1.055 * film ** (1 / 2.4) - 0.055)
