"""Holds a run against the journal of the provider it called: nothing was bought twice."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from redline.run import RunFolder
from tests.fake_provider.fixture import FakeProvider


def check_bought_once(path: Path, provider: FakeProvider, calls: int) -> int:
    """Fail unless the run holds `calls` replies, all acknowledged by the provider, and the provider
    was asked for each once, but for as many of the same request as the run itself reports as sent
    without an answer. Returns how many the run reports.

    The provider numbers its calls, and each reply it gives holds its number, so the replies on
    disk are matched with its journal one by one, whatever the run says of itself."""
    journal = {c["order"]: c for c in provider.calls()}
    with RunFolder.open(path) as folder:
        kept = list(folder.calls())
        numbers = [_number(folder.blob(record["reply"]["raw"])) for record in kept]
        unanswered = set(folder.unanswered)
    assert len(kept) == calls == len({record["call"] for record in kept})
    assert len(set(numbers)) == calls, "one reply of the provider was kept as two"
    assert all(journal[n]["acknowledged"] for n in numbers)

    asked_as = {r["call"]: journal[n]["fingerprint"] for r, n in zip(kept, numbers, strict=True)}
    once = Counter(asked_as.values())
    lost = Counter(asked_as[call] for call in _sent(path, unanswered))
    for what in (True, False):
        got = Counter(c["fingerprint"] for c in journal.values() if c["acknowledged"] or not what)
        assert set(got) <= set(once), "the provider was asked for what the run never kept"
        for fingerprint, times in got.items():
            assert times <= once[fingerprint] + lost[fingerprint], (
                "a call was sent again though nothing says that it went unanswered"
            )
    return len(unanswered)


def _number(raw: bytes) -> int:
    return int(json.loads(raw)["id"].removeprefix("fake-"))


def _sent(path: Path, ids: set[str]) -> list[str]:
    """The calls that went out under these ids."""
    found = []
    for line in (path / "records.jsonl").read_bytes().splitlines():
        if line.startswith(b"{") and line.endswith(b"}"):
            record = json.loads(line)
            if record["kind"] == "sent" and record["id"] in ids:
                found.append(record["call"])
    return found
