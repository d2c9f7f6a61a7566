"""Analyses of dialogues, against numbers worked out by hand."""

from __future__ import annotations

import json
import math

import pytest

from redline.image.results import COLUMNS
from redline.image.turns import (
    Answer,
    analyse,
    curve,
    decay,
    difference,
    retention_by_lag,
    scale_gap,
    switches,
)
from redline.rows import Facts, Row
from redline.track import Outcome

QUICK = 200
SCALE = {"l": "low", "h": "high"}


def row(
    sample: str,
    round_: int,
    value: float | None,
    outcome: Outcome = "scored",
    *,
    switch: str = "",
    scale: str = "",
    context: str = "",
    track: str = "multi",
    epoch: int = 0,
    name: str = "QA",
) -> Row:
    groups = {"track": (track,), "switch": (switch,), "scale": (SCALE.get(scale, ""),)}
    if context:
        groups["context"] = (context,)
    facts = Facts(f"{sample}/{round_}", f"src-{context or sample}", groups)
    metrics = {} if value is None else {name: value}
    return Row(f"{sample}/{round_}#{epoch}", facts, outcome, None, metrics)


def dialogue(sample: str, *values: float | None, name: str = "QA", epoch: int = 0) -> list[Row]:
    return [row(sample, n, v, name=name, epoch=epoch) for n, v in enumerate(values, start=1)]


def test_a_curve_has_the_mean_and_the_count_of_each_round() -> None:
    rows = [*dialogue("a", 1, 1, 0), *dialogue("b", 1, 0), row("s", 1, 0.0, track="single")]
    points = curve(rows, COLUMNS, QUICK)
    assert [(p.round, p.dialogues, p.rows.n) for p in points] == [(1, 2, 2), (2, 2, 2), (3, 1, 1)]
    assert [p.rows.metrics["QA"].mean for p in points] == [1.0, 0.5, 0.0]
    assert [p.rows.metrics["QA"].n for p in points] == [2, 2, 1]


def test_survivors_are_dialogues_without_a_failed_or_lost_round_so_far() -> None:
    rows = [
        *dialogue("whole", 1, 0, 1),
        row("fails", 1, 1.0), row("fails", 2, 0.0, "failed"), row("fails", 3, 0.0, "failed"),
        row("lost", 1, None, "unscored"), row("lost", 2, None, "unscored"),
        row("gone", 1, 1.0), row("gone", 2, None, "missing"), row("gone", 3, 1.0),
    ]  # fmt: skip
    points = curve(rows, COLUMNS, QUICK)
    assert [(p.dialogues, p.survivors) for p in points] == [(4, 3), (4, 1), (3, 1)]
    assert points[1].rows.counts["failed"] == 1 and points[1].rows.metrics["QA"].n == 2


def test_decay_is_the_mean_of_slopes_within_dialogues() -> None:
    # a: 1, .5, 0 falls by .5 a round; b: .2, .4 (rounds 1 and 3) rises by .1; c: 1, 0, .5: the
    # least-squares slope of (-1, 1), (0, 0), (1, .5) about their means is (-1 + .5) / 2 = -.25.
    rows = [
        *dialogue("a", 1.0, 0.5, 0.0),
        row("b", 1, 0.2), row("b", 2, None), row("b", 3, 0.4),
        *dialogue("c", 1.0, 0.0, 0.5),
        row("alone", 1, 1.0), row("s", 1, 1.0, track="single"),
    ]  # fmt: skip
    found = decay(rows, "QA", QUICK)
    assert found.slope.mean == pytest.approx((-0.5 + 0.1 - 0.25) / 3)
    assert (found.slope.n, found.left_out) == (3, 1)
    assert found.slope.low is not None and found.slope.low < found.slope.mean


def test_late_rounds_of_few_dialogues_do_not_pose_as_decay() -> None:
    easy, hard = dialogue("easy", 1.0, 1.0), dialogue("hard", 0.0, 0.0, 0.0, 0.0)
    points = curve([*easy, *hard], COLUMNS, QUICK)
    assert [p.rows.metrics["QA"].mean for p in points] == [0.5, 0.5, 0.0, 0.0]
    assert decay([*easy, *hard], "QA", QUICK).slope.mean == 0.0


def test_lost_rows_and_infinite_values_are_in_no_slope() -> None:
    rows = [row("a", 1, 1.0), row("a", 2, 0.0, "unscored"), row("a", 3, 0.0)]
    assert decay(rows, "QA", QUICK).slope.mean == -0.5
    rows = dialogue("a", math.inf, 20.0, 10.0, name="keep_PSNR")
    assert decay(rows, "keep_PSNR", QUICK).slope.mean == -10.0


def test_epochs_of_a_dialogue_are_slopes_of_their_own_and_resampled_together() -> None:
    rows = [*dialogue("a", 0.0, 1.0), *dialogue("a", 0.0, 0.0, epoch=1)]
    found = decay(rows, "QA", QUICK).slope
    assert (found.mean, found.n, found.low) == (0.5, 2, None), "one source gives no interval"


