"""What the engine hands to a unit while it is done."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from redline.models.protocol import Reply, Request
from redline.run.caller import Busy, Caller
from redline.run.calls import Call
from redline.run.folder import RunFolder
from redline.run.stopping import Stop
from redline.track import Unanswered, Unit

P = ParamSpec("P")
T = TypeVar("T")


class Threads:
    """A bounded pool for blocking work. Work that waits for a thread is not begun after a stop."""

    def __init__(self, workers: int) -> None:
        self._free = asyncio.Semaphore(max(1, workers))
        self._pool = ThreadPoolExecutor(max(1, workers), thread_name_prefix="unit")

    async def run(self, stop: Stop, busy: Busy, fn: Callable[[], T]) -> T:
        async with self._free:
            stop.check()
            with busy.held():
                return await asyncio.get_running_loop().run_in_executor(self._pool, fn)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


class UnitContext:
    """The Context of one unit, which also adds up what its calls cost."""

    def __init__(
        self,
        stage: str,
        unit: Unit,
        folder: RunFolder,
        caller: Caller,
        threads: Threads,
        stop: Stop,
        busy: Busy,
    ) -> None:
        self.cost: float | None = 0.0
        self.answered: list[tuple[Call, Reply]] = []
        """Replies that came from the model itself and not from another run."""
        self._asked: list[tuple[str, Call | None]] = []
        self._stage = stage
        self._unit = unit
        self._folder = folder
        self._caller = caller
        self._threads = threads
        self._stop = stop
        self._busy = busy

    async def call(self, role: str, step: str, request: Request) -> Reply:
        self._stop.check()
        call = self._caller.identify(self._stage, self._unit.key, step, role, request)
        try:
            kept = await self._caller.call(call, request, self._busy)
        except Unanswered:
            self._asked.append((step, None))
            raise
        self._asked.append((step, call))
        if not kept.cached:
            self.answered.append((call, kept.reply))
        if self.cost is not None:
            self.cost = None if kept.cost is None else self.cost + kept.cost
        return kept.reply

    def blob(self, sha256: str) -> bytes:
        return self._folder.blob(sha256)

    async def in_thread(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        self._stop.check()
        return await self._threads.run(self._stop, self._busy, partial(fn, *args, **kwargs))

    def again(self, steps: Sequence[str] | None) -> list[Call]:
        """Calls to ask anew: those of these steps; None: only the last one, whose reply left the
        unit without a result."""
        chosen = self._asked[-1:] if steps is None else [a for a in self._asked if a[0] in steps]
        return [call for _, call in chosen if call is not None]
