"""A run over HTTP against a provider that misbehaves in every way it can."""

from __future__ import annotations

import asyncio
import dataclasses
from pathlib import Path

import pytest

from redline.models import Settings, open_model
from redline.run import Options, Role, RunFolder, Summary, execute
from tests.fake_provider.fixture import FakeProvider
from tests.run.toy import CARD, FAST, Generate, manifest


def run(path: Path, name: str, samples: int, options: Options = FAST) -> Summary:
    async def story() -> Summary:
        model = open_model(name, Settings())
        with RunFolder.create_or_open(path, manifest()) as folder:
            stage = Generate([f"s{n}#0" for n in range(samples)])
            summary = await execute(folder, [stage], {"model": Role(model, CARD)}, options)
        await model.close()
        return summary

    return asyncio.run(story())


@pytest.mark.parametrize(
    "fault",
    [
        {"fault": "429"},
        {"fault": "429", "retry_after": 0},
        {"fault": "500"},
        {"fault": "503", "retry_after": 0},
        {"fault": "cut"},
        {"fault": "drop"},
        {"fault": "not_json"},
        {"fault": "empty"},
        {"fault": "empty_content"},
        {"fault": "slow", "seconds": 0.1},
    ],
    ids=lambda f: "-".join(str(v) for v in f.values()),
)
def test_a_passing_fault_leaves_no_trace_in_the_results(
    fault: dict[str, object], fake_provider: FakeProvider, tmp_path: Path
) -> None:
    fake_provider.faults({**fault, "probability": 0.3, "seed": 5})
    options = dataclasses.replace(FAST, attempts=30)
    summary = run(tmp_path / "run", fake_provider.model(), 12, options)
    assert summary.exit_status == 0, summary
    calls = fake_provider.calls()
    hit = [c for c in calls if c["fault"]]
    assert hit
    assert len({c["text"] for c in calls}) == 24
    assert len(calls) == 24 + (0 if fault["fault"] == "slow" else len(hit))
    # What reached us whole and useful was never asked for twice.
    good = [c["text"] for c in calls if c["acknowledged"] and c["fault"] in (None, "slow")]
    assert len(good) == len(set(good)) == 24
    assert summary.calls_sent == len(calls)


@pytest.mark.parametrize(("fault", "status"), [("401", 2), ("404", 2), ("quota", 3)])
def test_a_provider_that_refuses_for_good_stops_the_run_with_a_sentence(
    fault: str, status: int, fake_provider: FakeProvider, tmp_path: Path
) -> None:
    fake_provider.faults(fault)
    summary = run(tmp_path / "run", fake_provider.model(), 30)
    assert summary.exit_status == status
    assert summary.stopped is not None
    assert "cannot be used" in summary.stopped
    assert summary.stages["generate"].missing == 30
    assert len(fake_provider.calls()) <= 4


def test_a_host_that_is_not_there_stops_the_run_with_a_sentence(tmp_path: Path) -> None:
    summary = run(tmp_path / "run", "http://127.0.0.1:1/v1#m", 30)
    assert summary.exit_status == 2
    assert "was not reached once" in (summary.stopped or "")


def test_no_retry_is_sent_before_the_provider_wants_it(
    fake_provider: FakeProvider, tmp_path: Path
) -> None:
    fake_provider.faults({"fault": "429", "retry_after": 1, "times": 1})
    summary = run(tmp_path / "run", fake_provider.model(), 1)
    assert summary.exit_status == 0
    assert summary.seconds >= 1.0
