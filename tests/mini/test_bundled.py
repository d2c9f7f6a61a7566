"""The bundled benchmarks are without fault, and of the size they promise."""

from __future__ import annotations

from collections import Counter

import pytest

from redline.bench import bundled, check, load, of_track


@pytest.mark.parametrize("name", sorted(bundled()))
def test_a_bundled_benchmark_has_no_fault(name: str) -> None:
    assert [f for f in check(bundled()[name]) if f.severity == "fault"] == []


def test_mini_image_pairs_low_and_high_and_has_dialogues_one_with_a_gap() -> None:
    samples = of_track(load(bundled()["mini-image"]), "image").samples
    single = [s for s in samples if len(s.turns) == 1]
    pairs = Counter(s.context for s in single)
    assert len(single) == 24 and set(pairs.values()) == {2} and len(pairs) == 12
    dialogues = [s for s in samples if len(s.turns) > 1]
    assert len(dialogues) == 4 and all(4 <= len(s.turns) <= 10 for s in dialogues)
    assert sum(bool(s.gaps) for s in dialogues) >= 1
    assert sum(t.overlay is not None for s in samples for t in s.turns) >= 2
    assert all(1 <= len(t.questions) <= 3 for s in samples for t in s.turns)
