"""Seeded value noise over points, the same on every machine: the grain of wood, fur and cloth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def noise(points: Floats, seed: int = 0) -> Floats:
    """Smooth noise at points (N x 3), N values in 0 to 1; features are about one unit wide."""
    base = np.floor(points).astype(np.int64)
    part = (points - base).astype(np.float32)
    part = part * part * (3 - 2 * part)
    total = np.zeros(len(points), np.float32)
    for corner in np.ndindex(2, 2, 2):
        weight = np.prod(np.where(np.array(corner, bool), part, 1 - part), axis=1)
        total += weight * _hashed(base + np.array(corner), seed)
    return total


def fractal(points: Floats, octaves: int = 4, seed: int = 0) -> Floats:
    """Noise over noise of half the size and half the weight; N values in 0 to 1."""
    total, weight, scale = np.zeros(len(points), np.float32), 0.0, 1.0
    for k in range(octaves):
        total += np.float32(0.5**k) * noise(points * np.float32(scale), seed + k)
        weight += 0.5**k
        scale *= 2.03
    return total / np.float32(weight)


def plane_noise(shape: tuple[int, int], size: float, octaves: int = 4, seed: int = 0) -> Floats:
    """Fractal noise over a picture (height x width); its largest features are `size` pixels."""
    y, x = np.mgrid[: shape[0], : shape[1]].astype(np.float32)
    points = np.stack([x / size, y / size, np.full_like(x, 0.5)], -1).reshape(-1, 3)
    return fractal(points.astype(np.float32), octaves, seed).reshape(shape)


def _hashed(cells: NDArray[np.int64], seed: int) -> Floats:
    """A number in 0 to 1 for each lattice point (N x 3); integers only, so nothing is rounded."""
    mixed = cells.astype(np.uint64)
    h = (
        mixed[:, 0] * np.uint64(0x9E3779B97F4A7C15)
        ^ mixed[:, 1] * np.uint64(0xC2B2AE3D27D4EB4F)
        ^ mixed[:, 2] * np.uint64(0x165667B19E3779F9)
        ^ np.uint64(seed * 0x27D4EB2F165667C5 % 2**64)
    )
    h ^= h >> np.uint64(29)
    h *= np.uint64(0xBF58476D1CE4E5B9)
    h ^= h >> np.uint64(32)
    return ((h & np.uint64(0xFFFFFF)).astype(np.float32)) / np.float32(0xFFFFFF)
