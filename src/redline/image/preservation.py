"""How much of the picture that a round started from is still there outside the mask."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from redline.image import quality
from redline.image.fitting import frame_of, place, resize, resize_mask
from redline.image.profiles import Profile

KEPT = ("keep_PSNR", "keep_SSIM")

PRESERVATION_VERSION = 1
"""Raised whenever the same pictures give other figures."""

NO_BACKGROUND = "The mask covers the whole picture, so there is nothing to keep."
NO_WINDOW = "No whole window lies outside the mask."


def preservation(
    start: NDArray[np.uint8], candidate: NDArray[np.uint8], foreground: NDArray[np.bool_]
) -> tuple[dict[str, float], dict[str, str]]:
    """Figures by name, and why a name has none.

    Pictures are height x width x 3, uint8; `foreground` is height x width of any size. They are
    compared in the shape of `start`, with the longer side of the smaller of the two, so that
    pictures of one size are compared as they are, pixel by pixel, under every profile: an edit that
    changes nothing outside its mask has an infinite `keep_PSNR` and a `keep_SSIM` of 1. `keep_PSNR`
    (dB) is over pixels outside the mask, `keep_SSIM` (-1 to 1) over windows wholly outside it.
    """
    side = min(max(start.shape[:2]), max(candidate.shape[:2]))
    shape = Profile("preservation", side=side, fit="aspect")
    frame = frame_of((start.shape[1], start.shape[0]), shape)
    box = place((candidate.shape[1], candidate.shape[0]), frame, shape)
    before = resize(start, frame, shape)[box.slices]
    after = resize(candidate, box.size, shape)
    kept = ~resize_mask(foreground, frame)[box.slices]
    if not kept.any():
        return {}, dict.fromkeys(KEPT, NO_BACKGROUND)
    found = {"keep_PSNR": quality.psnr(before, after, kept)}
    whole = _whole_windows(kept) if min(box.size) >= quality.WINDOW else np.zeros(0, np.bool_)
    if not whole.any():
        return found, {"keep_SSIM": NO_WINDOW}
    values = quality.ssim_map(quality.window_sums(before), quality.window_sums(after))
    return {**found, "keep_SSIM": float(values[whole].mean())}, {}


def _whole_windows(region: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Of every whole 7 x 7 window, whether all of it lies in the region."""
    for axis in (0, 1):
        n = region.shape[axis] - quality.WINDOW + 1
        shifted = [region.take(range(k, k + n), axis) for k in range(quality.WINDOW)]
        region = np.logical_and.reduce(shifted)
    return region
