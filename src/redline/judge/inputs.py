"""Which things a judge is allowed to see: part of a verdict's identity."""

from __future__ import annotations

JudgeInputs = frozenset[str]

JUDGE_INPUTS = ("original", "instruction_picture", "instruction_text", "gold", "candidate")
ALL_INPUTS: JudgeInputs = frozenset(JUDGE_INPUTS)


class JudgeInputsError(ValueError):
    """A wrong `--judge-inputs`; the message is a sentence."""


def parse_inputs(text: str) -> JudgeInputs:
    """Read `original,gold,candidate`; `all` stands for everything, `-` may stand for `_`.

    Raises JudgeInputsError for unknown names and where the candidate is missing.
    """
    names = [n.strip().lower().replace("-", "_") for n in text.split(",") if n.strip()]
    if names == ["all"]:
        return ALL_INPUTS
    unknown = [n for n in names if n not in JUDGE_INPUTS]
    if unknown:
        raise JudgeInputsError(
            f"--judge-inputs: {', '.join(unknown)} is none of {', '.join(JUDGE_INPUTS)}"
        )
    if "candidate" not in names:
        raise JudgeInputsError("--judge-inputs: add candidate; without it nothing can be judged")
    return frozenset(names)


def canonical_inputs(inputs: JudgeInputs) -> str:
    """The names in their fixed order, joined by commas: equal sets give equal strings."""
    return ",".join(n for n in JUDGE_INPUTS if n in inputs)
