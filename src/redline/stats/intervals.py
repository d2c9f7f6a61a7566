"""Means with 95 % intervals, by resampling whole clusters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from redline.stats.clusters import Floats, cluster_codes, cluster_sums, resample_weights

_Z95 = 1.959963984540054  # the 97.5 % point of the normal distribution
_DECIMALS = 12  # sums may differ in the last bits between machines; these digits do not


@dataclass(frozen=True)
class Interval:
    """A mean over `n` defined values with the ends of its 95 % interval.

    None stands for what cannot be known: everything where n is 0, the ends where there is but one
    cluster. `method` says how the ends were found.
    """

    mean: float | None
    low: float | None
    high: float | None
    n: int
    method: Literal["bootstrap", "wilson", "none"] = "bootstrap"


def wilson(successes: float, n: float) -> tuple[float, float]:
    """The 95 % Wilson score interval of a rate, both ends in 0..1 (Wilson 1927).

    Raises ValueError unless 0 <= successes <= n and n > 0.
    """
    if not (n > 0 and 0 <= successes <= n):
        raise ValueError(f"a rate of {successes} in {n} does not exist")
    rate, z2 = successes / n, _Z95 * _Z95
    centre = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z95 / (1 + z2 / n) * math.sqrt(rate * (1 - rate) / n + z2 / (4 * n * n))
    return (
        0.0 if successes == 0 else centre - half,
        1.0 if successes == n else centre + half,
    )


def bootstrap_means(
    matrix: ArrayLike,
    clusters: Sequence[str | None] | None = None,
    resamples: int = 10_000,
    seed: int = 0,
) -> Floats:
    """Means of every column in every resample: shape (resamples, columns).

    `matrix` has shape (rows, columns), NaN where a value is undefined. All columns see the same
    resamples. NaN where a resample holds no defined value of a column.
    """
    table = _table(matrix)
    sums, counts = cluster_sums(table, cluster_codes(clusters, len(table)))
    if not len(sums):
        return np.full((resamples, table.shape[1]), np.nan)
    chunks = []
    for weights in resample_weights(len(sums), resamples, seed):
        with np.errstate(invalid="ignore"):
            chunks.append((weights @ sums) / (weights @ counts))
    return np.concatenate(chunks)


def mean_intervals(
    matrix: ArrayLike,
    clusters: Sequence[str | None] | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    spans: Sequence[tuple[float, float] | None] | None = None,
) -> list[Interval]:
    """A mean with its 95 % percentile-bootstrap interval for every column of `matrix`.

    `spans` names the lowest and highest value a column can take, (0, 1) for a rate, (1, 5) for a
    judged scale. Where all values lie at one end of it, resampling sees no spread; the interval is
    then Wilson's over the number of clusters, stretched to the span: exact in that sense for a
    rate, and wide enough for any variable within the span, of which a yes-or-no one varies most.
    """
    table = _table(matrix)
    columns = table.shape[1]
    if spans is not None and len(spans) != columns:
        raise ValueError(f"{len(spans)} spans were given for {columns} columns; give one each")
    _, counts = cluster_sums(table, cluster_codes(clusters, len(table)))
    means = bootstrap_means(table, clusters, resamples, seed) if len(table) else None
    found = []
    for column in range(columns):
        values = table[:, column]
        values = values[~np.isnan(values)]
        groups = int(np.count_nonzero(counts[:, column]))
        span = spans[column] if spans is not None else None
        drawn = means[:, column] if means is not None else np.empty(0)
        found.append(_interval(values, groups, span, drawn))
    return found


def mean_interval(
    values: ArrayLike,
    clusters: Sequence[str | None] | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    span: tuple[float, float] | None = None,
) -> Interval:
    """`mean_intervals` of one column; `values` has shape (rows,), NaN where undefined."""
    column = np.asarray(values, dtype=np.float64).reshape(-1, 1)
    return mean_intervals(column, clusters, resamples, seed, [span])[0]


def _interval(
    values: Floats, groups: int, span: tuple[float, float] | None, drawn: Floats
) -> Interval:
    n = len(values)
    if n == 0:
        return Interval(None, None, None, 0, "none")
    mean = round(float(values.mean()), _DECIMALS)
    if span is not None:
        low, high = span
        if values.min() < low or values.max() > high:
            raise ValueError(f"values reach outside their span from {low} to {high}")
        for end in span:
            if bool((values == end).all()):
                at, to = wilson(0 if end == low else groups, groups)
                return Interval(
                    mean,
                    round(low + (high - low) * at, _DECIMALS),
                    round(low + (high - low) * to, _DECIMALS),
                    n,
                    "wilson",
                )
    if groups < 2:
        return Interval(mean, None, None, n, "none")
    ends = np.quantile(drawn[~np.isnan(drawn)], [0.025, 0.975])
    return Interval(
        mean, round(float(ends[0]), _DECIMALS), round(float(ends[1]), _DECIMALS), n, "bootstrap"
    )


def _table(matrix: ArrayLike) -> Floats:
    table = np.asarray(matrix, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"a table of rows and columns is needed, not {table.ndim} dimensions")
    if np.isinf(table).any():
        raise ValueError("a value is infinite; an undefined value is NaN")
    return table
