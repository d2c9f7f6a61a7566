"""Replies as JSON and blobs and back again, exactly."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any

from redline.models.protocol import Reply, Usage

MOST_TOKENS = 10**8
"""No model takes or gives so many in a call: a server that says so miscounts."""

MISCOUNTED = "token counts that can't be true were left out"


def pack(reply: Reply) -> tuple[dict[str, Any], dict[str, bytes]]:
    """A reply as a JSON object that names its bytes, and those bytes by SHA-256."""
    blobs: dict[str, bytes] = {}

    def keep(data: bytes) -> str:
        sha = hashlib.sha256(data).hexdigest()
        blobs[sha] = data
        return sha

    packed = {
        "text": reply.text,
        "finish": reply.finish,
        "pictures": [keep(p) for p in reply.pictures],
        "thinking": reply.thinking,
        "usage": asdict(reply.usage),
        "model_id": reply.model_id,
        "notes": list(reply.notes),
        "raw": keep(reply.raw) if reply.raw else None,
    }
    return packed, blobs


def unpack(packed: Mapping[str, Any], blob: Callable[[str], bytes]) -> Reply:
    """The reply that `pack` took apart. Raises what `blob` raises."""
    return Reply(
        text=packed["text"],
        finish=packed["finish"],
        pictures=tuple(blob(sha) for sha in packed["pictures"]),
        thinking=packed["thinking"],
        usage=Usage(**packed["usage"]),
        model_id=packed["model_id"],
        notes=tuple(packed["notes"]),
        raw=blob(packed["raw"]) if packed["raw"] else b"",
    )


def believable(reply: Reply) -> Reply:
    """The reply without counts that can't be true, which would make money and estimates of
    nonsense; `raw` still has them."""
    told = asdict(reply.usage)
    counts = {name: n if _counts(n) else None for name, n in told.items()}
    if counts == told:
        return reply
    return replace(reply, usage=Usage(**counts), notes=(*reply.notes, MISCOUNTED))


def _counts(n: Any) -> bool:
    return isinstance(n, int) and not isinstance(n, bool) and 0 <= n <= MOST_TOKENS


def is_empty(reply: Reply) -> bool:
    """Whether a model ended normally without saying anything: a provider's hiccup, asked again."""
    return reply.finish in ("stop", "other") and not reply.text.strip() and not reply.pictures
