"""What tells one call of a run from another."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from redline.models.protocol import Reply
from redline.run.lines import dumps


@dataclass(frozen=True)
class Call:
    """The identity of a call: who is asked what, under which settings, for which unit."""

    stage: str
    unit: str
    step: str
    role: str
    model: str
    settings: str
    request: str

    @property
    def key(self) -> str:
        """SHA-256 over all of it: a reply is used again only where every part is the same."""
        return hashlib.sha256(dumps(asdict(self))).hexdigest()

    @property
    def cache_key(self) -> str:
        """The same for other runs too. The unit is in it, so that epochs and repeats, which
        send equal requests, stay independent draws."""
        parts = {k: v for k, v in asdict(self).items() if k not in ("stage", "role")}
        return hashlib.sha256(dumps(parts)).hexdigest()

    def record(self) -> Mapping[str, Any]:
        """The fields that its records carry."""
        return {**asdict(self), "call": self.key}


@dataclass(frozen=True)
class Kept:
    """An acknowledged reply with what it cost: USD, or None where that is not known."""

    reply: Reply
    cost: float | None
    cached: bool
