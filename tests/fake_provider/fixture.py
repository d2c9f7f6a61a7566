"""pytest fixture `fake_provider`: a fake provider in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


class FakeProvider:
    """A running fake provider. `url` has no path; `model(NAME)` is what `open_model` takes."""

    def __init__(self, *arguments: str) -> None:
        server = [sys.executable, "-m", "tests.fake_provider.server", "--until-stdin-closes"]
        command = [*server, *arguments]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self._process.stdout
        self.port = int(self._process.stdout.readline())
        self.url = f"http://127.0.0.1:{self.port}"

    def model(self, name: str = "fake") -> str:
        return f"{self.url}/v1#{name}"

    def calls(self) -> list[dict[str, Any]]:
        """The journal, in the order the calls came in."""
        calls: list[dict[str, Any]] = self._talk("GET", "/_calls", None)
        return calls

    def stats(self) -> dict[str, int]:
        """calls, most_open (most calls at once) and connections."""
        stats: dict[str, int] = self._talk("GET", "/_stats", None)
        return stats

    def faults(self, *script: Mapping[str, Any] | str) -> None:
        """Set the script of faults (see faults.py); a plain string is a fault for every call."""
        self._talk("POST", "/_faults", [{"fault": f} if isinstance(f, str) else f for f in script])

    def answers(self, *rules: Mapping[str, Any], seed: int = 0) -> None:
        """Set rules of answers ({"text", "model", "kind", "contains", "finish", "thinking",
        "pictures"}); what none fits is answered by default."""
        self._talk("POST", "/_answers", {"rules": list(rules), "seed": seed})

    def reset(self) -> None:
        self._talk("POST", "/_reset", None)

    def stop(self) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()

    def _talk(self, method: str, path: str, value: Any) -> Any:
        data = json.dumps(value).encode() if method == "POST" else None
        request = urllib.request.Request(self.url + path, data=data, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=30) as response:
            return json.load(response)


@pytest.fixture(scope="session")
def _one_fake_provider() -> Iterator[FakeProvider]:
    provider = FakeProvider()
    yield provider
    provider.stop()


@pytest.fixture
def fake_provider(_one_fake_provider: FakeProvider) -> FakeProvider:
    """A fake provider that has seen no call yet. One process serves all tests of a session."""
    _one_fake_provider.reset()
    return _one_fake_provider


__all__: Sequence[str] = ["FakeProvider", "fake_provider"]
