"""JSON as the standard has it, from bytes that nobody vouches for."""

from __future__ import annotations

import json
from typing import Any

from redline.json_hooks import JsonFault, no_constant, unique_keys

__all__ = ["JsonFault", "parse_object"]


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
            data.decode("utf-8"), object_pairs_hook=unique_keys, parse_constant=no_constant
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
