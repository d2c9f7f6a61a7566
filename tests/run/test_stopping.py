"""What an interrupted run says, and how it counts its calls."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import replace
from pathlib import Path

from redline.models.protocol import Reply, Request
from redline.run import Role, RunFolder, Summary, execute
from redline.run.progress import Silent
from redline.track import Context, Finished, Stage, Unit
from tests.run.toy import CARD, FAST, UNPRICED, Generate, Scripted, manifest, run, say


class Told(Silent):
    """Keeps what a user is told."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, sentence: str) -> None:
        self.notes.append(sentence)


class InterruptedModel(Scripted):
    """Ctrl-C is pressed while it answers."""

    async def complete(self, request: Request) -> Reply:
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(0.05)
        return say("late")


class Idle(Generate):
    """Ctrl-C is pressed while a unit works without a call."""

    async def run(self, unit: Unit, context: Context) -> Finished:
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(0.05)
        return Finished("ok")


def interrupted(path: Path, stage: Stage, model: Scripted) -> tuple[Summary, list[str]]:
    told = Told()
    with RunFolder.create_or_open(path, manifest()) as folder:
        roles = {"model": Role(model, CARD)}
        summary = asyncio.run(execute(folder, [stage], roles, FAST, told))
    assert summary.exit_status == 130
    return summary, told.notes


def test_a_run_that_waits_for_nothing_says_only_that_it_stops(tmp_path: Path) -> None:
    assert interrupted(tmp_path / "run", Idle(["s1#0"]), Scripted())[1] == ["Stopping."]


def test_a_run_that_waits_for_one_call_says_so(tmp_path: Path) -> None:
    _, notes = interrupted(tmp_path / "run", Generate(["s1#0"]), InterruptedModel())
    assert notes == ["Stopping: waiting up to 30 s for 1 call in flight. Once more ends at once."]


def test_the_last_sentence_counts_one_call_as_one(tmp_path: Path) -> None:
    summary = run(tmp_path / "run", [Generate(["s1#0"])], Scripted(), card=UNPRICED)
    one = replace(summary, unpriced=1, estimated=1, cached=1, possibly_billed=1)
    for said in (
        " 1 call of unknown price,", " 1 call without token counts ", " 1 reply from the cache,",
        " 1 unanswered call possibly",
    ):  # fmt: skip
        assert said in one.sentence()
    many = replace(summary, unpriced=2, cached=2)
    assert " 2 calls of " in many.sentence() and " 2 replies from " in many.sentence()
