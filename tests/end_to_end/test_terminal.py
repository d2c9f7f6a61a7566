"""Text of strangers can't steer a terminal."""

from __future__ import annotations

import pytest

from redline.errors import plain
from tests.end_to_end.command import Command
from tests.fake_provider.fixture import FakeProvider


def test_escape_sequences_and_direction_marks_become_spaces() -> None:
    assert plain("a\x1b[31mb\x07\x9b\u202ec\nd\r") == "a [31mb   c\nd "
    assert plain("Größe α 数 é") == "Größe α 数 é"


@pytest.mark.tex
def test_a_server_cannot_write_to_the_terminal(
    redline: Command, fake_provider: FakeProvider
) -> None:
    body = '{"error":{"message":"\\u001b]0;owned\\u0007 [/] \\u202eevil","code":401}}'
    fake_provider.faults({"fault": "raw", "body": body})
    ran = redline("eval", "mini-diagram", "--model", fake_provider.model("e"), "--limit", 1)
    assert ran.status == 2 and "owned" in ran.err
    assert not set("\x1b\x07\u202e") & set(ran.err + ran.out)
