"""The diagram track as the command line runs it, killed at any moment."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from typing import Any

import pytest

from redline.run import RunFolder
from tests.end_to_end.command import Command
from tests.fake_provider.fixture import FakeProvider
from tests.run.bought import check_bought_once

pytestmark = pytest.mark.tex

CONNECTIONS = 2
NAMES = ("IA", "CP", "DR")
GOOD = {
    "reasons": dict.fromkeys((*NAMES, "residue"), "why"),
    "scores": {**dict.fromkeys(NAMES, 4), "residue": False},
}


@pytest.fixture(scope="module")
def _provider() -> Iterator[FakeProvider]:
    provider = FakeProvider("--latency-ms", "20")
    yield provider
    provider.stop()


@pytest.fixture
def provider(_provider: FakeProvider) -> FakeProvider:
    """Says nothing useful at image level until it is asked to repair that."""
    _provider.reset()
    _provider.answers(
        {"model": "judge", "contains": "could not be read", "text": json.dumps(GOOD)},
        {"model": "judge", "contains": "residue (true or false)", "text": "I like it."},
    )
    return _provider


def arguments(provider: FakeProvider, samples: int) -> tuple[object, ...]:
    return (
        "eval", "mini-diagram", "--model", provider.model("editor"), "--judge",
        provider.model("judge"), "--condition", "visual+verbalized", "--limit", samples,
        "--connections", CONNECTIONS, "--out", "run",
    )  # fmt: skip


def check_complete(redline: Command, provider: FakeProvider, samples: int) -> int:
    """All rows are scored, all units were finished once, and no call was bought twice.
    Returns the number of calls that the run reports as possibly billed."""
    path = redline.folder / "run"
    with RunFolder.open(path) as folder:
        for stage, units in (("generate", 1), ("render", 1), ("measure", 1), ("judge", 2)):
            done = folder.all(stage)
            assert [d.status for d in done] == ["ok"] * units * samples, stage
            assert all(folder.whole(d) for d in done)
    # verbalize, edit, a verdict at each level, and a repair at image level
    return check_bought_once(path, provider, 5 * samples)


FAULTS = [
    "manifest-rename:1",
    "mid-record:2",
    "blob-rename:3",
    "blob-before-record:2",
    "between-calls:1",
    "sent:edit:2",
    "between-stages:1",
    "between-stages:3",
    "sent:verdict:3",
    "sent:repair:1",
]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_kill_at_a_named_point_buys_nothing_twice(
    fault: str, redline: Command, provider: FakeProvider
) -> None:
    asked = arguments(provider, 2)
    killed = redline(*asked, env={"REDLINE_FAULT": fault})
    assert killed.status == -signal.SIGKILL, killed.err
    ran = redline(*asked)
    assert ran.status == 0, ran.err
    unanswered = check_complete(redline, provider, 2)
    assert unanswered <= CONNECTIONS
    if unanswered:
        assert f"{unanswered} unanswered call" in ran.err and "possibly billed" in ran.err
    if fault.startswith(("between-stages", "manifest")):
        assert not unanswered
        assert len(provider.calls()) == 10


@pytest.mark.slow
def test_kills_at_random_moments_buy_nothing_twice(
    redline: Command, provider: FakeProvider
) -> None:
    provider.faults({"fault": "slow", "seconds": 0.15})
    samples = 3
    asked = arguments(provider, samples)
    draw = random.Random(9)
    kills = 0
    for _ in range(6):
        process: Any = redline.start(*asked)
        before = len(provider.calls())
        while len(provider.calls()) == before and process.poll() is None:
            time.sleep(0.01)
        try:
            process.communicate(timeout=draw.uniform(0.0, 0.5))
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            kills += 1
    assert kills >= 3, "the run was over before it could be killed"
    provider.faults()
    ran = redline(*asked)
    assert ran.status == 0, ran.err
    assert check_complete(redline, provider, samples) <= kills * CONNECTIONS
