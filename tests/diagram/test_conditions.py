"""What a model is shown under each condition."""

import itertools
from pathlib import Path

import pytest

from redline.bench.sample import DiagramSample
from redline.diagram import prompts
from redline.diagram.conditions import (
    CONDITIONS,
    INPUTS,
    Condition,
    Input,
    condition_fault,
    edit_request,
    parse_inputs,
    pictures_sent,
    prompt_hashes,
    shown,
    supports,
    told,
    verbalize_request,
    verbalizes,
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
    hashes = prompt_hashes(condition, ALL, "code")  # type: ignore[arg-type]
    assert ("verbalize" in hashes) == condition.endswith("verbalized")
    assert all(len(h) == 64 for h in hashes.values())


SUBSETS = [
    tuple(i for i, there in zip(INPUTS, bits, strict=True) if there)
    for bits in itertools.product((True, False), repeat=3)
]
# A phrase, and what must have been sent for a model to understand it.
SPEAKS_OF = {
    "the code": {"code"},
    "the TikZ code": {"code"},
    'labelled "original"': {"picture"},
    'labelled "instruction"': {"drawing"},
    "drawn over the diagram in the picture": {"drawing"},
    "Marks that belong": {"drawing"},
    "the picture shows": {"picture", "drawing"},
    "of the same size": {"picture", "drawing"},
    "the instruction": {"drawing", "words"},
    "The edit instruction": {"drawing", "words"},
    "the two differ": {"drawing"},
}


@pytest.mark.parametrize("want", ["code", "picture"])
@pytest.mark.parametrize("inputs", SUBSETS, ids=lambda i: "+".join(i) or "nothing")
@pytest.mark.parametrize("condition", CONDITIONS)
def test_no_sentence_speaks_of_what_is_not_sent(
    condition: Condition, inputs: tuple[Input, ...], want: str
) -> None:
    how = told(condition, inputs)
    sent = {"drawing" if i == "instruction" else i for i in shown(condition, inputs)}
    if how not in ("visual", "blind"):
        sent.add("words")
    if not sent:
        assert "given nothing" in str(condition_fault(condition, inputs))
        return
    assert condition_fault(condition, inputs) is None
    made = request(condition, inputs, want=want)
    said = made.messages[0].parts[-1].text  # type: ignore[union-attr]
    for phrase, needed in SPEAKS_OF.items():
        assert phrase not in said or needed & sent, phrase
    assert ("WORDS" in said) == ("words" in sent)
    assert ("drawing" in sent) == ("instruction" in labels(made)) == ("Marks that" in said)
    assert ("picture" in sent) == ("original" in labels(made))
    assert ("code" in sent) == ("\\documentclass{x}" in text(made))
    assert "{{" not in said.replace(SAMPLE.instruction, "") and "\n\n\n" not in said
    assert ("not shown to you" in said) == (not {"code", "picture", "drawing"} & sent)


@pytest.mark.parametrize("inputs", [s for s in SUBSETS if "instruction" in s])
def test_the_verbaliser_is_told_of_what_it_is_sent_only(inputs: tuple[Input, ...]) -> None:
    made = verbalize_request(SAMPLE, inputs, PICTURES)
    said = made.messages[0].parts[-1].text  # type: ignore[union-attr]
    assert ("the TikZ code" in said) == ("code" in inputs)
    assert ('"original"' in said) == ("picture" in inputs)
    assert 'labelled "instruction"' in said


def test_without_the_drawing_a_drawn_condition_is_blind_and_nobody_verbalises() -> None:
    bare: tuple[Input, ...] = ("code", "picture")
    assert [told(c, bare) for c in CONDITIONS] == ["blind", "text", "text", "blind", "blind"]
    assert [told(c, ALL) for c in CONDITIONS] == list(CONDITIONS)
    assert not any(verbalizes(told(c, bare)) for c in CONDITIONS)
    assert "told which" in text(request("verbalized", bare))


@pytest.mark.parametrize(
    ("condition", "inputs", "sent"),
    [
        ("visual", "code,picture,instruction", ("picture", "instruction")),
        ("text", "code,picture,instruction", ("picture",)),
        ("verbalized", "picture,instruction", ("picture", "instruction")),
        ("verbalized", "picture", ("picture",)),
        ("visual", "code", ()),
    ],
)
def test_the_pictures_that_anybody_is_sent(
    condition: Condition, inputs: str, sent: tuple[str, ...]
) -> None:
    assert pictures_sent(condition, parse_inputs(inputs)) == sent


def test_only_what_is_not_known_and_what_leaves_nothing_is_refused() -> None:
    assert "condition" in str(condition_fault("shouted", ALL))
    assert condition_fault("text", ()) is None
    assert "instruction" in str(condition_fault("visual", ()))
    assert parse_inputs("") == ()
    with pytest.raises(ValueError, match="separated by commas"):
        parse_inputs("code,video")


def test_a_changed_sentence_changes_the_hash_of_what_uses_it_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def hashes(condition: Condition) -> dict[str, str]:
        return prompt_hashes(condition, ALL, "code")

    before = {c: hashes(c) for c in ("visual", "text")}
    changed = {k: dict(v) for k, v in prompts._sentences().items()}
    changed["marks"]["drawn"] += " Really."
    monkeypatch.setattr(prompts, "_sentences", lambda: changed)
    assert hashes("visual") != before["visual"]
    assert hashes("text") == before["text"]


def test_a_sample_without_a_drawing_supports_text_only() -> None:
    bare = DiagramSample("s", "ADD", 1, "c", ("g",), "add")
    assert [c for c in CONDITIONS if supports(bare, c)] == ["text"]
    assert all(supports(SAMPLE, c) for c in CONDITIONS)
    assert supports(bare, "blind")
