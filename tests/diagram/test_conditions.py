"""What a model is shown under each condition."""

import itertools
from pathlib import Path

import pytest

from redline.bench.sample import DiagramSample
from redline.diagram.conditions import (
    CONDITIONS,
    condition_fault,
    edit_request,
    parse_inputs,
    prompt_hashes,
    supports,
    verbalize_request,
)
from redline.models.protocol import PicturePart, Request, TextPart

ALL = parse_inputs("code,picture,instruction")
PICTURES = {"picture": b"P", "instruction": b"I"}
SAMPLE = DiagramSample(
    "s", "ADD", 1, "\\documentclass{x}", ("g",), "Add a {{given}} node.",
    instruction_picture=Path("i.png"),
)  # fmt: skip


def labels(request: Request) -> list[str]:
    return [p.label for m in request.messages for p in m.parts if isinstance(p, PicturePart)]


def text(request: Request) -> str:
    return "\n".join(p.text for m in request.messages for p in m.parts if isinstance(p, TextPart))


def request(condition: str, inputs=ALL, words: str = "WORDS", want: str = "code") -> Request:
    return edit_request(SAMPLE, condition, inputs, PICTURES, words, want)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("condition", "pictures", "words"),
    [
        ("visual", ["original", "instruction"], False),
        ("text", ["original"], True),
        ("visual+text", ["original", "instruction"], True),
        ("verbalized", ["original"], True),
        ("visual+verbalized", ["original", "instruction"], True),
    ],
)
def test_each_condition_shows_the_drawing_and_the_words_it_names(
    condition: str, pictures: list[str], words: bool
) -> None:
    made = request(condition)
    assert labels(made) == pictures
    assert ("WORDS" in text(made)) is words
    assert "\\documentclass{x}" in text(made)


def test_inputs_left_out_are_not_shown() -> None:
    made = request("visual", parse_inputs("instruction"))
    assert labels(made) == ["instruction"]
    assert "\\documentclass{x}" not in text(made)


def test_a_slot_in_an_instruction_stays_text() -> None:
    assert "Add a {{given}} node." in text(request("text", words=SAMPLE.instruction))


def test_the_verbaliser_sees_the_drawing_and_not_the_words() -> None:
    made = verbalize_request(SAMPLE, ALL, PICTURES)
    assert labels(made) == ["original", "instruction"]
    assert "Add a" not in text(made)


def test_picture_editors_are_asked_for_a_picture() -> None:
    made = request("visual", want="picture")
    assert made.want == "picture" and "documentclass, from" not in text(made)
    assert request("visual").want == "text"


def test_every_picture_stands_behind_a_line_with_its_label() -> None:
    parts = request("visual").messages[0].parts
    for before, part in itertools.pairwise(parts):
        if isinstance(part, PicturePart):
            assert isinstance(before, TextPart) and part.label in before.text


@pytest.mark.parametrize("condition", CONDITIONS)
def test_prompt_hashes_name_what_the_condition_uses(condition: str) -> None:
    hashes = prompt_hashes(condition, "code")  # type: ignore[arg-type]
    assert ("verbalize" in hashes) == condition.endswith("verbalized")
    assert all(len(h) == 64 for h in hashes.values())


def test_combinations_that_cannot_be_run_are_refused_with_a_sentence() -> None:
    assert "instruction" in str(condition_fault("visual", parse_inputs("code"), "code"))
    assert "condition" in str(condition_fault("shouted", ALL, "code"))  # type: ignore[arg-type]
    assert condition_fault("text", parse_inputs("code"), "picture") is not None
    assert condition_fault("text", parse_inputs("instruction"), "code") is not None
    assert all(condition_fault(c, ALL, "code") is None for c in CONDITIONS)
    with pytest.raises(ValueError, match="separated by commas"):
        parse_inputs("code,video")


def test_a_sample_without_a_drawing_supports_text_only() -> None:
    bare = DiagramSample("s", "ADD", 1, "c", ("g",), "add")
    assert [c for c in CONDITIONS if supports(bare, c)] == ["text"]
    assert all(supports(SAMPLE, c) for c in CONDITIONS)
