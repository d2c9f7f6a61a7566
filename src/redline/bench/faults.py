"""What is wrong with a benchmark: one fault a sentence, all of them in one error."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from redline.errors import UserError

_SHOWN = 20


@dataclass(frozen=True)
class Fault:
    """One thing wrong: the sample's id ("" where it is of none), where (file, line, key), what,
    and what to do about it. A `note` is worth knowing, but the benchmark is well-formed all the
    same."""

    sample: str
    where: str
    what: str
    do: str
    severity: Literal["fault", "note"] = "fault"

    def __str__(self) -> str:
        sample = f"sample {self.sample}, " if self.sample else ""
        return f"{sample}{self.where}: {self.what}. {self.do}."


class BenchmarkError(UserError):
    """A folder that is no well-formed benchmark; `faults` has all of them."""

    def __init__(self, folder: Path, faults: Sequence[Fault]) -> None:
        self.folder = folder
        self.faults = tuple(faults)
        count = len(self.faults)
        lines = [f"The benchmark {folder} has {count} fault{'s' if count > 1 else ''}:"]
        lines += [f"  {f}" for f in self.faults[:_SHOWN]]
        if count > _SHOWN:
            lines.append(f"  ... and {count - _SHOWN} more: redline bench check {folder}")
        super().__init__("\n".join(lines))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """` (did you mean X?)`, or nothing where no known word is near."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f" (did you mean {near[0]!r}?)" if near else ""


def quoted(value: object, most: int = 60) -> str:
    """A value as it can stand in a sentence: escaped, on one line, never long."""
    text = ascii(value) if not isinstance(value, str) or not value.isprintable() else repr(value)
    return text if len(text) <= most else f"{text[: most - 3]}..."
