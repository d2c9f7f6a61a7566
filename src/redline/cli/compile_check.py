"""Whether the codes of a benchmark's samples give a page on this machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from redline.bench import DiagramSample, Fault
from redline.diagram.references import Renders


def renderer(stack: ExitStack, unsandboxed: bool) -> Renders:
    from redline.cli.composing import make_renderer

    return stack.enter_context(make_renderer("none" if unsandboxed else "bubblewrap"))


@dataclass
class CompileCheck:
    """Asks a renderer whether a sample's original and golds give a page. One that comes in spite
    of TeX errors is a note. What this machine can't render (a package it lacks, a time-out) is no
    fault of the benchmark: it goes to `unchecked`. The renderer is made when the first code comes:
    a benchmark without codes needs none."""

    stack: ExitStack
    unsandboxed: bool
    unchecked: list[Fault] = field(default_factory=list)
    _renderer: Renders | None = None

    def __call__(self, sample: DiagramSample) -> Iterable[Fault]:
        if self._renderer is None:
            self._renderer = renderer(self.stack, self.unsandboxed)
        draws = self._renderer
        original = draws.render(sample.code)
        codes = [("original", original)]
        if original.png is not None:
            with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
                drawn = pool.map(
                    lambda gold: draws.render(gold, engine=original.engine, scale=original.scale),
                    sample.golds,
                )
                codes += [(f"gold {k}", r) for k, r in enumerate(drawn, start=1)]
        for what, render in codes:
            if render.status == "ok_with_errors":
                yield Fault(
                    sample.id, what, f"compiles with errors: {_first_error(render)}",
                    "Mend the code if it was not meant", "note",
                )  # fmt: skip
            if render.png is not None:
                continue
            fault = Fault(
                sample.id, what, f"gives no page with {render.engine}: {_said(render)}",
                "Mend the code" if render.status == "failed" else "See redline doctor",
            )  # fmt: skip
            if render.status == "failed":
                yield fault
            else:
                self.unchecked.append(fault)


def why_not(draws: Renders) -> Callable[[str], str | None]:
    """From a code to why it gives no page, or None where it does."""

    def renders(code: str) -> str | None:
        render = draws.render(code)
        return None if render.png is not None else _said(render)

    return renders


def _first_error(render: Any) -> str:
    if render.error is None:
        return "TeX tells none of them"
    at = f"line {render.error.line}, " if render.error.line else ""
    return f"{at}{render.error.message.rstrip('.')}"


def _said(render: Any) -> str:
    if render.error is None:
        return str(render.status)
    at = f" (line {render.error.line})" if render.error.line else ""
    return f"{render.error.message.rstrip('.')}{at}"
