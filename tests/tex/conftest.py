"""A renderer with small limits, shared by all tests that run TeX."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from redline.tex import Limits, Renderer

SMALL = Limits(cpu_s=8, wall_s=60, memory_mb=1500, output_mb=8, files=64)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if shutil.which("pdflatex"):
        return
    for item in items:
        if item.get_closest_marker("tex"):
            item.add_marker(pytest.mark.skip(reason="no TeX engine on PATH"))


@pytest.fixture(scope="session")
def tex_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tex-cache")


@pytest.fixture(scope="session")
def renderer(tex_cache: Path) -> Iterator[Renderer]:
    with Renderer(limits=SMALL, cache_dir=tex_cache, reuse=False) as made:
        yield made


@pytest.fixture(scope="session")
def shared_cases() -> Path:
    """The folder of public documents beside the repository; most checkouts have none."""
    folder = Path(__file__).parents[3] / "shared" / "cases"
    if not folder.is_dir():
        pytest.skip("no shared cases beside the repository")
    return folder


def standalone(body: str, preamble: str = "") -> str:
    """A document of class standalone; `body` starts on line 4."""
    return (
        "\\documentclass[tikz]{standalone}\n"
        f"{preamble}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
    )
