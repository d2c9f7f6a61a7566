"""Where the odd pictures to try lie, if they are there."""

from pathlib import Path

import pytest


@pytest.fixture
def odd_pictures() -> Path:
    folder = Path(__file__).parents[3] / "shared" / "cases" / "images"
    if not folder.is_dir():
        pytest.skip("no shared/cases/images beside the repository")
    return folder
