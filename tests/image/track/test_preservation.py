"""Preservation: what lies outside the mask, compared as it is, whatever the profile."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from redline.image.preservation import preservation
from redline.image.quality import ssim_map, window_sums
from tests.image.track.making import RED, array_of, picture

START = array_of(picture(side=48))
MASK = np.zeros((48, 48), np.bool_)
MASK[4:12, 4:12] = True


def kept(candidate: NDArray[np.uint8], mask: NDArray[np.bool_] = MASK) -> dict[str, float]:
    return preservation(START, candidate, mask)[0]


def test_an_edit_within_the_mask_loses_nothing() -> None:
    edited = array_of(picture((4, 4, RED), side=48))
    assert kept(edited) == {"keep_PSNR": math.inf, "keep_SSIM": 1.0}
    assert kept(START) == {"keep_PSNR": math.inf, "keep_SSIM": 1.0}


def test_what_is_lost_outside_is_counted_over_what_lies_outside() -> None:
    edited = START.copy()
    edited[40:44, 40:44] = START[40:44, 40:44] - 20
    # 16 of 48 x 48 - 64 pixels are off by 20.
    mse = 16 * 400 / (48 * 48 - 64)
    found = kept(edited)
    assert found["keep_PSNR"] == pytest.approx(10 * math.log10(255**2 / mse))
    values = ssim_map(window_sums(START), window_sums(edited))
    off = values < 1 - 1e-12
    # Windows over the mask (their first row and column is below 12) are left out.
    away = np.ones_like(values, np.bool_)
    away[:12, :12] = False
    assert off[away].any() and found["keep_SSIM"] == pytest.approx(values[away].mean())


def test_a_change_outside_weighs_the_same_however_much_is_changed_inside() -> None:
    one = START.copy()
    one[40:44, 40:44] += 20
    two = one.copy()
    two[4:12, 4:12] = (255, 0, 0)
    assert kept(one) == kept(two)


def test_pictures_of_two_sizes_are_compared_at_the_smaller() -> None:
    double = np.repeat(np.repeat(START, 2, 0), 2, 1)
    found = kept(double)
    assert found["keep_PSNR"] > 35 and found["keep_SSIM"] > 0.99
    small = np.ascontiguousarray(START[::2, ::2])
    assert kept(small)["keep_SSIM"] > 0.95


def test_without_anything_outside_there_is_no_figure_but_a_reason() -> None:
    found, why = preservation(START, START, np.ones((48, 48), np.bool_))
    assert not found and set(why) == {"keep_PSNR", "keep_SSIM"}
    thin = np.ones((48, 48), np.bool_)
    thin[:, 0] = False
    found, why = preservation(START, START, thin)
    assert found == {"keep_PSNR": math.inf} and "window" in why["keep_SSIM"]
