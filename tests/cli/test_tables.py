"""How tables stand on a terminal, in a pipe and in LaTeX."""

from __future__ import annotations

import pytest

from redline.cli.tables import Table, as_latex, show

TABLE = Table(
    "",
    ["file", "pages", "first error"],
    [["a.tex", "2", "syntax"], ["b.tex", "11", "no page at all"]],
    words=["first error"],
)


def test_words_stand_to_the_left_and_numbers_to_the_right(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show(TABLE)
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        "file   pages  first error",
        "a.tex      2  syntax",
        "b.tex     11  no page at all",
    ]
    assert r"\begin{tabular}{lrl}" in as_latex(TABLE)
