"""A run that is killed at any moment loses nothing and buys nothing twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from redline.run import RunFolder
from tests.fake_provider.fixture import FakeProvider
from tests.run.bought import check_bought_once

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def _provider() -> Iterator[FakeProvider]:
    provider = FakeProvider("--latency-ms", "20")
    yield provider
    provider.stop()


@pytest.fixture
def provider(_provider: FakeProvider) -> FakeProvider:
    """Answers every third verdict with something malformed."""
    _provider.reset()
    _provider.answers(
        *({"contains": f"verdict s{n}#", "text": f"malformed {n}"} for n in range(0, 240, 3))
    )
    return _provider


def start(
    path: Path, provider: FakeProvider, samples: int, fault: str = ""
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.run.toy", str(path), provider.model(), str(samples)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "REDLINE_FAULT": fault},
    )


def records(path: Path) -> list[dict[str, Any]]:
    found = []
    for line in (path / "records.jsonl").read_bytes().splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def check_whole(path: Path, provider: FakeProvider, samples: int, kills: int, at_once: int) -> None:
    """The run is complete, each unit was finished once, and nothing kept was asked again."""
    with RunFolder.open(path) as folder:
        generated, judged = folder.all("generate"), folder.all("judge")
        assert [d.status for d in generated] == ["ok"] * samples
        assert [d.status for d in judged] == ["ok"] * samples
        for done in generated:
            assert folder.blob(done.blobs["code"]).decode() == done.value["text"]
    entries = records(path)
    units = Counter((r["stage"], r["key"]) for r in entries if r["kind"] == "unit")
    assert set(units.values()) == {1}
    kept: set[str] = set()
    for record in entries:
        if record["kind"] == "sent":
            assert record["call"] not in kept, "a call whose reply was on disk was sent again"
        if record["kind"] == "call":
            assert record["call"] not in kept, "a reply was kept twice"
            kept.add(record["call"])
    # verbalize, edit, verdict, and a repair for every third sample
    unanswered = check_bought_once(path, provider, samples * 3 + len(range(0, samples, 3)))
    assert unanswered <= kills * at_once


FAULTS = [
    "mid-record:1",  # the very first line
    "mid-record:2",
    "mid-record:25",
    "mid-record:33",
    "blob-rename:1",
    "blob-rename:12",
    "blob-before-record:1",
    "blob-before-record:9",
    "between-calls:1",
    "between-calls:7",
    "sent:edit:3",
    "sent:repair:1",
    "sent:repair:3",
    "between-stages:1",
    "between-stages:2",
    "manifest-rename:1",
]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_kill_at_a_named_point_loses_nothing(
    fault: str, tmp_path: Path, provider: FakeProvider
) -> None:
    path = tmp_path / "run"
    killed = start(path, provider, 8, fault)
    killed.communicate(timeout=60)
    assert killed.returncode == -signal.SIGKILL
    again = start(path, provider, 8)
    out, err = again.communicate(timeout=60)
    assert again.returncode == 0, err
    assert "generate 8 ok; judge 8 ok" in out
    check_whole(path, provider, 8, kills=1, at_once=4)


@pytest.mark.slow
def test_25_kills_at_random_moments_lose_nothing(tmp_path: Path, provider: FakeProvider) -> None:
    path, samples, kills = tmp_path / "run", 240, 0
    draw = random.Random(20)
    for _ in range(25):
        process = start(path, provider, samples)
        assert process.stdout is not None
        # Some kills come while Python starts or the folder is opened, most in the work.
        if draw.random() < 0.9:
            process.stdout.readline()
        time.sleep(draw.uniform(0.0, 0.15))
        process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        kills += 1
    again = start(path, provider, samples)
    _, err = again.communicate(timeout=120)
    assert again.returncode == 0, err
    check_whole(path, provider, samples, kills=kills, at_once=4)


def test_ctrl_c_waits_for_calls_in_flight_and_the_run_goes_on_later(
    tmp_path: Path, provider: FakeProvider
) -> None:
    path = tmp_path / "run"
    for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        process = start(path, provider, 40)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.15)
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
        assert process.returncode == status, err
        with RunFolder.open(path) as folder:
            assert not folder.unanswered
    again = start(path, provider, 40)
    again.communicate(timeout=60)
    assert again.returncode == 0
    check_whole(path, provider, 40, kills=0, at_once=4)
    assert len(provider.calls()) == 40 * 3 + 14


def test_a_second_process_is_refused_and_told_who_has_the_run(
    tmp_path: Path, provider: FakeProvider
) -> None:
    path = tmp_path / "run"
    first = start(path, provider, 60)
    assert first.stdout is not None
    assert first.stdout.readline() == "ready\n"
    second = start(path, provider, 60)
    _, err = second.communicate(timeout=60)
    assert second.returncode != 0
    assert f"is being written by process {first.pid}" in err
    first.kill()
    first.communicate()
