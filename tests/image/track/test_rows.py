"""Rows of photographs: four outcomes, lineage, penalties beside plain figures, all or nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from redline.image.generate import FOLLOWS_FAILED, FOLLOWS_UNSCORED, Generate
from redline.image.judging import ImageJudging, JudgeStage, verdict_keys
from redline.image.measure_stage import Measure, measure_key
from redline.image.measuring import Measurer
from redline.image.overall import LPIPS
from redline.image.profiles import CORRECTED, UPSTREAM, Profile
from redline.image.results import COLUMNS, averages, columns, facts, notes
from redline.image.rows import answers, make_rows, row_keys
from redline.image.task import Mode
from redline.judge import load_rubric
from redline.rows import Facts, Row, breakdown, summarize
from redline.run import RunFolder
from redline.track import Done
from tests.image.track.making import (
    Model,
    adds_squares,
    carry_out,
    dialogue,
    say,
    single,
    task,
    words,
)
from tests.image.track.test_questions import JUDGE, texts, true, verdict

FACTS = Facts("d/1", "src", {"track": ("multi",)})
A, B = "a" * 64, "b" * 64
PROFILE = "small"
PICTURES = {
    "SSIM": 0.6, "PSNR": 20.0, "LPIPS_ALL": 0.2, "LPIPS_FG": 0.3, "LPIPS_BG": 0.1,
    "CLIP_ALL": 0.9, "CLIP_FG": 0.8, "CLIP_BG": 0.7,
}  # fmt: skip


class Records:
    def __init__(self, *done: Done) -> None:
        self._done = {(d.stage, d.key): d for d in done}

    def get(self, stage: str, key: str) -> Done | None:
        return self._done.get((stage, key))

    def all(self, stage: str) -> Sequence[Done]:
        return [d for (s, _), d in self._done.items() if s == stage]


def made(
    n: int = 1,
    status: str = "ok",
    reason: str | None = None,
    blob: str | None = A,
    **value: Any,
) -> Done:
    blobs = {"picture": blob} if blob and status == "ok" else {}
    return Done("generate", f"d/{n}#0", "", status, reason, value, blobs)  # type: ignore[arg-type]


def figures(n: int = 1, of: str | None = A, undefined: Any = None, **metrics: Any) -> Done:
    value = {"of": of, "metrics": metrics, "undefined": undefined or {}, "areas": {"FG": 0.25}}
    return Done("measure", measure_key(f"d/{n}#0", PROFILE), "", "ok", None, value, {})


def penalties(n: int = 1, *names: str, reason: str = "refusal") -> Done:
    value = {"of": None, "penalised": list(names), "undefined": {}}
    return Done("measure", measure_key(f"d/{n}#0", PROFILE), "", "failed", reason, value, {})


def qa(*right: bool, key: str = "q", of: str | None = A, status: str = "ok", **value: Any) -> Done:
    told = [{"round": 1, "question": f"{i}?", "correct": c} for i, c in enumerate(right)]
    value = {"of": of, "answers": told, **value}
    return Done("judge", key, "", status, value.pop("reason", None), value, {})  # type: ignore[arg-type]


def rows(*done: Done, n: int = 1, mode: Mode = "cumulative", verdicts: Any = None) -> list[Row]:
    keys = [(f"d/{k}#0", Facts(f"d/{k}", "src", {})) for k in range(1, n + 1)]
    wanted = None if verdicts is None else lambda key: verdicts
    return make_rows(keys, Records(*done), mode, PROFILE, wanted)


def one(*done: Done, verdicts: Any = None) -> Row:
    return rows(*done, verdicts=verdicts)[0]


def told(row: Row) -> tuple[str, str | None]:
    return row.outcome, row.reason


def test_what_is_not_there_is_missing() -> None:
    assert told(one()) == ("missing", "not generated")
    assert told(one(made())) == ("missing", "not measured")
    assert told(one(made(status="unscored", reason="no_output"))) == ("missing", "no output")
    row = one(made(), figures(SSIM=0.5), verdicts=[("questions", "q")])
    assert told(row) == ("missing", "not judged") and row.metrics["SSIM"] == 0.5


def test_what_is_nobodys_fault_is_unscored_and_has_no_figure_of_it() -> None:
    row = one(made(status="unscored", reason="provider_content_filter"))
    assert told(row) == ("unscored", "generate: provider_content_filter") and not row.metrics
    broken = Done("measure", measure_key("d/1#0", PROFILE), "", "unscored", "gold: gone", {}, {})
    assert told(one(made(), broken)) == ("unscored", "measure: gold: gone")
    lost = qa(status="unscored", reason="malformed_verdict")
    row = one(made(), figures(SSIM=0.5), lost, verdicts=[("questions", "q")])
    assert told(row) == ("unscored", "judge: malformed_verdict")
    assert "QA" not in row.metrics and row.metrics["SSIM"] == 0.5


def test_a_failed_row_has_penalties_and_no_picture_measure() -> None:
    failed = made(status="failed", reason="refusal")
    row = one(failed, penalties(1, "SSIM", "PSNR", "LPIPS_ALL", "CLIP_FG"))
    assert told(row) == ("failed", "refusal")
    assert dict(row.metrics) == {
        "SSIM_penalised": 0.0, "LPIPS_ALL_penalised": 1.0, "CLIP_FG_penalised": 0.0,
    }  # fmt: skip
    zero = qa(status="failed", of=None)
    row = one(failed, penalties(1, *PICTURES), zero, verdicts=[("questions", "q")])
    assert row.metrics["QA"] == 0.0 and row.metrics["Overall_penalised"] == 0.0
    assert "Overall" not in row.metrics and "PSNR_penalised" not in row.metrics


def test_a_scored_row_counts_alike_in_both_columns() -> None:
    row = one(made(), figures(**PICTURES))
    assert row.metrics["LPIPS_FG_penalised"] == row.metrics["LPIPS_FG"] == 0.3
    assert row.metrics["area_FG"] == 0.25


def test_overall_is_made_only_of_all_its_parts() -> None:
    assert "Overall" not in one(made(), figures(**PICTURES)).metrics, "no judge, no QA"
    row = one(made(), figures(**PICTURES), qa(True), verdicts=[("questions", "q")])
    # 1/4 [(3 - .6) / 3 + 2.4 / 3 + 1 + .6] = 1/4 (.8 + .8 + 1 + .6)
    assert row.metrics["Overall"] == pytest.approx(0.8)
    assert row.metrics["Overall_penalised"] == row.metrics["Overall"]
    fewer = {k: v for k, v in PICTURES.items() if k != "LPIPS_FG"}
    gone = figures(undefined={"LPIPS_FG": "empty"}, **fewer)
    row = one(made(), gone, qa(True), verdicts=[("questions", "q")])
    assert "Overall" not in row.metrics and row.undefined == {"LPIPS_FG": "empty"}


def test_an_infinite_psnr_comes_back_as_infinite() -> None:
    assert one(made(), figures(PSNR="inf")).metrics["PSNR"] == math.inf


def test_a_cosine_above_one_by_a_rounding_is_one() -> None:
    row = one(made(), figures(CLIP_ALL=1.0000000002, SSIM=-1.0000000001))
    assert (row.metrics["CLIP_ALL"], row.metrics["SSIM"]) == (1.0, -1.0)
    summarize([row], COLUMNS, 10)


@pytest.mark.parametrize(
    ("right", "value"), [((True, True), 1.0), ((True, False), 0.0), ((False,), 0.0)]
)
def test_qa_is_all_or_nothing(right: tuple[bool, ...], value: float) -> None:
    row = one(made(), figures(), qa(*right), verdicts=[("questions", "q")])
    assert row.metrics["QA"] == value


def test_repeats_are_made_whole_before_they_are_averaged() -> None:
    row = one(
        made(), figures(), qa(True, False, key="a"), qa(False, True, key="b"), qa(True, key="c"),
        verdicts=[("questions", k) for k in "abc"],
    )  # fmt: skip
    assert row.metrics["QA"] == pytest.approx(1 / 3)


def test_no_question_is_no_figure_and_never_a_right_one() -> None:
    row = one(
        made(), figures(), qa(undefined="questions_error"),
        qa(key="r", undefined="no earlier question"),
        verdicts=[("questions", "q"), ("retention", "r")],
    )  # fmt: skip
    assert told(row) == ("scored", None) and not {"QA", "retention"} & set(row.metrics)
    assert row.undefined == {"QA": "questions_error", "retention": "no earlier question"}


def test_retention_is_the_share_of_earlier_questions_still_right() -> None:
    row = one(
        made(), figures(), qa(True), qa(True, False, True, key="r"),
        verdicts=[("questions", "q"), ("retention", "r")],
    )  # fmt: skip
    assert row.metrics["retention"] == pytest.approx(2 / 3)


def test_scores_of_a_rubric_and_their_one_number_are_means_over_repeats() -> None:
    def scored(key: str, sc: int, pq: int, overall: float) -> Done:
        value = {"of": A, "scores": {"SC": sc, "PQ": pq, "edit_score": overall}}
        return Done("judge", key, "", "ok", None, value, {})

    row = one(
        made(), figures(), scored("a", 4, 9, 6.0), scored("b", 10, 10, 10.0),
        verdicts=[("rubric", "a"), ("rubric", "b")],
    )  # fmt: skip
    assert (row.metrics["SC"], row.metrics["PQ"], row.metrics["edit_score"]) == (7.0, 9.5, 8.0)


def test_figures_and_verdicts_of_an_older_picture_do_not_count() -> None:
    row = one(made(blob=B), figures(of=A, SSIM=0.5))
    assert told(row) == ("missing", "not measured since its picture changed") and not row.metrics
    row = one(made(blob=B), figures(of=B), qa(True, of=A), verdicts=[("questions", "q")])
    assert told(row) == ("missing", "not judged since its picture changed")
    failed = made(status="failed", reason="refusal")
    assert one(failed, figures(of=A, SSIM=0.5)).outcome == "missing"


def test_a_round_made_from_a_picture_that_no_longer_stands_is_missing_and_all_behind_it() -> None:
    chain = (
        made(1, blob=B, start="s"), figures(1, of=B),
        made(2, blob=A, start=A), figures(2), made(3, blob=A, start=A), figures(3),
    )  # fmt: skip
    first, second, third = rows(*chain, n=3)
    assert first.outcome == "scored"
    why = "not generated since the round before changed"
    assert told(second) == told(third) == ("missing", why)
    assert [r.outcome for r in rows(*chain, n=3, mode="gt_input")] == ["scored"] * 3
    whole = (made(1, start="s"), figures(1), made(2, start=A), figures(2))
    assert [r.outcome for r in rows(*whole, n=2)] == ["scored"] * 2


def test_a_round_that_was_closed_stands_only_while_the_one_before_it_is_lost() -> None:
    closed = made(2, "failed", FOLLOWS_FAILED, follows=1)
    failed = made(1, "failed", "refusal", start="s")
    assert rows(failed, penalties(1), closed, penalties(2), n=2)[1].outcome == "failed"
    row = rows(made(1, start="s"), figures(1), closed, penalties(2), n=2)[1]
    assert row.outcome == "missing"
    lost = made(1, "unscored", "provider_content_filter", start="s")
    behind = made(2, "unscored", FOLLOWS_UNSCORED, follows=1)
    assert told(rows(lost, behind, n=2)[1]) == ("unscored", f"generate: {FOLLOWS_UNSCORED}")


def test_outputs_made_elsewhere_follow_from_nothing() -> None:
    first, second = rows(made(2), figures(2), n=2)
    assert (first.outcome, second.outcome) == ("missing", "scored")


# -- from pixels to rows ------------------------------------------------------------------------

SMALL = Profile(PROFILE, side=32)


def whole_run(path: Path, asked: Any, model: Any, judge: Any, judging: ImageJudging) -> list[Row]:
    measurer = Measurer(SMALL, ("PSNR", "SSIM", "PSNR_FG"))
    stages = [Generate(asked), Measure(asked, (measurer,)), JudgeStage(asked, judging)]
    carry_out(path, stages, model, judge)
    keys = row_keys(facts(asked), asked.epochs)
    with RunFolder.open(path) as folder:
        return make_rows(
            keys, folder, asked.mode, PROFILE, lambda row: verdict_keys(row, judging.entry())
        )


def test_a_perfect_editor_is_perfect_in_every_round(tmp_path: Path) -> None:
    asked = task(dialogue(tmp_path / "b"), single(tmp_path / "b"))
    judging = ImageJudging(JUDGE, retention=True)
    found = whole_run(tmp_path / "run", asked, Model(adds_squares), Model(true), judging)
    assert [r.key for r in found] == ["d/1#0", "d/2#0", "d/3#0", "s/1#0"]
    assert {r.outcome for r in found} == {"scored"}
    assert all(r.metrics["SSIM"] == 1.0 and r.metrics["PSNR"] == math.inf for r in found)
    assert all(r.metrics["keep_PSNR"] == math.inf and r.metrics["QA"] == 1.0 for r in found)
    assert [r.metrics.get("retention") for r in found] == [None, 1.0, 1.0, None]
    psnr = summarize(found, COLUMNS, 50).metrics["PSNR"]
    assert (psnr.mean, psnr.infinite) == (None, 4)


def test_a_model_gains_nothing_by_refusing_a_hard_round(tmp_path: Path) -> None:
    def refuses(request: Any) -> Any:
        return say("No.", "refusal") if "square 2" in words(request) else adds_squares(request)

    asked = task(dialogue(tmp_path / "b"))
    judging = ImageJudging(JUDGE, rubric=load_rubric("photo-two-scores-v1"))

    def judge(request: Any) -> Any:
        return verdict(SC=9, PQ=4) if "perceptual" in texts(request).lower() else true(request)

    found = whole_run(tmp_path / "run", asked, Model(refuses), Model(judge), judging)
    assert [told(r) for r in found] == [
        ("scored", None), ("failed", "refusal"), ("failed", FOLLOWS_FAILED),
    ]  # fmt: skip
    group = summarize(found, columns(judging.entry()), 50)
    assert (group.metrics["QA"].mean, group.metrics["QA"].n) == (pytest.approx(1 / 3), 3)
    assert (group.metrics["SSIM"].mean, group.metrics["SSIM"].n) == (1.0, 1)
    assert group.metrics["SSIM_penalised"].mean == pytest.approx(1 / 3)
    assert group.metrics["edit_score"].mean == pytest.approx((6 + 0 + 0) / 3)


def test_answers_are_told_with_the_round_they_are_of_and_about(tmp_path: Path) -> None:
    asked = task(dialogue(tmp_path / "b", rounds=(1, 2)))
    judging = ImageJudging(JUDGE, retention=True, repeats=2)
    whole_run(tmp_path / "run", asked, Model(adds_squares), Model(true), judging)
    with RunFolder.open(tmp_path / "run") as folder:
        keys = row_keys(facts(asked), 1)
        found = answers(keys, folder, lambda row: verdict_keys(row, judging.entry()))
    assert [(a.asked_of, a.round, a.repeat) for a in found] == [
        (1, 1, 0), (1, 1, 1), (2, 2, 0), (1, 2, 0), (2, 2, 1), (1, 2, 1),
    ]  # fmt: skip
    assert {a.source_id for a in found} == {"source-d"} and all(a.correct for a in found)


# -- results ------------------------------------------------------------------------------------


def test_a_turn_is_grouped_by_scale_source_round_kind_and_switch(tmp_path: Path) -> None:
    asked = task(
        dialogue(tmp_path / "b", "d", (1, 2, 3), scales="lhh"),
        single(tmp_path / "b", "s", scales="-", context="c", gold_model="m"),
        mode="gt_input",
    )
    found = {f.id: f.groups for f in facts(asked)}
    assert [found[f"d/{n}"]["switch"] for n in (1, 2, 3)] == [
        ("first",), ("low->high",), ("same",),
    ]  # fmt: skip
    assert found["d/2"]["scale"] == ("high",) and found["d/2"]["turn"] == ("02",)
    assert found["d/2"]["track"] == ("multi",) and "context" not in found["d/2"]
    assert found["s/1"]["scale"] == ("none",) and found["s/1"]["context"] == ("c",)
    assert found["s/1"]["track"] == ("single",) and found["s/1"]["gold_model"] == ("m",)
    assert {f.source_id for f in facts(asked)} == {"source-d", "source-s"}


def test_a_switch_over_a_gap_counts_from_the_turn_that_is_there(tmp_path: Path) -> None:
    asked = task(dialogue(tmp_path / "b", "d", (1, 3, 4), scales="lhhl"), mode="gt_input")
    assert {f.id: f.groups["switch"][0] for f in facts(asked)} == {
        "d/1": "first", "d/4": "high->low",
    }  # fmt: skip


def row_of(n: int, track: str = "multi", outcome: Any = "scored", **metrics: float) -> Row:
    where = Facts(f"s{n}/1", f"s{n}", {"track": (track,), "turn": ("01",)})
    return Row(f"s{n}/1#0", where, outcome, None, metrics)


def test_qa_of_single_and_multi_turns_is_never_shown_without_a_warning() -> None:
    mixed = [row_of(1, "single", QA=1.0), row_of(2, "multi", QA=1.0)]
    assert any("can't be compared" in n for n in notes(mixed))
    assert not list(notes(mixed[:1])) and not list(notes([row_of(1), row_of(2, "single")]))


def test_what_is_undefined_is_counted_by_reason() -> None:
    row = Row("a/1#0", FACTS, "scored", None, {}, {"LPIPS_FG": "The mask has no foreground."})
    (note,) = notes([row, row])
    assert note == "LPIPS_FG leaves out 2 rows that can't have it (2: The mask has no foreground)."


def test_overall_of_rows_and_of_means_are_one_where_all_rows_have_all_parts() -> None:
    full = {**PICTURES, "QA": 1.0, "Overall": 0.8}
    other = {n: v / 2 for n, v in PICTURES.items()} | {"QA": 0.0}
    # 1/4 [(3 - .3) / 3 + 1.2 / 3 + 0 + .3] = 1/4 (.9 + .4 + .3)
    other["Overall"] = 0.4
    both = [row_of(1, **full), row_of(2, **other)]
    shown = averages(both, CORRECTED)["Overall"]
    assert shown.published == pytest.approx((0.8 + 0.4) / 2) and shown.n == 2
    assert not list(notes(both))
    short = {k: v for k, v in other.items() if k not in ("LPIPS_FG", "Overall")}
    (note,) = notes([row_of(1, **full), row_of(2, **short)])
    # Means: LPIPS .15 + .3 + .075 = .525 -> .825; CLIP 1.8 / 3 = .6; QA .5; SSIM .45.
    assert "over the 1 of 2 rows" in note and f"is {(0.825 + 0.6 + 0.5 + 0.45) / 4:.3f}" in note


def test_a_profile_says_which_means_go_by_area_and_whether_failed_rows_are_dropped() -> None:
    large = row_of(1, LPIPS_FG=0.1, QA=1.0, area_FG=0.75, area_BG=0.25)
    small = row_of(2, LPIPS_FG=0.5, QA=1.0, area_FG=0.25, area_BG=0.75)
    failed = row_of(3, outcome="failed", QA=0.0, LPIPS_FG_penalised=1.0)
    kept, dropped = (averages([large, small, failed], p) for p in (CORRECTED, UPSTREAM))
    assert kept["LPIPS_FG"].published == pytest.approx(0.3)
    assert kept["LPIPS_FG"].weighted == dropped["LPIPS_FG"].published == pytest.approx(0.2)
    assert (kept["QA"].published, dropped["QA"].published) == (pytest.approx(2 / 3), 1.0)


def test_columns_of_a_rubric_stand_behind_those_of_the_benchmark() -> None:
    judging = ImageJudging(JUDGE, rubric=load_rubric("photo-two-scores-v1"))
    names = [c.name for c in columns(judging.entry())]
    at = names.index("Overall")
    assert names[at + 1 : at + 4] == ["SC", "PQ", "edit_score"]
    assert names[: at + 1] == [
        "PSNR", "SSIM", *LPIPS, "CLIP_ALL", "CLIP_FG", "CLIP_BG", "QA", "Overall",
    ]  # fmt: skip
    assert len(names) == len(set(names)) and columns() == COLUMNS


def test_bounds_are_only_of_figures_that_have_ends() -> None:
    lost = Row("x/1#0", FACTS, "unscored", "judge: malformed_verdict")
    group = summarize([row_of(1, SSIM=0.5, LPIPS_ALL=0.2, PSNR=20.0, QA=1.0), lost], COLUMNS, 50)
    assert group.metrics["QA"].worst == 0.5 and group.metrics["SSIM"].worst == -0.25
    assert group.metrics["LPIPS_ALL"].worst is None and group.metrics["PSNR"].worst is None


def test_rounds_stand_in_order_in_a_breakdown() -> None:
    def at(n: int) -> Row:
        return Row(f"d/{n}#0", Facts(f"d/{n}", "s", {"turn": (f"{n:02d}",)}), "scored")

    assert list(breakdown([at(n) for n in (10, 2, 1)], "turn", COLUMNS, 10)) == ["01", "02", "10"]
