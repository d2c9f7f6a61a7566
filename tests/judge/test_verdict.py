"""Reading a judge's reply: whole or not at all."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.judge import Malformed, Verdict, load_rubric, read_verdict

RUBRIC = load_rubric("viseditbench-image-v1")
SCORES = {"IA": 4, "CP": 5, "DR": 3, "residue": False}
REASONS = dict.fromkeys(SCORES, "why")
GOOD = json.dumps({"reasons": REASONS, "scores": SCORES})


def reply(**scores: Any) -> str:
    return json.dumps({"reasons": REASONS, "scores": {**SCORES, **scores}})


def raw(score: str) -> str:
    return GOOD.replace('"IA": 4', f'"IA": {score}')


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plain", GOOD),
        ("with blanks around", f"\n  {GOOD}\n\n"),
        ("in a json fence", f"```json\n{GOOD}\n```"),
        ("in a bare fence", f"```\n{GOOD}\n```"),
        ("in one fence with a sentence before it", f"My verdict:\n```json\n{GOOD}\n```\nDone."),
        ("after thinking with another verdict in it", f"<think>{reply(IA=1)}</think>\n{GOOD}"),
        ("after thinking opened by the prompt", f"hm, perhaps 2\n</think>\n\n{GOOD}"),
        ("scores before reasons", json.dumps({"scores": SCORES, "reasons": REASONS})),
        ("a whole number written with a point", raw("4.0")),
        ("a whole number with an exponent", raw("4e0")),
        ("reasons that mention other scores", GOOD.replace("why", "4/5, not Score: 2.")),
        ("a brace in a reason", GOOD.replace("why", "uses } and {")),
    ],
)
def test_a_whole_verdict_is_read(name: str, text: str) -> None:
    found = read_verdict(text, RUBRIC)
    assert isinstance(found, Verdict), name
    assert found.scores == SCORES
    assert set(found.reasons) == set(SCORES)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "no answer"),
        ("<think>IA is 4, CP 5", "no answer"),
        ("Score: 4", "not one JSON object"),
        ("**IA**: 4/5, CP: 3 (Acceptable)", "not one JSON object"),
        (f"Here it is: {GOOD}", "not one JSON object"),
        (GOOD + GOOD, "more than the one"),
        (f"{GOOD}\n\nOn reflection: {reply(IA=2)}", "more than the one"),
        (f"```json\n{GOOD}\n```\n```json\n{GOOD}\n```", "2 code blocks"),
        (f"{{draft}}\n```json\n{GOOD}\n```", "not valid JSON"),
        (f"Draft {{}}\n```json\n{GOOD}\n```", "more than the one"),
        (f"[{GOOD}]", "not one JSON object"),
        (GOOD[:-10], "not valid JSON"),
        (GOOD.replace('"CP": 5', '"IA": 5'), "it has the key 'IA' twice."),
        (raw('1, "IA": 5'), "it has the key 'IA' twice."),
        (GOOD.replace('"scores"', '"reasons"'), "it has the key 'reasons' twice."),
        (raw("NaN"), "it has NaN, which is no JSON."),
        (raw("Infinity"), "it has Infinity, which is no JSON."),
        (raw("1e999"), "whole number"),
        (raw("9" * 5000), "not valid JSON"),
        (raw("4.5"), "whole number, not 4.5"),
        (raw('"4"'), 'whole number, not "4"'),
        (raw('"4/5"'), 'whole number, not "4/5"'),
        (raw("4/5"), "not valid JSON"),
        (raw("true"), "whole number, not true"),
        (raw("null"), "whole number, not null"),
        (raw("[4]"), "whole number"),
        (reply(IA=0), "from 1 to 5, not at 0"),
        (reply(IA=6), "from 1 to 5, not at 6"),
        (reply(IA=-1), "from 1 to 5"),
        (reply(residue="no"), "true or false"),
        (reply(residue=0), "true or false"),
        (json.dumps({"reasons": REASONS, "scores": {"IA": 4}}), '"scores" lacks CP, DR, residue'),
        (json.dumps({"scores": SCORES}), "lacks reasons"),
        (json.dumps(SCORES), "lacks reasons, scores"),
        (reply(overall=5), '"scores" holds "overall"'),
        (json.dumps({"reasons": "all good", "scores": SCORES}), '"reasons" is not an object'),
        (json.dumps({"reasons": {**REASONS, "IA": 3}, "scores": SCORES}), "reason for IA"),
        ("{" * 100_000, "not valid JSON"),
        ('{"a":' * 100_000, "not valid JSON"),
    ],
)
def test_anything_else_is_malformed_and_says_why(text: str, fault: str) -> None:
    found = read_verdict(text, RUBRIC)
    assert isinstance(found, Malformed)
    assert fault in found.reason and found.reason.endswith(".")
    assert found.kind == "malformed_verdict"


def test_a_large_unclosed_reply_is_read_to_its_end() -> None:
    for piece in ("```json\n", "{", "<think>\n", "```\n{}\n", "</think>\n", " "):
        assert isinstance(read_verdict(piece * (1_000_000 // len(piece)), RUBRIC), Malformed)


@given(
    st.text()
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(st.sampled_from(["scores", "reasons", *SCORES]), inner)
        ),
    ).map(json.dumps)
)
def test_no_reply_raises_and_none_gives_a_score_out_of_range(text: str) -> None:
    found = read_verdict(text, RUBRIC)
    if isinstance(found, Verdict):
        assert set(found.scores) == set(SCORES)
        assert all(1 <= found.scores[name] <= 5 for name in ("IA", "CP", "DR"))
    else:
        assert found.reason


@given(st.fixed_dictionaries(
    {"IA": st.integers(1, 5), "CP": st.integers(1, 5), "DR": st.integers(1, 5),
     "residue": st.booleans()}
))  # fmt: skip
def test_every_verdict_in_range_is_read_as_it_was_written(scores: dict[str, int | bool]) -> None:
    found = read_verdict(reply(**scores), RUBRIC)
    assert isinstance(found, Verdict) and dict(found.scores) == scores
    assert [type(v) for v in found.scores.values()] == [int, int, int, bool]
