"""Rows of a diagram result: one a sample and epoch, each with one outcome and its figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from redline.diagram.lineage import answer, holds, sight
from redline.diagram.outputs import NO_OUTPUT
from redline.diagram.task import Level
from redline.rows import Facts, Row
from redline.track import Done, Finder, Outcome

JUDGED_IMAGE = ("IA", "CP", "DR")
JUDGED_CODE = ("code_IA", "code_CP", "oes_judged")
MEASURED = ("code_similarity", "px_inside", "px_outside")

VerdictKeys = Callable[[str], Sequence[tuple[Level, str]]]
"""From a row's key to the verdicts it should have: the level and key of each."""


def make_rows(
    keys: Iterable[tuple[str, Facts]],
    done: Finder,
    want: Literal["code", "picture"],
    verdicts: VerdictKeys | None = None,
) -> list[Row]:
    """The rows of a run whose candidates are asked for `want`. Without `verdicts` no judge is
    looked at."""
    return [_row(key, sample, done, want == "code", verdicts) for key, sample in keys]


def _row(key: str, sample: Facts, done: Finder, code: bool, verdicts: VerdictKeys | None) -> Row:
    made = done.get("generate", key)
    if made is None:
        return Row(key, sample, "missing", "not generated")
    if made.reason == NO_OUTPUT:
        return Row(key, sample, "missing", "no output")
    if made.status == "unscored":
        return Row(key, sample, "unscored", f"generate: {made.reason}")
    if made.status == "failed":
        metrics = {"px_inside": 0.0, "px_outside": 0.0}
        if code:
            metrics |= {"CFR": 1.0, "CFR_strict": 1.0, "code_similarity": 0.0}
        return _judged_row(key, sample, made, None, done, metrics, made.reason, verdicts)
    render = done.get("render", key)
    if render is None or not holds(render, answer(made)):
        return Row(key, sample, "missing", _gone(render, "not rendered", "answer"))
    if render.status == "unscored":
        return Row(key, sample, "unscored", f"render: {render.reason}")
    metrics = _rendered(render) if code else {}
    measured = done.get("measure", key)
    if measured is None or not holds(measured, sight(made, render)):
        return Row(key, sample, "missing", _gone(measured, "not measured", "render"), metrics)
    if measured.status == "unscored":
        return Row(key, sample, "unscored", f"measure: {measured.reason}", metrics)
    metrics |= {n: float(v) for n in MEASURED if (v := measured.value.get(n)) is not None}
    failure = render.reason if render.status == "failed" else None
    return _judged_row(key, sample, made, render, done, metrics, failure, verdicts)


def _gone(record: Done | None, absent: str, changed: str) -> str:
    return absent if record is None else f"{absent} since its {changed} changed"


def _judged_row(
    key: str,
    sample: Facts,
    made: Done,
    render: Done | None,
    done: Finder,
    metrics: dict[str, float],
    failure: str | None,
    verdicts: VerdictKeys | None,
) -> Row:
    """The row with its verdicts, where a judge is looked at."""
    outcome: Outcome = "scored" if failure is None else "failed"
    if verdicts is None:
        return Row(key, sample, outcome, failure, metrics)
    found = []
    for level, verdict_key in verdicts(key):
        verdict = done.get("judge", verdict_key)
        seen = sight(made, render) if level == "image" and render else answer(made)
        if verdict is None or not holds(verdict, seen):
            why = _gone(verdict, "not judged", "candidate")
            return Row(key, sample, "missing", why, metrics)
        found.append(verdict)
    for verdict in found:
        if verdict.status == "unscored":
            return Row(key, sample, "unscored", f"judge: {verdict.reason}", metrics)
    return Row(key, sample, outcome, failure, metrics | _judged(found))


def _rendered(render: Done) -> dict[str, float]:
    """CFR counts candidates without a non-blank page, CFR_strict also those whose page came in
    spite of errors. Neither is defined for an answer that is a picture."""
    page = render.status == "ok"
    clean = page and render.value.get("status") == "ok"
    return {"CFR": 0.0 if page else 1.0, "CFR_strict": 0.0 if clean else 1.0}


def _judged(verdicts: Sequence[Done]) -> dict[str, float]:
    """Means over repeats of each score, and FSR and oes_min made per repeat before the mean."""
    per: dict[str, list[float]] = {}
    for v in verdicts:
        scores = {k: float(s) for k, s in v.value["scores"].items()}
        if all(n in scores for n in JUDGED_IMAGE):
            scores["FSR"] = float(all(scores[n] == 5 for n in JUDGED_IMAGE))
        if "code_IA" in scores and "code_CP" in scores:
            scores["oes_min"] = min(scores["code_IA"], scores["code_CP"])
        for name, value in scores.items():
            per.setdefault(name, []).append(value)
    return {name: sum(values) / len(values) for name, values in per.items()}
