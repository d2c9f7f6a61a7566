"""Runs the real command line in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Ran:
    status: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True)
class Command:
    """`redline` in a folder of its own; renders are cached in `cache` over all tests."""

    folder: Path
    cache: Path

    def env(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        kept = {
            k: v
            for k, v in os.environ.items()
            if not k.endswith("_API_KEY") and "proxy" not in k.lower()
        }
        return {**kept, "REDLINE_CACHE": str(self.cache), "NO_PROXY": "127.0.0.1", **(extra or {})}

    def start(self, *arguments: object, env: Mapping[str, str] | None = None) -> Any:
        return subprocess.Popen(
            [sys.executable, "-m", "redline", *map(str, arguments)],
            cwd=self.folder,
            env=self.env(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __call__(self, *arguments: object, env: Mapping[str, str] | None = None) -> Ran:
        process = self.start(*arguments, env=env)
        out, err = process.communicate(timeout=300)
        return Ran(process.returncode, out, err)
