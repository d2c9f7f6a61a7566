"""JSON as the standard has it, from bytes that nobody vouches for."""

from __future__ import annotations

import json
from typing import Any, NoReturn


class JsonFault(ValueError):
    """Why bytes are not the JSON that is wanted; the message is part of a sentence."""


def parse_object(data: bytes) -> dict[str, Any]:
    """One JSON object in UTF-8 without a byte order mark.

    Refused in JsonFault beside broken JSON: anything but an object, a key given twice (most
    parsers keep the last in silence), NaN and Infinity, lone surrogates, numbers and nesting
    too large to read.
    """
    if data.startswith(b"\xef\xbb\xbf"):
        raise JsonFault("it begins with a byte order mark")
    try:
        value = json.loads(
            data.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_no_constant
        )
    except UnicodeDecodeError as e:
        raise JsonFault(f"it is not UTF-8 (byte {e.start + 1})") from e
    except json.JSONDecodeError as e:
        at = f"line {e.lineno}, column {e.colno}" if e.lineno > 1 else f"column {e.colno}"
        raise JsonFault(f"it is not JSON ({e.msg} at {at})") from e
    except RecursionError as e:
        raise JsonFault("it is nested too deep") from e
    except JsonFault:
        raise
    except ValueError as e:  # a whole number of thousands of digits
        raise JsonFault(f"it can't be read ({e})") from e
    if not isinstance(value, dict):
        raise JsonFault("it is JSON but not an object in braces")
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as e:
        raise JsonFault(r"it has half a surrogate pair (\ud800 to \udfff), which is no text") from e
    except RecursionError as e:
        raise JsonFault("it is nested too deep") from e
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise JsonFault(f"it has the key {key!a} twice")
        found[key] = value
    return found


def _no_constant(name: str) -> NoReturn:
    raise JsonFault(f"it has {name}, which is no JSON")
