"""Paired comparison against scipy's permutation test and full enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats as peer

from redline.stats import mean_interval, paired_difference

NAN = float("nan")


def test_p_is_that_of_scipys_paired_permutation_test() -> None:
    rng = np.random.default_rng(4)
    a, b = rng.normal(0.5, 1, 12), rng.normal(0, 1, 12)
    theirs = peer.permutation_test(
        (a, b),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,  # every one of the 2 ** 12
    )
    ours = paired_difference(a, b, resamples=40_000)
    assert ours.p == pytest.approx(theirs.pvalue, abs=0.01)


def test_signs_are_flipped_by_whole_clusters() -> None:
    a = np.array([3.0, 4.0, 5.0, 1.0, 2.0, 6.0])
    b = np.array([1.0, 2.0, 4.0, 2.0, 1.0, 3.0])
    clusters = ["x", "x", "y", "y", "z", "z"]
    sums = [4.0, 0.0, 4.0]  # of a - b in x, y, z
    seen = abs(sum(sums))
    every = [
        abs(sum(s * v for s, v in zip(signs, sums, strict=True)))
        for signs in itertools.product((-1, 1), repeat=3)
    ]
    exact = sum(value >= seen for value in every) / 8
    ours = paired_difference(a, b, clusters, resamples=20_000)
    assert ours.p == pytest.approx(exact, abs=0.015)


def test_the_interval_is_that_of_the_differences() -> None:
    a, b = [1.0, 5.0, 3.0, 4.0], [2.0, 2.0, 2.0, 2.0]
    assert paired_difference(a, b).difference == mean_interval([-1.0, 3.0, 1.0, 2.0])


def test_only_rows_that_both_have_are_compared_and_the_others_are_counted() -> None:
    found = paired_difference([1.0, NAN, 3.0, NAN], [0.0, 2.0, NAN, NAN])
    assert (found.difference.mean, found.difference.n, found.left_out) == (1.0, 1, 2)


def test_equal_models_have_p_one_and_p_is_never_zero() -> None:
    same = paired_difference([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], resamples=99)
    assert same.p == 1.0 and same.difference.mean == 0.0
    apart = paired_difference(np.ones(200), np.zeros(200), resamples=99)
    assert apart.p == pytest.approx(1 / 100)


def test_nothing_shared_gives_no_p() -> None:
    found = paired_difference([1.0, NAN], [NAN, 1.0])
    assert found.p is None and found.difference.mean is None


def test_rows_that_do_not_match_are_refused() -> None:
    with pytest.raises(ValueError, match="same rows"):
        paired_difference([1.0], [1.0, 2.0])


def test_swapping_the_sides_only_turns_the_sign() -> None:
    rng = np.random.default_rng(9)
    a, b = rng.integers(1, 6, 40).astype(float), rng.integers(1, 6, 40).astype(float)
    there, back = paired_difference(a, b), paired_difference(b, a)
    assert there.p == back.p
    assert there.difference.mean == pytest.approx(-back.difference.mean)  # type: ignore[operator]
