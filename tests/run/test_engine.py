"""What a run does with its units: resumes, retries, stops, and what it never asks twice."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from redline.models.protocol import ProviderError, Reply, Settings
from redline.run import Bars, Options, Role, RunError, RunFolder, execute
from redline.run.cache import ResponseCache
from redline.run.calls import Call
from redline.track import Context, Finder, Finished, Stage, Unit
from tests.run.toy import CARD, FAST, Generate, Judge, Scripted, ask, manifest, run, say

KEYS = ["s1#0", "s2#0", "s3#0"]
STAGES: list[Stage] = [Generate(KEYS), Judge()]


def fast(**changes: Any) -> Options:
    return Options(**{**vars(FAST), **changes})


def test_a_second_start_asks_nothing(tmp_path: Path) -> None:
    model = Scripted()
    first = run(tmp_path / "run", STAGES, model)
    assert (first.exit_status, first.calls_sent) == (0, 9)
    second = run(tmp_path / "run", STAGES, model)
    assert (second.exit_status, second.calls_sent) == (0, 0)
    assert second.stages["judge"].done_now == 0
    assert second.spent == pytest.approx(9 * 200e-6)
    assert len(model.asked) == 9


def test_changed_inputs_redo_exactly_that_unit_and_its_dependents(tmp_path: Path) -> None:
    class Versioned(Generate):
        def units(self, done: Finder) -> Iterable[Unit]:
            return [Unit(k, "2" if k == "s2#0" else "1", k) for k in self.keys]

        async def run(self, unit: Unit, context: Context) -> Finished:
            text = f"version {unit.inputs} of {unit.key}"
            reply = await context.call("model", "edit", ask(text))
            return Finished("ok", blobs={"code": reply.text.encode()})

    model = Scripted()
    path = tmp_path / "run"

    class First(Versioned):
        def units(self, done: Finder) -> Iterable[Unit]:
            return [Unit(k, "1", k) for k in self.keys]

    run(path, [First(KEYS), Judge()], model)
    model.asked.clear()
    run(path, [Versioned(KEYS), Judge()], model)
    assert model.asked[0] == "version 2 of s2#0"
    assert [p[:18] for p in model.asked[1:]] == ["verdict s2#0@judge"]
    model.asked.clear()
    run(path, [Versioned(KEYS), Judge()], model)
    assert model.asked == []


def test_other_settings_make_replies_of_another_kind(tmp_path: Path) -> None:
    model, path = Scripted(), tmp_path / "run"

    def once(settings: Settings, inputs: str) -> None:
        with RunFolder.create_or_open(path, manifest()) as folder:
            role = Role(model, CARD, settings)
            asyncio.run(execute(folder, [Generate(KEYS, inputs)], {"model": role}, FAST))

    once(Settings(temperature=0.0), "a")
    once(Settings(temperature=0.0, timeout_s=5), "b")
    assert len(model.asked) == 6
    once(Settings(temperature=1.0), "c")
    assert len(model.asked) == 12


@pytest.mark.parametrize("kind", ["rate_limit", "transient", "unreachable"])
def test_errors_that_may_pass_are_tried_again(kind: str, tmp_path: Path) -> None:
    def answer(prompt: str, n: int) -> Reply | ProviderError:
        return say("ok") if n >= 2 else ProviderError(kind, "Not now.", status=None)  # type: ignore[arg-type]

    model = Scripted(answer)
    summary = run(tmp_path / "run", [Generate(["s1#0"])], model)
    assert summary.exit_status == 0
    assert len(model.asked) == 6


def test_after_the_last_attempt_a_unit_is_unscored_and_tried_again_on_the_next_start(
    tmp_path: Path,
) -> None:
    down = True

    def answer(prompt: str, n: int) -> Reply | ProviderError:
        if down and prompt.startswith("edit s2"):
            return ProviderError("transient", "The server said 500.", status=500)
        return say(prompt)

    model = Scripted(answer)
    summary = run(tmp_path / "run", STAGES, model)
    assert summary.exit_status == 3
    assert (summary.stages["generate"].ok, summary.stages["generate"].unscored) == (2, 1)
    assert summary.stages["judge"].ok == 2
    with RunFolder.open(tmp_path / "run") as folder:
        done = folder.get("generate", "s2#0")
        assert done is not None
        assert done.reason == "transient: The server said 500. (after 6 attempts)"
        assert not folder.unanswered  # a 500 is not billed
    down = False
    model.asked.clear()
    again = run(tmp_path / "run", STAGES, model)
    assert again.exit_status == 0
    assert [p.split()[0] for p in model.asked] == ["edit", "verdict"]  # not "verbalize" again


def test_a_refused_request_is_not_tried_again(tmp_path: Path) -> None:
    model = Scripted(lambda p, n: ProviderError("bad_request", "Too large.", status=400))
    summary = run(tmp_path / "run", [Generate(["s1#0"])], model)
    assert summary.exit_status == 3
    assert len(model.asked) == 1


@pytest.mark.parametrize(("kind", "status"), [("auth", 2), ("not_found", 2), ("quota", 3)])
def test_a_provider_that_cannot_be_used_stops_the_run(
    kind: str, status: int, tmp_path: Path
) -> None:
    def answer(prompt: str, n: int) -> Reply | ProviderError:
        if len(model.asked) < 9:
            return say(prompt)
        return ProviderError(kind, "No.", status=401)  # type: ignore[arg-type]

    model = Scripted(answer)
    keys = [f"s{i}#0" for i in range(50)]
    summary = run(tmp_path / "run", [Generate(keys), Judge()], model)
    assert summary.exit_status == status
    assert summary.stopped is not None
    assert "toy/m cannot be used: No." in summary.stopped
    assert list(summary.stages) == ["generate"]
    assert summary.stages["generate"].unscored == 0  # nobody's result is blamed
    assert len(model.asked) <= 9 + 4
    again = Scripted()
    assert run(tmp_path / "run", [Generate(keys), Judge()], again).exit_status == 0
    assert len(again.asked) == 150 - 8


def test_a_host_that_never_answered_stops_the_run(tmp_path: Path) -> None:
    model = Scripted(lambda p, n: ProviderError("unreachable", "http://h:1 refuses."))
    summary = run(tmp_path / "run", [Generate([f"s{i}#0" for i in range(50)])], model)
    assert summary.exit_status == 2
    assert summary.stopped is not None
    assert "was not reached once" in summary.stopped
    assert len(model.asked) <= 8 * 3  # eight units were begun, three attempts each


def test_an_empty_reply_is_paid_for_but_never_used(tmp_path: Path) -> None:
    def answer(prompt: str, n: int) -> Reply | ProviderError:
        return say("  \n") if n < 2 else say("words")

    summary = run(tmp_path / "run", [Generate(["s1#0"])], Scripted(answer), fast())
    assert summary.exit_status == 0
    assert summary.calls_sent == 6
    assert summary.spent == pytest.approx(6 * 200e-6)
    with RunFolder.open(tmp_path / "run") as folder:
        assert {c["reply"]["text"] for c in folder.calls()} == {"words"}


def test_a_model_that_only_says_nothing_leaves_units_unscored(tmp_path: Path) -> None:
    summary = run(tmp_path / "run", [Generate(["s1#0"])], Scripted(lambda p, n: say("")))
    assert summary.exit_status == 3
    done = RunFolder.open(tmp_path / "run").get("generate", "s1#0")
    assert done is not None
    assert done.reason == "empty reply (after 6 attempts)"


def test_a_reply_cut_off_at_its_limit_without_text_is_an_answer(tmp_path: Path) -> None:
    model = Scripted(lambda p, n: Reply("", "length", raw=b"{}"))
    summary = run(tmp_path / "run", [Generate(["s1#0"])], model)
    assert summary.calls_sent == 2


def test_a_unit_that_a_reply_left_unscored_asks_only_for_that_reply_again(tmp_path: Path) -> None:
    def answer(prompt: str, n: int) -> Reply | ProviderError:
        reply = say("x")
        filtered = prompt.startswith("edit") and n == 0
        return replace(reply, finish="content_filter") if filtered else reply

    model = Scripted(answer)
    assert run(tmp_path / "run", [Generate(["s1#0"])], model).exit_status == 3
    assert run(tmp_path / "run", [Generate(["s1#0"])], model).exit_status == 0
    assert [p.split()[0] for p in model.asked] == ["verbalize", "edit", "edit"]


def test_a_stage_may_name_the_steps_to_ask_again(tmp_path: Path) -> None:
    class Picky(Generate):
        async def run(self, unit: Unit, context: Context) -> Finished:
            one = await context.call("model", "one", ask("one"))
            await context.call("model", "two", ask("two"))
            await context.call("model", "three", ask("three"))
            if one.text == "good":
                return Finished("ok")
            return Finished("unscored", "malformed", ask_again=("one", "three"))

    model = Scripted(lambda p, n: say("good" if n else "bad"))
    run(tmp_path / "run", [Picky(["s1#0"])], model)
    run(tmp_path / "run", [Picky(["s1#0"])], model)
    assert model.asked == ["one", "two", "three", "one", "three"]


def test_a_stage_that_throws_leaves_its_unit_unscored_with_the_place(tmp_path: Path) -> None:
    class Broken(Generate):
        async def run(self, unit: Unit, context: Context) -> Finished:
            if unit.key == "s2#0":
                raise ZeroDivisionError("a fault of ours")
            if unit.key == "s1#0":
                (tmp_path / "gone").read_bytes()
            return Finished("ok", value={"x": float("nan")} if unit.key == "s3#0" else {})

    path = tmp_path / "run"
    summary = run(path, [Broken(KEYS)], Scripted())
    assert summary.stages["generate"].unscored == 3
    assert str(tmp_path).encode() not in (path / "records.jsonl").read_bytes()
    with RunFolder.open(path) as folder:
        done = folder.get("generate", "s2#0")
        assert done is not None
        assert "crash: ZeroDivisionError: a fault of ours (test_engine.py:" in (done.reason or "")
        trace = folder.blob(done.blobs["traceback"]).decode()
        assert "a fault of ours" in trace
        assert "/" not in trace
        other = folder.get("generate", "s3#0")
        assert other is not None
        assert other.status == "unscored"


def test_a_role_that_nobody_plays_is_named(tmp_path: Path) -> None:
    with RunFolder.create_or_open(tmp_path / "run", manifest()) as folder:
        summary = asyncio.run(execute(folder, [Generate(KEYS)], {}, FAST))
    assert summary.exit_status == 2
    assert "'model', which no model plays" in (summary.stopped or "")


def test_two_units_of_one_key_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"two units of the key 's1#0'"):
        run(tmp_path / "run", [Generate(["s1#0", "s1#0"])], Scripted())


def test_work_in_threads_is_bounded_by_workers(tmp_path: Path) -> None:
    lock, now, most = threading.Lock(), 0, 0

    def work() -> None:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.005)
        with lock:
            now -= 1

    class Render(Generate):
        async def run(self, unit: Unit, context: Context) -> Finished:
            await context.in_thread(work)
            return Finished("ok")

    keys = [f"s{i}#0" for i in range(20)]
    run(tmp_path / "run", [Render(keys)], Scripted(), fast(workers=3))
    assert most == 3


def test_connections_bound_the_calls_at_once(tmp_path: Path) -> None:
    model = Scripted()
    run(tmp_path / "run", [Generate([f"s{i}#0" for i in range(30)])], model, fast(connections=5))
    assert model.most_at_once == 5


def test_the_cache_answers_another_run_and_says_so(tmp_path: Path) -> None:
    options = fast(cache_dir=tmp_path / "cache")
    model = Scripted()
    run(tmp_path / "one", STAGES, model, options)
    summary = run(tmp_path / "two", STAGES, model, options)
    assert len(model.asked) == 9
    assert (summary.calls_sent, summary.cached, summary.spent) == (0, 9, 0.0)
    assert "9 replies from the cache" in summary.sentence()
    with RunFolder.open(tmp_path / "one") as one, RunFolder.open(tmp_path / "two") as two:
        first, second = ({d.key: d.value for d in f.all("judge")} for f in (one, two))
        assert first == second
        assert all(c["cached"] and c["cost"] == 0 for c in two.calls())
    more = run(tmp_path / "three", [Generate(["s1#1"])], model, options)
    assert more.cached == 0  # another epoch is another draw


def test_a_reply_of_no_use_is_asked_anew_and_never_served_from_the_cache(tmp_path: Path) -> None:
    """A filtered edit is kept out by itself; here the stage alone knows that a reply is no use."""

    class Strict(Generate):
        async def run(self, unit: Unit, context: Context) -> Finished:
            reply = await context.call("model", "edit", ask(f"edit {unit.key}"))
            if reply.text == "nonsense":
                return Finished("unscored", "malformed", ask_again=("edit",))
            return Finished("ok", blobs={"code": reply.text.encode()})

    options, stages = fast(cache_dir=tmp_path / "cache"), [Strict(["s1#0"])]
    model = Scripted(lambda prompt, n: say("nonsense" if n < 2 else "sense"))
    assert run(tmp_path / "a", stages, model, options).stages["generate"].unscored == 1
    assert run(tmp_path / "b", stages, model, options).stages["generate"].unscored == 1
    assert len(model.asked) == 2  # the second run was not served the first one's nonsense
    assert run(tmp_path / "a", stages, model, options).stages["generate"].ok == 1
    # A run that is to ask anew does so, and is not served what the cache holds by now.
    again = run(tmp_path / "b", stages, model, options)
    assert (again.stages["generate"].ok, again.calls_sent) == (1, 1)
    assert run(tmp_path / "c", stages, model, options).cached == 1


def test_a_useless_reply_in_the_cache_is_left_there_for_nobody_and_replaced(
    tmp_path: Path,
) -> None:
    """As an older Redline left it, or one that was killed before the unit could say so."""

    class Strict(Generate):
        async def run(self, unit: Unit, context: Context) -> Finished:
            reply = await context.call("model", "edit", ask("edit"))
            if reply.text == "nonsense":
                return Finished("unscored", "malformed")
            return Finished("ok", value={"text": reply.text})

    def bad() -> None:
        with RunFolder.open(tmp_path / "old") as folder:
            (record,) = folder.calls()
        names = {f.name for f in fields(Call)}
        call = Call(**{k: v for k, v in record.items() if k in names})
        ResponseCache(tmp_path / "cache").put(call.cache_key, say("nonsense"))

    options, stages = fast(cache_dir=tmp_path / "cache"), [Strict(["s1#0"])]
    model = Scripted(lambda prompt, n: say("sense"))
    run(tmp_path / "old", stages, model)
    bad()
    first = run(tmp_path / "run", stages, model, options)
    assert (first.exit_status, first.cached, first.calls_sent) == (3, 1, 0)
    assert run(tmp_path / "other", stages, model, options).cached == 0, "it was thrown out"
    bad()
    again = run(tmp_path / "run", stages, model, options)
    assert (again.exit_status, again.calls_sent) == (0, 1)
    assert run(tmp_path / "third", stages, model, options).exit_status == 0, "it was replaced"


def test_a_unit_that_was_killed_before_its_end_still_shares_its_replies_later(
    tmp_path: Path,
) -> None:
    class Killed(Generate):
        async def run(self, unit: Unit, context: Context) -> Finished:
            await context.call("model", "verbalize", ask(f"verbalize {unit.key}"))
            raise ZeroDivisionError

    options, model = fast(cache_dir=tmp_path / "cache"), Scripted()
    run(tmp_path / "one", [Killed(["s1#0"])], model, options)
    run(tmp_path / "one", [Generate(["s1#0"])], model, options)
    assert run(tmp_path / "two", [Generate(["s1#0"])], model, options).cached == 2
    assert len(model.asked) == 2


def test_a_program_of_the_same_name_is_another_model_to_the_cache(tmp_path: Path) -> None:
    options, model = fast(cache_dir=tmp_path / "cache"), Scripted()
    for identity, asked in (("one", 2), ("two", 4), ("one", 4)):
        with RunFolder.create_or_open(tmp_path / f"{identity}{asked}", manifest()) as folder:
            roles = {"model": Role(model, CARD, identity=identity)}
            asyncio.run(execute(folder, [Generate(["s1#0"])], roles, options))
        assert len(model.asked) == asked


def test_empty_filtered_and_damaged_replies_are_no_cache_hits(tmp_path: Path) -> None:
    options = fast(cache_dir=tmp_path / "cache", attempts=1)
    empty = Scripted(lambda p, n: say(""))
    run(tmp_path / "a", [Generate(["s1#0"])], empty, options)
    filtered = Scripted(lambda p, n: replace(say("no"), finish="content_filter"))
    run(tmp_path / "b", [Generate(["s1#0"])], filtered, options)
    model = Scripted()
    assert run(tmp_path / "c", [Generate(["s1#0"])], model, options).cached == 0
    for name, spoil in (
        ("d", lambda text: "{"),
        ("e", lambda text: text.replace("{", '{"text":"another",', 1)),
    ):
        for file in (tmp_path / "cache" / "replies").rglob("*.json"):
            file.write_text(spoil(file.read_text()))
        assert run(tmp_path / name, [Generate(["s1#0"])], model, options).cached == 0


def test_a_timed_out_call_is_reported_as_possibly_billed(tmp_path: Path) -> None:
    def answer(prompt: str, n: int) -> Reply | ProviderError:
        return say("ok") if n else ProviderError("transient", "No answer in 600 s.")

    summary = run(tmp_path / "run", [Generate(["s1#0"])], Scripted(answer))
    assert summary.possibly_billed == 2
    assert summary.possibly_spent > 0
    assert "2 unanswered calls possibly billed" in summary.sentence()


def test_a_cancelled_run_leaves_the_folder_as_a_kill_would(tmp_path: Path) -> None:
    class Slow(Scripted):
        async def complete(self, request):  # type: ignore[no-untyped-def]
            await super().complete(request)
            await asyncio.sleep(0.05)
            return say("ok")

    async def story() -> None:
        with RunFolder.create_or_open(tmp_path / "run", manifest()) as folder:
            stage = Generate([f"s{i}#0" for i in range(9)])
            roles = {"model": Role(Slow(), CARD)}
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(execute(folder, [stage], roles, FAST), 0.15)

    asyncio.run(story())
    summary = run(tmp_path / "run", [Generate([f"s{i}#0" for i in range(9)])], Scripted())
    assert summary.exit_status == 0


def test_a_terminal_cannot_be_steered_by_a_sentence() -> None:
    import io

    from rich.console import Console

    screen = io.StringIO()
    bars = Bars(Console(file=screen, width=120))
    bars.note("a\x1b]0;owned\x07 \u202eb")
    assert screen.getvalue() == "a ]0;owned   b\n"


def test_bars_show_stages_counts_and_money(tmp_path: Path) -> None:
    import io

    from rich.console import Console

    screen = io.StringIO()
    bars = Bars(Console(file=screen, width=120, force_terminal=True))
    model = Scripted(lambda p, n: say("") if "s2" in p else say("x"))
    with RunFolder.create_or_open(tmp_path / "run", manifest()) as folder:
        roles = {"model": Role(model, CARD), "judge": Role(model, CARD)}
        asyncio.run(execute(folder, STAGES, roles, FAST, bars))
    shown = screen.getvalue()
    assert "generate" in shown
    assert "3/3" in shown
    assert "1 unscored" in shown
    assert "USD" in shown


class Rounds(Generate):
    """Rounds of dialogues, each asked with what the one before was answered."""

    in_rounds = True

    def units(self, done: Finder) -> Iterable[Unit]:
        for key in self.keys:
            before = "the start"
            for number in (1, 2, 3):
                name = f"{key}/{number}"
                yield Unit(name, before, (name, before))
                kept = done.get(self.name, name)
                if kept is None or kept.inputs != before or kept.status == "unscored":
                    break
                before = kept.blobs["code"]

    async def run(self, unit: Unit, context: Context) -> Finished:
        name, before = unit.payload
        reply = await context.call("model", "edit", ask(f"{name} after {before[:8]}"))
        return Finished("ok", blobs={"code": reply.text.encode()})


def test_rounds_follow_from_one_another_and_go_on_where_they_stopped(tmp_path: Path) -> None:
    model, path = Scripted(), tmp_path / "run"
    one = run(path, [Rounds(["d1"])], model)
    assert [a.partition(" ")[0] for a in model.asked] == ["d1/1", "d1/2", "d1/3"]
    assert one.stages["generate"].ok == 3 and one.stages["generate"].complete
    both = run(path, [Rounds(["d1", "d2"])], model)
    assert [a.partition(" ")[0] for a in model.asked[3:]] == ["d2/1", "d2/2", "d2/3"]
    assert (both.stages["generate"].ok, both.stages["generate"].done_now) == (6, 3)
    befores = [a.partition(" after ")[2] for a in model.asked[:3]]
    assert len(set(befores)) == 3
