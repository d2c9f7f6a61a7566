"""mini-image: golds change what their masks say and nothing else, and can be made again."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from redline.bench import bundled, load, of_track
from redline.bench.image_sample import ImageSample, Turn
from redline.pixels import load_picture, load_rgba
from tools.mini_image.edits import packed
from tools.mini_image.photographs import SOURCES
from tools.mini_image.photos import raccoon
from tools.mini_image.scenes import fruit_table
from tools.mini_image.tracing import shot

FOLDER = bundled()["mini-image"]
SAMPLES = {s.id: s for s in of_track(load(FOLDER), "image").samples}
NOTICE = Path(__file__).parents[2] / "NOTICE"


def turns(sample: ImageSample) -> Iterator[tuple[Turn, np.ndarray, np.ndarray, np.ndarray]]:
    """Each turn with the picture before it, its gold and the file of its mask."""
    for turn in sample.turns:
        start = sample.start_of(turn)
        assert start and turn.gold and turn.mask
        mask = np.asarray(Image.open(turn.mask))
        yield turn, load_picture(start).array, load_picture(turn.gold).array, mask


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_a_gold_is_the_picture_before_it_outside_of_the_mask(name: str) -> None:
    for turn, before, gold, mask in turns(SAMPLES[name]):
        assert mask.dtype == np.uint8 and set(np.unique(mask)) == {0, 255}, turn.round
        assert before.shape == gold.shape == (*mask.shape, 3) and max(mask.shape) <= 768
        assert np.array_equal(before[mask == 0], gold[mask == 0]), turn.round
        # A mask that fits: nearly all of what lies inside of it changes.
        assert (before != gold).any(axis=2)[mask > 0].mean() > 0.7, turn.round


def test_a_round_after_a_gap_differs_from_the_gold_before_it_by_its_own_mask_only() -> None:
    sample = SAMPLES["street-dialogue"]
    assert sample.gaps == (3,)
    before, after = (t for t in sample.turns if t.round in (2, 4))
    assert before.gold and after.gold and after.mask
    outside = np.asarray(Image.open(after.mask)) == 0
    was, now = load_picture(before.gold).array, load_picture(after.gold).array
    assert np.array_equal(was[outside], now[outside])


def test_scales_alternate_in_some_dialogues_and_not_in_all() -> None:
    orders = [[t.scale for t in s.turns] for s in SAMPLES.values() if len(s.turns) > 1]
    strict = [all(a != b for a, b in pairwise(o)) for o in orders]
    assert any(strict) and not all(strict)


def test_questions_are_answered_by_yes_and_by_no() -> None:
    answers = [q.answer for s in SAMPLES.values() for t in s.turns for q in t.questions]
    assert set(answers) == {"yes", "no"} and 0.3 < answers.count("no") / len(answers) < 0.7
    every = [t for s in SAMPLES.values() for t in s.turns]
    assert all({q.answer for q in t.questions} == {"yes", "no"} for t in every if t.scale == "high")


def test_a_drawn_instruction_is_transparent_but_for_its_marks() -> None:
    drawn = [(s, t) for s in SAMPLES.values() for t in s.turns if t.overlay]
    assert len(drawn) >= 2
    for sample, turn in drawn:
        assert turn.overlay
        overlay = load_rgba(turn.overlay)
        assert overlay.shape[:2] == load_picture(sample.picture).array.shape[:2]
        assert 0.001 < (overlay[..., 3] > 0).mean() < 0.1


def test_every_photograph_says_where_it_comes_from() -> None:
    notice = NOTICE.read_text("utf-8")
    for name, source in SOURCES.items():
        assert f"- {name}: {source['author']}, {source['licence']}" in notice
        samples = [s for s in SAMPLES.values() if s.source_id == name]
        assert samples and all(s.licence == source["licence"] for s in samples)
        assert source["licence"] in ("CC0-1.0", "public domain") and len(source["sha256"]) == 64
    drawn = [s for s in SAMPLES.values() if s.source_id not in SOURCES]
    assert len({s.source_id for s in drawn}) >= 5 and {s.licence for s in drawn} == {"CC0-1.0"}


def same(made: np.ndarray, kept: np.ndarray) -> bool:
    """Whether pictures are equal but for rounding: sines and powers differ in their last bit from
    processor to processor, which may move a value on an edge to the next step of colour (6)."""
    apart = np.abs(made.astype(int) - kept).max(axis=2)
    return bool((apart > 0).mean() < 0.005 and apart.max() <= 12)


def test_a_drawn_scene_is_drawn_again_with_the_same_pixels() -> None:
    left, upper, right, lower = window = (120, 150, 220, 230)
    kept = load_picture(FOLDER / "pictures" / "fruit-table.webp").array[upper:lower, left:right]
    first = shot(fruit_table.scene(), window).picture
    assert np.array_equal(first, shot(fruit_table.scene(), window).picture)
    assert kept.std() > 20 and same(packed(first), kept)


def test_an_edited_photograph_is_made_again_with_the_same_pixels() -> None:
    made = raccoon.context().high.gold
    mask = np.asarray(Image.open(FOLDER / "masks" / "raccoon-high.png")) > 0
    kept = load_picture(FOLDER / "golds" / "raccoon-high.webp").array
    assert same(np.where(mask[..., None], packed(made), 0), np.where(mask[..., None], kept, 0))


def test_packing_colours_again_changes_nothing_and_loses_little() -> None:
    values = np.random.default_rng(1).integers(0, 256, (64, 64, 3)) / 255
    once = packed(values)
    assert np.array_equal(packed(once / 255), once)
    assert np.abs(once / 255 - values).max() <= 7 / 255
