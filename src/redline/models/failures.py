"""What an HTTP answer that is no reply means: its kind, and how long to wait."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from redline.json_hooks import unique_keys
from redline.models.keys import Secrets
from redline.models.protocol import ErrorKind, ProviderError

LONGEST = 500
"""Characters of an error message; the rest of what a server says is dropped."""

NO_JSON = "something that is not JSON, or JSON with a key given twice"
"""What there is where `document` finds nothing."""

_QUOTA = re.compile(
    r"insufficient_quota|billing_hard_limit|exceeded your current quota, please check your plan"
    r"|credit balance is too low|insufficient credits|requires more credits",
    re.IGNORECASE,
)
_BAD_KEY = re.compile(r"API_KEY_INVALID|API key not valid|invalid x-api-key", re.IGNORECASE)


@dataclass(frozen=True)
class Answer:
    """An HTTP answer, whole. Header names are lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def document(data: bytes) -> Any:
    """The JSON in `data`, or None where there is none or an object in it has a key twice: one of
    the two would be taken for what was said."""
    try:
        return json.loads(data, object_pairs_hook=unique_keys)
    except (ValueError, RecursionError):
        return None


def failure(answer: Answer, where: str, secrets: Secrets) -> ProviderError:
    """The error that an answer with a status other than 2xx stands for."""
    body = document(answer.body)
    said = _said(body, answer.body)
    kind = _kind(answer.status, body, said)
    message = f"{where} answered {answer.status}"
    if 300 <= answer.status < 400:
        target = answer.headers.get("location", "")
        message += f" (a redirect to {target!r}); Redline follows none: name the right address"
    elif said:
        message += f": {said}"
    return told(
        kind,
        message,
        secrets,
        status=answer.status,
        retry_after_s=retry_after(answer.headers, body),
    )


def error_inside(body: Mapping[str, Any], where: str, secrets: Secrets) -> ProviderError | None:
    """The error in a body that came with status 200, or None. Aggregators send the status of the
    server behind them as its code; without one that says otherwise it is worth another try."""
    error = body.get("error")
    if not error and body.get("type") != "error":
        return None
    said = _said(body, b"")
    code = error.get("code") if isinstance(error, Mapping) else None
    kind: ErrorKind = "transient"
    if isinstance(code, int) and code in (401, 402, 429):
        kind = _kind(code, body, said)
    elif _QUOTA.search(f"{code} {said}"):
        kind = "quota"
    return told(
        kind,
        f"{where} answered 200 with an error inside: {said}",
        secrets,
        status=200,
        retry_after_s=retry_after({}, body),
    )


def told(
    kind: ErrorKind,
    message: str,
    secrets: Secrets,
    *,
    status: int | None = None,
    retry_after_s: float | None = None,
) -> ProviderError:
    """A ProviderError whose message is one line, short and free of keys."""
    # Scrubbed before it is cut, lest half a key survive at the end.
    line = " ".join(secrets.scrub(message).split())
    if len(line) > LONGEST:
        line = line[: LONGEST - 1] + "…"
    if line[-1:] not in ".!?…":
        line += "."
    return ProviderError(kind, line, retry_after_s=retry_after_s, status=status)


def _kind(status: int, body: Any, said: str) -> ErrorKind:
    words = f"{_code(body)} {said}"
    if status == 402 or (status in (400, 403, 429) and _QUOTA.search(words)):
        return "quota"
    if status == 429:
        return "quota" if _daily(body) else "rate_limit"
    if status in (401, 403) or (status == 400 and _BAD_KEY.search(words + json.dumps(body))):
        return "auth"
    if status == 404 or 300 <= status < 400:
        return "not_found"
    if status in (408, 409, 425) or status >= 500:
        return "transient"
    return "bad_request"


def _error_of(body: Any) -> Any:
    if isinstance(body, list) and body:
        body = body[0]
    if not isinstance(body, Mapping):
        return None
    return body.get("error", body)


def _code(body: Any) -> str:
    error = _error_of(body)
    if not isinstance(error, Mapping):
        return ""
    return " ".join(str(error.get(k, "")) for k in ("code", "type", "status"))


def _said(body: Any, data: bytes) -> str:
    """What the server says went wrong, in its own words."""
    error = _error_of(body)
    if isinstance(error, str):
        return error
    if isinstance(error, Mapping):
        for name in ("message", "detail", "error"):
            if error.get(name):
                value = error[name]
                return value if isinstance(value, str) else json.dumps(value)
    # Twice what will be kept: scrubbing comes after this and must not meet half a key.
    return data[: 8 * LONGEST].decode("utf-8", "replace").strip()


def _details(body: Any) -> list[Mapping[str, Any]]:
    error = _error_of(body)
    details = error.get("details") if isinstance(error, Mapping) else None
    return [d for d in details if isinstance(d, Mapping)] if isinstance(details, list) else []


def _daily(body: Any) -> bool:
    """Whether Google says that it is the day's quota which is used up, not the minute's."""
    return any("PerDay" in json.dumps(d.get("violations")) for d in _details(body))


def retry_after(headers: Mapping[str, str], body: Any) -> float | None:
    """Seconds to wait as the server asks: `retry-after-ms`, `Retry-After` in seconds or as a date,
    or Google's RetryInfo. None where it asks for nothing that makes sense."""
    if (ms := _seconds(headers.get("retry-after-ms", ""))) is not None:
        return ms / 1000
    asked = headers.get("retry-after", "").strip()
    if (seconds := _seconds(asked)) is not None:
        return seconds
    if asked:
        try:
            when = parsedate_to_datetime(asked)
        except (ValueError, IndexError, OverflowError):
            when = None
        if when is not None:
            when = when if when.tzinfo else when.replace(tzinfo=UTC)
            return max(0.0, (when - datetime.now(UTC)).total_seconds())
    for detail in _details(body):
        if str(detail.get("@type", "")).endswith("RetryInfo"):
            return _seconds(str(detail.get("retryDelay", "")).removesuffix("s"))
    return None


def _seconds(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None
