"""Rows of a diagram result: one a sample and epoch, each with one outcome and its figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from redline.bench.sample import DiagramSample
from redline.track import Done, Finder, Outcome

JUDGED_IMAGE = ("IA", "CP", "DR")
JUDGED_CODE = ("code_IA", "code_CP", "oes_judged")


@dataclass(frozen=True)
class Facts:
    """What results need to know of a sample. A run's manifest holds them, so that results can be
    had from the run folder alone."""

    id: str
    edit_type: str
    operations: int
    drawn_with: str | None
    subtypes: tuple[str, ...]
    source_id: str
    gold_model: str | None

    @classmethod
    def of(cls, s: DiagramSample) -> Facts:
        source = s.source_id or s.id
        return cls(s.id, s.edit_type, s.operations, s.drawn_with, s.subtypes, source, s.gold_model)

    @classmethod
    def read(cls, value: Mapping[str, Any]) -> Facts:
        return cls(**{**value, "subtypes": tuple(value["subtypes"])})

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "subtypes": list(self.subtypes)}


@dataclass(frozen=True)
class Row:
    """`metrics` holds only what is defined for the row: a figure that could not be had is absent,
    never a number. A row without all of its verdicts keeps its measures and is unscored."""

    key: str
    sample: Facts
    outcome: Outcome
    reason: str | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)


def make_rows(
    keys: Iterable[tuple[str, Facts]],
    done: Finder,
    verdict_keys: Callable[[str], Sequence[str]] | None,
) -> list[Row]:
    """The rows of a run. `verdict_keys` gives the verdicts that a row should have, or is None
    where no judge is looked at."""
    return [_row(key, sample, done, verdict_keys) for key, sample in keys]


def _row(
    key: str,
    sample: Facts,
    done: Finder,
    verdict_keys: Callable[[str], Sequence[str]] | None,
) -> Row:
    made = done.get("generate", key)
    if made is None:
        return Row(key, sample, "missing", "not generated")
    if made.status == "unscored":
        return Row(key, sample, "unscored", f"generate: {made.reason}")
    render = done.get("render", key) if made.status == "ok" else None
    if made.status == "ok" and render is None:
        return Row(key, sample, "missing", "not rendered")
    if render is not None and render.status == "unscored":
        return Row(key, sample, "unscored", f"render: {render.reason}")
    metrics = _rendered(made, render)
    measured = done.get("measure", key)
    if render is not None and measured is None:
        return Row(key, sample, "missing", "not measured", metrics)
    if measured is not None:
        names = ("code_similarity", "px_inside", "px_outside")
        metrics |= {n: float(v) for n in names if (v := measured.value.get(n)) is not None}
    failed = made.status == "failed" or (render is not None and render.status == "failed")
    reason = made.reason if made.status == "failed" else render.reason if render else None
    outcome: Outcome = "failed" if failed else "scored"
    if verdict_keys is not None:
        verdicts = [done.get("judge", k) for k in verdict_keys(key)]
        if any(v is not None and v.status == "unscored" for v in verdicts):
            why = next(v.reason for v in verdicts if v is not None and v.status == "unscored")
            return Row(key, sample, "unscored", f"judge: {why}", metrics)
        if any(v is None for v in verdicts):
            return Row(key, sample, "missing", "not judged", metrics)
        metrics |= _judged([v for v in verdicts if v is not None])
    return Row(key, sample, outcome, reason if failed else None, metrics)


def _rendered(made: Done, render: Done | None) -> dict[str, float]:
    """CFR counts candidates without a non-blank page, those without a code too; CFR_strict also
    those whose page came in spite of errors. Neither is defined for an answer that is a picture."""
    if made.value.get("how") == "picture" or (made.value.get("pictures") is not None):
        return {}
    page = render is not None and render.status == "ok"
    clean = page and render is not None and render.value.get("status") == "ok"
    metrics = {"CFR": 0.0 if page else 1.0, "CFR_strict": 0.0 if clean else 1.0}
    if made.status == "failed":
        metrics |= {"code_similarity": 0.0, "px_inside": 0.0, "px_outside": 0.0}
    return metrics


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
