"""The fake provider itself: its form checked by a peer, its faults by what the wire shows."""

from __future__ import annotations

import base64
import random
from typing import Any

import pytest

from tests.fake_provider.answers import edited, from_schema, png
from tests.fake_provider.calls import lift_pictures
from tests.fake_provider.fixture import FakeProvider
from tests.models.making import CODE, edit_request
from tests.models.test_providers import ask, fail


def test_openais_own_client_reads_its_replies_and_errors(fake_provider: FakeProvider) -> None:
    openai = pytest.importorskip("openai")
    client = openai.OpenAI(
        api_key="sk-anything-at-all", base_url=f"{fake_provider.url}/v1", max_retries=0
    )
    url = "data:image/png;base64," + base64.b64encode(png(b"\1\2\3")).decode()
    content: list[Any] = [
        {"type": "text", "text": 'Picture "original":'},
        {"type": "image_url", "image_url": {"url": url}},
    ]
    messages: Any = [{"role": "user", "content": content}]
    reply = client.chat.completions.create(model="m", messages=messages)
    assert reply.choices[0].finish_reason == "stop"
    assert reply.choices[0].message.content
    assert reply.usage.prompt_tokens == 110
    fake_provider.faults({"fault": "429", "retry_after": 2})
    with pytest.raises(openai.RateLimitError) as e:
        client.chat.completions.create(model="m", messages=messages)
    assert e.value.response.headers["retry-after"] == "2"
    assert [c["labels"] for c in fake_provider.calls()] == [['Picture "original":']] * 2


def test_an_edit_is_the_prompts_document_with_a_seeded_change() -> None:
    text = f"The code:\n```latex\n{CODE}\n```\nEdit it."
    once, again, other = (edited(text, random.Random(s)) for s in (1, 1, 2))
    assert once == again != other
    assert once.replace(next(x for x in once.splitlines(True) if "\\fill" in x), "") != once
    assert CODE.splitlines()[0] in once


def test_a_value_made_from_a_schema_fits_it() -> None:
    schema = {
        "type": "object",
        "properties": {
            "scores": {
                "type": "object",
                "properties": {"IA": {"type": "integer", "enum": [1, 2, 3, 4, 5]},
                               "residue": {"type": "boolean"}},
            },
            "n": {"type": "integer", "minimum": 3, "maximum": 4},
            "why": {"type": "string"},
        },
    }  # fmt: skip
    value = from_schema(schema, random.Random(0))
    assert value["scores"]["IA"] in range(1, 6)
    assert isinstance(value["scores"]["residue"], bool)
    assert value["n"] in (3, 4)
    assert isinstance(value["why"], str)


def test_pictures_are_lifted_out_and_the_rest_stays_json() -> None:
    body = b'{"a":"data:image/png;base64,QUJD","b":{"data":"REVG"},"c":{"data": ""}}'
    rest, lifted = lift_pictures(body)
    assert rest == b'{"a":"data:image/png;base64,#0#","b":{"data":"#1#"},"c":{"data": "#2#"}}'
    assert lifted == [b"QUJD", b"REVG", b""]


def test_faults_are_limited_by_times_model_and_kind(fake_provider: FakeProvider) -> None:
    fake_provider.faults(
        {"fault": "500", "times": 1, "model": "fake-1"},
        {"fault": "429", "kind": "judge"},
        {"fault": "503", "model": "someone-else"},
    )
    assert fail(fake_provider, "openai").status == 500
    assert ask(fake_provider, "openai", edit_request()).text
    assert [c["fault"] for c in fake_provider.calls()] == ["500", None]


def test_random_faults_follow_the_seed_and_the_attempt(fake_provider: FakeProvider) -> None:
    def hits() -> list[bool]:
        fake_provider.reset()
        fake_provider.faults({"fault": "content_filter", "probability": 0.5, "seed": 3})
        replies = [ask(fake_provider, "openai", edit_request()) for _ in range(12)]
        return [r.finish == "content_filter" for r in replies]

    first = hits()
    assert hits() == first
    assert {True, False} == set(first)


def test_the_same_request_has_the_same_fingerprint(fake_provider: FakeProvider) -> None:
    for _ in range(2):
        ask(fake_provider, "google", edit_request())
    one, two = fake_provider.calls()
    assert one["fingerprint"] == two["fingerprint"]
    assert (one["attempt"], two["attempt"]) == (0, 1)
