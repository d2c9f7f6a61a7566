"""PSNR and SSIM of 8-bit pictures, without any library but NumPy."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

WINDOW = 7
_N = WINDOW * WINDOW
_C1 = (0.01 * 255) ** 2
_C2 = (0.03 * 255) ** 2


def psnr(
    one: NDArray[np.uint8], other: NDArray[np.uint8], region: NDArray[np.bool_] | None = None
) -> float:
    """10 log10(255^2 / MSE) over all channels, in dB; infinite for equal pixels.

    Pictures are height x width x 3, uint8; with a `region` (height x width) only its pixels count.
    """
    difference = one.astype(np.int16) - other
    if region is not None:
        difference = difference[region]
    flat = difference.ravel().astype(np.int64)
    squares = int(flat @ flat)
    return math.inf if squares == 0 else 10 * math.log10(255**2 * flat.size / squares)


@dataclass(frozen=True)
class Sums:
    """Of each channel of a picture, the sums of values and of squares over every whole 7 x 7
    window (channels x height-6 x width-6, int32, exact)."""

    planes: NDArray[np.int32]
    values: NDArray[np.int32]
    squares: NDArray[np.int32]


def window_sums(picture: NDArray[np.uint8]) -> Sums:
    """`Sums` of a picture (height x width x 3, uint8), at least 7 pixels high and wide."""
    planes = np.ascontiguousarray(picture.transpose(2, 0, 1), dtype=np.int32)
    values = np.stack([_box(p) for p in planes])
    squares = np.stack([_box(p * p) for p in planes])
    return Sums(planes, values, squares)


def ssim_map(one: Sums, other: Sums) -> NDArray[np.float64]:
    """SSIM of every whole window, mean over the channels: (height-6) x (width-6).

    Uniform 7 x 7 windows, sample covariance (n - 1), data range 255, K1 .01 and K2 .03: the
    defaults of scikit-image's `structural_similarity` with channel_axis=-1 (Wang et al. 2004,
    formula 13). Sums of integers are exact, so nothing is lost before the last division.
    """
    total: NDArray[np.float64] | None = None
    for c in range(len(one.planes)):
        cross = _box(one.planes[c] * other.planes[c])
        part = _channel(one.values[c], other.values[c], one.squares[c], other.squares[c], cross)
        total = part if total is None else np.add(total, part, out=total)
    assert total is not None
    total /= len(one.planes)
    return total


def ssim(one: Sums, other: Sums) -> float:
    """Mean of `ssim_map`: scikit-image's value."""
    return float(ssim_map(one, other).mean())


def region_ssim(values: NDArray[np.float64], region: NDArray[np.bool_]) -> float | None:
    """Mean of an SSIM map over the windows whose middle lies in `region` (height x width); None
    where there is no such window."""
    edge = WINDOW // 2
    inside = values[region[edge:-edge, edge:-edge]]
    return float(inside.mean()) if inside.size else None


def _box(plane: NDArray[np.int32]) -> NDArray[np.int32]:
    """Sums over every whole 7 x 7 window. At most 49 x 255^2, so int32 is exact."""
    return _running(_running(plane, 0), 1)


def _running(plane: NDArray[np.int32], axis: int) -> NDArray[np.int32]:
    """Sums of seven neighbours along an axis, of sums of two and of four."""
    p = plane if axis == 0 else plane.T
    n = len(p) - WINDOW + 1
    two = p[:-1] + p[1:]
    out = two[:n] + two[2 : n + 2]
    out += two[4 : n + 4]
    out += p[6 : n + 6]
    return out if axis == 0 else out.T


def _channel(
    sx: NDArray[np.int32],
    sy: NDArray[np.int32],
    sxx: NDArray[np.int32],
    syy: NDArray[np.int32],
    sxy: NDArray[np.int32],
) -> NDArray[np.float64]:
    # With means S / n and (co)variances (n Sxy - Sx Sy) / (n (n - 1)), all brought over n^2.
    # 49 x 49 x 255^2 = 1.6e8, so these products and differences still fit int32.
    both = sx * sy
    either = sx * sx
    either += sy * sy
    covariance = _N * sxy
    covariance -= both
    variances = _N * (sxx + syy)
    variances -= either
    top: NDArray[np.float64] = np.multiply(both, 2.0, dtype=np.float64)
    top += _C1 * _N**2
    right = covariance * (2.0 / (_N * (_N - 1)))
    right += _C2
    top *= right
    bottom = either + _C1 * _N**2
    right = variances * (1.0 / (_N * (_N - 1)))
    right += _C2
    bottom *= right
    top /= bottom
    return top
