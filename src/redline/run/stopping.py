"""Stopping a run before its end: why, and how everyone in it learns of it."""

from __future__ import annotations

from collections.abc import Callable


class Interrupted(BaseException):
    """Thrown into a unit whose run stops. Not an Exception, so that no stage takes it for a
    failed call and records a result."""


class Stop:
    """Set once; the first reason counts. `told` is called when it is set."""

    def __init__(self, told: Callable[[], None] | None = None) -> None:
        self.sentence: str | None = None
        self.exit_status = 0
        self._told = told

    @property
    def asked(self) -> bool:
        return self.sentence is not None

    def ask(self, sentence: str, exit_status: int) -> None:
        if self.sentence is None:
            self.sentence = sentence
            self.exit_status = exit_status
            if self._told is not None:
                self._told()

    def check(self) -> None:
        """Raises Interrupted once the run stops."""
        if self.asked:
            raise Interrupted
