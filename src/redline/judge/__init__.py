"""Asking a judge and reading its verdict; rubrics are files.

`load_rubric` reads what is asked, `verdict_request` asks it, `read_verdict` reads the answer
strictly, `ask` does both with one repair turn. `parse_inputs` says what a judge may see.
"""

from redline.judge.asking import ask
from redline.judge.flags import JudgeFlag, judge_flags
from redline.judge.inputs import (
    ALL_INPUTS,
    JUDGE_INPUTS,
    JudgeInputs,
    JudgeInputsError,
    canonical_inputs,
    parse_inputs,
)
from redline.judge.requests import repair_request, verdict_request
from redline.judge.rubric import (
    Criterion,
    Rubric,
    RubricError,
    RubricInput,
    bundled_rubrics,
    load_rubric,
)
from redline.judge.verdict import Malformed, Verdict, read_verdict

__all__ = [
    "ALL_INPUTS",
    "JUDGE_INPUTS",
    "Criterion",
    "JudgeFlag",
    "JudgeInputs",
    "JudgeInputsError",
    "Malformed",
    "Rubric",
    "RubricError",
    "RubricInput",
    "Verdict",
    "ask",
    "bundled_rubrics",
    "canonical_inputs",
    "judge_flags",
    "load_rubric",
    "parse_inputs",
    "read_verdict",
    "repair_request",
    "verdict_request",
]
