"""Which things a judge is allowed to see: part of a verdict's identity."""

from __future__ import annotations

from redline.errors import UserError

JUDGE_INPUTS = ("original", "instruction_picture", "instruction_text", "gold", "candidate")


class JudgeInputsError(UserError):
    """A wrong `--judge-inputs`; the message is a sentence."""


class JudgeInputs(frozenset[str]):
    """A set of names out of JUDGE_INPUTS. `str()` gives them in their fixed order, joined by
    commas, so that equal sets give equal strings."""

    @classmethod
    def all(cls) -> JudgeInputs:
        return cls(JUDGE_INPUTS)

    @classmethod
    def parse(cls, text: str) -> JudgeInputs:
        """Read `original,gold,candidate`; `all` stands for everything, `-` may stand for `_`.

        Raises JudgeInputsError for unknown names and where the candidate is missing.
        """
        names = [n.strip().lower().replace("-", "_") for n in text.split(",") if n.strip()]
        if names == ["all"]:
            return cls.all()
        unknown = [n for n in names if n not in JUDGE_INPUTS]
        if unknown:
            raise JudgeInputsError(
                f"--judge-inputs: {', '.join(unknown)} is none of {', '.join(JUDGE_INPUTS)}"
            )
        if "candidate" not in names:
            raise JudgeInputsError("--judge-inputs: add candidate; there is nothing else to judge")
        return cls(names)

    def __str__(self) -> str:
        return ",".join(n for n in JUDGE_INPUTS if n in self)
