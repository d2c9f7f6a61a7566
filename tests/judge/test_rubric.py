"""Rubric files: what the bundled ones hold, and faults of others as sentences."""

from __future__ import annotations

import hashlib
from importlib import resources
from pathlib import Path

import pytest

from redline.judge import (
    JudgeInputs,
    JudgeInputsError,
    RubricError,
    bundled_rubrics,
    load_rubric,
)

IMAGE = (resources.files("redline.judge") / "rubrics" / "viseditbench-image-v1.toml").read_text()


def test_the_bundled_rubrics_ask_what_their_benchmark_asks() -> None:
    asked = {name: [c.name for c in load_rubric(name).criteria] for name in bundled_rubrics()}
    assert asked == {
        "viseditbench-image-v1": ["IA", "CP", "DR", "residue"],
        "viseditbench-code-v1": ["code_IA", "code_CP"],
        "viseditbench-code-oes-v1": ["code_IA", "code_CP", "oes_judged"],
        "photo-two-scores-v1": ["SC", "PQ"],
        "photo-three-scores-v1": ["instruction", "quality", "preservation"],
    }


@pytest.mark.parametrize("name", bundled_rubrics())
def test_a_bundled_rubric_is_named_as_its_file_and_anchors_every_point(name: str) -> None:
    rubric = load_rubric(name)
    assert rubric.name == name and name.endswith(f"-v{rubric.version}")
    for c in rubric.criteria:
        scale = range(11) if name.startswith("photo-two") else range(1, 6)
        points = ["yes", "no"] if c.kind == "yesno" else [str(k) for k in scale]
        assert sorted(c.anchors) == sorted(points)
        assert len(set(c.anchors.values())) == len(points)


def test_the_oes_variant_differs_from_the_plain_one_in_that_question_only() -> None:
    plain, oes = load_rubric("viseditbench-code-v1"), load_rubric("viseditbench-code-oes-v1")
    assert oes.criteria[:2] == plain.criteria
    assert (oes.prompt, oes.task, oes.inputs) == (plain.prompt, plain.task, plain.inputs)


def test_the_hash_is_that_of_the_files_bytes(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(IMAGE)
    assert load_rubric(file).hash == hashlib.sha256(file.read_bytes()).hexdigest()
    before = load_rubric(str(file)).hash
    file.write_text(IMAGE + "\n# a remark\n")
    assert load_rubric(file).hash != before


def test_the_lowest_scores_are_those_of_scales_only() -> None:
    assert load_rubric("viseditbench-image-v1").lowest() == {"IA": 1, "CP": 1, "DR": 1}


def test_what_a_judge_is_shown_follows_the_judge_inputs() -> None:
    rubric = load_rubric("viseditbench-code-v1")
    labels = [i.label for i in rubric.shown(JudgeInputs.parse("original,candidate"))]
    assert labels == ["original_code", "original_to_candidate"]
    assert [i.label for i in rubric.shown(JudgeInputs.all())] == [i.label for i in rubric.inputs]
    with pytest.raises(RubricError, match="without original: add it to --judge-inputs"):
        rubric.shown(JudgeInputs.parse("gold,candidate"))


def test_judge_inputs_are_written_in_one_way() -> None:
    parsed = JudgeInputs.parse(" Candidate, gold,instruction-text,gold")
    assert str(parsed) == "instruction_text,gold,candidate"
    assert JudgeInputs.parse(str(parsed)) == parsed
    assert JudgeInputs.parse("all") == JudgeInputs.all()
    assert str(JudgeInputs.all()).count(",") == 4


def test_wrong_judge_inputs_are_refused_with_a_sentence() -> None:
    with pytest.raises(JudgeInputsError, match="golf is none of original"):
        JudgeInputs.parse("golf,candidate")
    for text in ("", "original", ","):
        with pytest.raises(JudgeInputsError, match="add candidate"):
            JudgeInputs.parse(text)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('level = "image"', 'level = "picture"', "level: Input should be 'image' or 'code'"),
        ("version = 1", 'version = "1"', "version: "),
        ("version = 1", "version = 1\nextra = 2", "extra: Extra inputs are not permitted"),
        ('name = "CP"', 'name = "IA"', "the criterion IA stands twice"),
        ('label = "gold"', 'label = "original"', "the input original stands twice"),
        ("low = 1\nhigh = 5", "low = 5\nhigh = 1", "criterion IA: a scale needs low and high"),
        ("low = 1\nhigh = 5", "low = 1\nhigh = 6", "criterion IA: the anchor for 6 is missing"),
        ("low = 1\nhigh = 5", "low = 1\nhigh = 4", "the anchor '5' is no answer"),
        ('kind = "yesno"', 'kind = "yesno"\nlow = 0', "has no low and high"),
        ("{criteria}", "", "task: must hold {criteria} exactly once"),
        ("{fault}", "{fault} {fault}", "repair: must hold {fault} exactly once"),
        ('needs = ["gold"]', 'needs = ["golf"]', "'golf' is none of original"),
        ('required = ["candidate"]', "required = []", "required: candidate is missing"),
        ('name = "viseditbench-image-v1"', 'name = "a b"', "name: "),
        ('name = "viseditbench-image-v1"', "name = ", "is not TOML"),
    ],
)
def test_a_fault_of_a_rubric_file_is_a_sentence(
    tmp_path: Path, old: str, new: str, sentence: str
) -> None:
    file = tmp_path / "bad.toml"
    assert old in IMAGE
    file.write_text(IMAGE.replace(old, new, 1))
    with pytest.raises(RubricError) as caught:
        load_rubric(file)
    assert "bad.toml" in str(caught.value) and sentence in str(caught.value)


def test_keys_that_are_missing_are_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "bad.toml"
    file.write_text('name = "mine"\nversion = 1\n')
    with pytest.raises(RubricError) as caught:
        load_rubric(file)
    assert str(caught.value) == (
        f"rubric {file}: lacks level, required, prompt, task, repair, inputs, criteria; "
        "docs/files-of-your-own.md describes the keys, with an example"
    )
    file.write_text(IMAGE.replace('kind = "picture"\n', "", 1).replace("version = 1", ""))
    with pytest.raises(RubricError) as caught:
        load_rubric(file)
    told = str(caught.value).splitlines()
    assert told[1:] == ["- lacks version", "- inputs.0: lacks kind"]
    assert "Field required" not in str(caught.value)


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    file = tmp_path / "bad.toml"
    file.write_text(IMAGE.replace("{criteria}", "").replace('name = "CP"', 'name = "IA"'))
    with pytest.raises(RubricError) as caught:
        load_rubric(file)
    assert str(caught.value).count("\n- ") == 2


def test_an_unknown_rubric_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(RubricError, match="viseditbench-image-v1"):
        load_rubric("viseditbench-image-v9")
    with pytest.raises(RubricError, match="cannot be read"):
        load_rubric(tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(RubricError, match="not TOML"):
        load_rubric(tmp_path / "bytes.toml")
