"""Processes: rows stream, a killed one costs its own row, wrong options are told."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from redline.errors import UserError
from redline.image import pool as pools
from redline.image.figures import Fault, Figures
from redline.image.pool import Job, Pool
from redline.image.profiles import CORRECTED
from redline.pixels import encode_png
from tools.golden import seeded

SMALL = replace(CORRECTED, side=32)
GOLD = seeded.picture(1, 32, 32)
CANDIDATE = encode_png(seeded.edited(GOLD, 2))


def test_jobs_are_taken_only_as_fast_as_they_are_done() -> None:
    taken = 0

    def jobs() -> Iterator[Job]:
        nonlocal taken
        for _ in range(40):
            taken += 1
            yield Job(encode_png(GOLD), (CANDIDATE, b""))

    with Pool(1, SMALL, measures=["PSNR"]) as pool:
        for done, rows in enumerate(pool.measure(jobs()), start=1):
            assert isinstance(rows[0], Figures) and isinstance(rows[1], Fault)
            assert taken <= done + pools.AHEAD
        assert done == 40


def test_a_killed_process_costs_only_its_own_row(tmp_path: Path) -> None:
    """A FIFO would be refused; so a worker is killed from outside, while the job that follows
    waits, and then the rows are all there."""
    with Pool(1, SMALL, measures=["PSNR"]) as pool:
        rows = pool.measure(Job(encode_png(GOLD), (CANDIDATE,)) for _ in range(6))
        next(rows)
        assert pool._executor is not None
        (worker,) = pool._executor._processes
        os.kill(worker, signal.SIGKILL)
        left = list(rows)
    assert len(left) == 5
    assert all(isinstance(r[0], Figures) for r in left)


def deadly(job: Job) -> list[Figures | Fault]:
    if job.text == "deadly":
        os.kill(os.getpid(), signal.SIGKILL)
    return pools._measure(job)


def test_a_job_that_kills_its_process_twice_is_our_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def submit(self: Pool, job: Job) -> object:
        monkeypatch.setattr(pools, "_measure", deadly)
        return original(self, job)

    original = Pool._submit
    monkeypatch.setattr(Pool, "_submit", submit)
    texts = ["a", "deadly", "b", "c"]
    with Pool(1, SMALL, measures=["PSNR"]) as pool:
        rows = list(pool.measure(Job(encode_png(GOLD), (CANDIDATE,), text=t) for t in texts))
    assert [type(r[0]) for r in rows] == [Figures, Fault, Figures, Figures]
    assert (rows[1][0].kind, rows[1][0].outcome) == ("harness", "unscored")


def test_wrong_options_are_told_and_not_taken_for_a_dead_process() -> None:
    with Pool(1, SMALL, measures=["BLEU"]) as pool, pytest.raises(UserError, match="BLEU"):
        list(pool.measure([Job(encode_png(GOLD), (CANDIDATE,))]))


def test_masks_reach_the_workers() -> None:
    mask = np.zeros((32, 32), np.uint8)
    mask[:8] = 255
    with Pool(1, SMALL, measures=["PSNR_FG"]) as pool:
        ((row,),) = pool.measure([Job(encode_png(GOLD), (CANDIDATE,), encode_png(mask))])
    assert row.areas == {"FG": 0.25, "BG": 0.75}
