"""Thinking aloud and the answer, told apart in a reply."""

from __future__ import annotations

import pytest

from redline.models.thinking import Split, split_thinking


@pytest.mark.parametrize(
    ("text", "answer", "left_open", "thought"),
    [
        ("4", "4", None, False),
        ("<think>2?</think>4", "4", None, True),
        ("  <THINKING>2?</THINKING>\n4", "\n4", None, True),
        ("<think>a</think><think>b</think>4", "4", None, True),
        ("3\n<think>a</think>4", "3\n4", None, True),
        ("a\n</think>\n4", "\n4", None, True),
        ("a</think>b\n</think>4", "4", None, True),
        ("◁think▷a◁/think▷4", "4", None, True),
        ("[THINK]a[/THINK]4", "4", None, True),
        ("<think>a, so 4", "", "a, so 4", True),
        ("4\n<think>or 5", "4\n", "or 5", True),
        ("a box \\node{<think>}; 4", "a box \\node{<think>}; 4", None, False),
        ("of a </think> in the middle", "of a </think> in the middle", None, False),
    ],
)
def test_the_answer_is_what_stands_outside_of_thinking(
    text: str, answer: str, left_open: str | None, thought: bool
) -> None:
    assert split_thinking(text) == Split(answer, left_open, thought)
