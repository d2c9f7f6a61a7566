"""How many calls one model gets at once and per minute; the number falls when it says 429."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Awaitable, Callable

MINUTE_S = 60.0


class Limiter:
    """Additive increase, multiplicative decrease, as TCP does.

    `limit` starts at `most`; a 429 halves it (once for all calls that were in flight together),
    `limit` successes in a row raise it by one. Besides, at most `requests` calls and `tokens`
    tokens begin in any 60 seconds."""

    def __init__(
        self,
        most: int,
        requests: int | None = None,
        tokens: int | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.most = max(1, most)
        self.limit = self.most
        self.in_flight = 0
        self._requests = requests
        self._tokens = tokens
        self._clock = clock
        self._sleep = sleep
        self._queue: deque[asyncio.Future[None]] = deque()
        self._begun: deque[tuple[float, int]] = deque()
        self._tokens_begun = 0
        self._successes = 0
        self._last_cut = float("-inf")
        self._pause_until = float("-inf")

    async def acquire(self, tokens: int) -> float:
        """Wait for a turn to send about `tokens` tokens. Returns the time it began, which
        `succeeded` and `slow_down` want back; `release` must follow."""
        await self._turn()
        try:
            while (wait := self._wait_s(tokens)) > 0:
                await self._sleep(wait)
        except BaseException:
            self.release()
            raise
        began = self._clock()
        if self._requests is not None or self._tokens is not None:
            self._begun.append((began, tokens))
            self._tokens_begun += tokens
        return began

    def release(self) -> None:
        self.in_flight -= 1
        self._grant()

    def succeeded(self) -> None:
        """A call was answered."""
        self._successes += 1
        if self._successes >= self.limit:
            self._successes = 0
            if self.limit < self.most:
                self.limit += 1
                self._grant()

    def slow_down(self, began: float, pause_s: float | None) -> None:
        """A call that began at `began` was answered 429; nothing is sent for `pause_s` s."""
        now = self._clock()
        if pause_s is not None:
            self._pause_until = max(self._pause_until, now + pause_s)
        self._successes = 0
        if began >= self._last_cut:
            self._last_cut = now
            self.limit = max(1, self.limit // 2)

    async def _turn(self) -> None:
        if self.in_flight < self.limit and not self._queue:
            self.in_flight += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.release()
            else:
                with contextlib.suppress(ValueError):
                    self._queue.remove(turn)
            raise

    def _grant(self) -> None:
        while self._queue and self.in_flight < self.limit:
            turn = self._queue.popleft()
            if not turn.done():
                self.in_flight += 1
                turn.set_result(None)

    def _wait_s(self, tokens: int) -> float:
        """Seconds until a call of so many tokens may begin; 0 for now."""
        now = self._clock()
        if now < self._pause_until:
            return self._pause_until - now
        while self._begun and self._begun[0][0] <= now - MINUTE_S:
            self._tokens_begun -= self._begun.popleft()[1]
        if not self._begun:
            return 0.0
        full = self._requests is not None and len(self._begun) >= self._requests
        heavy = self._tokens is not None and self._tokens_begun + tokens > self._tokens
        return self._begun[0][0] + MINUTE_S - now if full or heavy else 0.0
