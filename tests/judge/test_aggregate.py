"""One number of a verdict: worked out by hand, and rubrics whose number would mean nothing."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest

from redline.judge import RubricError, load_rubric

FILE = (resources.files("redline.judge") / "rubrics" / "photo-three-scores-v1.toml").read_text()


@pytest.mark.parametrize(("sc", "pq", "value"), [(4, 9, 6.0), (0, 10, 0.0), (10, 10, 10.0)])
def test_two_scores_come_to_their_geometric_mean(sc: int, pq: int, value: float) -> None:
    overall = load_rubric("photo-two-scores-v1").overall
    assert overall is not None and (overall.low, overall.high) == (0, 10)
    assert overall.value({"SC": sc, "PQ": pq}) == pytest.approx(value)


@pytest.mark.parametrize(
    ("scores", "value"),
    [((5, 4, 3), 4.0), ((2, 5, 5), 2.0), ((3, 5, 1), 7 / 3), ((1, 1, 1), 1.0)],
)
def test_three_scores_come_to_a_mean_in_which_none_exceeds_the_first(
    scores: tuple[int, int, int], value: float
) -> None:
    overall = load_rubric("photo-three-scores-v1").overall
    assert overall is not None and (overall.low, overall.high) == (1, 5)
    names = ("instruction", "quality", "preservation")
    assert overall.value(dict(zip(names, scores, strict=True))) == pytest.approx(value)


def test_a_rubric_without_the_table_has_no_such_number() -> None:
    assert load_rubric("viseditbench-image-v1").overall is None


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('cap = "instruction"', 'cap = "speed"', "overall: there is no scale speed"),
        ('"quality", "preservation"]', '"quality", "quality"]', "of names a scale twice"),
        ('name = "edit_score"', 'name = "quality"', "is that of a criterion"),
        ('how = "mean"', 'how = "median"', "overall.how: Input should be"),
    ],
)
def test_a_number_that_means_nothing_is_refused(
    tmp_path: Path, old: str, new: str, sentence: str
) -> None:
    file = tmp_path / "bad.toml"
    assert old in FILE
    file.write_text(FILE.replace(old, new, 1))
    with pytest.raises(RubricError) as caught:
        load_rubric(file)
    assert sentence in str(caught.value)


def test_scales_of_different_ranges_do_not_come_to_one_number(tmp_path: Path) -> None:
    file = tmp_path / "bad.toml"
    low, _, rest = FILE.partition("low = 1")
    file.write_text(f"{low}low = 0{rest}".replace('1 = "Nothing', '0 = "None."\n1 = "Nothing', 1))
    with pytest.raises(RubricError, match="one number needs one range"):
        load_rubric(file)
