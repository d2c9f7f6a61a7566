"""Means, intervals and paired comparison; pure NumPy, the same numbers on every machine.

`mean_interval` and `mean_intervals` give means with 95 % intervals by resampling whole clusters
(samples that share a source picture), `wilson` the interval of a rate, `bounds` what
unscored rows could still do to a mean, `paired_difference` compares two sets of the same samples.
"""

from redline.stats.intervals import (
    Interval,
    bootstrap_means,
    mean_interval,
    mean_intervals,
    wilson,
)
from redline.stats.paired import PairedDifference, paired_difference
from redline.stats.unscored import Bounds, bounds

__all__ = [
    "Bounds",
    "Interval",
    "PairedDifference",
    "bootstrap_means",
    "bounds",
    "mean_interval",
    "mean_intervals",
    "paired_difference",
    "wilson",
]
