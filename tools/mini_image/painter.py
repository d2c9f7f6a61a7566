"""A small painter of scenes: filled shapes with gradients, soft shadows, rounded light, texture.

Coordinates are pixels of the finished picture; inside, everything is painted at three times that
size and averaged at the end. The same calls give the same pixels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

FloatArray = NDArray[np.float32]
Points = Sequence[tuple[float, float]]
Paint = Callable[[FloatArray, FloatArray], Any]
"""Colours (0 to 1, height x width x 3) at pixels x and y."""

SCALE = 3


def rgb(colour: str) -> FloatArray:
    """`#rrggbb` as three values of 0 to 1."""
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)], dtype=np.float32) / 255


def mix(a: str, b: str, part: float) -> str:
    """The colour `part` of the way from a to b."""
    values = np.rint((rgb(a) * (1 - part) + rgb(b) * part) * 255).astype(int)
    return "#" + "".join(f"{v:02x}" for v in values)


def flat(colour: str) -> Paint:
    """One colour everywhere."""
    value = rgb(colour)
    return lambda x, y: np.broadcast_to(value, (*x.shape, 3))


def linear(start: tuple[float, float], end: tuple[float, float], *colours: str) -> Paint:
    """Colours spread evenly along the way from `start` to `end`."""
    way = np.subtract(end, start).astype(np.float32)
    stops = np.stack([rgb(c) for c in colours])

    def paint(x: FloatArray, y: FloatArray) -> Any:
        t = ((x - start[0]) * way[0] + (y - start[1]) * way[1]) / float(way @ way)
        return _at_stops(t, stops)

    return paint


def radial(centre: tuple[float, float], radius: float, *colours: str) -> Paint:
    """Colours spread evenly from `centre` out to `radius`."""
    stops = np.stack([rgb(c) for c in colours])
    return lambda x, y: _at_stops(np.hypot(x - centre[0], y - centre[1]) / radius, stops)


def stripes(a: str, b: str, width: float, angle: float = 0.0) -> Paint:
    """Two colours in turn, each `width` wide, across the direction `angle` (degrees)."""
    along = np.deg2rad(angle)
    first, second = rgb(a), rgb(b)

    def paint(x: FloatArray, y: FloatArray) -> Any:
        t = (x * np.cos(along) + y * np.sin(along)) / width
        return np.where((np.floor(t) % 2 == 0)[..., None], first, second)

    return paint


def _at_stops(t: Any, stops: FloatArray) -> Any:
    t = np.clip(t, 0, 1) * (len(stops) - 1)
    return np.stack([np.interp(t, range(len(stops)), stops[:, k]) for k in range(3)], axis=-1)


@dataclass(frozen=True)
class Shape:
    """How much of each fine pixel is covered (0 to 1), from the fine pixel (left, top) on."""

    cover: FloatArray
    left: int
    top: int

    def grown(self, by: int) -> Shape:
        """The same with an empty border of `by` fine pixels."""
        return Shape(np.pad(self.cover, by), self.left - by, self.top - by)

    def moved(self, dx: float, dy: float) -> Shape:
        """The same, moved by pixels of the finished picture."""
        return Shape(self.cover, self.left + round(dx * SCALE), self.top + round(dy * SCALE))

    def within(self, other: Shape) -> Shape:
        """The part of this that lies in the other."""
        return Shape(self.cover * other.seen_from(self), self.left, self.top)

    def without(self, other: Shape) -> Shape:
        """The part of this that lies outside of the other."""
        return Shape(self.cover * (1 - other.seen_from(self)), self.left, self.top)

    def seen_from(self, frame: Shape) -> FloatArray:
        """This coverage in the frame of another shape."""
        height, width = frame.cover.shape
        out = np.zeros((height, width), np.float32)
        dx, dy = self.left - frame.left, self.top - frame.top
        x0, y0 = max(dx, 0), max(dy, 0)
        x1 = min(dx + self.cover.shape[1], width)
        y1 = min(dy + self.cover.shape[0], height)
        if x1 > x0 and y1 > y0:
            out[y0:y1, x0:x1] = self.cover[y0 - dy : y1 - dy, x0 - dx : x1 - dx]
        return out


def polygon(points: Points) -> Shape:
    """A filled polygon."""
    return _drawn(points, 0, lambda draw, p: draw.polygon(p, fill=255))


def smooth(points: Points) -> Shape:
    """A filled closed curve through the points (Catmull-Rom)."""
    return polygon(curve(points, closed=True))


def ellipse(cx: float, cy: float, rx: float, ry: float, angle: float = 0.0) -> Shape:
    """An ellipse, turned by `angle` degrees."""
    t = np.linspace(0, 2 * np.pi, 96, endpoint=False)
    a = np.deg2rad(angle)
    x, y = rx * np.cos(t), ry * np.sin(t)
    return polygon(
        list(zip(cx + x * np.cos(a) - y * np.sin(a), cy + x * np.sin(a) + y * np.cos(a)))
    )


def box(x0: float, y0: float, x1: float, y1: float, r: float = 0.0) -> Shape:
    """A rectangle whose corners are rounded by the radius r."""
    if r <= 0:
        return polygon([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
    points = []
    for cx, cy, turn in ((x1 - r, y1 - r, 0), (x0 + r, y1 - r, 1), (x0 + r, y0 + r, 2),
                         (x1 - r, y0 + r, 3)):  # fmt: skip
        for t in np.linspace(turn, turn + 1, 9) * np.pi / 2:
            points.append((cx + r * np.cos(t), cy + r * np.sin(t)))
    return polygon(points)


def line(points: Points, width: float) -> Shape:
    """A line through the points with round ends and joints."""

    def draw_line(draw: ImageDraw.ImageDraw, p: list[tuple[float, float]]) -> None:
        draw.line(p, fill=255, width=max(1, round(width * SCALE)), joint="curve")
        r = width * SCALE / 2
        for x, y in (p[0], p[-1]):
            draw.ellipse((x - r, y - r, x + r, y + r), fill=255)

    return _drawn(points, width, draw_line)


def curve(points: Points, closed: bool = False) -> list[tuple[float, float]]:
    """Points of a Catmull-Rom curve through the points given."""
    p = np.array(points, dtype=np.float64)
    n = len(p)
    if closed:
        around = [p[(i + k) % n] for i in range(n) for k in (-1, 0, 1, 2)]
    else:
        ends = np.vstack([p[0], p, p[-1]])
        around = [ends[i + k] for i in range(n - 1) for k in range(4)]
    out = []
    for a, b, c, d in zip(*[iter(around)] * 4):
        for t in np.linspace(0, 1, 12, endpoint=False):
            q = 0.5 * (
                2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2
                + (3 * b - a - 3 * c + d) * t**3
            )  # fmt: skip
            out.append((float(q[0]), float(q[1])))
    return out if closed else [*out, (float(p[-1][0]), float(p[-1][1]))]


def _drawn(points: Points, margin: float, draw: Callable[[Any, Any], None]) -> Shape:
    p = np.array(points, dtype=np.float64) * SCALE
    pad = margin * SCALE + 2
    left, top = (int(v) for v in np.floor(p.min(axis=0) - pad))
    right, bottom = (int(v) for v in np.ceil(p.max(axis=0) + pad))
    sheet = Image.new("L", (right - left, bottom - top), 0)
    draw(ImageDraw.Draw(sheet), [(float(x - left), float(y - top)) for x, y in p])
    return Shape(np.asarray(sheet, dtype=np.float32) / 255, left, top)


def blurred(array: FloatArray, radius: float) -> FloatArray:
    """Gaussian blur; the radius is in fine pixels. In steps of 1/255."""
    sheet = Image.fromarray(np.rint(np.clip(array, 0, 1) * 255).astype(np.uint8))
    soft = sheet.filter(ImageFilter.GaussianBlur(radius))
    return np.asarray(soft, dtype=np.float32) / 255


@lru_cache(maxsize=64)
def noise(seed: int, height: int, width: int, cell_x: float, cell_y: float) -> FloatArray:
    """Smooth noise of -1 to 1 over height x width fine pixels; cells are in finished pixels."""
    rows = int(height / (cell_y * SCALE)) + 2
    columns = int(width / (cell_x * SCALE)) + 2
    grid = np.random.default_rng(seed).uniform(-1, 1, (rows, columns)).astype(np.float32)
    return np.asarray(Image.fromarray(grid).resize((width, height), Image.Resampling.BICUBIC))


class Canvas:
    """A picture being painted, width x height finished pixels."""

    def __init__(self, width: int = 512, height: int = 384) -> None:
        self.size = (width, height)
        self.pixels: FloatArray = np.ones((height * SCALE, width * SCALE, 3), np.float32)

    def fill(self, shape: Shape, paint: Paint | str, opacity: float = 1.0) -> Shape:
        """Paints a shape, and hands it back."""
        paint = flat(paint) if isinstance(paint, str) else paint
        cut = self._cut(shape)
        if cut is None:
            return shape
        where, cover = cut
        y, x = np.mgrid[where].astype(np.float32)
        colours = paint((x + 0.5) / SCALE, (y + 0.5) / SCALE)
        alpha = cover[..., None] * opacity
        self.pixels[where] = self.pixels[where] * (1 - alpha) + colours * alpha
        return shape

    def whole(self, paint: Paint | str) -> Shape:
        """Paints everything."""
        return self.fill(box(-2, -2, self.size[0] + 2, self.size[1] + 2), paint)

    def solid(
        self, shape: Shape, paint: Paint | str, depth: float = 5, strength: float = 0.3
    ) -> Shape:
        """Paints a shape as a rounded body, lit from the upper left."""
        self.fill(shape, paint)
        return self.light(shape, depth, strength)

    def light(
        self, shape: Shape, depth: float, strength: float, towards: tuple[float, float] = (-1, -1)
    ) -> Shape:
        """Lightens the rim of a shape at the side of the light, darkens the other."""
        by = int(depth * SCALE * 2) + 2
        wide = shape.grown(by)
        soft = blurred(wide.cover, depth * SCALE)
        step = max(1, int(depth * SCALE * 0.7))
        dx, dy = (round(v * step) for v in towards)
        slope = np.roll(soft, (-dy, -dx), (0, 1)) - np.roll(soft, (dy, dx), (0, 1))
        self._tone(Shape(wide.cover, wide.left, wide.top), -slope * strength)
        return shape

    def shadow(
        self, shape: Shape, dx: float, dy: float, blur: float, strength: float = 0.35,
        on: Shape | None = None,
    ) -> Shape:  # fmt: skip
        """The soft shadow that a shape throws, moved by (dx, dy); only on `on` where given."""
        wide = shape.grown(int(blur * SCALE * 3) + 2).moved(dx, dy)
        soft = Shape(blurred(wide.cover, blur * SCALE), wide.left, wide.top)
        if on is not None:
            soft = soft.within(on)
        self._tone(soft, np.full(soft.cover.shape, -strength, np.float32))
        return shape

    def glow(self, cx: float, cy: float, radius: float, colour: str, strength: float) -> None:
        """Adds light around a point, fading out to nothing at `radius`."""
        cut = self._cut(box(cx - radius, cy - radius, cx + radius, cy + radius))
        if cut is None:
            return
        where, _ = cut
        y, x = np.mgrid[where].astype(np.float32)
        far = np.hypot((x + 0.5) / SCALE - cx, (y + 0.5) / SCALE - cy) / radius
        part = (np.clip(1 - far, 0, 1) ** 2 * strength)[..., None]
        self.pixels[where] += (1 - self.pixels[where]) * part * rgb(colour)

    def texture(self, shape: Shape, seed: int, cell: tuple[float, float], strength: float) -> Shape:
        """Smooth brightness noise over a shape; wood has long cells, cloth short ones."""
        height, width = self.pixels.shape[:2]
        cut = self._cut(shape)
        if cut is not None:
            where, _ = cut
            pattern = noise(seed, height, width, *cell)[where]
            self._tone(self._inside(shape), pattern * strength)
        return shape

    def finished(self, seed: int, grain: float = 0.8) -> NDArray[np.uint8]:
        """The picture, height x width x 3, with a grey grain that depends on the seed alone."""
        width, height = self.size
        small = self.pixels.reshape(height, SCALE, width, SCALE, 3).mean(axis=(1, 3))
        grains = np.random.default_rng(seed).normal(0, grain, (height, width, 1))
        return np.clip(np.rint(small * 255 + np.rint(grains)), 0, 255).astype(np.uint8)

    def _tone(self, shape: Shape, change: FloatArray) -> None:
        """Brightens (above 0) or darkens (below 0) a shape by a part of what is possible."""
        cut = self._cut(shape)
        if cut is None:
            return
        where, cover = cut
        change = self._crop(change, shape)
        alpha = (cover * change)[..., None]
        under = self.pixels[where]
        self.pixels[where] = np.where(alpha > 0, under + (1 - under) * alpha, under * (1 + alpha))

    def _inside(self, shape: Shape) -> Shape:
        cover = self._crop(shape.cover, shape)
        return Shape(cover, max(shape.left, 0), max(shape.top, 0))

    def _crop(self, array: FloatArray, shape: Shape) -> FloatArray:
        height, width = self.pixels.shape[:2]
        y0, x0 = max(-shape.top, 0), max(-shape.left, 0)
        return array[y0 : max(height - shape.top, 0), x0 : max(width - shape.left, 0)]

    def _cut(self, shape: Shape) -> tuple[tuple[slice, slice], FloatArray] | None:
        """Where a shape lies on the canvas, and its coverage there; None where it's all outside."""
        cover = self._crop(shape.cover, shape)
        if cover.size == 0:
            return None
        top, left = max(shape.top, 0), max(shape.left, 0)
        return (slice(top, top + cover.shape[0]), slice(left, left + cover.shape[1])), cover
