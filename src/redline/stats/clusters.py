"""Which rows belong together, and how whole groups of rows are drawn at random."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_DRAWS_AT_ONCE = 2_000_000  # keeps the working memory of a resampling near 50 MB


def cluster_codes(clusters: Sequence[str | None] | None, rows: int) -> Ints:
    """A number from 0 for the cluster of each row.

    Without `clusters`, and where a name is None or empty (source unknown), a row is a cluster of
    its own. Named clusters are numbered in sorted order. Raises ValueError when there are more or
    fewer names than rows.
    """
    if clusters is None:
        return np.arange(rows, dtype=np.int64)
    if len(clusters) != rows:
        raise ValueError(f"{len(clusters)} cluster names were given for {rows} rows; give one each")
    named = {name: code for code, name in enumerate(sorted({c for c in clusters if c}))}
    codes = np.empty(rows, dtype=np.int64)
    following = len(named)
    for row, name in enumerate(clusters):
        if name:
            codes[row] = named[name]
        else:
            codes[row] = following
            following += 1
    return codes


def cluster_sums(matrix: Floats, codes: Ints) -> tuple[Floats, Floats]:
    """Sums and counts of the defined (not NaN) values of each cluster: two arrays of shape
    (clusters, columns)."""
    size = (int(codes.max()) + 1 if codes.size else 0, matrix.shape[1])
    defined = ~np.isnan(matrix)
    sums, counts = np.zeros(size), np.zeros(size)
    np.add.at(sums, codes, np.where(defined, matrix, 0.0))
    np.add.at(counts, codes, defined.astype(np.float64))
    return sums, counts


def frozen_stream(seed: int) -> np.random.RandomState:
    """A random stream that NumPy promises never to change, unlike that of `default_rng`."""
    return np.random.RandomState(seed)


def resample_weights(clusters: int, resamples: int, seed: int) -> Iterator[Floats]:
    """How often each cluster is drawn in each resample, in chunks of shape (some, clusters)."""
    stream = frozen_stream(seed)
    step = max(1, _DRAWS_AT_ONCE // max(1, clusters))
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        drawn = stream.randint(0, clusters, size=(rows, clusters), dtype=np.int64)
        drawn += np.arange(rows, dtype=np.int64)[:, None] * clusters
        counts = np.bincount(drawn.ravel(), minlength=rows * clusters)
        yield counts.reshape(rows, clusters).astype(np.float64)