def test_the_scale_gap_is_paired_on_contexts_that_have_both() -> None:
    def pair(context: str, scale: str, *values: float | None) -> list[Row]:
        return [
            row(f"{context}-{scale}", 1, v, scale=scale, context=context, track="single", epoch=e)
            for e, v in enumerate(values)
        ]

    rows = [
        *pair("x", "l", 0.9, 0.7), *pair("x", "h", 0.6),
        *pair("y", "l", 0.5), *pair("y", "h", 0.1),
        *pair("only-low", "l", 1.0), *pair("only-high", "h", 0.0), *pair("gone", "h", None),
        row("free", 1, 0.3, scale="h", track="single"),
    ]  # fmt: skip
    gap = scale_gap(rows, "QA", QUICK)
    # Paired: x .6 - .8 = -.2, y .1 - .5 = -.4.
    assert gap.paired.difference.mean == pytest.approx(-0.3)
    assert (gap.paired.difference.n, gap.paired.left_out) == (2, 2)
    assert (gap.low_alone, gap.high_alone, gap.without_context) == (1, 1, 1)
    # Unpaired: high (.6 + .1 + 0 + .3) / 4 = .25, low (.9 + .7 + .5 + 1) / 4 = .775.
    assert gap.unpaired.difference.mean == pytest.approx(0.25 - 0.775)
    assert (gap.unpaired.n, gap.unpaired.other_n) == (4, 4)


def test_without_one_of_the_scales_there_is_no_gap() -> None:
    gap = scale_gap([row("a", 1, 1.0, scale="l", context="x")], "QA", QUICK)
    assert gap.paired.difference.mean is None and gap.paired.p is None
    assert gap.unpaired.difference.mean is None and gap.unpaired.n == 0


def test_a_difference_resamples_sources_of_both_sets_at_once() -> None:
    # Each source is in both sets and higher by exactly .5 in one: whatever is drawn, it stays .5.
    one = [row(f"a{n}", 2, 0.5 + n / 10, context=f"c{n}") for n in range(5)]
    other = [row(f"b{n}", 2, n / 10, context=f"c{n}") for n in range(5)]
    found = difference(one, other, "QA", QUICK).difference
    assert found.mean == pytest.approx(0.5)
    assert found.low == pytest.approx(0.5) and found.high == pytest.approx(0.5)


def test_switches_are_compared_with_turns_of_one_scale() -> None:
    rows = [
        row("a", 1, 1.0, switch="first"), row("a", 2, 0.2, switch="low->high"),
        row("a", 3, 0.8, switch="high->low"), row("a", 4, 0.6, switch="same"),
        row("b", 1, 1.0, switch="first"), row("b", 2, 0.4, switch="same"),
        row("b", 3, 0.0, switch="low->high"), row("s", 1, 0.0, switch="first", track="single"),
    ]  # fmt: skip
    found = switches(rows, "QA", QUICK)
    assert set(found) == {"first", "same", "low->high", "high->low"}
    up, down = found["low->high"], found["high->low"]
    assert (up.figure.mean, up.figure.n) == (pytest.approx(0.1), 2)
    assert up.from_same is not None and up.from_same.difference.mean == pytest.approx(0.1 - 0.5)
    assert down.from_same is not None and down.from_same.difference.mean == pytest.approx(0.3)
    assert found["first"].figure.n == 2, "the first round of a single turn follows nothing"
    assert found["first"].from_same is None and found["same"].from_same is None


def test_retention_is_of_what_was_right_in_its_own_round() -> None:
    def asked(of: int, at: int, correct: bool, sample: str = "d", question: str = "Q?") -> Answer:
        return Answer(sample, 0, f"src-{sample}", of, at, question, correct)

    answers = [
        asked(1, 1, True), asked(1, 2, True), asked(1, 3, False),
        asked(2, 2, True, question="R?"), asked(2, 3, True, question="R?"),
        asked(1, 1, False, "e"), asked(1, 2, False, "e"),
        asked(1, 2, False, "no-own-round"),
    ]  # fmt: skip
    found = {r.lag: (r.share.mean, r.share.n) for r in retention_by_lag(answers, QUICK)}
    assert found == {1: (1.0, 2), 2: (0.0, 1)}, "what was never done is not forgotten"


def test_the_whole_analysis_is_plain_json_and_has_only_figures_that_are_there() -> None:
    rows = [*dialogue("a", 1, 0), *dialogue("b", 1, 1), *dialogue("c", 20.0, 10.0, name="PSNR")]
    found = analyse(rows, [Answer("a", 0, "src-a", 1, 1, "Q?", True)], resamples=QUICK)
    assert set(found.decay) == set(found.gaps) == set(found.switches) == {"QA"}
    told = json.loads(json.dumps(found.as_json()))
    assert told["decay"]["QA"] == {
        "slope": {"mean": -0.5, "low": -1.0, "high": 0.0, "n": 2, "method": "bootstrap"},
        "left_out": 1,
    }
    assert [p["survivors"] for p in told["curve"]] == [3, 3] and told["retained"] == []
