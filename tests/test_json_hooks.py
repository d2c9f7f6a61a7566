"""JSON of others: what json.loads lets pass or trips over is one kind of error."""

from __future__ import annotations

import pytest

from redline.json_hooks import JsonFault, loads


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": 1, "a": 2}', "'a' twice"),
        ('[{"a": {"b": 1, "b": 1}}]', "'b' twice"),
        ("[NaN]", "NaN"),
        ("[-Infinity]", "-Infinity"),
        ("[1e999]", "too large"),
        ("[-1e999]", "too large"),
        ("[" * 100_000, "nested"),
        ("[" * 100_000 + "]" * 100_000, "nested"),
        ('{"a":' * 5_000 + "1" + "}" * 5_000, "nested"),
        ("[" * 101 + "]" * 101, "nested"),
        ("9" * 5_000, "digits"),
        ("[-" + "9" * 5_000 + "]", "digits"),
        ("", "Expecting value"),
        ("{", "Expecting property name"),
        ("[1] 2", "Extra data"),
    ],
    ids=lambda text: text[:12],
)
def test_whatever_is_wrong_with_json_is_a_value_error(text: str, why: str) -> None:
    for data in (text, text.encode()):
        with pytest.raises(ValueError, match=why):
            loads(data)


def test_bytes_that_are_no_text_are_a_value_error() -> None:
    with pytest.raises(ValueError, match="decode"):
        loads(b'{"a": "\xff"}')


def test_json_that_is_well_comes_through() -> None:
    deep = "[" * 100 + "1" + "]" * 100
    assert loads(deep) == loads(deep.encode())
    braces = "[" * 500
    assert loads(f'{{"code": "{braces}", "half": "\\ud83d", "x": [1, 2.5, null, true]}}') == {
        "code": braces,
        "half": "\ud83d",
        "x": [1, 2.5, None, True],
    }
    assert loads("9" * 400) == int("9" * 400)


def test_the_fault_of_a_key_given_twice_ends_a_sentence() -> None:
    with pytest.raises(JsonFault, match=r"^it has the key 'a' twice$"):
        loads('{"a": 1, "a": 2}')
