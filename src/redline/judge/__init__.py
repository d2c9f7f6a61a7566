"""Asking a judge and reading its verdict; rubrics are files.

`load_rubric` reads what is asked, `verdict_request` asks it, `read_verdict` reads the answer
strictly, `ask` does both with one repair turn. `JudgeInputs` says what a judge may see.
"""

from redline.judge.aggregate import Aggregate
from redline.judge.asking import ask
from redline.judge.flags import judge_flags
from redline.judge.inputs import JUDGE_INPUTS, JudgeInputs, JudgeInputsError
from redline.judge.requests import repair_request, verdict_request
from redline.judge.rubric import (
    Criterion,
    Rubric,
    RubricError,
    RubricInput,
    bundled_rubrics,
    load_rubric,
)
from redline.judge.verdict import Malformed, Verdict, read_object, read_verdict

__all__ = [
    "JUDGE_INPUTS",
    "Aggregate",
    "Criterion",
    "JudgeInputs",
    "JudgeInputsError",
    "Malformed",
    "Rubric",
    "RubricError",
    "RubricInput",
    "Verdict",
    "ask",
    "bundled_rubrics",
    "judge_flags",
    "load_rubric",
    "read_object",
    "read_verdict",
    "repair_request",
    "verdict_request",
]
