"""Faults on order: which call goes wrong, and how the wire then looks.

A fault is an object {"fault": KIND, ...} with optional conditions: "model", "kind" (edit, judge,
describe, picture), "calls" (orders counted from 0), "times" (at most so often), "probability" and
"seed" (drawn for each request and attempt, so that concurrency does not change who is hit).
KIND is a status ("429", "500", ... with "retry_after" and other "headers"), or one of KINDS.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from typing import Any

from tests.fake_provider.answers import Answer, answer, worded
from tests.fake_provider.calls import Call

KINDS = (
    "cut",  # the body ends in the middle
    "drop",  # the connection closes without a word
    "not_json",
    "empty",  # 200 and no body
    "error_200",  # 200 with an error inside; "code"
    "empty_content",
    "refusal",
    "content_filter",
    "length",  # half the text, cut at the token limit
    "slow",  # "seconds" later than usual
    "malformed",  # JSON that fits no schema
    "quota",
    "redirect",  # "location"
    "schema_refused",  # 400 while a schema is asked for
    "echo",  # 401 that repeats every header it got
    "filtered_400",
    "raw",  # "body" as it is, with status 200
    "html_picture",  # a gateway's page where the picture's bytes should be
    "cut_picture",  # a picture file that ends in the middle
    "cut_base64",  # base64 text that ends in the middle
    "picture_address",  # a picture given by address
)


@dataclass
class Wire:
    """An HTTP answer to be written. `cut` bytes of the body are held back, then the line dies."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    cut: int = 0
    drop: bool = False
    delay_s: float = 0.0


class Faults:
    def __init__(self) -> None:
        self._script: list[dict[str, Any]] = []
        self._used: dict[int, int] = {}

    def set(self, script: list[dict[str, Any]]) -> None:
        for fault in script:
            if not (fault["fault"] in KINDS or str(fault["fault"]).isdigit()):
                raise ValueError(f"no fault {fault['fault']!r}; there are {', '.join(KINDS)}")
        self._script, self._used = script, {}

    def pick(self, call: Call) -> dict[str, Any] | None:
        for i, fault in enumerate(self._script):
            used = self._used.get(i, 0)
            draw = random.Random(f"{fault.get('seed', 0)}:{i}:{call.fingerprint}:{call.attempt}")
            if (
                fault.get("model") in (None, call.model)
                and fault.get("kind") in (None, call.kind)
                and ("calls" not in fault or call.order in fault["calls"])
                and used < fault.get("times", 1 << 60)
                and draw.random() < fault.get("probability", 1.0)
                and (fault["fault"] != "schema_refused" or call.schema is not None)
            ):
                self._used[i] = used + 1
                return fault
        return None


def _body(value: Any) -> bytes:
    return json.dumps(value).encode()


def wire(call: Call, rules: dict[str, Any], fault: dict[str, Any] | None) -> Wire:
    """The answer to a call, spoilt as the fault says."""
    kind = str(fault["fault"]) if fault else ""
    f = fault or {}
    if kind.isdigit():
        headers = dict(f.get("headers", {}))
        if "retry_after" in f:
            headers["retry-after"] = str(f["retry_after"])
        error = {"message": f.get("message", f"fault {kind}"), "code": f.get("code", kind)}
        return Wire(int(kind), headers, _body({"error": {**error, **f.get("error", {})}}))
    if kind == "drop":
        return Wire(drop=True)
    if kind == "empty":
        return Wire()
    if kind == "not_json":
        return Wire(headers={"content-type": "text/html"}, body=b"<html>gateway says hello</html>")
    if kind == "raw":
        return Wire(body=f["body"].encode())
    if kind == "error_200":
        return Wire(
            body=_body({"error": {"message": "upstream broke", "code": f.get("code", 502)}})
        )
    if kind == "quota":
        error = {
            "message": "You exceeded your current quota, please check your plan and billing.",
            "type": "insufficient_quota",
            "code": "insufficient_quota",
        }
        return Wire(429, body=_body({"error": error}))
    if kind == "redirect":
        return Wire(307, {"location": f["location"]}, b"")
    if kind == "schema_refused":
        return Wire(400, body=_body({"error": {"message": "response_format is not supported"}}))
    if kind == "filtered_400":
        return Wire(400, body=_body({"error": {"message": "blocked", "code": "content_filter"}}))
    if kind == "echo":
        said = f"bad credentials: {json.dumps(call.headers)}"
        return Wire(401, body=_body({"error": {"message": said}}))

    a = answer(call, rules)
    if kind == "empty_content":
        a = Answer()
    elif kind in ("refusal", "content_filter"):
        a = Answer("I can't help with that." if kind == "refusal" else "", kind)
    elif kind == "length":
        a = Answer(a.text[: len(a.text) // 2], "length", thinking=a.thinking)
    elif kind == "malformed":
        a = Answer('{"scores": {"IA": "rather good"}, "note": 7')
    elif kind == "html_picture":
        a.pictures = [b"<!DOCTYPE html><html><body>502 Bad Gateway</body></html>"] * len(a.pictures)
    elif kind == "cut_picture":
        a.pictures = [p[: len(p) // 2] for p in a.pictures]
    elif kind == "cut_base64":
        a.cut_base64 = True
    elif kind == "picture_address":
        a.by_address = True
    made = Wire(body=_body(worded(call, a)))
    if kind == "cut":
        made.cut = max(1, len(made.body) // 2)
    if kind == "slow":
        made.delay_s = float(f.get("seconds", 1.0))
    return made
