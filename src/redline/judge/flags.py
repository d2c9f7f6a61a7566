"""Says where a judge has a stake in what it judges."""

from __future__ import annotations

from collections.abc import Callable


def judge_flags(
    judge: str, candidate: str, gold_model: str | None, family: Callable[[str], str]
) -> tuple[str, ...]:
    """Sentences on a judge, by model names, for every table that shows its verdicts.

    `family` gives a model's family, "" or "unknown" where it is not known; `gold_model` is None
    where a person made the gold.
    """
    flags = [f"The judge {judge} judged itself."] if judge == candidate else []
    own = family(judge)
    if own in ("", "unknown"):
        return tuple(flags)
    if judge != candidate and family(candidate) == own:
        flags.append(f"The judge {judge} is of the candidate's family ({own}).")
    if gold_model and family(gold_model) == own:
        flags.append(f"The judge {judge} is of the family that made golds ({own}).")
    return tuple(flags)
