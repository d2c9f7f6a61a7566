"""Stage measure: figures of an older definition are stale."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from redline.diagram import Measure, agreement, similarity
from redline.track import Done
from tests.diagram.making import task

MADE = Done("generate", "s#0", "", "ok", None, {}, {"code": "c"})
RENDER = Done("render", "s#0", "", "ok", None, {}, {"png": "p", "original": "o", "gold": "g"})


class Records:
    def get(self, stage: str, key: str) -> Done | None:
        return {"generate": MADE, "render": RENDER}.get(stage)

    def all(self, stage: str) -> Sequence[Done]:
        return []


@pytest.mark.parametrize(
    ("module", "name"),
    [(agreement, "AGREEMENT_VERSION"), (similarity, "SIMILARITY_VERSION")],
)
def test_figures_of_an_older_definition_are_stale(
    module: object, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def inputs() -> str:
        (unit,) = Measure(task()).units(Records())
        return unit.inputs

    before = inputs()
    assert inputs() == before
    monkeypatch.setattr(module, name, -1)
    assert inputs() != before
