"""One record, one line of JSON: writing a line, and finding the whole ones in a damaged file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from redline.json_hooks import unique_keys


def dumps(value: Any) -> bytes:
    """Compact JSON with sorted keys in ASCII, so that any text a model sends fits (lone
    surrogates too). Raises TypeError or ValueError for what JSON cannot say (NaN)."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


@dataclass(frozen=True)
class Line:
    """A line of a file. `record` is None where it is not a whole JSON object of a known form."""

    number: int
    offset: int
    length: int
    record: dict[str, Any] | None
    ended: bool


def loads(raw: bytes) -> dict[str, Any] | None:
    """The record in a line, or None if it is damaged (a key given twice is damage too)."""
    try:
        record = json.loads(raw, object_pairs_hook=unique_keys)
    except ValueError:
        return None
    return record if isinstance(record, dict) and isinstance(record.get("kind"), str) else None


def read_lines(file: BinaryIO) -> Iterator[Line]:
    """Every line with its place. Empty lines are skipped."""
    offset = 0
    for number, raw in enumerate(file, 1):
        if raw.strip():
            yield Line(number, offset, len(raw), loads(raw), raw.endswith(b"\n"))
        offset += len(raw)
