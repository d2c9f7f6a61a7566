"""Exact edits of pictures: regions by hand, recolouring that keeps light and shade, laying over.

Pictures are height x width x 3 floats in 0 to 1 (display values), regions height x width floats.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

Picture = NDArray[np.float64]
Region = NDArray[np.float64]
Rgb8 = NDArray[np.uint8]
Points = Sequence[tuple[float, float]]

_FINE = 4
"""Regions are drawn this many times as large, then made smaller: smooth edges."""


def code(colour: str) -> NDArray[np.float64]:
    """The display values of "#rrggbb"."""
    return np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])


def polygon(size: tuple[int, int], points: Points, feather: float = 0.0) -> Region:
    """The inside of a polygon in a picture of width x height; `feather` blurs its edge."""
    image = Image.new("L", (size[0] * _FINE, size[1] * _FINE))
    ImageDraw.Draw(image).polygon([(x * _FINE, y * _FINE) for x, y in points], fill=255)
    return _soft(image, size, feather)


def ellipse(size: tuple[int, int], centre: tuple[float, float], radii: tuple[float, float],
            turn: float = 0.0, feather: float = 0.0) -> Region:  # fmt: skip
    """The inside of an ellipse, turned clockwise by `turn` degrees."""
    a = np.linspace(0, 2 * np.pi, 180, endpoint=False)
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    x, y = radii[0] * np.cos(a), radii[1] * np.sin(a)
    px, py = centre[0] + c * x - s * y, centre[1] + s * x + c * y
    return polygon(size, list(zip(px.tolist(), py.tolist(), strict=True)), feather)


def _soft(image: Image.Image, size: tuple[int, int], feather: float) -> Region:
    small = image.resize(size, Image.Resampling.BOX)
    if feather:
        small = small.filter(ImageFilter.GaussianBlur(feather))
    return np.asarray(small, np.float64) / 255


def blurred(picture: Picture, radius: float) -> Picture:
    image = Image.fromarray(np.round(picture * 255).astype(np.uint8))
    return np.asarray(image.filter(ImageFilter.GaussianBlur(radius)), np.float64) / 255


def ramp(values: Region, low: float, high: float) -> Region:
    """0 below `low`, 1 above `high`, smooth in between."""
    t = np.clip((values - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)


def laid(picture: Picture, over: Picture | NDArray[np.float64], region: Region) -> Picture:
    """`over` (a picture or one colour) laid over where the region is 1."""
    w = region[..., None]
    return picture * (1 - w) + over * w


def dyed(picture: Picture, colour: str, region: Region, bright: float = 1.0) -> Picture:
    """A strongly coloured thing in another colour: what is white in it (highlights) stays white,
    what is coloured takes the new colour at the same strength."""
    white = picture.min(axis=2, keepdims=True)
    strength = picture.max(axis=2, keepdims=True) - white
    return laid(picture, np.clip(white + bright * strength * code(colour), 0, 1), region)


def tinted(picture: Picture, colour: str, region: Region, bright: float = 1.0) -> Picture:
    """A white or grey thing in a colour: its light and shade times the colour."""
    grey = picture @ np.array([0.299, 0.587, 0.114])
    return laid(picture, np.clip(bright * grey[..., None] * code(colour), 0, 1), region)


def packed(picture: Picture) -> Rgb8:
    """8-bit values with few colours lost: green in steps of 2, red and blue in steps of 6 from it.
    Lossless files of these are two thirds as large, and nothing is seen of it. Packing again
    changes nothing."""
    whole = np.round(np.clip(picture, 0, 1) * 255)
    green = np.minimum(np.round(whole[..., 1] / 2) * 2, 254)

    def near(channel: NDArray[np.float64]) -> NDArray[np.float64]:
        found = green + np.round((channel - green) / 6) * 6
        return np.where(found > 255, found - 6, np.where(found < 0, found + 6, found))

    return np.stack([near(whole[..., 0]), green, near(whole[..., 2])], -1).astype(np.uint8)


def replaced(
    before: Rgb8, after: Picture, core: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], Rgb8]:
    """The mask and the gold of an edit of a drawn scene: what was and is at `core`, with shadows and
    reflections that hang together with it and are strong enough to be seen. They end softly; what
    changes elsewhere, or hardly, stays as it was."""
    was = before.astype(np.float64) / 255
    apart = np.abs(after - was).max(axis=2)
    strong = _blurred(apart, _SPREAD) >= _SEEN
    region = core
    while True:
        wider = (_filtered(region, ImageFilter.MaxFilter(5)) & strong) | core
        if np.array_equal(wider, region):
            break
        region = wider
    region = _filtered(_filtered(region, ImageFilter.MaxFilter(5)), ImageFilter.MinFilter(5))
    weight = np.maximum(ramp(_blurred(region.astype(np.float64), _SPREAD), 0.5, 0.95), core)
    gold = np.where(region[..., None], packed(was + weight[..., None] * (after - was)), before)
    mask = (gold != before).any(axis=2)
    return _filtered(_filtered(mask, ImageFilter.MaxFilter(5)), ImageFilter.MinFilter(5)), gold


_SPREAD = 2.5
"""How far, in pixels, a change is spread before it is looked at: regions get smooth edges."""
_SEEN = 9 / 255
"""A smaller change of shadow is hardly seen."""


def _blurred(values: Region, radius: float) -> Region:
    image = Image.fromarray(np.round(values * 255).astype(np.uint8))
    return np.asarray(image.filter(ImageFilter.GaussianBlur(radius)), np.float64) / 255


def _filtered(region: NDArray[np.bool_], step: ImageFilter.Filter) -> NDArray[np.bool_]:
    return np.asarray(Image.fromarray((region * 255).astype(np.uint8)).filter(step)) > 0


def changed(before: Rgb8, after: Rgb8, least: int) -> NDArray[np.bool_]:
    """Where `after` differs by `least` steps of 255 or more, small holes closed and specks left
    out: the mask of an edit."""
    apart = np.abs(after.astype(int) - before).max(axis=2) >= least
    image = Image.fromarray((apart * 255).astype(np.uint8))
    for step in (ImageFilter.MaxFilter(5), ImageFilter.MinFilter(5), ImageFilter.MinFilter(3),
                 ImageFilter.MaxFilter(3)):  # fmt: skip
        image = image.filter(step)
    return np.asarray(image) > 0
