"""Page sizes in points become picture sizes in pixels."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.tex import Profile, page_scale, pixel_size
from redline.tex.pages import fit_scale, usable_page

PROFILE = Profile()


@pytest.mark.parametrize(
    ("page", "scale", "size"),
    [
        # 612 x 792 pt is US letter: 1024/792 = 1.29293 px per pt, 612 pt = 791.27 px.
        ((612.0, 792.0), 1024 / 792, (791, 1024)),
        # 50 pt would need 20.48 px per pt, above the most allowed (8): 400 px.
        ((50.0, 25.0), 8.0, (400, 200)),
        # 0.2 pt high at 2.048 px per pt is 0.41 px: a picture has at least one row.
        ((500.0, 0.2), 2.048, (1024, 1)),
        # 25.5 px rounds up.
        ((1024.0, 25.5), 1.0, (1024, 26)),
    ],
)
def test_a_page_is_fitted_to_the_long_side(
    page: tuple[float, float], scale: float, size: tuple[int, int]
) -> None:
    assert page_scale(page, PROFILE) == pytest.approx(scale, rel=1e-12)
    assert pixel_size(page, page_scale(page, PROFILE)) == size


@given(st.floats(128.0, 14400.0), st.floats(0.01, 14400.0), st.integers(16, 4096))
def test_the_long_side_is_exactly_the_target(a: float, b: float, target: int) -> None:
    page = (max(a, b), min(a, b))
    profile = Profile(long_side_px=target, max_scale=math.inf)
    assert pixel_size(page, page_scale(page, profile))[0] == target


def test_a_scale_fixed_by_another_page_is_kept() -> None:
    assert fit_scale((500.0, 100.0), 2.5, PROFILE) == (2.5, False)


def test_a_fixed_scale_is_reduced_where_the_picture_would_be_too_large() -> None:
    scale, reduced = fit_scale((5000.0, 100.0), 2.5, PROFILE)
    assert reduced
    assert pixel_size((5000.0, 100.0), scale) == (4096, 82)


@pytest.mark.parametrize(
    ("page", "usable"),
    [
        ((14400.0, 1.0), True),
        ((14400.1, 1.0), False),
        ((0.0, 10.0), False),
        ((math.nan, 10.0), False),
        ((math.inf, 10.0), False),
        ((-3.0, 10.0), False),
    ],
)
def test_pages_of_absurd_size_are_refused(page: tuple[float, float], usable: bool) -> None:
    assert usable_page(page, PROFILE) is usable
