"""Reading replies: the table of cases, and what holds for any text at all."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redline.diagram.reading import read_reply
from tests.diagram.reading_cases import CASES, EDITED, ORIGINAL, PICTURE, Case

FINISHES = ("stop", "length", "refusal", "content_filter", "other")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_reply_is_read(case: Case) -> None:
    found = read_reply(case.reply, case.original, case.finish)
    assert found.how == case.how, found
    if case.how == "none":
        assert (found.status, found.code, found.reason) == ("failed", None, case.want)
    else:
        assert (found.status, found.reason) == ("ok", None)
        assert found.code == case.want
    assert set(case.notes) <= set(found.notes)


def test_the_table_is_wide_enough_and_names_each_case_once() -> None:
    assert len(CASES) >= 60
    assert len({case.name for case in CASES}) == len(CASES)


PARTS = st.sampled_from(
    [
        "```", "```latex\n", "\n```\n", "~~~", "````\n", "<think>", "</think>", "\n<think>\n",
        "\\documentclass{standalone}\n", "\\begin{document}", "\\end{document}\n", PICTURE, EDITED,
        "\\begin{tikzpicture}", "\\end{tikzpicture}", "\\draw (0,0);", "\\tikz", "%", "{", "}",
        "[", "]", "@@ -1 +1 @@\n", "-a\n", "+b\n", "<<<<<<< SEARCH\n", "=======\n",
        ">>>>>>> REPLACE\n", '{"code": "', '"}', "&lt;", "\\usepackage", "\n", "\r", "> ", " ",
        "\\",
    ]
)  # fmt: skip
TEXTS = st.text(st.characters()) | st.lists(PARTS | st.text(max_size=5), max_size=30).map("".join)


@settings(max_examples=300)
@given(TEXTS, st.just(ORIGINAL) | TEXTS, st.sampled_from(FINISHES))
def test_no_text_raises_and_every_outcome_is_whole(text: str, original: str, finish: str) -> None:
    found = read_reply(text, original, finish)  # type: ignore[arg-type]
    if found.status == "ok":
        assert found.code and found.reason is None and found.how != "none"
        found.code.encode()
        if found.how == "document":
            assert found.code.rstrip().endswith("}") and "\\documentclass" in found.code
    else:
        assert found.code is None and found.reason and found.how == "none"


@given(st.text(st.characters(codec="utf-8", exclude_characters="\\`~<◁[{\r")))
def test_prose_around_a_fenced_document_never_changes_it(prose: str) -> None:
    reply = f"{prose}\n```latex\n{EDITED}```\n{prose}"
    assert read_reply(reply, ORIGINAL).code == EDITED


HOSTILE = [
    "```latex\n", "```\n", "`", "> ", " ", "\n", "<think>\n", "\n</think>\n", "</think> ",
    "\\documentclass{a}", "\\documentclass{a}\n", "\\documentclass ", "\\begin{document}",
    "\\end{document}", "\\documentclass{a}\n\\begin{document}\n", "\\begin{tikzpicture}\n",
    "\\begin{tikzpicture}\\end{tikzpicture}", "\\draw (0,0);\n", "\\usetikzlibrary{x}\n",
    "\\usepackage[\n", "{\n", "[", "%", "%\n", "\\", "\\tikz", "\\begin ", "\\tikzset{a}\n",
    "@@ -1 +1 @@\n", "@@\n-a\n+b\n", "<<<<<<< SEARCH\n",
    "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", '{"a":', '{"code": "', "&lt;", "I am ",
    "\x00", "\ud800", "```a ", "a```\n",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE, ids=ascii)
def test_a_megabyte_of_anything_is_read_to_its_end(piece: str) -> None:
    # Nothing is timed: what is not linear here does not come back.
    text = piece * (1_000_000 // len(piece))
    assert read_reply(text, ORIGINAL).status in ("ok", "failed")


@pytest.mark.parametrize("frame", ["```latex\n{}", "```diff\n{}\n```", "<think>{}"])
def test_a_hostile_text_in_a_frame_is_read_to_its_end(frame: str) -> None:
    for piece in HOSTILE:
        text = frame.replace("{}", piece * (150_000 // len(piece)))
        assert read_reply(text, ORIGINAL).status in ("ok", "failed")
