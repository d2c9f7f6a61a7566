"""Replies kept across runs: the same question to the same model is bought once."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from pathlib import Path

from redline.json_hooks import unique_keys
from redline.models.protocol import Reply
from redline.run.blobs import Blobs
from redline.run.errors import BlobMissing
from redline.run.lines import dumps
from redline.run.replies import is_empty, pack, unpack


class ResponseCache:
    """A folder of replies by Call.cache_key. Many processes may use it at once.

    A reply comes here once the unit it was asked for has a result, so that what a unit found to be
    of no use is never served to another run. An empty or filtered reply is never kept. A damaged
    entry is a miss."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._blobs = Blobs(root / "blobs")

    def get(self, key: str) -> Reply | None:
        try:
            packed = json.loads(self._path(key).read_bytes(), object_pairs_hook=unique_keys)
            return unpack(packed, self._blobs.get)
        except (OSError, ValueError, KeyError, TypeError, BlobMissing):
            return None

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply in place of an older one. Raises OSError."""
        if is_empty(reply) or reply.finish == "content_filter":
            return
        packed, blobs = pack(reply)
        self._blobs.put(blobs)
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{os.getpid()}-{secrets.token_hex(4)}.tmp")
        temporary.write_bytes(dumps(packed))
        temporary.replace(path)

    def drop(self, key: str) -> None:
        """Forget a reply; nothing happens where there is none or the cache is read-only."""
        with contextlib.suppress(OSError):
            self._path(key).unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        return self.root / "replies" / key[:2] / f"{key[2:]}.json"
