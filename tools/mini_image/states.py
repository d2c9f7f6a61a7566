"""The pictures of mini-image by name and settings, and what differs between two of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

Pixels = NDArray[np.uint8]
SCENES = ("beach", "bedroom", "desk", "lake", "street", "toys")
LEAST = 2
"""Steps of 255: a change of no more than this, as light from far away makes, is not part of an
edit; there the gold keeps the pixels it started from."""


def scene(name: str, settings: Mapping[str, Any]) -> Pixels:
    """A scene made by code, height x width x 3."""
    made: Callable[..., Pixels] = getattr(import_module(f"tools.mini_image.scenes.{name}"), name)
    return made(**settings)


def retouched(name: str, photograph: Pixels, settings: Mapping[str, Any]) -> Pixels:
    """A photograph with the edits that the settings ask for."""
    edit: Callable[..., Pixels] = getattr(import_module(f"tools.mini_image.photos.{name}"), name)
    return edit(photograph, **settings)


def edited(start: Pixels, wanted: Pixels) -> tuple[Pixels, Pixels]:
    """The gold and its mask (255 is foreground, height x width) for an edit from one picture to
    another. Outside the mask the gold is the start, pixel for pixel."""
    change = np.abs(start.astype(np.int16) - wanted).max(axis=2) > LEAST
    mask = Image.fromarray(np.where(change, 255, 0).astype(np.uint8))
    # Closed by two pixels, so that a region is whole, and one pixel wider than what changes.
    mask = mask.filter(ImageFilter.MaxFilter(7)).filter(ImageFilter.MinFilter(5))
    inside = np.asarray(mask) > 0
    return np.where(inside[..., None], wanted, start), np.asarray(mask)
