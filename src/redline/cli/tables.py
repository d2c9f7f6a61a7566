"""Tables as text, CSV and LaTeX, from one description."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from redline.errors import plain

if TYPE_CHECKING:
    from rich.console import JustifyMethod

_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip


@dataclass(frozen=True)
class Table:
    """Columns and rows of cells as they are to be read; `notes` stand beneath. Columns are of
    numbers and stand to the right but for the first one and those named in `words`."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    words: Sequence[str] = ()

    def left(self, column: int) -> bool:
        return column == 0 or self.columns[column] in self.words


def show(table: Table) -> None:
    """Print for a terminal; cells are text, never markup."""
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    console = Console()
    if not console.is_terminal:
        # A pipe has no width: never fold or cut what a program may read.
        console = Console(width=max(80, _width(table)))
    drawn = RichTable(title=Text(table.title), title_justify="left", box=None, pad_edge=False)
    for k, name in enumerate(table.columns):
        side: JustifyMethod = "left" if table.left(k) else "right"
        drawn.add_column(Text(name), justify=side, overflow="fold")
    for row in table.rows:
        drawn.add_row(*(Text(plain(cell)) for cell in row))
    console.print(drawn)
    for note in table.notes:
        console.print(Text(plain(note)), soft_wrap=True)


def _width(table: Table) -> int:
    widths = [
        max(len(r[k]) for r in [table.columns, *table.rows]) for k in range(len(table.columns))
    ]
    return sum(widths) + 2 * len(widths)


def as_csv(table: Table) -> str:
    """The cells as CSV with a header line."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(table.rows)
    return out.getvalue()


def as_latex(table: Table) -> str:
    """A booktabs tabular; every cell escaped; notes as comments."""

    def line(cells: Sequence[str]) -> str:
        return " & ".join("".join(_LATEX.get(c, c) for c in cell) for cell in cells) + r" \\"

    head = [f"% {n}" for n in (table.title, *table.notes)]
    spec = "".join("l" if table.left(k) else "r" for k in range(len(table.columns)))
    body = [line(r) for r in table.rows]
    return "\n".join(
        [*head, rf"\begin{{tabular}}{{{spec}}}", r"\toprule", line(table.columns), r"\midrule",
         *body, r"\bottomrule", r"\end{tabular}", ""]
    )  # fmt: skip
