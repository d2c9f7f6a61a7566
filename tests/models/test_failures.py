"""What HTTP answers that are no replies mean."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from redline.models.failures import LONGEST, Answer, failure, retry_after
from redline.models.keys import Secrets

NONE = Secrets(())


def _kind(status: int, error: Any = None, **headers: str) -> str:
    body = json.dumps({"error": error}).encode() if error is not None else b""
    return failure(Answer(status, headers, body), "host", NONE).kind


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "bad_request"), (401, "auth"), (402, "quota"), (403, "auth"), (404, "not_found"),
        (408, "transient"), (413, "bad_request"), (422, "bad_request"), (429, "rate_limit"),
        (500, "transient"), (502, "transient"), (503, "transient"), (529, "transient"),
        (301, "not_found"), (307, "not_found"),
    ],
)  # fmt: skip
def test_a_status_has_a_kind(status: int, kind: str) -> None:
    assert _kind(status) == kind


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (429, {"code": "insufficient_quota", "message": "x"}, "quota"),
        (429, {"code": "rate_limit_exceeded", "message": "x"}, "rate_limit"),
        (400, {"message": "Your credit balance is too low to access the API"}, "quota"),
        (400, {"message": "API key not valid. Please pass a valid API key."}, "auth"),
        (400, {"message": "x", "details": [{"reason": "API_KEY_INVALID"}]}, "auth"),
        (429, {"details": [{"violations": [{"quotaId": "RequestsPerDayPerProject"}]}]}, "quota"),
        (429, {"details": [{"violations": [{"quotaId": "RequestsPerMinute"}]}]}, "rate_limit"),
        (400, "just a text", "bad_request"),
        (500, ["odd", {"shape": 1}], "transient"),
    ],
)
def test_what_the_body_says_counts_where_the_status_is_ambiguous(
    status: int, error: Any, kind: str
) -> None:
    assert _kind(status, error) == kind


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({}, None),
    ],
)
def test_retry_after_is_read_in_seconds(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, None) == seconds


def test_retry_after_is_read_as_a_date() -> None:
    then = datetime.now(UTC) + timedelta(seconds=90)
    asked = retry_after({"retry-after": format_datetime(then, usegmt=True)}, None)
    assert asked is not None
    assert 80 < asked <= 90


def test_googles_retry_info_is_read() -> None:
    detail = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "12.5s"}
    assert retry_after({}, {"error": {"details": [detail]}}) == 12.5


def test_a_message_is_one_short_line_without_the_key() -> None:
    key = "sk-abcdefgh12345"
    said = "no\n" * 50 + f"key {key} " * 200
    error = failure(
        Answer(401, {}, json.dumps({"error": {"message": said}}).encode()), "host", Secrets((key,))
    )
    assert len(str(error)) <= LONGEST
    assert "\n" not in str(error)
    # Not even the front of a key that was cut in two.
    assert key[:8] not in str(error)


def test_a_redirect_names_where_it_points() -> None:
    error = failure(Answer(301, {"location": "https://other.example/v1"}, b""), "host", NONE)
    assert "https://other.example/v1" in str(error)
    assert error.stops_run
