"""Rows of Parquet and Arrow files with pictures in them, a few at a time (extra `hub`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from redline.bench.importers.hub import INSTALL
from redline.errors import UserError

SUFFIXES = (".parquet", ".arrow")
_ROWS = 8
"""Rows held in memory at once: each may have three pictures of some megabytes."""


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file, in order. Raises UserError where it can't be read."""
    try:
        import pyarrow
        from pyarrow import ipc, parquet
    except ImportError as e:
        raise UserError(f"{path.name} needs the extra hub to be read: {INSTALL}.") from e
    try:
        if path.suffix == ".parquet":
            with parquet.ParquetFile(path) as file:
                for batch in file.iter_batches(batch_size=_ROWS):
                    yield from batch.to_pylist()
            return
        with pyarrow.memory_map(str(path)) as source:
            try:
                batches: Any = ipc.open_stream(source)
            except pyarrow.ArrowInvalid:
                reader = ipc.open_file(source)
                batches = (reader.get_batch(k) for k in range(reader.num_record_batches))
            for batch in batches:
                for start in range(0, batch.num_rows, _ROWS):
                    yield from batch.slice(start, _ROWS).to_pylist()
    except (pyarrow.ArrowException, OSError) as e:
        said = (str(e).strip().splitlines() or [type(e).__name__])[0].rstrip(".")
        raise UserError(f"{path.name} can't be read as a table: {said}. Fetch it anew.") from e


def picture_bytes(cell: Any) -> bytes | None:
    """The bytes of a picture in a cell ({"bytes": ..., "path": ...} or bytes); None where there
    are none."""
    if isinstance(cell, dict):
        cell = cell.get("bytes")
    return cell if isinstance(cell, bytes) and cell else None
