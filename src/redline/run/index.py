"""What the records of a run add up to: the state of a run is a fold over its records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from redline.track import Done


@dataclass
class Totals:
    """Sums over all calls of a run, by every process that worked on it."""

    spent: float = 0.0
    unpriced: int = 0
    """Answered calls of models without a price; they are not in `spent`."""
    estimated: int = 0
    """Answered calls of models with a price whose tokens nobody counted; not in `spent`."""
    estimated_spent: float = 0.0
    """What those may have cost, as reckoned before each was sent."""
    answered: int = 0
    cached: int = 0


@dataclass
class Index:
    """The finished units, where each acknowledged reply stands, and what is still open.

    Texts of replies stay on disk: only places of calls are held."""

    units: dict[str, dict[str, Done]] = field(default_factory=dict)
    calls: dict[str, int] = field(default_factory=dict)
    """Key of a call -> offset of the record of its reply."""
    again: set[str] = field(default_factory=set)
    """Keys of calls whose reply was of no use, until another one comes."""
    open: dict[str, float] = field(default_factory=dict)
    """Calls that went out and brought no answer -> what they may have cost."""
    totals: Totals = field(default_factory=Totals)

    def take(self, record: Mapping[str, Any], offset: int) -> None:
        """Fold one record in. Raises KeyError, TypeError or ValueError for a malformed one."""
        kind = record["kind"]
        if kind == "sent":
            self.open[record["id"]] = record["reserve"]
        elif kind == "error":
            if not record["maybe_billed"]:
                self.open.pop(record["id"], None)
        elif kind == "call":
            self._take_call(record, offset)
        elif kind == "unit":
            self._take_unit(record)

    def _take_call(self, record: Mapping[str, Any], offset: int) -> None:
        usable = not record["empty"]
        key, cost, cached = record["call"], record["cost"], record["cached"]
        reserve = self.open.pop(record["id"], 0.0)
        if usable:
            self.calls[key] = offset
            self.again.discard(key)
        if cached:
            self.totals.cached += 1
            return
        self.totals.answered += 1
        if cost is not None:
            self.totals.spent += cost
        elif reserve:
            self.totals.estimated += 1
            self.totals.estimated_spent += reserve
        else:
            self.totals.unpriced += 1

    def _take_unit(self, record: Mapping[str, Any]) -> None:
        done = Done(
            stage=record["stage"],
            key=record["key"],
            inputs=record["inputs"],
            status=record["status"],
            reason=record["reason"],
            value=record["value"],
            blobs=record["blobs"],
            cost=record["cost"],
        )
        for call in record["again"]:
            self.calls.pop(call, None)
            self.again.add(call)
        self.units.setdefault(done.stage, {})[done.key] = done
