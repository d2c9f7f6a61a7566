"""Drawn scenes in one state after the other, each drawn once, and what tells two of them apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tools.mini_image.sample import Edit
from tools.mini_image.tracing import Scene, Shot, shot

Choices = dict[str, Any]


class States:
    """The states of a scene: `scene` draws one from choices, none of which are its first."""

    def __init__(self, scene: Callable[..., Scene]) -> None:
        self._scene = scene
        self._drawn: dict[str, Shot] = {}

    def shot(self, choices: Choices) -> Shot:
        key = repr(sorted(choices.items()))
        if key not in self._drawn:
            self._drawn[key] = shot(self._scene(**choices))
        return self._drawn[key]

    def edit(self, before: Choices, change: Choices, names: tuple[str, ...], scale: str, instruction: str,
             questions: dict[str, str], **more: Any) -> Edit:  # fmt: skip
        """An edit of the scene. `names` are the things that it changes, takes away or brings."""
        was, now = self.shot(before), self.shot({**before, **change})
        cover = [s.cover[n] for s in (was, now) for n in names if n in s.cover]
        core = np.maximum.reduce(cover) > 0
        return Edit(scale, instruction, now.picture, questions, core=core, **more)

    def rounds(self, turns: list[tuple[Choices, tuple[str, ...], str, str, dict[str, str]]],
               dropped: tuple[int, ...] = ()) -> list[Edit]:  # fmt: skip
        """A dialogue: each turn starts where the one before it ended."""
        found, state = [], {}
        for k, (change, names, scale, instruction, questions) in enumerate(turns, start=1):
            found.append(self.edit(state, change, names, scale, instruction, questions, round=k,
                                   dropped=k in dropped))  # fmt: skip
            state = {**state, **change}
        return found
