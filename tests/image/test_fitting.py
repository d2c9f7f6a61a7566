"""Frames, places and regions: what is compared of a picture, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from redline.image.fitting import (
    Box,
    aspect_difference,
    frame_of,
    padded_square,
    place,
    resize,
    resize_mask,
    size_difference,
)
from redline.image.profiles import ASPECT, CORRECTED
from redline.image.regions import Regions, square_around


def test_squashing_fills_the_square_and_keeping_the_aspect_fixes_the_long_side() -> None:
    assert frame_of((320, 240), CORRECTED) == (768, 768)
    assert frame_of((320, 240), ASPECT) == (768, 576)
    assert frame_of((100, 2000), ASPECT) == (38, 768)
    assert frame_of((1, 5000), ASPECT) == (1, 768)


def test_a_candidate_of_another_aspect_is_placed_in_the_middle_of_the_golds_frame() -> None:
    assert place((512, 512), (768, 576), ASPECT) == Box(0, 576, 96, 672)
    assert place((512, 512), (768, 768), CORRECTED) == Box(0, 768, 0, 768)


def test_sides_rounded_to_multiples_of_16_are_no_other_aspect() -> None:
    # 1024 x 683 is 3:2; models give 1024 x 688.
    assert place((1024, 688), (768, 512), ASPECT) == Box(0, 512, 0, 768)
    assert place((1024, 720), (768, 512), ASPECT) != Box(0, 512, 0, 768)


def test_differences_do_not_depend_on_the_order() -> None:
    assert aspect_difference((400, 300), (300, 300)) == pytest.approx(1 / 3)
    assert aspect_difference((300, 300), (400, 300)) == pytest.approx(1 / 3)
    assert size_difference((100, 100), (50, 110)) == 1.0
    assert aspect_difference((640, 480), (320, 240)) == 0


def test_a_picture_of_the_right_size_is_not_resampled() -> None:
    picture = np.random.default_rng(0).integers(0, 256, (9, 7, 3), dtype=np.uint8)
    assert resize(picture, (7, 9), CORRECTED) is picture


def test_a_mask_stays_yes_or_no() -> None:
    mask = np.array([[True, False], [False, False]])
    grown = resize_mask(mask, (6, 4))
    assert grown.dtype == bool and grown.shape == (4, 6)
    assert grown[:2, :3].all() and grown.sum() == 6


def test_regions_tell_shares_boxes_and_why_they_are_empty() -> None:
    mask = np.zeros((10, 20), bool)
    mask[2:5, 4:10] = True
    regions = Regions(mask)
    assert regions.shares == {"FG": 0.09, "BG": 0.91}
    assert regions.box == Box(2, 5, 4, 10)
    assert regions.faults == {}
    assert set(Regions(np.zeros((3, 3), bool)).faults) == {"FG"}
    assert set(Regions(np.ones((3, 3), bool)).faults) == {"BG"}
    assert set(Regions(None).faults) == {"FG", "BG"} and Regions(None).shares == {}
    assert regions.cropped(Box(0, 4, 4, 8)).shares["FG"] == 0.5


def test_the_square_around_a_box_stays_inside() -> None:
    assert square_around(Box(4, 6, 10, 20), 30, 30) == Box(0, 10, 10, 20)
    assert square_around(Box(28, 30, 10, 20), 30, 30) == Box(20, 30, 10, 20)
    assert square_around(Box(14, 16, 10, 20), 30, 30) == Box(10, 20, 10, 20)
    # A frame lower than the square: all of its height.
    assert square_around(Box(1, 2, 0, 20), 5, 30) == Box(0, 5, 0, 20)


def test_a_square_is_padded_with_black_around_the_middle() -> None:
    square = padded_square(np.full((2, 6, 3), 9, np.uint8))
    assert square.shape == (6, 6, 3)
    assert (square[2:4] == 9).all() and square.sum() == 2 * 6 * 3 * 9
