"""Degraded is a part of the gold's change: never more, never all of it, the same every time."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from redline.image.baselines import degraded
from tests.image.track.making import BLUE, GREEN, RED, array_of, picture

START = array_of(picture(side=96))


def changed(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> NDArray[np.bool_]:
    return (one != other).any(axis=2)


def test_about_half_of_the_change_is_made_and_nothing_else() -> None:
    squares = [(y, x, RED) for y in range(0, 96, 16) for x in range(0, 96, 16)]
    gold = array_of(picture(*squares, side=96))
    edited, note = degraded(START, START, gold, "0/a")
    done, asked = changed(edited, START), changed(gold, START)
    assert note is None and not (done & ~asked).any()
    assert 0.5 <= done.sum() / asked.sum() <= 0.55, "blocks are small against the whole"
    assert (edited[done] == gold[done]).all()


def test_the_part_follows_from_the_seed() -> None:
    gold = array_of(picture((0, 0, RED), (40, 40, GREEN), (80, 80, BLUE), side=96))
    one, _ = degraded(START, START, gold, "0/a")
    same, _ = degraded(START, START, gold, "0/a")
    others = [degraded(START, START, gold, f"{seed}/a")[0] for seed in range(1, 9)]
    assert (one == same).all()
    assert any(changed(one, other).any() for other in others)


@pytest.mark.parametrize("size", [2, 3, 40])
def test_a_change_within_one_block_is_cut_more_finely(size: int) -> None:
    gold = START.copy()
    gold[1, 1 : 1 + size] = (255, 0, 0)
    edited, note = degraded(START, START, gold, "0/a")
    done, asked = changed(edited, START).sum(), changed(gold, START).sum()
    assert note is None and 0 < done < asked


def test_one_pixel_has_no_part() -> None:
    gold = START.copy()
    gold[1, 1] = (255, 0, 0)
    edited, note = degraded(START, START, gold, "0/a")
    assert (edited == START).all() and note is not None and "identity" in note


def test_noise_of_a_model_that_made_the_gold_is_no_change() -> None:
    noise = np.random.RandomState(0).randint(-16, 17, START.shape)
    gold = np.clip(START + noise, 0, 255).astype(np.uint8)
    gold[8:16, 8:24] = (255, 0, 0)
    edited, _ = degraded(START, START, gold, "0/a")
    assert not changed(edited, START)[20:].any()


def test_in_a_later_round_only_this_rounds_change_is_taken() -> None:
    before = array_of(picture((0, 0, RED), side=96))
    gold = array_of(picture((0, 0, RED), (40, 40, GREEN), side=96))
    mine = START.copy()
    mine[0:8, 0:4] = RED
    edited, _ = degraded(mine, before, gold, "0/a")
    touched = changed(edited, mine)
    assert touched.any() and not touched[:40].any(), "what an earlier round missed stays missed"


def test_golds_of_another_size_are_brought_to_the_rounds_input() -> None:
    gold = array_of(picture((0, 0, RED), (40, 40, GREEN), side=96))
    small = np.ascontiguousarray(START[::2, ::2])
    edited, note = degraded(small, START, gold, "0/a")
    assert edited.shape == small.shape and note is None and changed(edited, small).any()
