"""What a user sees while a run goes on."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from redline.errors import plain
from redline.track import Status

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import TaskID


class Progress(Protocol):
    """Told of everything that changes; `stop` comes last, also after an error."""

    def start(self) -> None: ...

    def stage(self, name: str, total: int, done: int, failed: int, unscored: int) -> None:
        """A stage begins, or its next round: how many units it has by now, and how many are
        finished already."""

    def unit(self, stage: str, status: Status) -> None: ...

    def calls(self, in_flight: int, spent: float) -> None: ...

    def note(self, sentence: str) -> None: ...

    def stop(self) -> None: ...


class Silent:
    """Shows nothing."""

    def start(self) -> None: ...

    def stage(self, name: str, total: int, done: int, failed: int, unscored: int) -> None: ...

    def unit(self, stage: str, status: Status) -> None: ...

    def calls(self, in_flight: int, spent: float) -> None: ...

    def note(self, sentence: str) -> None: ...

    def stop(self) -> None: ...


class Lines:
    """Plain lines for a log: one every `every_s` seconds of a stage, and one at its end."""

    def __init__(
        self,
        write: Callable[[str], object],
        every_s: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._write = write
        self._every_s = every_s
        self._clock = clock
        self._stage = ""
        self._total = 0
        self._counts: Counter[str] = Counter()
        self._began = self._told = 0.0
        self._before = 0
        self._spent = 0.0

    def start(self) -> None: ...

    def stage(self, name: str, total: int, done: int, failed: int, unscored: int) -> None:
        if name != self._stage:
            self.stop()
            self._stage, self._before = name, done
            self._began = self._told = self._clock()
        self._total = total
        self._counts = Counter(done=done, failed=failed, unscored=unscored)

    def unit(self, stage: str, status: Status) -> None:
        self._counts["done"] += 1
        self._counts[status] += status != "ok"
        last = self._counts["done"] >= self._total
        if not last and self._clock() - self._told >= self._every_s:
            self._tell()

    def calls(self, in_flight: int, spent: float) -> None:
        self._spent = spent

    def note(self, sentence: str) -> None:
        self._write(sentence)

    def stop(self) -> None:
        if self._stage:
            self._tell()
            self._stage = ""

    def _tell(self) -> None:
        self._told = self._clock()
        done = self._counts["done"]
        said = [f"{self._stage}: {done} of {self._total}"]
        said += [f"{n} {name}" for name in ("failed", "unscored") if (n := self._counts[name])]
        seconds = self._told - self._began
        if seconds > 0 and done > self._before:
            said.append(f"{(done - self._before) / seconds:.1f}/s")
        if self._spent:
            said.append(f"{self._spent:.2f} USD")
        self._write(", ".join(said))


class Bars:
    """A bar a stage, with counts of failed and unscored, calls in flight and money spent."""

    def __init__(self, console: Console | None = None) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress

        self._rich = RichProgress(
            TextColumn("{task.description:>9}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[counts]}"),
            TextColumn("{task.fields[calls]}", style="dim"),
            TimeElapsedColumn(),
            console=console or Console(stderr=True),
        )
        self._tasks: dict[str, TaskID] = {}
        self._counts: dict[str, dict[str, int]] = {}
        self._current: str | None = None

    def start(self) -> None:
        self._rich.start()

    def stage(self, name: str, total: int, done: int, failed: int, unscored: int) -> None:
        self._counts[name] = {"failed": failed, "unscored": unscored}
        if name in self._tasks:
            self._rich.update(
                self._tasks[name], total=total, completed=done, counts=self._said(name)
            )
            return
        task = self._rich.add_task(
            name, total=total, completed=done, counts=self._said(name), calls=""
        )
        if self._current is not None:
            self._rich.update(self._tasks[self._current], calls="")
        self._tasks[name] = task
        self._current = name

    def unit(self, stage: str, status: Status) -> None:
        if status != "ok":
            self._counts[stage][status] += 1
        self._rich.update(self._tasks[stage], advance=1, counts=self._said(stage))

    def calls(self, in_flight: int, spent: float) -> None:
        if self._current is not None:
            text = f"{in_flight} in flight, {spent:.2f} USD" if in_flight or spent else ""
            self._rich.update(self._tasks[self._current], calls=text)

    def note(self, sentence: str) -> None:
        self._rich.console.print(plain(sentence), style="yellow", markup=False, highlight=False)

    def stop(self) -> None:
        self._rich.stop()

    def _said(self, stage: str) -> str:
        return ", ".join(f"{n} {name}" for name, n in self._counts[stage].items() if n)
