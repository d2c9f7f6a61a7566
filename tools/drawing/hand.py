"""A hand that draws: strokes as points at equal times, slow in curves and fast in between.

Pure and seeded. A stroke is a list of (x, y) in picture pixels, y down, as a pen tablet would give
them; nothing here is a jittered geometric shape: every mark is a path through a few points that the
hand aims at and misses a little, passed at the speed of a hand.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence

from alphabet import GLYPHS, SPACE

Point = tuple[float, float]
Path = list[Point]

_STEP_S = 0.008
"""Time between two samples, as of a 125 Hz tablet."""


def _spline(points: Sequence[Point], per: int = 24) -> Path:
    """A centripetal Catmull-Rom curve through the points, finely sampled."""
    if len(points) < 3:
        (x0, y0), (x1, y1) = points[0], points[-1]
        return [(x0 + (x1 - x0) * k / per, y0 + (y1 - y0) * k / per) for k in range(per + 1)]
    first, last = points[0], points[-1]
    ends = [
        (2 * first[0] - points[1][0], 2 * first[1] - points[1][1]),
        *points,
        (2 * last[0] - points[-2][0], 2 * last[1] - points[-2][1]),
    ]
    out: Path = []
    for a, b, c, d in zip(ends, ends[1:], ends[2:], ends[3:], strict=False):
        t = [0.0]
        for p, q in ((a, b), (b, c), (c, d)):
            t.append(t[-1] + max(math.dist(p, q), 1e-6) ** 0.5)
        for k in range(per):
            u = t[1] + (t[2] - t[1]) * k / per

            def mix(p: Point, q: Point, lo: float, hi: float) -> Point:
                w = (u - lo) / (hi - lo)  # noqa: B023  # used at once
                return p[0] + (q[0] - p[0]) * w, p[1] + (q[1] - p[1]) * w

            ab, bc, cd = mix(a, b, t[0], t[1]), mix(b, c, t[1], t[2]), mix(c, d, t[2], t[3])
            abc, bcd = mix(ab, bc, t[0], t[2]), mix(bc, cd, t[1], t[3])
            out.append(mix(abc, bcd, t[1], t[2]))
    return [*out, last]


def _timed(path: Path, speed: float) -> Path:
    """The path at equal times: minimum-jerk from rest to rest, slowed by curvature to the power of
    a third (the two-thirds law of hand movement). `speed` is in pixels a second."""
    lengths = [0.0]
    for p, q in itertools.pairwise(path):
        lengths.append(lengths[-1] + math.dist(p, q))
    total = lengths[-1]
    if total < 0.5:
        return [path[0], path[-1]]
    slow = [1.0] * len(path)
    for i in range(2, len(path) - 2):
        (ax, ay), (bx, by), (cx, cy) = path[i - 2], path[i], path[i + 2]
        turn = abs(
            math.remainder(math.atan2(cy - by, cx - bx) - math.atan2(by - ay, bx - ax), math.tau)
        )
        bend = turn / max(math.dist(path[i - 2], path[i + 2]) / 2, 1e-6)
        slow[i] = 1.0 / (1.0 + 12.0 * bend) ** (1 / 3)
    times = [0.0]
    for i in range(1, len(path)):
        way = lengths[i] / total
        rest = 0.35 + 2.6 * way * (1 - way)  # slower where it starts and ends
        times.append(times[-1] + (lengths[i] - lengths[i - 1]) / (speed * slow[i] * rest))
    out, i, steps = [path[0]], 0, max(3, math.ceil(times[-1] / _STEP_S))
    for k in range(1, steps + 1):
        at = times[-1] * k / steps
        while i < len(times) - 2 and times[i + 1] < at:
            i += 1
        w = (at - times[i]) / max(times[i + 1] - times[i], 1e-9)
        out.append(
            (path[i][0] + (path[i + 1][0] - path[i][0]) * w,
             path[i][1] + (path[i + 1][1] - path[i][1]) * w)
        )  # fmt: skip
    return out


def _tremor(path: Path, rng: random.Random, size: float) -> Path:
    """A slow drift off the way, of two waves with periods of about 60 and 140 pixels."""
    waves = [(rng.uniform(40, 80), rng.uniform(0, math.tau), 0.4),
             (rng.uniform(110, 180), rng.uniform(0, math.tau), 1.0)]  # fmt: skip
    out, way = [], 0.0
    for i, (x, y) in enumerate(path):
        if i:
            way += math.dist(path[i - 1], path[i])
        nx, ny = path[min(i + 1, len(path) - 1)], path[max(i - 1, 0)]
        dx, dy = nx[0] - ny[0], nx[1] - ny[1]
        length = math.hypot(dx, dy) or 1.0
        off = size * sum(a * math.sin(math.tau * way / p + f) for p, f, a in waves)
        out.append((x - dy / length * off, y + dx / length * off))
    return out


def stroke(
    points: Sequence[Point], rng: random.Random, wobble: float = 1.2, speed: float = 900.0
) -> Path:
    """One smooth stroke near the given points (pixels); `wobble` is how far it strays."""
    return _tremor(_timed(_spline(points), speed), rng, wobble)


def line(points: Sequence[Point], rng: random.Random) -> Path:
    """A line by hand: aims at each corner, bends a little in between."""
    via: list[Point] = []
    for p, q in itertools.pairwise(points):
        length = math.dist(p, q)
        bow = rng.gauss(0, 0.012) * length
        dx, dy = (q[0] - p[0]) / (length or 1), (q[1] - p[1]) / (length or 1)
        via += [p, ((p[0] + q[0]) / 2 - dy * bow, (p[1] + q[1]) / 2 + dx * bow)]
    return stroke([*via, points[-1]], rng)


def polyline(points: Sequence[Point], rng: random.Random) -> Path:
    """Straight parts with corners, in one stroke."""
    out: Path = []
    for p, q in itertools.pairwise(points):
        out += line([p, q], rng)[1 if out else 0 :]
    return out


def loop(box: Sequence[float], rng: random.Random) -> Path:
    """A circle by hand: begins at the upper right, closes with an overlap, never quite round."""
    x0, y0, x1, y1 = box
    cx, cy, rx, ry = (x0 + x1) / 2, (y0 + y1) / 2, (x1 - x0) / 2, (y1 - y0) / 2
    start = rng.uniform(-1.3, -0.5)
    turn = math.tau + rng.uniform(0.25, 0.6)
    n = 11
    grow = rng.uniform(-0.05, 0.05)
    squeeze, phase = rng.uniform(0.01, 0.035), rng.uniform(0, math.tau)
    points = []
    for k in range(n + 1):
        a = start - turn * k / n
        r = 1 + grow * (k / n - 0.5) + squeeze * math.sin(2 * a + phase) + rng.gauss(0, 0.008)
        points.append((cx + rx * r * math.cos(a), cy + ry * r * math.sin(a)))
    return stroke(points, rng, wobble=0.8, speed=1300)


def box_outline(box: Sequence[float], rng: random.Random) -> list[Path]:
    """A box by hand: one stroke round, corners a little rounded, the end past the start."""
    x0, y0, x1, y1 = box

    def near(x: float, y: float) -> Point:
        return x + rng.gauss(0, 1.6), y + rng.gauss(0, 1.6)

    corners = [near(x0, y0), near(x0, y1), near(x1, y1), near(x1, y0), near(x0 - 3, y0)]
    return [polyline(corners, rng)]


def arrow(points: Sequence[Point], rng: random.Random) -> list[Path]:
    """A shaft, and a head in one stroke of its own."""
    shaft = stroke(points, rng) if len(points) > 2 else line(points, rng)
    tip = shaft[-1]
    length = sum(math.dist(p, q) for p, q in itertools.pairwise(shaft))
    size = min(30.0, max(14.0, 0.18 * length))
    back = next((p for p in reversed(shaft) if math.dist(p, tip) > size * 0.8), shaft[0])
    angle = math.atan2(tip[1] - back[1], tip[0] - back[0])

    def barb(side: float) -> Point:
        a = angle + math.pi + side * rng.uniform(0.42, 0.6)
        s = size * rng.uniform(0.9, 1.1)
        return tip[0] + s * math.cos(a), tip[1] + s * math.sin(a)

    first, second = barb(1), barb(-1)
    head = [*line([first, tip], rng), *line([tip, second], rng)[1:]]
    return [shaft, head]


def cross(box: Sequence[float], rng: random.Random) -> list[Path]:
    """Two strokes."""
    x0, y0, x1, y1 = box

    def near(x: float, y: float) -> Point:
        return x + rng.gauss(0, 3), y + rng.gauss(0, 3)

    return [line([near(x0, y0), near(x1, y1)], rng), line([near(x1, y0), near(x0, y1)], rng)]


def scribble(box: Sequence[float], rng: random.Random) -> Path:
    """Back and forth over the box, slanting, about 11 pixels apart."""
    x0, y0, x1, y1 = box
    n = max(3, round((x1 - x0 + (y1 - y0) * 0.35) / 11))
    slant = 0.35 * (y1 - y0)
    points: list[Point] = []
    for k in range(n + 1):
        base = x0 - slant + (x1 - x0 + slant) * k / n + rng.gauss(0, 1.5)
        low, high = (base, y1), (base + slant, y0)
        ends = (low, high) if k % 2 else (high, low)
        for x, y in ends:
            points.append((min(max(x, x0), x1) + rng.gauss(0, 1), y + rng.gauss(0, 2)))
    out: Path = []
    for p, q in itertools.pairwise(points):
        out += _timed(_spline([p, q]), 1600)[1 if out else 0 :]
    return out


def write(text: str, at: Point, size: float, angle: float, rng: random.Random) -> list[Path]:
    """Handwriting: `at` is the top left, `size` the height of a capital in pixels, `angle` in
    degrees clockwise. Slant, size and baseline drift slowly along a line."""
    slant = rng.uniform(0.04, 0.16)
    turn = math.radians(angle)
    strokes: list[Path] = []
    for row, words in enumerate(text.split("\n")):
        x, base = 0.0, (1.0 + 1.55 * row) * size
        drift, lean = 0.0, slant
        for char in words:
            if char == " ":
                x += SPACE * size * rng.uniform(0.9, 1.15)
                continue
            advance, paths = GLYPHS[char]
            drift = 0.75 * drift + rng.gauss(0, 0.014)
            lean = slant + 0.6 * (lean - slant) + rng.gauss(0, 0.015)
            grown = size * (1 + rng.gauss(0, 0.025))
            for path in paths:
                strokes.append(_letter(path, x, base, grown, drift, lean, at, turn, rng))
            x += (advance * rng.uniform(0.98, 1.06) + 0.09) * size
    return strokes


def _letter(
    path: Sequence[tuple[float, float, bool]],
    x: float, base: float, size: float, drift: float, lean: float,
    at: Point, turn: float, rng: random.Random,
) -> Path:  # fmt: skip
    """One pen stroke of a letter, in pixels of the picture."""
    runs: list[list[Point]] = [[]]
    for px, py, corner in path:
        px, py = px + rng.gauss(0, 0.012), py + rng.gauss(0, 0.012) + drift
        gx, gy = x + (px + lean * py) * size, base - py * size
        point = (
            at[0] + gx * math.cos(turn) - gy * math.sin(turn),
            at[1] + gx * math.sin(turn) + gy * math.cos(turn),
        )
        runs[-1].append(point)
        if corner:
            runs.append([point])
    out: Path = []
    for run in runs:
        if len(run) > 1:
            out += _timed(_spline(run, per=12), 14 * size)[1 if out else 0 :]
    return out
