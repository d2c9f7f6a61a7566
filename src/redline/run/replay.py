"""A model that answers with what another run's model said."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

from redline.models.cards import card
from redline.models.protocol import ModelCard, ProviderError, Reply, Request
from redline.run.folder import RunFolder
from redline.run.lines import dumps


class ReplayModel:
    """`replay/RUN`: replies from the records of a run, free and without a network.

    A reply is found by unit, step and request. Where the run has none for exactly that, one to
    the same request and step of another unit serves (a judge's name is part of its units' keys),
    then one of the same unit and step to another request; both are said in Reply.notes."""

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self.name = f"replay/{folder.path.resolve().name}"
        self._by_step: dict[str, list[tuple[str, str, str]]] = {}
        for record in folder.calls():
            found = (record["unit"], record["request"], record["call"])
            self._by_step.setdefault(record["step"], []).append(found)

    @classmethod
    def open(cls, path: Path) -> ReplayModel:
        """Replay the run in a folder. Raises a RunError."""
        return cls(RunFolder.open(path))

    @property
    def identity(self) -> str:
        """SHA-256 over what the replayed run was begun with, its moment included: tells two runs
        in folders of the same name apart, and tells nobody where they lie."""
        begun = replace(self.folder.manifest, judges=())
        return hashlib.sha256(dumps(begun.to_json())).hexdigest()

    def card(self, original: ModelCard | None = None) -> ModelCard:
        """A card at price 0; family and kind of answer are those of the recorded model, whose
        card is `original` (default: looked up by its name)."""
        return replace(
            original or card(self.folder.manifest.model),
            name=self.name,
            provider="replay",
            input_per_mtok=0.0,
            output_per_mtok=0.0,
            per_picture=0.0,
            price_date=None,
            price_source=None,
        )

    async def complete_for(self, unit: str, step: str, request: Request) -> Reply:
        """The recorded reply. Raises ProviderError (bad_request) where there is none."""
        digest = request.digest()
        calls = self._by_step.get(step, [])
        exact = [c for c in calls if c[0] == unit and c[1] == digest]
        if exact:
            return self._reply(exact[-1][2], ())
        equal = [c for c in calls if c[1] == digest]
        if equal:
            best = max(equal, key=lambda c: _likeness(c[0], unit))
            return self._reply(best[2], (f"replayed from unit {best[0]}",))
        other = [c for c in calls if c[0] == unit]
        if other:
            return self._reply(other[-1][2], ("replayed reply to a different request",))
        raise ProviderError(
            "bad_request",
            f"{self.name} has no reply for unit {unit!r}, step {step!r}: "
            "replay a run of the same benchmark and condition.",
        )

    async def complete(self, request: Request) -> Reply:
        """Without a unit, any reply to the same request serves."""
        digest = request.digest()
        for calls in self._by_step.values():
            for _, asked, key in calls:
                if asked == digest:
                    return self._reply(key, ())
        raise ProviderError("bad_request", f"{self.name} has no reply to this request.")

    async def close(self) -> None:
        self.folder.close()

    def _reply(self, call: str, notes: tuple[str, ...]) -> Reply:
        kept = self.folder.kept(call)
        if kept is None:
            raise ProviderError(
                "bad_request",
                f"{self.name} has lost bytes of this reply: replay a whole copy of that run.",
            )
        return replace(kept.reply, notes=(*kept.reply.notes, *notes))


def _likeness(one: str, other: str) -> int:
    """How much two keys have in common at their ends, in characters."""
    return _shared(one, other) + _shared(one[::-1], other[::-1])


def _shared(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
