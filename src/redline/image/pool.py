"""Measures many golds in processes, one torch thread each; rows stream through, none is kept."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from redline.errors import UserError
from redline.image.figures import Fault, Figures
from redline.image.inputs import Source
from redline.image.measuring import Measurer
from redline.image.profiles import CORRECTED, Profile

AHEAD = 2
"""Golds in flight a worker: enough that none waits, few enough that memory stays bounded."""


@dataclass(frozen=True)
class Job:
    """One gold and the candidates to measure against it; as `Measurer.measure_rows` takes them."""

    gold: Source
    candidates: tuple[Source, ...]
    mask: Source | None = None
    source: Source | None = None
    text: str | None = None


Rows = list[Figures | Fault]

_opened: Measurer | UserError | None = None


def _open(profile: Profile, options: Mapping[str, Any]) -> None:
    """Starts a worker. What is wrong with the options waits for the first job: raised here it
    would only be told as a process that died."""
    global _opened
    try:
        _opened = Measurer(profile, **options)
    except UserError as e:
        _opened = e


def _measure(job: Job) -> Rows:
    if isinstance(_opened, UserError):
        raise _opened
    assert _opened is not None
    return _opened.measure_rows(job.source, job.gold, job.mask, job.candidates, job.text)


class Pool:
    """Processes that each hold a `Measurer` made with these options. A context manager."""

    def __init__(self, workers: int, profile: Profile = CORRECTED, **options: Any) -> None:
        self._workers = workers
        self._profile = profile
        self._options = options
        self._executor: ProcessPoolExecutor | None = None

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close()

    def measure(self, jobs: Iterable[Job]) -> Iterator[Rows]:
        """The rows of every job, in order. Jobs are taken only as fast as they are done.

        A job that kills its process (memory, usually) is tried once more alone, and then gives
        faults; the others go on. Raises what `Measurer` raises for its options.
        """
        waiting: deque[tuple[Job, Future[Rows]]] = deque()
        source = iter(jobs)
        while True:
            while len(waiting) < self._workers * AHEAD:
                job = next(source, None)
                if job is None:
                    break
                waiting.append((job, self._submit(job)))
            if not waiting:
                return
            job, future = waiting.popleft()
            try:
                yield future.result()
            except BrokenProcessPool:
                self._close()
                yield self._alone(job)
                waiting = deque((j, self._submit(j)) for j, _ in waiting)

    def _alone(self, job: Job) -> Rows:
        try:
            return self._submit(job).result()
        except BrokenProcessPool:
            self._close()
            reason = "The process that measured it was killed, probably for want of memory."
            return [Fault(self._profile.name, "harness", reason)] * len(job.candidates)

    def _submit(self, job: Job) -> Future[Rows]:
        if self._executor is None:
            # Not forked: torch's threads don't survive it.
            context = multiprocessing.get_context("spawn")
            self._executor = ProcessPoolExecutor(
                self._workers, context, _open, (self._profile, self._options)
            )
        try:
            return self._executor.submit(_measure, job)
        except BrokenProcessPool as e:
            # Told when this job's turn comes, like a death in its midst.
            broken: Future[Rows] = Future()
            broken.set_exception(e)
            return broken

    def _close(self) -> None:
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=True)
            self._executor = None
