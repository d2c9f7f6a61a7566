"""JSON that nobody vouches for: `loads` refuses what json.loads lets pass or trips over."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any, NoReturn

MAX_DEPTH = 100
"""Brackets within brackets. Deeper than anything that is meant, and far from where walking it by
recursion would fail."""


class JsonFault(ValueError):
    """Why bytes are not the JSON that is wanted; the message is part of a sentence."""


def loads(data: bytes | str) -> Any:
    """What the JSON says. Raises ValueError and nothing else: beside broken JSON, for a key given
    twice, NaN and Infinity, a number that no float can hold, a whole number of thousands of digits
    and more than `MAX_DEPTH` brackets within one another."""
    try:
        value = json.loads(
            data, object_pairs_hook=unique_keys, parse_constant=no_constant, parse_float=_finite
        )
    except RecursionError:
        raise JsonFault("it is nested too deep") from None
    except ValueError as error:
        if type(error) is ValueError:  # int() refuses so many digits
            raise JsonFault("it has a whole number of thousands of digits") from None
        raise
    if _brackets(data) > MAX_DEPTH:
        _refuse_deep(value)
    return value


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


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise JsonFault(f"it has a number that is too large ({text[:20]})")
    return value


def _brackets(data: bytes | str) -> int:
    """Opening brackets, those in strings too: a cheap bound of the depth."""
    if isinstance(data, str):
        return data.count("[") + data.count("{")
    return data.count(b"[") + data.count(b"{")


def _refuse_deep(value: Any) -> None:
    level, depth = _held([value]), 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise JsonFault("it is nested too deep")
        level = _held(part for v in level for part in (v.values() if isinstance(v, dict) else v))


def _held(values: Iterable[Any]) -> list[Any]:
    """Those that hold others."""
    return [v for v in values if isinstance(v, dict | list)]
