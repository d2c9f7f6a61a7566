"""Rows: the four outcomes are never mixed, and a figure that is not there is no number."""

import math
from collections.abc import Sequence
from typing import Any

import pytest

from redline.diagram import NO_OUTPUT
from redline.diagram.lineage import sight
from redline.diagram.results import COLUMNS
from redline.diagram.rows import make_rows
from redline.rows import Column, Facts, Row, breakdown, summarize
from redline.track import Done

FACTS = Facts("s", "src", {"edit_type": ("ADD",), "subtype": ("node", "edge")})
KEY = "s#0"
CODE_BLOB, PNG = "c" * 64, "p" * 64
IMAGE = {"IA": 5, "CP": 4, "DR": 5, "residue": False}
CODE = {"code_IA": 4, "code_CP": 2}


class Records:
    def __init__(self, *done: Done) -> None:
        self._done = {(d.stage, d.key): d for d in done}

    def get(self, stage: str, key: str) -> Done | None:
        return self._done.get((stage, key))

    def all(self, stage: str) -> Sequence[Done]:
        return [d for (s, _), d in self._done.items() if s == stage]


def done(stage: str, status: str = "ok", key: str = KEY, reason: str | None = None, **value: Any):
    return Done(stage, key, "", status, reason, value, {})  # type: ignore[arg-type]


MADE = Done("generate", KEY, "", "ok", None, {"how": "document"}, {"code": CODE_BLOB})


def page(status: str = "ok", outcome: str = "ok", reason: str | None = None, png: str = PNG):
    value = {"status": status, "of": CODE_BLOB}
    blobs = {"original": "o", "gold": "g", **({"png": png} if outcome == "ok" else {})}
    return Done("render", KEY, "", outcome, reason, value, blobs)  # type: ignore[arg-type]


SIGHT = sight(MADE, page())
FIGURES = done("measure", code_similarity=0.9, px_inside=0.5, px_outside=None, of=SIGHT)


def one(*records: Done, verdicts: Sequence[str] | None = None, want: str = "code") -> Row:
    wanted = None if verdicts is None else (lambda row: [("image", v) for v in verdicts])
    return make_rows([(KEY, FACTS)], Records(*records), want, wanted)[0]  # type: ignore[arg-type]


def verdict(
    key: str, status: str = "ok", reason: str | None = None, of: str | None = SIGHT, **scores: Any
) -> Done:
    value = {"scores": scores, "of": of}
    return Done("judge", key, "", status, reason, value, {})  # type: ignore[arg-type]


def test_a_row_without_records_is_missing_and_has_no_figures() -> None:
    assert (one().outcome, dict(one().metrics)) == ("missing", {})


def test_a_filtered_reply_is_unscored_and_has_no_figures() -> None:
    row = one(done("generate", "unscored", reason="provider_content_filter"))
    assert (row.outcome, dict(row.metrics)) == ("unscored", {})
    assert row.reason == "generate: provider_content_filter"


def test_an_output_that_is_gone_is_missing_not_unscored() -> None:
    row = one(done("generate", "unscored", reason=NO_OUTPUT))
    assert (row.outcome, row.reason, dict(row.metrics)) == ("missing", "no output", {})


def test_a_refusal_fails_and_counts_as_a_compile_failure() -> None:
    row = one(done("generate", "failed", reason="refusal", how="none"))
    assert (row.outcome, row.reason) == ("failed", "refusal")
    assert row.metrics["CFR"] == 1.0 and row.metrics["px_inside"] == 0.0


def test_a_package_this_machine_lacks_is_unscored_not_failed() -> None:
    row = one(MADE, done("render", "unscored", reason="missing_package"))
    assert (row.outcome, dict(row.metrics)) == ("unscored", {})


def test_a_page_in_spite_of_errors_counts_only_in_the_strict_rate() -> None:
    row = one(MADE, page("ok_with_errors"), FIGURES)
    assert (row.outcome, row.metrics["CFR"], row.metrics["CFR_strict"]) == ("scored", 0.0, 1.0)


def test_an_undefined_measure_is_absent_not_zero() -> None:
    row = one(MADE, page(), FIGURES)
    assert row.metrics["px_inside"] == 0.5 and "px_outside" not in row.metrics


def test_a_malformed_verdict_makes_the_row_unscored_and_leaves_its_measures() -> None:
    row = one(
        MADE, page(), FIGURES, verdict("v1", "unscored", "malformed_verdict"), verdicts=["v1"]
    )
    assert row.outcome == "unscored" and row.reason == "judge: malformed_verdict"
    assert "IA" not in row.metrics and row.metrics["CFR"] == 0.0


def test_a_verdict_that_is_not_there_makes_the_row_missing() -> None:
    assert one(MADE, page(), FIGURES, verdicts=["v1"]).outcome == "missing"


