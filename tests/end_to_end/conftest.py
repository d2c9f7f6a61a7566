"""The command line as tests use it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.end_to_end.command import Command


@pytest.fixture(scope="session")
def render_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def redline(tmp_path: Path, render_cache: Path) -> Command:
    if shutil.which("pdflatex") is None:
        pytest.skip("no TeX engine here")
    return Command(tmp_path, render_cache)
