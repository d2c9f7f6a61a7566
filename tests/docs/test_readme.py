"""What README.md promises is what the commands print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from redline.models.names import FORMS
from tests.end_to_end.command import Command

README = (Path(__file__).parents[2] / "README.md").read_text()


def test_every_kind_of_model_name_that_the_error_lists_is_in_the_readme() -> None:
    bullet = README.partition("- **Models**")[2].partition("\n- **")[0]
    kinds = set(re.findall(r"(?:^|, )(\w+:?)/", FORMS))
    assert kinds >= {"openai", "ollama", "command", "baseline", "replay"}
    for kind in kinds - {"https:"}:  # told with http:
        assert f"{kind}/" in bullet, kind


@pytest.mark.tex
def test_the_table_of_the_demo_has_the_columns_that_the_demo_prints(tmp_path: Path) -> None:
    ran = Command(tmp_path, tmp_path / "cache")("demo", "--limit", 1)
    assert ran.status == 0, ran.err
    heads = [
        [line.split() for line in text.splitlines() if line.lstrip().startswith("rows ")]
        for text in (README, ran.out)
    ]
    assert heads[0] == heads[1] and len(heads[0]) == 1
