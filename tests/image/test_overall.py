"""Means, penalties and Overall, by hand."""

from __future__ import annotations

import math

import pytest

from redline.image.figures import Fault, Figures
from redline.image.overall import PARTS, average, overall, penalised
from redline.image.profiles import CORRECTED, UPSTREAM


def row(fg: float = 0.5, **metrics: float) -> Figures:
    return Figures("corrected", metrics, {}, {"FG": fg, "BG": 1 - fg}, {})


def test_overall_is_the_published_formula() -> None:
    means = dict(zip(PARTS, (0.3, 0.2, 0.1, 0.9, 0.8, 0.7, 0.5, 0.6), strict=True))
    # (2.4 / 3 + 2.4 / 3 + 0.5 + 0.6) / 4
    assert overall(means) == pytest.approx(0.675)
    del means["QA"]
    assert overall(means) is None


def test_doing_nothing_wrong_is_1_and_a_failed_row_0() -> None:
    best = {n: 0.0 if n.startswith("LPIPS") else 1.0 for n in PARTS}
    worst = penalised([], [Fault("corrected", "candidate", "No picture.")], PARTS)
    assert overall(best) == 1
    assert overall(worst) == 0


def test_upstream_weights_three_measures_by_area_and_corrected_none() -> None:
    rows = [
        row(0.1, LPIPS_FG=0.5, LPIPS_BG=0.1, CLIP_FG=0.4, CLIP_BG=0.8, SSIM=0.6),
        row(0.3, LPIPS_FG=0.1, LPIPS_BG=0.3, CLIP_FG=0.8, CLIP_BG=0.4, SSIM=0.8),
    ]
    upstream, corrected = average(rows, UPSTREAM), average(rows, CORRECTED)
    assert upstream["LPIPS_FG"].published == pytest.approx((0.1 * 0.5 + 0.3 * 0.1) / 0.4)
    assert upstream["LPIPS_BG"].published == pytest.approx((0.9 * 0.1 + 0.7 * 0.3) / 1.6)
    assert upstream["CLIP_BG"].published == pytest.approx((0.9 * 0.8 + 0.7 * 0.4) / 1.6)
    assert upstream["CLIP_FG"].published == pytest.approx(0.6)
    assert corrected["LPIPS_FG"].published == pytest.approx(0.3)
    assert corrected["LPIPS_FG"].weighted == pytest.approx(0.2)
    assert corrected["SSIM"].published == pytest.approx(0.7)
    assert corrected["SSIM"].weighted is None


def test_an_empty_region_weighs_nothing_in_upstream() -> None:
    rows = [row(0.0, LPIPS_FG=0.0, CLIP_FG=0.0), row(0.5, LPIPS_FG=0.4, CLIP_FG=0.8)]
    found = average(rows, UPSTREAM)
    assert found["LPIPS_FG"].published == pytest.approx(0.4)
    # The published mean of CLIP_FG is plain, so there the 0 counts.
    assert found["CLIP_FG"].published == pytest.approx(0.4)
    assert average(rows[:1], UPSTREAM)["LPIPS_FG"].published is None


def test_infinite_psnr_is_counted_beside_the_finite_mean() -> None:
    found = average([row(PSNR=30.0), row(PSNR=math.inf), row(PSNR=20.0)], CORRECTED)["PSNR"]
    assert (found.n, found.plain, found.infinite) == (3, 25.0, 1)
    alone = average([row(PSNR=math.inf)], CORRECTED)["PSNR"]
    assert (alone.n, alone.plain, alone.infinite) == (1, None, 1)


def test_failed_rows_are_penalised_only_for_what_they_could_have_had() -> None:
    rows = [row(LPIPS_FG=0.2, CLIP_FG=0.9, SSIM=0.8, QA=1.0)]
    failed = [
        Fault("corrected", "candidate", "Cut off.", {"LPIPS_FG": "No foreground."}),
        Fault("corrected", "candidate", "Cut off."),
    ]
    found = penalised(rows, failed, ["LPIPS_FG", "CLIP_FG", "SSIM", "QA"])
    assert found["LPIPS_FG"] == pytest.approx(1.2 / 2)
    assert found["CLIP_FG"] == pytest.approx(0.9 / 3)
    assert found["SSIM"] == pytest.approx(0.8 / 3)
    assert found["QA"] == pytest.approx(1 / 3)


def test_the_outcome_of_a_fault_is_the_candidates_only_where_it_is_to_blame() -> None:
    outcomes = {
        kind: Fault("corrected", kind, "x").outcome
        for kind in ("candidate", "gold", "mask", "source", "harness")
    }
    assert outcomes.pop("candidate") == "failed"
    assert set(outcomes.values()) == {"unscored"}
