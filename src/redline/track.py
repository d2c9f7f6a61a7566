"""The interface between a track and the engine that runs it.

A track hands the engine a list of stages; the engine gives each unit of a stage a context to
call models and keep bytes with. Neither imports the other.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, ParamSpec, Protocol, TypeVar

from redline.models.protocol import Reply, Request

Status = Literal["ok", "failed", "unscored"]
"""`ok`: finished; `failed`: the model's fault, final; `unscored`: a judge's, provider's or
harness's fault, tried again when the run is started again."""

Outcome = Literal["scored", "failed", "unscored", "missing"]
"""What a row of a result is. Means are over scored and failed rows only."""

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Unit:
    """A piece of work of one stage. `inputs` is a digest over all its result depends on;
    a finished unit whose digest no longer fits is stale and is done again."""

    key: str
    inputs: str
    payload: Any = None


@dataclass(frozen=True)
class Finished:
    """The result of a unit: JSON-able `value` and named `blobs`, both durable together."""

    status: Status
    reason: str | None = None
    value: Mapping[str, Any] = field(default_factory=dict)
    blobs: Mapping[str, bytes] = field(default_factory=dict)
    ask_again: tuple[str, ...] | None = None
    """Only for `unscored`: steps whose replies were of no use (a malformed verdict, a filtered
    edit) and are asked for anew when the unit is tried again. None: the unit's last reply."""


@dataclass(frozen=True)
class Done:
    """A finished unit as read back from the run folder; blobs by SHA-256."""

    stage: str
    key: str
    inputs: str
    status: Status
    reason: str | None
    value: Mapping[str, Any]
    blobs: Mapping[str, str]
    cost: float | None = None


class Unanswered(Exception):
    """A call that got no usable reply after all retries: the unit ends `unscored`.
    The engine turns it into that when a stage lets it pass."""


class Context(Protocol):
    """What a unit may do besides computing."""

    async def call(self, role: str, step: str, request: Request) -> Reply:
        """Ask the model that plays `role` ("model", "verbalizer", a judge's name).

        The reply is on disk before it is returned; the same unit, step and request is never
        sent twice once acknowledged (but see Finished.ask_again). `step` tells apart the calls of
        one unit ("edit", "verbalize", "repair", ...). Raises Unanswered."""

    def blob(self, sha256: str) -> bytes:
        """Bytes that an earlier unit of this run kept."""

    async def in_thread(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run blocking work beside the event loop, at most `workers` at once."""


class Finder(Protocol):
    """Looks finished units of earlier stages up."""

    def get(self, stage: str, key: str) -> Done | None: ...

    def all(self, stage: str) -> Sequence[Done]: ...


class Stage(Protocol):
    """One stage of a run."""

    @property
    def name(self) -> str: ...

    def units(self, done: Finder) -> Iterable[Unit]:
        """Every unit this stage should have, in order; asked for when earlier stages ended. A
        stage with an attribute `in_rounds` that is true is asked again after each round of its
        units: it offers a unit as soon as those it follows from are finished."""

    async def run(self, unit: Unit, context: Context) -> Finished:
        """Do one unit. May be called again for the same unit after a kill."""


def in_rounds(stage: Stage) -> bool:
    """Whether a stage's units follow from one another (the turns of a dialogue)."""
    return bool(getattr(stage, "in_rounds", False))


def calls_nobody(candidate: str) -> bool:
    """Whether a candidate is had without asking a model: a baseline, or outputs made elsewhere."""
    return candidate.partition("/")[0] in ("baseline", "outputs")


def digest(*parts: Any) -> str:
    """SHA-256 over JSON-able parts."""
    text = json.dumps(parts, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
