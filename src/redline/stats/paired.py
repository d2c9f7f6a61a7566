"""Comparing two models on the same samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from redline.stats.clusters import Floats, cluster_codes, cluster_sums, frozen_stream
from redline.stats.intervals import Interval, mean_interval

_FLIPS_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class PairedDifference:
    """The mean of a - b over the samples that both have, its interval, and a two-sided p.

    `p` lies in (0, 1]; None where no sample is shared. `left_out` counts rows with a value on one
    side only.
    """

    difference: Interval
    p: float | None
    left_out: int


def paired_difference(
    a: ArrayLike,
    b: ArrayLike,
    clusters: Sequence[str | None] | None = None,
    resamples: int = 10_000,
    seed: int = 0,
) -> PairedDifference:
    """Compare two sets of values of the same rows in the same order, NaN where undefined.

    p is that of a randomisation test: were the two alike, a cluster's differences could as well
    have had the other sign, so signs of whole clusters are flipped at random, and
    p = (k + 1) / (resamples + 1) with k the flips at least as far from 0 as what was seen.
    """
    left, right = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if left.shape != right.shape or left.ndim != 1:
        raise ValueError("the two sets must be lists of one value for each of the same rows")
    codes = cluster_codes(clusters, len(left))
    difference = left - right
    shared = ~np.isnan(difference)
    left_out = int(np.count_nonzero(np.isnan(left) != np.isnan(right)))
    interval = mean_interval(difference, clusters, resamples, seed)
    if not shared.any():
        return PairedDifference(interval, None, left_out)
    sums, counts = cluster_sums(difference[:, None], codes)
    p = _flip_p(sums[counts[:, 0] > 0, 0], resamples, seed)
    return PairedDifference(interval, p, left_out)


def _flip_p(sums: Floats, resamples: int, seed: int) -> float:
    stream = frozen_stream(seed)
    # A flip that only reorders equal terms must count as equal in spite of rounding.
    seen = abs(float(sums.sum())) - 1e-9 * float(np.abs(sums).sum())
    step = max(1, _FLIPS_AT_ONCE // len(sums))
    extreme = 0
    for start in range(0, resamples, step):
        size = (min(step, resamples - start), len(sums))
        signs = stream.randint(0, 2, size=size, dtype=np.int64) * 2.0 - 1.0
        extreme += int(np.count_nonzero(np.abs(signs @ sums) >= seen))
    return (extreme + 1) / (resamples + 1)
