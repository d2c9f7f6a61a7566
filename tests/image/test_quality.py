"""PSNR and SSIM against scikit-image's values, and by region."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from redline.image.quality import psnr, region_ssim, ssim, ssim_map, window_sums
from tools.golden import seeded

GOLDEN = json.loads((Path(__file__).parent / "golden.json").read_text())["quality"]


@pytest.mark.parametrize("case", GOLDEN)
def test_psnr_and_ssim_are_those_of_scikit_image(case: str) -> None:
    seed, height, width = map(int, case.split())
    gold = seeded.picture(seed, height, width)
    candidate = seeded.edited(gold, seed + 10)
    assert psnr(gold, candidate) == pytest.approx(GOLDEN[case]["PSNR"], abs=1e-9)
    found = ssim(window_sums(gold), window_sums(candidate))
    assert found == pytest.approx(GOLDEN[case]["SSIM"], abs=1e-9)


def test_extreme_pictures_do_not_overflow() -> None:
    black = np.zeros((20, 20, 3), np.uint8)
    white = np.full((20, 20, 3), 255, np.uint8)
    # Flat windows have no variance: (2 x 0 x 255 + c1) / (0 + 255^2 + c1), c1 = 2.55^2.
    expected = 2.55**2 / (255**2 + 2.55**2)
    assert ssim(window_sums(black), window_sums(white)) == pytest.approx(expected, rel=1e-12)
    assert ssim(window_sums(white), window_sums(white)) == 1.0
    assert psnr(black, white) == 0.0


def test_equal_pictures_have_an_infinite_psnr() -> None:
    assert psnr(np.ones((4, 4, 3), np.uint8), np.ones((4, 4, 3), np.uint8)) == math.inf


def test_a_region_counts_only_its_own_pixels() -> None:
    gold = np.zeros((20, 30, 3), np.uint8)
    candidate = gold.copy()
    candidate[:, :10] = 10
    left = np.zeros((20, 30), bool)
    left[:, :10] = True
    assert psnr(gold, candidate, left) == pytest.approx(10 * math.log10(255**2 / 100))
    assert psnr(gold, candidate, ~left) == math.inf
    values = ssim_map(window_sums(gold), window_sums(candidate))
    far = np.zeros((20, 30), bool)
    far[:, 20:] = True
    assert region_ssim(values, far) == 1.0
    at_left = region_ssim(values, left)
    assert at_left is not None and at_left < 0.2


def test_a_region_at_the_very_edge_has_no_ssim() -> None:
    values = np.ones((14, 14))
    edge = np.zeros((20, 20), bool)
    edge[:3] = True
    assert region_ssim(values, edge) is None
