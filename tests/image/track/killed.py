"""A run of one dialogue in a process of its own, which kills itself in the midst of a call."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from redline.image.generate import Generate
from redline.models.protocol import Reply, Request
from tests.image.track.making import Model, adds_squares, carry_out, dialogue, task, words


def journalling(journal: Path, dies_at: int) -> Model:
    """A perfect editor that writes down each call, and takes the process with it at one round."""

    def answer(request: Request) -> Reply:
        round_ = int(words(request).split("square ")[1][0])
        with journal.open("a") as file:
            file.write(f"{round_}\n")
        if round_ == dies_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return adds_squares(request)

    return Model(answer)


def run(folder: Path, dies_at: int = 0) -> int:
    asked = task(dialogue(folder / "b", rounds=(1, 2, 3, 4)))
    model = journalling(folder / "journal", dies_at)
    return carry_out(folder / "run", [Generate(asked)], model).exit_status


if __name__ == "__main__":
    sys.exit(run(Path(sys.argv[1]), int(sys.argv[2])))
