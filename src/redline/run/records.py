"""What a line of records.jsonl must look like: what else stands there is damage."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, get_args

from redline.models.protocol import Finish, Usage
from redline.track import Status

MOST_USD = 1e9
"""No call costs that much. It keeps sums of what records say from growing out of all number."""

_SHA256 = re.compile(r"[0-9a-f]{64}")
_FINISHES = get_args(Finish)
_STATUSES = get_args(Status)
_COUNTS = {f.name for f in fields(Usage)}


def check(record: Mapping[str, Any]) -> None:
    """Raises ValueError, which says why, for a record that no Redline writes."""
    form = _FORMS.get(record["kind"])
    if form is None:
        raise ValueError(f"no record is of kind {record['kind']!r}")
    for name, fits in form.items():
        if name not in record:
            raise ValueError(f"it has no {name}")
        if not fits(record[name]):
            raise ValueError(f"its {name} is not what it should be")


def is_usd(value: Any) -> bool:
    """Whether it is an amount of money: a number, not negative, not NaN, not absurd."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST_USD


def is_sha256(value: Any) -> bool:
    return isinstance(value, str) and _SHA256.fullmatch(value) is not None


def is_reply(value: Any) -> bool:
    """Whether `replies.unpack` makes a reply of it."""
    return isinstance(value, dict) and all(
        name in value and fits(value[name]) for name, fits in _REPLY.items()
    )


def _is(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kinds)


def _or_none(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or fits(value)


def _list_of(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(fits, value))


def _dict_of(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, dict) and all(map(fits, value.values()))


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_usage(value: Any) -> bool:
    return _dict_of(_or_none(_is_count))(value) and value.keys() <= _COUNTS


_text, _flag = _is(str), _is(bool)

_REPLY: Mapping[str, Callable[[Any], bool]] = {
    "text": _text,
    "finish": _FINISHES.__contains__,
    "pictures": _list_of(is_sha256),
    "thinking": _or_none(_text),
    "usage": _is_usage,
    "model_id": _or_none(_text),
    "notes": _list_of(_text),
    "raw": _or_none(is_sha256),
}

_FORMS: Mapping[str, Mapping[str, Callable[[Any], bool]]] = {
    "start": {},
    "sent": {"id": _text, "reserve": is_usd},
    "error": {"id": _text, "maybe_billed": _flag},
    "call": {
        "id": _or_none(_text),
        "call": _text,
        "unit": _text,
        "step": _text,
        "request": _text,
        "reply": is_reply,
        "cost": _or_none(is_usd),
        "cached": _flag,
        "empty": _flag,
    },
    "unit": {
        "stage": _text,
        "key": _text,
        "inputs": _text,
        "status": _STATUSES.__contains__,
        "reason": _or_none(_text),
        "value": _is(dict),
        "blobs": _dict_of(is_sha256),
        "cost": _or_none(is_usd),
        "again": _list_of(_text),
    },
}
"""What each kind must hold; more may stand there."""
