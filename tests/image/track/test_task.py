"""Rows of an image run: which turns there are, what they start from, what is left out and why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from redline.errors import UserError
from redline.image.results import left_out_notes
from redline.image.task import resolve_mode
from tests.image.track.making import benchmark, dialogue, single, task


def keys(*args: object, **options: object) -> list[str]:
    return [s.key for s in task(*args, **options).rows()]  # type: ignore[arg-type]


def left(*args: object, **options: object) -> list[tuple[str, int]]:
    return [(x.sample, x.round) for x in task(*args, **options).left_out()]  # type: ignore[arg-type]


def test_a_row_is_a_turn_and_dialogues_come_in_the_order_of_their_rounds(tmp_path: Path) -> None:
    there = (dialogue(tmp_path, "a", (1, 2)), single(tmp_path, "b"))
    assert keys(*there, epochs=2) == ["a/1#0", "a/2#0", "b/1#0", "a/1#1", "a/2#1", "b/1#1"]
    assert left(*there) == []


def test_a_gap_ends_a_cumulative_dialogue_and_what_is_behind_it_is_told(tmp_path: Path) -> None:
    there = dialogue(tmp_path, "a", (1, 3, 4))
    assert there.gaps == (2,)
    assert keys(there) == ["a/1#0"]
    (third, fourth) = task(there).left_out()
    assert (third.round, third.why) == (3, "round 2 is not in the benchmark")
    assert "follows round 3, which is left out" in fourth.why


def test_from_golds_only_the_round_right_behind_a_gap_is_left_out(tmp_path: Path) -> None:
    there = dialogue(tmp_path, "a", (1, 3, 4))
    assert keys(there, mode="gt_input") == ["a/1#0", "a/4#0"]
    assert left(there, mode="gt_input") == [("a", 3)]


def test_a_round_behind_a_gap_runs_from_the_picture_it_was_written_for_where_that_is_there(
    tmp_path: Path,
) -> None:
    there = dialogue(tmp_path, "a", (1, 3))
    behind = replace(there.turns[1], start=there.turns[0].gold)
    there = replace(there, turns=(there.turns[0], behind))
    assert keys(there, mode="gt_input") == ["a/1#0", "a/3#0"]
    assert keys(there) == ["a/1#0"], "but never from a model's own picture of another state"


def test_without_the_gold_before_a_round_cannot_start_from_it(tmp_path: Path) -> None:
    there = dialogue(tmp_path, "a", (1, 2, 3), goldless=[1])
    assert left(there, mode="gt_input") == [("a", 2)]
    assert left(there) == []


def test_a_dialogue_whose_first_round_was_filtered_out_has_no_cumulative_rows(
    tmp_path: Path,
) -> None:
    assert keys(dialogue(tmp_path, "a", (2, 3))) == []


def test_a_turn_without_a_drawing_runs_under_text_alone(tmp_path: Path) -> None:
    there = dialogue(tmp_path, "a", (1, 2, 3), drawn=[1, 3])
    assert keys(there, condition="visual", mode="gt_input") == ["a/1#0", "a/3#0"]
    assert keys(there, condition="visual+text") == ["a/1#0"]
    assert left(there, condition="visual") == [("a", 2), ("a", 3)]
    assert len(keys(there)) == 3
    assert len(keys(there, condition="visual", candidate="baseline/oracle")) == 3, "asks nobody"


def test_a_turn_without_words_runs_under_visual_alone(tmp_path: Path) -> None:
    there = single(tmp_path, drawn=[1])
    there = replace(there, turns=(replace(there.turns[0], instruction=""),))
    assert keys(there, mode="single", condition="visual") == ["s/1#0"]
    assert keys(there, mode="single", condition="text") == []


def test_single_turns_have_one_mode_and_dialogues_must_choose(tmp_path: Path) -> None:
    ones = benchmark(single(tmp_path, "a"), single(tmp_path, "b"))
    assert {resolve_mode(ones, m) for m in ("auto", "single", "cumulative", "gt_input")} == {
        "single"
    }
    mixed = benchmark(single(tmp_path, "a"), dialogue(tmp_path, "d"))
    assert resolve_mode(mixed, "auto") == "cumulative"
    assert resolve_mode(mixed, "gt_input") == "gt_input"
    with pytest.raises(UserError, match="choose cumulative"):
        resolve_mode(mixed, "single")
    with pytest.raises(UserError, match="no mode 'both'"):
        resolve_mode(ones, "both")


def test_turns_that_are_left_out_are_told_in_one_sentence(tmp_path: Path) -> None:
    there = dialogue(tmp_path, "a", (1, 3))
    (note,) = left_out_notes(task(there).left_out())
    assert note == (
        "Turns of the benchmark left out: 1 (round 3 of a: round 2 is not in the benchmark)."
    )
    assert not list(left_out_notes(()))
