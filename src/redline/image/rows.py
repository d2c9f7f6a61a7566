"""Rows of an image result: one a turn and epoch, each with one outcome and its figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from redline.image.judging import UNDEFINED, Kind
from redline.image.lineage import holds, picture, stands
from redline.image.measure_stage import measure_key
from redline.image.outputs import NO_OUTPUT
from redline.image.overall import PARTS, overall
from redline.image.results import COLUMNS, PENALTIES
from redline.image.task import Mode, row_id, row_key
from redline.image.turns import Answer
from redline.rows import Facts, Row
from redline.track import Done, Finder, Outcome

_COLUMNS = {c.name: c for c in COLUMNS}
_ROUNDING = 1e-6

VerdictKeys = Callable[[str], Sequence[tuple[Kind, str]]]
"""From a row's key to the verdicts it should have: the kind and key of each."""


def row_keys(facts: Iterable[Facts], epochs: int) -> list[tuple[str, Facts]]:
    """Every row of a run, from the facts that its folder holds."""
    there = list(facts)
    return [(row_key(f.id, e), f) for e in range(epochs) for f in there]


def make_rows(
    keys: Iterable[tuple[str, Facts]],
    done: Finder,
    mode: Mode,
    profile: str,
    verdicts: VerdictKeys | None = None,
) -> list[Row]:
    """The rows of a run by the figures of one measure profile. Without `verdicts` no judge is
    looked at."""
    rows = []
    standing: dict[str, Done | None] = {}
    for key, facts in keys:
        made = done.get("generate", key)
        before = _before(key) if mode == "cumulative" else None
        broken = made is not None and before is not None and not stands(made, standing.get(before))
        standing[key] = None if broken else made
        if broken:
            why = "not generated since the round before changed"
            rows.append(Row(key, facts, "missing", why))
        else:
            rows.append(_row(key, facts, made, done, profile, verdicts))
    return rows


def _before(key: str) -> str | None:
    """The key of the round before, None for round 1."""
    id_, _, epoch = key.rpartition("#")
    sample, _, round_ = id_.rpartition("/")
    return row_key(row_id(sample, int(round_) - 1), int(epoch)) if int(round_) > 1 else None


@dataclass(frozen=True)
class _Found:
    """Figures of a row so far."""

    metrics: Mapping[str, float]
    undefined: Mapping[str, str]


def _row(
    key: str,
    facts: Facts,
    made: Done | None,
    done: Finder,
    profile: str,
    verdicts: VerdictKeys | None,
) -> Row:
    if made is None:
        return Row(key, facts, "missing", "not generated")
    if made.reason == NO_OUTPUT:
        return Row(key, facts, "missing", "no output")
    if made.status == "unscored":
        return Row(key, facts, "unscored", f"generate: {made.reason}")
    of = picture(made)
    measured = done.get("measure", measure_key(key, profile))
    if measured is None or not holds(measured, of):
        return Row(key, facts, "missing", _gone(measured, "not measured"))
    if measured.status == "unscored":
        return Row(key, facts, "unscored", f"measure: {measured.reason}")
    found = _measured(measured)
    judged = _Found({}, {})
    if verdicts is not None:
        records: list[tuple[Kind, Done]] = []
        for kind, verdict_key in verdicts(key):
            verdict = done.get("judge", verdict_key)
            if verdict is None or not holds(verdict, of):
                return _lost(key, facts, "missing", _gone(verdict, "not judged"), found)
            records.append((kind, verdict))
        for _, verdict in records:
            if verdict.status == "unscored":
                return _lost(key, facts, "unscored", f"judge: {verdict.reason}", found)
        judged = _judged(records)
    outcome: Outcome = "failed" if made.status == "failed" else "scored"
    metrics = _with_overall({**found.metrics, **judged.metrics}, outcome)
    return Row(key, facts, outcome, made.reason, metrics, {**found.undefined, **judged.undefined})


def _gone(record: Done | None, absent: str) -> str:
    return absent if record is None else f"{absent} since its picture changed"


