"""Says where a judge has a stake in what it judges."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

JudgeFlag = Literal["judge_is_candidate", "judge_of_candidate_family", "judge_of_gold_family"]


def judge_flags(
    judge: str,
    candidate: str,
    gold_models: Iterable[str | None] | str | None,
    family: Callable[[str], str],
) -> tuple[JudgeFlag, ...]:
    """Flags of a judge, by model names; `family` gives a model's family, "" or "unknown" where
    it is not known. One gold model, several, or None where people made the golds."""
    golds = [gold_models] if isinstance(gold_models, str) else list(gold_models or ())
    own = family(judge)
    flags: list[JudgeFlag] = []
    if judge == candidate:
        flags.append("judge_is_candidate")
    if own not in ("", "unknown"):
        if family(candidate) == own:
            flags.append("judge_of_candidate_family")
        if any(gold and family(gold) == own for gold in golds):
            flags.append("judge_of_gold_family")
    return tuple(flags)
