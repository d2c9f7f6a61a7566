"""What a judge is asked: criteria, prompt and inputs, from a TOML file with a hash."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from redline.errors import UserError
from redline.judge.aggregate import Aggregate
from redline.judge.inputs import JUDGE_INPUTS, JudgeInputs

_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
_Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,63}$")]


_FORMAT = "docs/files-of-your-own.md describes the keys, with an example"


class RubricError(UserError):
    """A rubric that cannot be used; the message names the file and every fault."""


@dataclass(frozen=True)
class Criterion:
    """One question. A `scale` is answered by a whole number from `low` to `high`, a `yesno` by
    true or false (`low` and `high` are then 0 and 1). `anchors` describe each answer."""

    name: str
    kind: Literal["scale", "yesno"]
    low: int
    high: int
    question: str
    anchors: Mapping[str, str]


@dataclass(frozen=True)
class RubricInput:
    """Something a judge may be shown: under which label the caller hands it over, and which of
    the judge inputs must be allowed for it to be shown."""

    label: str
    kind: Literal["picture", "text"]
    caption: str
    needs: JudgeInputs


@dataclass(frozen=True)
class Rubric:
    """A rubric as read from its file; `hash` is the SHA-256 of the file's bytes."""

    name: str
    version: int
    level: Literal["image", "code"]
    criteria: tuple[Criterion, ...]
    prompt: str
    task: str
    repair: str
    inputs: tuple[RubricInput, ...]
    required: JudgeInputs
    hash: str
    overall: Aggregate | None = None

    def shown(self, judge_inputs: JudgeInputs) -> tuple[RubricInput, ...]:
        """What a judge sees when `judge_inputs` are allowed, in the order it sees it.

        Raises RubricError where the rubric cannot do without something that is not allowed.
        """
        lacking = JudgeInputs(self.required - judge_inputs)
        if lacking:
            raise RubricError(
                f"rubric {self.name} cannot judge without {lacking}: "
                f"add it to --judge-inputs (now {judge_inputs})"
            )
        return tuple(i for i in self.inputs if i.needs <= judge_inputs)

    def lowest(self) -> dict[str, int]:
        """The lowest answer to every scale: what a failed candidate gets without a call. A
        yes-or-no question has no lowest answer and is left out."""
        return {c.name: c.low for c in self.criteria if c.kind == "scale"}


def load_rubric(name_or_path: str | Path) -> Rubric:
    """The bundled rubric of this name, or the one in a file (a name with a slash or `.toml`).

    Raises RubricError, which lists all faults of the file.
    """
    text = str(name_or_path)
    if isinstance(name_or_path, Path) or "/" in text or "\\" in text or text.endswith(".toml"):
        try:
            data = Path(name_or_path).read_bytes()
        except OSError as error:
            raise RubricError(f"rubric {text} cannot be read: {error.strerror}") from None
        return parse_rubric(data, text)
    if text not in bundled_rubrics():
        raise RubricError(
            f"there is no rubric {text!r}; the bundled ones are {', '.join(bundled_rubrics())}; "
            "give the path of a .toml file for one of your own"
        )
    return parse_rubric((_folder() / f"{text}.toml").read_bytes(), text)


def bundled_rubrics() -> tuple[str, ...]:
    """Names of the rubrics that come with Redline."""
    return tuple(
        sorted(
            f.name.removesuffix(".toml") for f in _folder().iterdir() if f.name.endswith(".toml")
        )
    )


