"""How a run is driven: roles, limits and retries. Nothing here changes what is measured."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from redline.models.protocol import Model, ModelCard, Settings


@dataclass(frozen=True)
class Role:
    """Who plays a role of a track ("model", "verbalizer", a judge's name).

    `settings` are those the model was opened with: replies got under other settings are not
    used again. `identity` tells apart who answers under one name (a program, a replayed run)."""

    model: Model
    card: ModelCard
    settings: Settings = field(default_factory=Settings)
    identity: str = ""


@dataclass(frozen=True)
class Options:
    """Limits hold for each model apart; the budget holds for the run as a whole, with what
    earlier starts of it spent."""

    connections: int = 32
    """Most calls at once to one model; falls by itself when the provider says 429."""
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    """Threads for blocking work of the stages."""
    units: int | None = None
    """Most units in work at once; by default enough to keep connections and workers busy."""
    attempts: int = 6
    """Most times one call is sent, the first included."""
    unreachable_attempts: int = 3
    backoff_s: float = 1.0
    """The wait before the n-th retry is drawn from 0 to backoff_s * 2^(n-1) seconds ..."""
    backoff_cap_s: float = 60.0
    """... and never above this."""
    retry_after_cap_s: float = 120.0
    """The longest Retry-After that is waited for."""
    budget_usd: float | None = None
    cache_dir: Path | None = None
    """Replies kept across runs, if given."""
    grace_s: float = 30.0
    """How long an interrupted run waits for calls in flight."""

    @property
    def units_at_once(self) -> int:
        return self.units or 2 * max(self.connections, self.workers)
