"""What a run has come to when it ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 call`, `2 calls`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


@dataclass(frozen=True)
class StageCount:
    """Units of a stage by status; `missing` ones have no record. `done_now` were finished by
    this process."""

    ok: int = 0
    failed: int = 0
    unscored: int = 0
    missing: int = 0
    done_now: int = 0

    @property
    def complete(self) -> bool:
        return not self.unscored and not self.missing


@dataclass(frozen=True)
class Summary:
    """Counts and money of a run. Money is USD over all starts of the run."""

    path: Path
    stages: Mapping[str, StageCount]
    """In order; stages that were not begun are not there."""
    calls_sent: int
    """By this process, retries included."""
    cached: int
    spent: float
    unpriced: int
    """Answered calls of models without a price, not in `spent`."""
    estimated: int
    """Answered calls of models with a price that came without token counts, not in `spent`."""
    estimated_spent: float
    """What those may have cost, as reckoned before each; a budget counts it as spent."""
    possibly_billed: int
    possibly_spent: float
    seconds: float
    warnings: tuple[str, ...] = ()
    stopped: str | None = None
    """Why the run ended before its end."""
    exit_status: int = 0

    def sentence(self) -> str:
        """One line for the end: what there is and where."""
        parts = []
        for name, count in self.stages.items():
            said = [f"{count.ok} ok"]
            said += [
                f"{n} {what}"
                for what, n in (
                    ("failed", count.failed),
                    ("unscored", count.unscored),
                    ("missing", count.missing),
                )
                if n
            ]
            parts.append(f"{name} {', '.join(said)}")
        money = f"{self.spent:.4f} USD"
        if self.unpriced:
            money += f" and {counted(self.unpriced, 'call')} of unknown price"
        if self.estimated:
            money += (
                f", {counted(self.estimated, 'call')} without token counts estimated at "
                f"{self.estimated_spent:.4f} USD"
            )
        if self.cached:
            money += f", {counted(self.cached, 'reply', 'replies')} from the cache"
        if self.possibly_billed:
            money += f", {counted(self.possibly_billed, 'unanswered call')} possibly billed"
        return f"{'; '.join(parts) or 'nothing done'}. {money}. Everything is in {self.path}"