def parse_rubric(data: bytes, where: str) -> Rubric:
    """A rubric from the bytes of its file; `where` names it in errors."""
    try:
        raw = tomllib.loads(data.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise RubricError(f"rubric {where} is not TOML: {error}") from None
    try:
        file = _File.model_validate(raw)
    except ValidationError as error:
        raise RubricError(_listed(where, _form_faults(error))) from None
    faults = _faults(file)
    if faults:
        raise RubricError(_listed(where, faults))
    return Rubric(
        name=file.name,
        version=file.version,
        level=file.level,
        criteria=tuple(
            Criterion(
                c.name,
                c.kind,
                0 if c.low is None else c.low,
                1 if c.high is None else c.high,
                c.question,
                dict(c.anchors),
            )
            for c in file.criteria
        ),
        prompt=file.prompt,
        task=file.task,
        repair=file.repair,
        inputs=tuple(
            RubricInput(i.label, i.kind, i.caption, JudgeInputs(i.needs)) for i in file.inputs
        ),
        required=JudgeInputs(file.required),
        hash=hashlib.sha256(data).hexdigest(),
        overall=_aggregate(file),
    )


def _aggregate(file: _File) -> Aggregate | None:
    if file.overall is None:
        return None
    o = file.overall
    first = next(c for c in file.criteria if c.name == o.of[0])
    return Aggregate(o.name, o.how, tuple(o.of), first.low or 0, first.high or 0, o.cap)


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Criterion(_Form):
    name: _Name
    kind: Literal["scale", "yesno"]
    low: int | None = None
    high: int | None = None
    question: _Text
    anchors: dict[str, _Text]


class _Input(_Form):
    label: _Name
    kind: Literal["picture", "text"]
    needs: list[str] = Field(min_length=1)
    caption: _Text


class _Overall(_Form):
    name: _Name
    how: Literal["mean", "geometric_mean"]
    of: list[str] = Field(min_length=1)
    cap: str | None = None


class _File(_Form):
    name: _Name
    version: int = Field(ge=1)
    level: Literal["image", "code"]
    required: list[str]
    prompt: _Text
    task: _Text
    repair: _Text
    inputs: list[_Input] = Field(min_length=1)
    criteria: list[_Criterion] = Field(min_length=1)
    overall: _Overall | None = None


def _form_faults(error: ValidationError) -> list[str]:
    """Keys that a table lacks as one fault, every other fault by itself."""
    lacking: dict[str, list[str]] = {}
    faults = []
    for e in error.errors():
        *table, key = map(str, e["loc"])
        if e["type"] == "missing":
            lacking.setdefault(".".join(table), []).append(key)
        else:
            place = ".".join([*table, key])
            faults.append(f"{place}: {e['msg'].removeprefix('Value error, ')}")
    return [
        f"{table + ': ' if table else ''}lacks {', '.join(keys)}" for table, keys in lacking.items()
    ] + faults


def _faults(file: _File) -> list[str]:
    faults = []
    for what, names in (
        ("criterion", [c.name for c in file.criteria]),
        ("input", [i.label for i in file.inputs]),
    ):
        twice = sorted({n for n in names if names.count(n) > 1})
        faults += [f"the {what} {n} stands twice; give each its own name" for n in twice]
    for c in file.criteria:
        faults += _criterion_faults(c)
    for where, names in [("required", file.required)] + [
        (f"input {i.label}: needs", i.needs) for i in file.inputs
    ]:
        unknown = sorted(set(names) - set(JUDGE_INPUTS))
        faults += [f"{where}: {n!r} is none of {', '.join(JUDGE_INPUTS)}" for n in unknown]
    if "candidate" not in file.required:
        faults.append("required: candidate is missing; there is nothing to judge without it")
    if not any("candidate" in i.needs for i in file.inputs):
        faults.append("inputs: none shows the candidate")
    for field, mark in (("task", "{criteria}"), ("repair", "{fault}")):
        if getattr(file, field).count(mark) != 1:
            faults.append(f"{field}: must hold {mark} exactly once")
    return faults + (_overall_faults(file, file.overall) if file.overall else [])


def _overall_faults(file: _File, overall: _Overall) -> list[str]:
    scales = {c.name: (c.low, c.high) for c in file.criteria if c.kind == "scale"}
    named = [*overall.of, *([overall.cap] if overall.cap else [])]
    faults = [f"overall: there is no scale {n}" for n in dict.fromkeys(named) if n not in scales]
    if len(set(overall.of)) < len(overall.of):
        faults.append("overall: of names a scale twice")
    if overall.name in [c.name for c in file.criteria]:
        faults.append(f"overall: its name {overall.name} is that of a criterion")
    if not faults and len({scales[n] for n in named}) > 1:
        faults.append("overall: its scales differ in low or high; one number needs one range")
    if not faults and overall.how == "geometric_mean" and (scales[overall.of[0]][0] or 0) < 0:
        faults.append("overall: a geometric mean needs scales that do not go below 0")
    return faults


def _criterion_faults(c: _Criterion) -> list[str]:
    where = f"criterion {c.name}"
    if c.kind == "yesno":
        if c.low is not None or c.high is not None:
            return [f"{where}: a yes-or-no question has no low and high; leave them out"]
        expected = ["yes", "no"]
    else:
        if c.low is None or c.high is None or not 0 < c.high - c.low <= 100:
            return [f"{where}: a scale needs low and high, low below high by at most 100"]
        expected = [str(value) for value in range(c.low, c.high + 1)]
    lacking = [value for value in expected if value not in c.anchors]
    extra = [value for value in c.anchors if value not in expected]
    return [f"{where}: the anchor for {value} is missing" for value in lacking] + [
        f"{where}: the anchor {value!r} is no answer to it" for value in extra
    ]


def _listed(where: str, faults: list[str]) -> str:
    if len(faults) == 1:
        return f"rubric {where}: {faults[0]}; {_FORMAT}"
    return "\n- ".join([f"rubric {where} has faults ({_FORMAT}):", *faults])


def _folder() -> resources.abc.Traversable:
    return resources.files("redline.judge") / "rubrics"