def test_full_scores_and_oes_min_are_made_before_repeats_are_averaged() -> None:
    row = one(
        MADE, page(), FIGURES,
        verdict("a", **IMAGE), verdict("b", **{**IMAGE, "CP": 5}),
        verdict("c", **CODE), verdict("d", code_IA=1, code_CP=5),
        verdicts=["a", "b", "c", "d"],
    )  # fmt: skip
    assert row.metrics["CP"] == 4.5
    assert row.metrics["FSR"] == 0.5
    assert row.metrics["oes_min"] == pytest.approx((2 + 1) / 2)
    assert row.metrics["residue"] == 0.0


def test_a_candidate_without_a_page_keeps_its_lowest_scores_as_failed() -> None:
    render = page("failed", "failed", "no_page")
    seen = sight(MADE, render)
    lowest = verdict("a", "failed", "no_page", of=seen, IA=1, CP=1, DR=1)
    zero = done("measure", code_similarity=0.5, px_inside=0.0, px_outside=0.0, of=seen)
    row = one(MADE, render, zero, lowest, verdicts=["a"])
    assert (row.outcome, row.reason) == ("failed", "no_page")
    assert (row.metrics["IA"], row.metrics["FSR"], row.metrics["CFR"]) == (1.0, 0.0, 1.0)


def test_an_answer_that_is_a_picture_has_no_compile_failure_rate() -> None:
    row = one(MADE, page(), FIGURES, want="picture")
    assert "CFR" not in row.metrics and row.metrics["px_inside"] == 0.5


def test_a_picture_editor_that_refuses_agrees_with_nothing_and_has_no_code_figures() -> None:
    row = one(done("generate", "failed", reason="refusal", how="none"), want="picture")
    assert (row.outcome, dict(row.metrics)) == ("failed", {"px_inside": 0.0, "px_outside": 0.0})


def test_a_measure_that_crashed_makes_the_row_unscored() -> None:
    row = one(MADE, page(), done("measure", "unscored", reason="crash: MemoryError"))
    assert (row.outcome, row.reason) == ("unscored", "measure: crash: MemoryError")


def test_figures_and_verdicts_of_an_older_render_do_not_count() -> None:
    newer = page(png="q" * 64)
    row = one(MADE, newer, FIGURES)
    assert (row.outcome, row.reason) == ("missing", "not measured since its render changed")
    again = done("measure", px_inside=0.7, px_outside=1.0, of=sight(MADE, newer))
    assert one(MADE, newer, again).outcome == "scored"
    row = one(MADE, newer, again, verdict("v", **IMAGE), verdicts=["v"])
    assert (row.outcome, row.reason) == ("missing", "not judged since its candidate changed")
    assert "IA" not in row.metrics


def test_a_render_of_an_older_answer_does_not_count() -> None:
    made = Done("generate", KEY, "", "ok", None, {}, {"code": "d" * 64})
    row = one(made, page(), FIGURES)
    assert (row.outcome, row.reason) == ("missing", "not rendered since its answer changed")


def rows(*outcomes: tuple[str, float | None]) -> list[Row]:
    return [
        Row(f"s{i}#0", Facts(f"s{i}", f"s{i}", {"subtype": ("node", "edge")}),
            outcome, None, {} if ia is None else {"IA": ia})  # type: ignore[arg-type]
        for i, (outcome, ia) in enumerate(outcomes)
    ]  # fmt: skip


def test_means_are_over_scored_and_failed_rows_and_bounds_say_what_the_rest_could_do() -> None:
    group = summarize(
        rows(("scored", 5.0), ("failed", 1.0), ("unscored", None), ("missing", None)), COLUMNS
    )
    assert dict(group.counts) == {"scored": 1, "failed": 1, "unscored": 1, "missing": 1}
    ia = group.metrics["IA"]
    assert (ia.mean, ia.n) == (3.0, 2)
    assert (ia.worst, ia.best) == ((6 + 2) / 4, (6 + 10) / 4)


def test_complete_rows_have_no_bounds_and_no_rows_have_no_metrics() -> None:
    assert summarize(rows(("scored", 5.0), ("scored", 4.0)), COLUMNS).metrics["IA"].worst is None
    assert summarize(rows(("missing", None)), COLUMNS).metrics == {}
    assert summarize([], COLUMNS).n == 0


def test_a_row_with_two_subtypes_counts_in_both_groups() -> None:
    groups = breakdown(rows(("scored", 5.0)), "subtype", COLUMNS)
    assert set(groups) == {"node", "edge"} and groups["node"].n == 1


def test_facts_survive_json() -> None:
    assert Facts.read(FACTS.as_json()) == FACTS


def test_the_infinite_is_counted_beside_the_mean_of_the_finite() -> None:
    psnr = (Column("PSNR", 0, math.inf),)
    found = summarize(
        [Row(f"{i}", Facts(f"{i}", f"{i}"), "scored", None, {"PSNR": v})
         for i, v in enumerate([20.0, math.inf, 30.0])],
        psnr,
    ).metrics["PSNR"]  # fmt: skip
    assert (found.mean, found.n, found.infinite, found.worst) == (25.0, 2, 1, None)
