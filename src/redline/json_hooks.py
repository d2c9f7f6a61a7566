"""Hooks for json.loads that refuse what it lets pass: a key given twice, NaN and Infinity."""

from __future__ import annotations

from typing import Any, NoReturn


class JsonFault(ValueError):
    """Why bytes are not the JSON that is wanted; the message is part of a sentence."""


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An `object_pairs_hook`. Of a key given twice json keeps the last in silence; which of the
    two was meant, nobody can tell. Raises JsonFault."""
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise JsonFault(f"it has the key {key[:40]!a} twice")
            seen.add(key)
    return found


def no_constant(name: str) -> NoReturn:
    """A `parse_constant`. Raises JsonFault."""
    raise JsonFault(f"it has {name}, which is no JSON")
