"""The drawings of mini-diagram: made from their specs, pen and tool kept apart, pixels exact."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from redline.bench import find, load
from redline.pixels import composite, load_picture, load_rgba

ROOT = Path(__file__).resolve().parents[2]
SPECS = ROOT / "tools" / "drawing" / "specs"
SAMPLES = {s.id: s for s in load(find("mini-diagram")).samples}
sys.path.insert(0, str(SPECS.parent))

import hand  # noqa: E402
import marks  # noqa: E402
from alphabet import GLYPHS  # noqa: E402


def test_there_is_a_spec_for_every_sample_and_no_other() -> None:
    assert {p.stem for p in SPECS.glob("*.json")} == set(SAMPLES)


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_a_drawing_is_what_its_spec_says(name: str) -> None:
    sample = SAMPLES[name]
    spec = json.loads((SPECS / f"{name}.json").read_text("utf-8"))
    assert sample.scene and sample.overlay and sample.picture and sample.instruction_picture
    scene = json.loads(sample.scene.read_text("utf-8"))
    drawn = [e for e in scene["elements"] if e["type"] != "image"]
    kinds = {e["type"] for e in drawn}
    assert spec["drawn_with"] == sample.drawn_with
    if sample.drawn_with == "pen":
        assert kinds == {"freedraw"}
    else:
        assert kinds <= {"ellipse", "rectangle", "diamond", "arrow", "line", "text"}
    assert [e["id"] for e in drawn] == [e["id"] for e in marks.elements(spec)]
    assert not scene["files"]
    # Nothing of the machine, the time or chance: drawing again gives the same benchmark.
    assert scene["source"] == "https://excalidraw.com"
    assert {(e["versionNonce"], e["updated"]) for e in scene["elements"]} == {(1, 1)}


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_no_pixel_outside_the_drawing_changes(name: str) -> None:
    sample = SAMPLES[name]
    assert sample.overlay and sample.picture and sample.instruction_picture
    overlay, picture = load_rgba(sample.overlay), load_picture(sample.picture).array
    shown = load_picture(sample.instruction_picture).array
    untouched = overlay[..., 3] == 0
    assert np.array_equal(shown[untouched], picture[untouched])
    assert np.array_equal(shown, composite(picture, overlay))
    assert 0.001 < 1 - untouched.mean() < 0.25


def test_the_same_spec_gives_the_same_elements() -> None:
    spec = json.loads((SPECS / "flow-login.json").read_text("utf-8"))
    assert marks.elements(spec) == marks.elements(spec)


def test_an_unknown_mark_is_refused() -> None:
    with pytest.raises(ValueError, match="star"):
        marks.elements({"id": "x", "drawn_with": "pen", "marks": [{"mark": "star"}]})


def test_handwriting_stays_on_its_line_and_is_sampled_in_time() -> None:
    import random

    strokes = hand.write("dashed", (100, 100), 30, 0, random.Random(1))
    ys = [y for s in strokes for _, y in s]
    xs = [x for s in strokes for x, _ in s]
    assert min(ys) > 80 and max(ys) < 150 and min(xs) > 85 and max(xs) < 100 + 6 * 30
    # Equal times: a hand is slower at the ends of a stroke than in its middle.
    long = hand.line([(0, 0), (400, 0)], random.Random(2))
    steps = np.hypot(*np.diff(np.array(long), axis=0).T)
    assert steps[:3].mean() < 0.7 * steps[len(steps) // 2 - 2 : len(steps) // 2 + 2].mean()


def test_every_letter_and_digit_has_a_path() -> None:
    import string

    assert set(string.ascii_letters + string.digits) <= set(GLYPHS)
