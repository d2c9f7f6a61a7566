"""Small benchmark folders, and the public one where it is."""

from pathlib import Path

import pytest

from tests.bench.making import Folder


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "bench")


@pytest.fixture
def real_diagrams() -> Path:
    path = Path(__file__).parents[3] / "shared" / "cases" / "real-diagrams"
    if not path.is_dir():
        pytest.skip("no shared/cases/real-diagrams beside the repository")
    return path
