"""Published results as printed: shown beside measured rows, never ranked with them."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from redline.bench.faults import did_you_mean
from redline.errors import UserError

_FILES = {"viseditbench": "viseditbench_table.csv", "omni-iie": "omni_iie_tables.csv"}
_SOURCES = {
    "viseditbench": "VisEditBench (Taneguchi, Yoshida, Suzuki, Saito; NeurIPS 2026)",
    "omni-iie": "Omni IIE Bench (Yang et al.; arXiv 2603.16944)",
}
_WORDS = frozenset({"model", "weights", "table"})


@dataclass(frozen=True)
class PublishedRow:
    """One model's printed figures, by the column's name. `table` is "" where the article has one
    table; `weights` is open, closed or "". `source` is the article, `label` what a table calls
    the row by: nothing of it was measured here."""

    model: str
    weights: str = ""
    table: str = ""
    printed: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    label: str = "published"

    def text(self, column: str) -> str:
        """The figure digit for digit as printed; "" where there is none."""
        return self.printed.get(column, "")

    def value(self, column: str) -> float | None:
        """The figure as a number; None where there is none (never 0)."""
        text = self.text(column)
        return float(text) if text else None


def published_rows(benchmark: str) -> tuple[PublishedRow, ...]:
    """The rows of `viseditbench` or `omni-iie`, in the article's order (source and columns:
    published/README.md). Raises UserError for another name."""
    if benchmark not in _FILES:
        hint = did_you_mean(benchmark, _FILES)
        raise UserError(f"No published rows of {benchmark!r}{hint}; there are {', '.join(_FILES)}.")
    path = Path(__file__).parent / "published" / _FILES[benchmark]
    with path.open(encoding="utf-8", newline="") as file:
        return tuple(
            PublishedRow(
                model=row["model"],
                weights=row.get("weights", ""),
                table=row.get("table", ""),
                printed={k: v.strip() for k, v in row.items() if k not in _WORDS},
                source=_SOURCES[benchmark],
            )
            for row in csv.DictReader(file)
        )
