"""Pixel agreement against pictures whose right value can be counted by hand."""

import numpy as np
import pytest

from redline.diagram import agreement
from redline.diagram.agreement import on_one_canvas, pixel_agreement, same, shift_between


def page(height: int = 60, width: int = 80) -> np.ndarray:
    return np.full((height, width, 3), 255, np.uint8)


def with_box(a: np.ndarray, top: int, left: int, h: int, w: int, grey: int = 0) -> np.ndarray:
    b = a.copy()
    b[top : top + h, left : left + w] = grey
    return b


ORIGINAL = with_box(page(), 10, 10, 10, 10)
GOLD = with_box(ORIGINAL, 30, 40, 12, 20)


def test_the_gold_agrees_fully_inside_and_outside() -> None:
    found = pixel_agreement(ORIGINAL, [GOLD], GOLD)
    assert (found.inside, found.outside) == (1.0, 1.0)


def test_the_untouched_original_agrees_nowhere_inside_and_fully_outside() -> None:
    found = pixel_agreement(ORIGINAL, [GOLD], ORIGINAL)
    assert (found.inside, found.outside) == (0.0, 1.0)


def test_half_of_the_edit_agrees_on_the_half_that_was_drawn() -> None:
    half = with_box(ORIGINAL, 30, 40, 12, 10)
    found = pixel_agreement(ORIGINAL, [GOLD], half)
    # Changed: 12 x 20 pixels. Drawn: 12 x 10, and the column beside the cut is forgiven.
    assert found.inside == pytest.approx(12 * 10 / (12 * 20), abs=12 / 240)
    assert found.outside == 1.0


def test_damage_elsewhere_lowers_only_the_outside_figure() -> None:
    damaged = with_box(GOLD, 10, 10, 10, 10, grey=255)
    found = pixel_agreement(ORIGINAL, [GOLD], damaged)
    assert found.inside == 1.0
    assert found.outside == 0.0


def test_an_added_object_elsewhere_counts_as_ink_that_changed() -> None:
    extra = with_box(GOLD, 50, 5, 5, 20)
    found = pixel_agreement(ORIGINAL, [GOLD], extra)
    assert found.inside == 1.0
    assert found.outside == pytest.approx(100 / 200)


def test_the_gold_that_fits_best_is_used() -> None:
    other = with_box(ORIGINAL, 30, 5, 12, 20)
    assert pixel_agreement(ORIGINAL, [GOLD, other], other).gold == 1
    assert pixel_agreement(ORIGINAL, [GOLD, other], GOLD).gold == 0


def test_a_page_that_grew_on_the_left_is_moved_back_before_pixels_are_compared() -> None:
    grown = np.full((70, 95, 3), 255, np.uint8)
    grown[10:, 15:] = ORIGINAL
    assert shift_between([ORIGINAL], grown) == (-10, -15)
    a, b = on_one_canvas([ORIGINAL], grown)
    assert a.shape == b.shape and same(a, b).all()


def test_a_shift_of_under_a_pixel_is_forgiven_and_one_of_three_is_not() -> None:
    blurred = ORIGINAL.astype(float)
    moved = (0.5 * blurred + 0.5 * np.roll(blurred, 1, axis=1)).astype(np.uint8)
    assert same(ORIGINAL, moved).all()
    assert not same(ORIGINAL, np.roll(ORIGINAL, 3, axis=1)).all()


def test_a_blank_candidate_agrees_with_nothing() -> None:
    found = pixel_agreement(ORIGINAL, [GOLD], page())
    assert (found.inside, found.outside) == (0.0, 0.0)


def test_a_gold_that_changes_nothing_has_no_inside_figure() -> None:
    assert pixel_agreement(ORIGINAL, [ORIGINAL], ORIGINAL).inside is None


def test_shift_agrees_with_brute_force_counting() -> None:
    rng = np.random.default_rng(3)
    a = np.where(rng.random((12, 14, 1)) < 0.2, 0, 255).astype(np.uint8).repeat(3, axis=2)
    b = np.full((12, 14, 3), 255, np.uint8)
    b[2:, 1:] = a[:-2, :-1]
    ink_a, ink_b = a[..., 0] == 0, b[..., 0] == 0

    def hits(dy: int, dx: int) -> int:
        n = 0
        for y, x in zip(*np.nonzero(ink_b), strict=True):
            yy, xx = y + dy, x + dx
            n += 0 <= yy < 12 and 0 <= xx < 14 and bool(ink_a[yy, xx])
        return n

    best = max(hits(dy, dx) for dy in range(-11, 12) for dx in range(-13, 14))
    assert hits(*shift_between([a], b)) == best


def drawing(side: int, seed: int = 5) -> np.ndarray:
    """A page of thin lines and boxes, as large as `side` says."""
    rng = np.random.default_rng(seed)
    made, unit = page(side, side), side // 64
    for _ in range(24):
        y, x = (int(v) for v in rng.integers(6, 50, 2) * unit)
        h, w = ((unit, 9 * unit), (9 * unit, unit))[int(rng.integers(2))]
        made[y : y + h, x : x + w] = 0
    return made


@pytest.mark.parametrize("side", [256, 1024, 4096])
def test_a_moved_page_is_found_at_every_size(side: int) -> None:
    fixed = drawing(side)
    dy, dx = side // 50, -side // 70
    moved = np.full((side + side // 9, side, 3), 255, np.uint8)
    moved[: side - dy, -dx:] = fixed[dy:, : side + dx]
    # A box of its own that the fixed page lacks.
    moved[-side // 12 :, : side // 12] = 0
    assert shift_between([fixed], moved) == (dy, dx)


def test_the_work_a_pixel_does_not_grow_with_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = agreement._covered
    compared = 0

    def counting(fixed: np.ndarray, moved: np.ndarray, dy: int, dx: int) -> int:
        nonlocal compared
        compared += moved.size
        return counted(fixed, moved, dy, dx)

    monkeypatch.setattr(agreement, "_covered", counting)
    per_pixel = []
    for side in (512, 1024, 2048):
        compared = 0
        moved = np.full((side, side - side // 16, 3), 255, np.uint8)
        moved[: side - 9, : side - side // 16] = drawing(side)[9:, side // 16 :]
        shift_between([drawing(side)], moved)
        per_pixel.append(compared / moved[..., 0].size)
    assert max(per_pixel) < 80
    assert per_pixel[-1] < 1.1 * per_pixel[0]
