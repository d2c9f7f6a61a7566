"""Running the stages of a track over a run folder: what is finished stays, the rest is done."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from redline.run.budget import check_prices
from redline.run.caller import Busy, Caller
from redline.run.context import Threads, UnitContext
from redline.run.errors import RunError
from redline.run.faults import faultpoint
from redline.run.folder import RunFolder
from redline.run.options import Options, Role
from redline.run.progress import Progress, Silent
from redline.run.stopping import Interrupted, Stop
from redline.run.summary import StageCount, Summary, counted
from redline.track import Done, Finished, Stage, Unanswered, Unit, in_rounds

_INTERRUPT = {signal.SIGINT: 130, signal.SIGTERM: 143}


async def execute(
    folder: RunFolder,
    stages: Sequence[Stage],
    roles: Mapping[str, Role],
    options: Options | None = None,
    progress: Progress | None = None,
) -> Summary:
    """Do every unit of the stages that is not finished yet, stage after stage.

    Units that ended `unscored` are tried again, stale ones are done again; `ok` and `failed`
    ones stay. Ctrl-C, SIGTERM, a spent budget, a full disk and a provider that cannot be used
    end it early with a Summary that says so. Raises BudgetUnknown before anything is sent."""
    options = options or Options()
    check_prices(options.budget_usd, [role.card for role in roles.values()])
    engine = _Engine(folder, roles, options, progress or Silent())
    return await engine.run(stages)


def finished(folder: RunFolder, stage: str, unit: Unit) -> Done | None:
    """The record of a unit if it is still true: same inputs, and its bytes are there."""
    done = folder.get(stage, unit.key)
    if done is None or done.inputs != unit.inputs or not folder.whole(done):
        return None
    return done


@dataclass(eq=False)
class _Working:
    """A unit in work."""

    task: asyncio.Task[None]
    busy: Busy


class _Engine:
    def __init__(
        self, folder: RunFolder, roles: Mapping[str, Role], options: Options, progress: Progress
    ) -> None:
        self._folder = folder
        self._roles = roles
        self._options = options
        self._progress = progress
        self._stop = Stop(self._cut_idle)
        self._crash: BaseException | None = None
        self._caller = Caller(folder, roles, options, self._stop, progress)
        self._threads = Threads(options.workers)
        self._working: set[_Working] = set()
        self._counts: dict[str, StageCount] = {}
        self._began = time.monotonic()
        self._told = 0

    async def run(self, stages: Sequence[Stage]) -> Summary:
        self._progress.start()
        self._tell_warnings()
        try:
            with self._signals():
                for stage in stages:
                    await self._stage(stage)
                    if self._stop.asked:
                        break
                    faultpoint("between-stages")
                await self._folder.settle()
        finally:
            self._threads.close()
            self._tell_warnings()
            self._progress.stop()
        if self._crash is not None:
            raise self._crash
        return self._summary()

    async def _stage(self, stage: Stage) -> None:
        """Every unit once; a stage whose units follow from one another is asked again for the
        next ones, until it has none that was not looked at yet."""
        seen: set[tuple[str, str]] = set()
        kept: Counter[str] = Counter()
        now: Counter[str] = Counter()
        while True:
            units = list(stage.units(self._folder))
            _refuse_doubles(stage.name, units)
            todo = []
            for unit in units:
                if (unit.key, unit.inputs) in seen:
                    continue
                seen.add((unit.key, unit.inputs))
                done = finished(self._folder, stage.name, unit)
                if done is None or done.status == "unscored":
                    todo.append(unit)
                else:
                    kept[done.status] += 1
            both = kept + now
            self._progress.stage(
                stage.name, len(units), both.total(), both["failed"], both["unscored"]
            )
            waiting = iter(todo)
            hands = min(self._options.units_at_once, len(todo))
            try:
                await asyncio.gather(*(self._hand(stage, waiting, now) for _ in range(hands)))
            finally:
                both = kept + now
                self._counts[stage.name] = StageCount(
                    ok=both["ok"],
                    failed=both["failed"],
                    unscored=both["unscored"],
                    missing=len(units) - both.total(),
                    done_now=now.total(),
                )
            if not (todo and in_rounds(stage)) or self._stop.asked:
                return

    async def _hand(self, stage: Stage, waiting: Iterator[Unit], now: Counter[str]) -> None:
        """Take one unit after the other until none is left or the run stops."""
        for unit in waiting:
            if self._stop.asked:
                return
            busy = Busy()
            task = asyncio.create_task(self._unit(stage, unit, busy, now))
            working = _Working(task, busy)
            self._working.add(working)
            try:
                await asyncio.wait([task])
            except asyncio.CancelledError:
                task.cancel()
                raise
            finally:
                self._working.discard(working)
            if not task.cancelled() and (error := task.exception()) is not None:
                self._stop_for(error)

    async def _unit(self, stage: Stage, unit: Unit, busy: Busy, now: Counter[str]) -> None:
        context = UnitContext(
            stage.name, unit, self._folder, self._caller, self._threads, self._stop, busy
        )
        began = time.monotonic()
        again: list[str] = []
        try:
            result = await stage.run(unit, context)
            if result.status == "unscored":
                useless = context.again(result.ask_again)
                self._caller.forget(useless)
                again = [call.key for call in useless]
        except Unanswered as error:
            result = Finished("unscored", str(error))
        except (RunError, asyncio.CancelledError):
            raise
        except Exception as error:
            result = _crashed(error)
        with busy.held():
            kept = await asyncio.shield(
                asyncio.ensure_future(self._keep(stage, unit, result, context, began, again))
            )
        if kept.status != "unscored":
            self._caller.share(context.answered)
        now[kept.status] += 1
        self._progress.unit(stage.name, kept.status)

    async def _keep(
        self,
        stage: Stage,
        unit: Unit,
        result: Finished,
        context: UnitContext,
        began: float,
        again: Sequence[str],
    ) -> Finished:
        seconds = time.monotonic() - began
        try:
            await self._folder.finish(
                stage.name, unit, result, cost=context.cost, seconds=seconds, again=again
            )
        except (TypeError, ValueError) as error:
            # A value that JSON cannot say is a fault of the stage, not of the model.
            result = _crashed(error)
            await self._folder.finish(stage.name, unit, result, cost=context.cost, seconds=seconds)
        return result

    # -- stopping ----------------------------------------------------------------------------

    def _stop_for(self, error: BaseException) -> None:
        if isinstance(error, RunError):
            self._stop.ask(str(error), error.exit_status)
        elif not isinstance(error, Interrupted):
            self._crash = error
            self._stop.ask(f"Redline failed: {type(error).__name__}: {error}", 1)

    def _cut_idle(self) -> None:
        """A stop was asked for: units that only wait end now, busy ones get the grace."""
        for working in self._working:
            if not working.busy.count:
                working.task.cancel()
        loop = asyncio.get_running_loop()
        loop.call_later(self._options.grace_s, self._cut_all)

    def _cut_all(self) -> None:
        for working in self._working:
            working.task.cancel()

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        """Ctrl-C and SIGTERM stop the run; the second one ends the process at once."""
        loop = asyncio.get_running_loop()
        taken = []
        for number in _INTERRUPT:
            # Only the main thread may handle signals; elsewhere the program above does.
            with contextlib.suppress(ValueError, RuntimeError):
                loop.add_signal_handler(number, self._on_signal, number)
                taken.append(number)
        try:
            yield
        finally:
            for number in taken:
                loop.remove_signal_handler(number)

    def _on_signal(self, number: signal.Signals) -> None:
        status = _INTERRUPT[number]
        if self._stop.asked:
            self._progress.stop()
            os._exit(status)
        self._progress.note(_stopping(self._caller.in_flight, self._options.grace_s))
        self._stop.ask(
            f"Interrupted by {number.name}. Start the same command again to go on.", status
        )

    def _tell_warnings(self) -> None:
        """Each once, as soon as there is a moment for it."""
        for warning in self._folder.warnings[self._told :]:
            self._progress.note(f"Note: {warning}")
        self._told = len(self._folder.warnings)

    # -- the end -----------------------------------------------------------------------------

    def _summary(self) -> Summary:
        totals = self._folder.totals
        open_calls = self._folder.unanswered
        complete = all(count.complete for count in self._counts.values())
        return Summary(
            path=self._folder.path,
            stages=self._counts,
            calls_sent=self._caller.sent,
            cached=totals.cached,
            spent=totals.spent,
            unpriced=totals.unpriced,
            estimated=totals.estimated,
            estimated_spent=totals.estimated_spent,
            possibly_billed=len(open_calls),
            possibly_spent=sum(open_calls.values()),
            seconds=time.monotonic() - self._began,
            warnings=tuple(self._folder.warnings),
            stopped=self._stop.sentence,
            exit_status=self._stop.exit_status if self._stop.asked else (0 if complete else 3),
        )


def _stopping(in_flight: int, grace_s: float) -> str:
    if not in_flight:
        return "Stopping."
    return (
        f"Stopping: waiting up to {grace_s:.0f} s for {counted(in_flight, 'call')} in flight. "
        "Once more ends at once."
    )


def _crashed(error: Exception) -> Finished:
    """A stage that threw: the harness's fault, told with its place but without a path."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    trace = "".join(
        f"{Path(f.filename).name}:{f.lineno} in {f.name}\n    {f.line}\n" for f in frames
    )
    said = f"{type(error).__name__}: {error}"
    if isinstance(error, OSError) and error.filename is not None:
        said = f"{type(error).__name__}: {Path(str(error.filename)).name}: {error.strerror}"
    return Finished(
        "unscored", f"crash: {said}{place}", blobs={"traceback": f"{trace}{said}\n".encode()}
    )


def _refuse_doubles(stage: str, units: Sequence[Unit]) -> None:
    doubles = [key for key, n in Counter(u.key for u in units).items() if n > 1]
    if doubles:
        raise RunError(f"Stage {stage!r} has two units of the key {doubles[0]!r}.")
