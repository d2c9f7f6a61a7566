"""Means and intervals against scipy, full enumeration and simulation."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats as peer

from redline.stats import Bounds, bootstrap_means, bounds, mean_interval, mean_intervals, wilson

NAN = float("nan")


@pytest.mark.parametrize(("k", "n"), [(0, 1), (0, 20), (3, 17), (10, 20), (694, 694), (1, 1)])
def test_wilson_is_that_of_scipy(k: int, n: int) -> None:
    theirs = peer.binomtest(k, n).proportion_ci(method="wilson")
    assert wilson(k, n) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_wilson_of_nothing_is_refused() -> None:
    for k, n in [(0, 0), (3, 2), (-1, 4)]:
        with pytest.raises(ValueError, match="does not exist"):
            wilson(k, n)


def test_a_mean_interval_is_that_of_scipy_up_to_random_error() -> None:
    values = np.random.default_rng(3).normal(3, 1, 60)
    ours = mean_interval(values, resamples=20_000)
    theirs = peer.bootstrap(
        (values,), np.mean, method="percentile", n_resamples=20_000, rng=np.random.default_rng(1)
    ).confidence_interval
    assert ours.mean == pytest.approx(values.mean())
    # The standard error of a 2.5 % point over 20,000 draws here is about 0.0025.
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.01)


def test_resampled_means_follow_the_full_enumeration_of_unequal_clusters() -> None:
    values = [1.0, 2.0, 6.0, 4.0, 5.0, 9.0]
    clusters = ["x", "x", "x", "y", "z", "z"]
    groups = {"x": [1.0, 2.0, 6.0], "y": [4.0], "z": [5.0, 9.0]}
    every = [
        round(float(np.mean([v for name in drawn for v in groups[name]])), 9)
        for drawn in itertools.product("xyz", repeat=3)
    ]
    drawn = bootstrap_means(np.array(values)[:, None], clusters, resamples=27_000)[:, 0]
    for mean in set(every):
        expected = every.count(mean) / 27
        seen = float(np.mean(np.abs(drawn - mean) < 1e-8))
        assert seen == pytest.approx(expected, abs=0.012)  # five standard errors
    assert set(np.round(drawn, 9)) == set(every)


def test_samples_of_one_source_widen_the_interval() -> None:
    rng = np.random.default_rng(0)
    values = np.repeat(rng.normal(0, 1, 40), 10)
    names = [f"source{i // 10}" for i in range(400)]
    apart, together = mean_interval(values), mean_interval(values, names)
    assert together.mean == apart.mean
    ratio = (together.high - together.low) / (apart.high - apart.low)  # type: ignore[operator]
    assert ratio == pytest.approx(np.sqrt(10), rel=0.1)


def test_a_sample_whose_source_is_unknown_stands_alone() -> None:
    values = [1.0, 4.0, 2.0, 5.0]
    assert mean_interval(values, ["", "", None, ""]) == mean_interval(values)


def test_an_interval_does_not_depend_on_the_order_of_the_rows() -> None:
    rng = np.random.default_rng(5)
    values, names = rng.normal(size=30), [f"s{i % 7}" for i in range(30)]
    order = rng.permutation(30)
    assert mean_interval(values, names) == mean_interval(values[order], [names[i] for i in order])


def test_columns_share_resamples_and_equal_what_each_gives_alone() -> None:
    rng = np.random.default_rng(2)
    table = rng.integers(1, 6, size=(50, 3)).astype(float)
    table[::4, 1] = NAN
    names = [f"s{i // 2}" for i in range(50)]
    together = mean_intervals(table, names, resamples=500)
    assert together == [mean_interval(table[:, i], names, resamples=500) for i in range(3)]
    assert [found.n for found in together] == [50, 37, 50]
    doubled = bootstrap_means(np.column_stack([table[:, 0], table[:, 0] * 2]), resamples=50)
    assert np.allclose(doubled[:, 0] * 2, doubled[:, 1])


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.arange(20.0)
    whole = mean_interval(values, resamples=301)
    monkeypatch.setattr("redline.stats.clusters._DRAWS_AT_ONCE", 130)
    assert mean_interval(values, resamples=301) == whole


def test_the_random_stream_is_the_frozen_one() -> None:
    # The first number of the reference MT19937 seeded with 0; a drift of the stream would change
    # every interval.
    assert np.random.RandomState(0).randint(0, 2**32, dtype=np.uint32) == 2357136044
    assert mean_interval([1, 2, 3, 4, 5.0]) == mean_interval([1, 2, 3, 4, 5.0])


def test_a_rate_at_its_end_gets_wilson_over_clusters() -> None:
    theirs = peer.binomtest(10, 10).proportion_ci(method="wilson")
    found = mean_interval([1.0] * 30, [f"s{i // 3}" for i in range(30)], span=(0, 1))
    assert found.method == "wilson" and found.n == 30 and found.high == 1.0
    assert found.low == pytest.approx(theirs.low)


def test_a_scale_at_its_end_stays_inside_the_scale() -> None:
    found = mean_interval([1.0] * 8, span=(1, 5))
    assert (found.mean, found.low) == (1.0, 1.0)
    theirs = peer.binomtest(0, 8).proportion_ci(method="wilson")
    assert found.high == pytest.approx(1 + 4 * theirs.high)


def test_all_ones_are_a_rate_only_where_the_caller_says_so() -> None:
    found = mean_interval([1.0] * 8)
    assert (found.low, found.high, found.method) == (1.0, 1.0, "bootstrap")


def test_what_cannot_be_known_is_none() -> None:
    assert mean_interval([]).mean is None
    assert mean_interval([NAN, NAN]).n == 0
    one = mean_interval([2.0, 4.0], ["same", "same"])
    assert (one.mean, one.low, one.high, one.method) == (3.0, None, None, "none")


def test_wrong_tables_are_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match="infinite"):
        mean_interval([1.0, float("inf")])
    with pytest.raises(ValueError, match="3 cluster names were given for 2 rows"):
        mean_interval([1.0, 2.0], ["a", "b", "c"])
    with pytest.raises(ValueError, match="outside their span"):
        mean_interval([0.0, 3.0], span=(1, 5))
    with pytest.raises(ValueError, match="2 spans were given for 1 columns"):
        mean_intervals([[1.0]], spans=[(0, 1), (0, 1)])
    with pytest.raises(ValueError, match="rows and columns"):
        bootstrap_means([1.0, 2.0])


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(11)
    trials, hits = 300, 0
    for seed in range(trials):
        centres = rng.normal(0, 1, 40)
        values = np.repeat(centres, 3) + rng.normal(0, 0.5, 120)
        found = mean_interval(values, [f"s{i // 3}" for i in range(120)], 400, seed)
        assert found.low is not None and found.high is not None
        hits += found.low <= 0 <= found.high
    # Nominal .95, about .935 for a percentile interval of 40 clusters; 4 standard errors each way.
    assert 0.88 <= hits / trials <= 0.99


def test_bounds_put_unscored_rows_at_the_ends_of_the_scale() -> None:
    # By hand: (8 * 4 + 2 * 1) / 10 and (8 * 4 + 2 * 5) / 10.
    assert bounds(4.0, 8, 2, 1, 5) == Bounds(worst=3.4, best=4.2)
    assert bounds(0.1, 9, 1, 0, 1, lower_is_better=True) == Bounds(
        worst=pytest.approx(0.19), best=pytest.approx(0.09)
    )
    assert bounds(4.0, 8, 0, 1, 5) == Bounds(4.0, 4.0)
    assert bounds(None, 0, 3, 1, 5) == Bounds(1.0, 5.0)
    assert bounds(None, 0, 0, 1, 5) is None
    with pytest.raises(ValueError, match="no bounds"):
        bounds(1.0, -1, 0, 1, 5)
