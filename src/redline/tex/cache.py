"""Keeps finished renders on disk, so that the same document is never run twice."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from redline.tex.result import Render, TexError

_FORMAT = 1


def cache_key(**parts: Any) -> str:
    """SHA-256 over all that decides a render; the parts must be JSON-able."""
    told = json.dumps({"format": _FORMAT, **parts}, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(told.encode()).hexdigest()


class RenderCache:
    """A folder of renders, one file each, written whole. A damaged file is a miss."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / key

    def get(self, key: str) -> Render | None:
        """The render kept under `key`, or None."""
        try:
            data = self._path(key).read_bytes()
            line, _, rest = data.partition(b"\n")
            digest, _, head = line.partition(b" ")
            if hashlib.sha256(head + rest).hexdigest().encode() != digest:
                return None
            return _unpack(json.loads(head), rest)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, key: str, render: Render) -> None:
        """Keep a render. One that is the machine's fault is never kept; a full or read-only
        disk is no reason to fail."""
        if render.status == "unavailable":
            return
        head, rest = _pack(render)
        data = hashlib.sha256(head + rest).hexdigest().encode() + b" " + head + b"\n" + rest
        path = self._path(key)
        half: str | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            fd, half = tempfile.mkstemp(prefix="half-", dir=path.parent)
            with os.fdopen(fd, "wb") as f:
                f.write(data)
            Path(half).replace(path)
        except OSError:
            if half is not None:
                Path(half).unlink(missing_ok=True)


def _pack(render: Render) -> tuple[bytes, bytes]:
    head = asdict(render)
    log = render.log.encode("utf-8", "replace")
    for name in ("png", "pdf", "log"):
        del head[name]
    sizes = [None if b is None else len(b) for b in (render.png, render.pdf, log)]
    head["parts"] = sizes
    return json.dumps(head).encode(), (render.png or b"") + (render.pdf or b"") + log


def _unpack(head: dict[str, Any], rest: bytes) -> Render:
    sizes = head.pop("parts")
    parts: list[bytes | None] = []
    at = 0
    for size in sizes:
        parts.append(None if size is None else rest[at : at + size])
        at += size or 0
    error = head.pop("error")
    head["error"] = TexError(**error) if error else None
    for name in ("page_pt", "size_px", "missing_characters"):
        if head[name] is not None:
            head[name] = tuple(head[name])
    png, pdf, log = parts
    return Render(**head, png=png, pdf=pdf, log=(log or b"").decode("utf-8"))
