"""A mask file as the foreground of a picture: which pixels belong to what is edited."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from redline.pixels.colour import GREY_SPREAD
from redline.pixels.loading import LAID_OVER_WHITE, load_picture, load_rgba

THRESHOLD = 128
"""A pixel is foreground above this value of 255 (Omni IIE Bench's rule)."""

GREY_STEPS = 24
"""How far apart the channels of a grey pixel may be, in steps of 255: JPEG and colour profiles
tint grey by less, a coloured label map (128, 0, 0) by far more."""

_BETWEEN = 0.0005
"""A share of in-between values below this is not worth a sentence."""


@dataclass(frozen=True)
class Mask:
    """A mask that was read. `array` is height x width, bool, read-only: True is foreground.

    `notes` has a sentence for everything that was done to or is odd about the file's values;
    `share` is the part of the picture that is foreground, `soft` the part whose value lies
    strictly between 0 and 255 (soft edges, JPEG), both 0 to 1. `coloured` says that the file has
    colours, so that it may be a label map or a photograph and no mask.
    """

    array: NDArray[np.bool_]
    notes: tuple[str, ...]
    share: float
    soft: float
    coloured: bool


def read_mask(source: bytes | Path, *, holes: bool = False) -> Mask:
    """Read a mask: foreground is where its grey is above 128 of 255, whatever format, depth or
    palette the file has. Values that are only 0 and 1 are taken for 0 and 255; transparent parts
    are laid over black, so they are background.

    With `holes` the colours are not looked at: the grey is 255 - alpha, so that foreground is what
    is transparent, as in the masks that image-editing services take and MagicBrush has.

    Raises PictureError where the file is no picture, and as `load_picture` does.
    """
    if holes:
        return _of_holes(load_rgba(source)[..., 3])
    picture = load_picture(source)
    # A mask is grey: that its values were spread over three channels means nothing here.
    notes = [n for n in picture.notes if n != GREY_SPREAD]
    colours = picture.array
    if LAID_OVER_WHITE in notes:
        rgba = load_rgba(source).astype(np.uint16)
        colours = ((rgba[..., :3] * rgba[..., 3:] + 127) // 255).astype(np.uint8)
        notes[notes.index(LAID_OVER_WHITE)] = "Transparent parts were taken for background."
    red, green, blue = colours[..., 0], colours[..., 1], colours[..., 2]
    coloured = False
    grey = red
    if not (np.array_equal(red, green) and np.array_equal(red, blue)):
        highest_of = np.maximum(np.maximum(red, green), blue)
        lowest_of = np.minimum(np.minimum(red, green), blue)
        coloured = bool((highest_of - lowest_of > GREY_STEPS).any())
        grey = np.asarray(Image.fromarray(colours).convert("L"))
    if coloured:
        notes.append("It has colours; their brightness was taken.")
    highest = int(grey.max())
    if highest == 1:
        notes.append("Its values are only 0 and 1; they were taken for 0 and 255.")
        grey = grey * np.uint8(255)
    elif 0 < highest <= THRESHOLD:
        notes.append(
            f"Its values reach only {highest} of 255; nothing is above {THRESHOLD}, the foreground."
        )
    return _mask(grey, notes, coloured)


def _of_holes(alpha: NDArray[np.uint8]) -> Mask:
    notes = ["Transparent parts were taken for foreground."]
    if alpha.min() == 255:
        notes = ["Nothing in it is transparent, so nothing is foreground."]
    return _mask(255 - alpha, notes, False)


def _mask(grey: NDArray[np.uint8], notes: list[str], coloured: bool) -> Mask:
    array = grey > THRESHOLD
    array.setflags(write=False)
    soft = float(((grey > 0) & (grey < 255)).mean())
    if soft >= _BETWEEN:
        notes.append(
            f"{100 * soft:.1f} % of its values lie between 0 and 255 (soft edges or JPEG); "
            f"foreground is above {THRESHOLD}."
        )
    return Mask(array, tuple(notes), float(array.mean()), soft, coloured)
