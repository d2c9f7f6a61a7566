"""Calling models for a run: retried, within limits and budget, and kept before a reply is used."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from redline.models.protocol import ModelCard, ProviderError, Reply, Request, Usage
from redline.run.backoff import wait_s
from redline.run.budget import Budget, BudgetReached, estimate, output_note
from redline.run.cache import ResponseCache
from redline.run.calls import Call, Kept
from redline.run.errors import RunError
from redline.run.faults import faultpoint
from redline.run.folder import RunFolder
from redline.run.limiter import Limiter
from redline.run.options import Options, Role
from redline.run.progress import Progress
from redline.run.records import MOST_USD, is_usd
from redline.run.replies import believable, is_empty
from redline.run.stopping import Interrupted, Stop
from redline.track import Unanswered


@runtime_checkable
class AnswersByUnit(Protocol):
    """A model that wants to know for which unit and step it is asked (a replayed run)."""

    async def complete_for(self, unit: str, step: str, request: Request) -> Reply: ...


@dataclass
class Busy:
    """What a unit is doing that must not be cut off: calls in flight, work in threads."""

    count: int = 0

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        self.count += 1
        try:
            yield
        finally:
            self.count -= 1


@dataclass
class _Line:
    """The way to one role: its limiter, and what was learned of it."""

    role: Role
    limiter: Limiter
    settings: str
    answered: bool = False
    longest: int = 0


@dataclass
class _Tries:
    """What happened to one call so far in this process."""

    sent: int = 0
    unreachable: int = 0
    empty: int = 0
    last: ProviderError | None = field(default=None)


class Caller:
    """Everything between a stage that asks and a provider that answers."""

    def __init__(
        self,
        folder: RunFolder,
        roles: Mapping[str, Role],
        options: Options,
        stop: Stop,
        progress: Progress,
    ) -> None:
        self.sent = 0
        self.in_flight = 0
        self._folder = folder
        self._options = options
        self._stop = stop
        self._progress = progress
        self._cache = ResponseCache(options.cache_dir) if options.cache_dir else None
        self._draw = random.Random()
        totals = folder.totals
        maybe = totals.estimated_spent + sum(folder.unanswered.values())
        self.budget = Budget(options.budget_usd, totals.spent + maybe)
        if options.budget_usd is not None:
            folder.warnings += sorted({n for r in roles.values() if (n := output_note(r))})
        limiters = {
            role.model.name: Limiter(
                options.connections, options.requests_per_minute, options.tokens_per_minute
            )
            for role in roles.values()
        }
        self._lines = {
            name: _Line(role, limiters[role.model.name], role.settings.digest())
            for name, role in roles.items()
        }

    def identify(self, stage: str, unit: str, step: str, role: str, request: Request) -> Call:
        """The identity of a call. Raises RunError for a role that nobody plays."""
        line = self._lines.get(role)
        if line is None:
            raise RunError(
                f"Stage {stage!r} asks for the role {role!r}, which no model plays "
                f"(there are: {', '.join(sorted(self._lines)) or 'none'})."
            )
        who = line.role
        model = f"{who.model.name} {who.identity}".rstrip()
        return Call(stage, unit, step, role, model, line.settings, request.digest())

    async def call(self, call: Call, request: Request, busy: Busy) -> Kept:
        """The reply to a call: from the run, from the cache, or bought and kept.

        Raises Unanswered, or Interrupted when the run stops."""
        kept = self._folder.kept(call.key)
        if kept is not None:
            return kept
        line = self._lines[call.role]
        if (hit := self._cached(call)) is not None:
            await self._keep(call, hit, busy, sent=None, cost=0.0, seconds=0.0, attempts=0)
            return Kept(hit, 0.0, True)
        tries = _Tries()
        while True:
            self._stop.check()
            kept = await self._try(line, call, request, busy, tries)
            if kept is not None:
                return kept
            self._give_up(line, call, tries)
            error = tries.last
            after = error.retry_after_s if error else None
            await asyncio.sleep(wait_s(self._options, tries.sent, after, self._draw))

    def _cached(self, call: Call) -> Reply | None:
        """Another run's reply, unless this run was to ask the call anew: the cache may still hold
        the reply that was of no use."""
        if self._cache is None or self._folder.asked_anew(call.key):
            return None
        return self._cache.get(call.cache_key)

    def share(self, answered: Iterable[tuple[Call, Reply]]) -> None:
        """Give the replies of a unit that has a result to other runs."""
        if self._cache is not None:
            for call, reply in answered:
                with contextlib.suppress(OSError):
                    self._cache.put(call.cache_key, reply)

    def forget(self, calls: Iterable[Call]) -> None:
        """Take replies that were of no use out of the cache, so that nobody gets them again."""
        if self._cache is not None:
            for call in calls:
                self._cache.drop(call.cache_key)

    async def _try(
        self, line: _Line, call: Call, request: Request, busy: Busy, tries: _Tries
    ) -> Kept | None:
        """Send once. None where it is worth another try."""
        guess = estimate(line.role.card, line.role.settings, request, line.longest)
        reserve = min(guess.usd or 0.0, MOST_USD)
        try:
            await self.budget.reserve(reserve)
        except BudgetReached as reached:
            self._stop.ask(str(reached), 3)
            raise Interrupted from None
        cost: float | None = 0.0
        try:
            # The turn is given back when the reply is on disk: so at most as many replies as
            # there are connections can be lost by a kill.
            async with self._turn(line, guess.tokens) as began:
                with busy.held():
                    self._stop.check()
                    sent, started = self._send(call, reserve), time.monotonic()
                    # Until an answer is known the money counts as spent.
                    cost = reserve
                    try:
                        reply = believable(await self._complete(line.role, call, request))
                    except ProviderError as error:
                        cost = self._failed(line, sent, error, tries, began, reserve)
                        return None
                    seconds = time.monotonic() - started
                    cost = self._learn(line, reply, tries)
                    await self._keep(
                        call,
                        reply,
                        busy,
                        sent=sent,
                        cost=cost,
                        seconds=seconds,
                        attempts=tries.sent,
                    )
        finally:
            self.budget.settle(reserve, reserve if cost is None else cost)
            self._progress.calls(self.in_flight, self.budget.spent)
        if is_empty(reply):
            tries.empty += 1
            tries.last = None
            return None
        faultpoint("between-calls")
        return Kept(reply, cost, False)

    @contextlib.asynccontextmanager
    async def _turn(self, line: _Line, tokens: int) -> AsyncIterator[float]:
        began = await line.limiter.acquire(tokens)
        try:
            yield began
        finally:
            line.limiter.release()

    def _send(self, call: Call, reserve: float) -> str:
        sent = self._folder.note_sent(call.record(), reserve)
        self.sent += 1
        faultpoint(f"sent:{call.step}")
        return sent

    async def _complete(self, role: Role, call: Call, request: Request) -> Reply:
        self.in_flight += 1
        self._progress.calls(self.in_flight, self.budget.spent)
        try:
            if isinstance(role.model, AnswersByUnit):
                return await role.model.complete_for(call.unit, call.step, request)
            return await role.model.complete(request)
        finally:
            self.in_flight -= 1

    async def _keep(
        self,
        call: Call,
        reply: Reply,
        busy: Busy,
        *,
        sent: str | None,
        cost: float | None,
        seconds: float,
        attempts: int,
    ) -> None:
        """Shielded: what was paid for is written even if the unit is cut off."""
        with busy.held():
            await asyncio.shield(
                asyncio.ensure_future(
                    self._folder.keep_call(
                        call.record(),
                        reply,
                        sent=sent,
                        cost=cost,
                        seconds=seconds,
                        attempts=attempts,
                    )
                )
            )

    def _learn(self, line: _Line, reply: Reply, tries: _Tries) -> float | None:
        tries.sent += 1
        line.answered = True
        line.limiter.succeeded()
        line.longest = max(line.longest, reply.usage.output_tokens or 0)
        return _cost(line.role.card, reply.usage)

    def _failed(
        self,
        line: _Line,
        sent: str,
        error: ProviderError,
        tries: _Tries,
        began: float,
        reserve: float,
    ) -> float:
        """Note an error; returns what the call may have cost."""
        tries.sent += 1
        tries.last = error
        maybe = _may_be_billed(error)
        self._folder.note_error(sent, error.kind, str(error), error.status, maybe)
        if error.kind == "rate_limit":
            pause = error.retry_after_s
            cap = self._options.retry_after_cap_s
            line.limiter.slow_down(began, None if pause is None else min(pause, cap))
        elif error.kind == "unreachable":
            tries.unreachable += 1
        return reserve if maybe else 0.0

    def _give_up(self, line: _Line, call: Call, tries: _Tries) -> None:
        """Raise once a call is not worth another try."""
        error = tries.last
        name = line.role.model.name
        if error is not None and error.stops_run:
            self._stop.ask(
                f"{name} cannot be used: {error} All that was finished is saved; mend it and "
                "start the same command again.",
                3 if error.kind == "quota" else 2,
            )
            raise Interrupted
        if error is not None and not error.retryable:
            raise Unanswered(f"{error.kind}: {error}")
        if tries.unreachable >= self._options.unreachable_attempts and not line.answered:
            self._stop.ask(
                f"{name} was not reached once: {error} Check its address and your network, then "
                "start the same command again.",
                2,
            )
            raise Interrupted
        over = tries.unreachable >= self._options.unreachable_attempts
        if over or tries.sent >= self._options.attempts:
            why = f"{error.kind}: {error}" if error is not None else "empty reply"
            raise Unanswered(f"{why} (after {tries.sent} attempts)")


def _cost(card: ModelCard, usage: Usage) -> float | None:
    """USD of a call, None where nobody can tell. Nothing gets out of here: the reply that the money
    was paid for is not on disk yet."""
    try:
        cost = card.cost(usage)
    except Exception:
        return None
    return cost if is_usd(cost) else None


def _may_be_billed(error: ProviderError) -> bool:
    """A request that went out whole and was cut off or timed out may have been billed, and so may
    one whose answer began well and can't be used (too large, not JSON); but not where that answer
    itself is a refusal (quota, rate limit)."""
    if error.status is None:
        return error.kind == "transient"
    return 200 <= error.status < 300 and error.kind in ("transient", "bad_request")