def _lost(key: str, facts: Facts, outcome: Outcome, reason: str, found: _Found) -> Row:
    return Row(key, facts, outcome, reason, found.metrics, found.undefined)


def _measured(record: Done) -> _Found:
    """Figures of a scored row, each also as its penalised twin; of a failed row only penalties, for
    the measures that another candidate could have."""
    undefined = {str(k): str(v) for k, v in record.value.get("undefined", {}).items()}
    if record.status == "failed":
        could = [str(n) for n in record.value["penalised"]]
        return _Found({f"{n}_penalised": PENALTIES[n] for n in could if n in PENALTIES}, undefined)
    metrics = {str(n): _within(str(n), float(v)) for n, v in record.value["metrics"].items()}
    twins = {f"{n}_penalised": v for n, v in metrics.items() if n in PENALTIES}
    areas = {f"area_{n}": float(v) for n, v in record.value.get("areas", {}).items()}
    return _Found({**metrics, **twins, **areas}, undefined)


def _within(name: str, value: float) -> float:
    """A cosine or an SSIM of equal pictures may come out above 1 by a rounding."""
    column = _COLUMNS.get(name)
    span = column.span if column else None
    if span is None or abs(value - min(max(value, span[0]), span[1])) > _ROUNDING:
        return value
    return min(max(value, span[0]), span[1])


def _judged(records: Sequence[tuple[Kind, Done]]) -> _Found:
    """Means over repeats. QA is all or nothing: 1 where every question is answered rightly, else 0;
    a failed row has 0. Retention is the share of earlier questions that still are."""
    per: dict[str, list[float]] = {}
    undefined: dict[str, str] = {}
    for kind, record in records:
        if kind == "rubric":
            for name, score in record.value["scores"].items():
                per.setdefault(name, []).append(float(score))
            continue
        name = "QA" if kind == "questions" else "retention"
        right = [bool(a["correct"]) for a in record.value["answers"]]
        if record.value.get(UNDEFINED):
            undefined[name] = str(record.value[UNDEFINED])
        elif record.status == "failed":
            per.setdefault(name, []).append(0.0)
        else:
            value = float(all(right)) if name == "QA" else sum(right) / len(right)
            per.setdefault(name, []).append(value)
    return _Found({n: sum(v) / len(v) for n, v in per.items()}, undefined)


def _with_overall(metrics: Mapping[str, float], outcome: Outcome) -> dict[str, float]:
    """The figures with Overall, where all of its parts are there, and its penalised twin."""
    found = dict(metrics)
    value = overall(metrics) if outcome == "scored" else None
    if value is not None:
        found["Overall"] = found["Overall_penalised"] = value
    if outcome == "failed" and all(n in metrics for n in (*_penalised(), "QA")):
        found["Overall_penalised"] = PENALTIES["Overall"]
    return found


def _penalised() -> list[str]:
    return [f"{n}_penalised" for n in PARTS if n != "QA"]


def answers(keys: Iterable[tuple[str, Facts]], done: Finder, verdicts: VerdictKeys) -> list[Answer]:
    """Every question that was answered about a candidate that still stands, for `turns`. Failed
    rows have no picture to ask about and give none."""
    found = []
    for key, facts in keys:
        made = done.get("generate", key)
        if made is None:
            continue
        id_, _, epoch = key.rpartition("#")
        sample, _, round_ = id_.rpartition("/")
        repeats: dict[Kind, int] = {}
        for kind, verdict_key in verdicts(key):
            repeat = repeats[kind] = repeats.get(kind, -1) + 1
            record = done.get("judge", verdict_key)
            if kind == "rubric" or record is None or record.status != "ok":
                continue
            if holds(record, picture(made)):
                found += [
                    Answer(
                        sample, int(epoch), facts.source_id, int(a["round"]), int(round_),
                        str(a["question"]), bool(a["correct"]), repeat,
                    )
                    for a in record.value["answers"]
                ]  # fmt: skip
    return found
