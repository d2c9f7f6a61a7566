"""Page sizes in points to picture sizes in pixels: pure arithmetic, no I/O."""

from __future__ import annotations

import math

from redline.tex.result import Profile


def page_scale(page_pt: tuple[float, float], profile: Profile) -> float:
    """Pixels per point that bring a page's long side to `profile.long_side_px`.

    `page_pt` is width and height in PDF points (1/72 inch), above 0. Small pages are enlarged by
    no more than `profile.max_scale`.
    """
    return min(profile.max_scale, profile.long_side_px / max(page_pt))


def pixel_size(page_pt: tuple[float, float], scale: float) -> tuple[int, int]:
    """Width and height in pixels: each side rounded half up, at least 1."""
    width, height = (max(1, math.floor(side * scale + 0.5)) for side in page_pt)
    return width, height


def fit_scale(
    page_pt: tuple[float, float], scale: float | None, profile: Profile
) -> tuple[float, bool]:
    """The scale to draw a page at, and whether the wanted one had to be reduced.

    Without a wanted scale it is `page_scale`. A wanted one (another page fixed it) is kept unless
    the picture would have a side above `profile.max_side_px`.
    """
    wanted = page_scale(page_pt, profile) if scale is None else scale
    allowed = profile.max_side_px / max(page_pt)
    return (allowed, True) if wanted > allowed else (wanted, False)


def usable_page(page_pt: tuple[float, float], profile: Profile) -> bool:
    """Whether a page's sides are finite, above 0 and not above `profile.max_page_pt`."""
    return all(math.isfinite(side) and 0 < side <= profile.max_page_pt for side in page_pt)
