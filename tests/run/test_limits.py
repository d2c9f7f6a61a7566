"""Limits on calls: how many at once, how many a minute, how long to wait, how much to spend."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from pathlib import Path

import pytest

from redline.models import card
from redline.models.protocol import (
    Message,
    ModelCard,
    PicturePart,
    ProviderError,
    Reply,
    Request,
    Settings,
    TextPart,
    Usage,
)
from redline.run import BudgetUnknown, Options, Role, RunFolder, execute
from redline.run.backoff import wait_s
from redline.run.budget import Budget, BudgetReached, check_prices, estimate
from redline.run.limiter import Limiter
from redline.track import Stage
from tests.run.toy import CARD, FAST, UNPRICED, Generate, Judge, Scripted, ask, manifest, run, say


class Clock:
    """A clock that moves only when everyone sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        until = self.now + seconds
        while self.now < until:
            await asyncio.sleep(0)
            self.now = min(until, self.now + 0.25)


def limiter(most: int, **more: int) -> tuple[Limiter, Clock]:
    clock = Clock()
    return Limiter(most, clock=clock, sleep=clock.sleep, **more), clock


def test_the_limit_falls_under_429s_once_for_calls_in_flight_together() -> None:
    async def story() -> list[int]:
        gate, clock = limiter(32)
        limits = []
        began = [await gate.acquire(0) for _ in range(32)]
        clock.now += 1
        for start in began:
            gate.slow_down(start, None)
            gate.release()
        limits.append(gate.limit)
        clock.now += 1
        start = await gate.acquire(0)
        gate.slow_down(start, None)
        gate.release()
        limits.append(gate.limit)
        return limits

    assert asyncio.run(story()) == [16, 8]


def test_the_limit_recovers_by_one_after_as_many_successes_as_it_allows() -> None:
    async def story() -> list[int]:
        gate, _ = limiter(4)
        gate.slow_down(await gate.acquire(0), None)
        gate.release()
        limits = [gate.limit]
        for _ in range(2 + 3 + 4):
            await gate.acquire(0)
            gate.succeeded()
            gate.release()
            limits.append(gate.limit)
        return limits

    assert asyncio.run(story()) == [2, 2, 3, 3, 3, 4, 4, 4, 4, 4]


def test_no_more_calls_than_the_limit_are_in_flight() -> None:
    async def story() -> int:
        gate, _ = limiter(3)
        most = 0

        async def one() -> None:
            nonlocal most
            await gate.acquire(0)
            most = max(most, gate.in_flight)
            await asyncio.sleep(0)
            gate.release()

        await asyncio.gather(*(one() for _ in range(20)))
        assert gate.in_flight == 0
        return most

    assert asyncio.run(story()) == 3


def test_a_cancelled_waiter_gives_its_turn_on() -> None:
    async def story() -> None:
        gate, _ = limiter(1)
        await gate.acquire(0)
        waiting = [asyncio.create_task(gate.acquire(0)) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[1].cancel()
        gate.release()
        waiting[0].cancel()  # it was given the turn but has not run yet
        await asyncio.wait(waiting[:2])
        await asyncio.wait_for(waiting[2], 1)
        assert gate.in_flight == 1

    asyncio.run(story())


@pytest.mark.parametrize(("more", "tokens"), [({"requests": 5}, 1), ({"tokens": 50}, 10)])
def test_no_window_of_a_minute_holds_more_than_was_allowed(
    more: dict[str, int], tokens: int
) -> None:
    async def story() -> list[float]:
        gate, _ = limiter(8, **more)
        times = []

        async def one() -> None:
            times.append(await gate.acquire(tokens))
            gate.release()

        await asyncio.gather(*(one() for _ in range(17)))
        return sorted(times)

    times = asyncio.run(story())
    assert len(times) == 17
    for first, sixth in zip(times, times[5:], strict=False):
        assert sixth - first >= 60.0
    assert times[-1] - times[0] <= 3 * 60.0 + 1


def test_a_request_heavier_than_a_minutes_tokens_goes_out_alone() -> None:
    async def story() -> None:
        gate, _ = limiter(2, tokens=10)
        await asyncio.wait_for(gate.acquire(500), 1)

    asyncio.run(story())


def test_retry_after_holds_all_calls_back() -> None:
    async def story() -> float:
        gate, _ = limiter(4)
        start = await gate.acquire(0)
        gate.slow_down(start, 7.0)
        gate.release()
        return await gate.acquire(0) - start

    assert asyncio.run(story()) >= 7.0


def test_waits_are_jittered_over_a_doubling_range_and_capped() -> None:
    options = Options(backoff_s=1.0, backoff_cap_s=20.0, retry_after_cap_s=30.0)
    draw = random.Random(1)
    for tried, top in ((1, 1), (2, 2), (3, 4), (5, 16), (6, 20), (9, 20)):
        waits = [wait_s(options, tried, None, draw) for _ in range(300)]
        assert 0 <= min(waits) < 0.1 * top
        assert 0.9 * top < max(waits) <= top
    asked = [wait_s(options, 1, 5.0, draw) for _ in range(100)]
    assert 5.0 <= min(asked) < max(asked) <= 6.0
    assert 30.0 <= wait_s(options, 1, 4000.0, draw) <= 31.0


def test_an_estimate_counts_texts_pictures_and_the_longest_answer() -> None:
    parts = (TextPart("x" * 300), PicturePart(b"", "original"), PicturePart(b"", "instruction"))
    request = Request((Message("user", parts),))
    # 300 / 3 + 2 * 1600 = 3300 tokens in; 1000 out
    guess = estimate(CARD, Settings(max_tokens=1000), request)
    assert guess.tokens == 4300
    assert guess.usd == pytest.approx((3300 * 1.0 + 1000 * 2.0) / 1e6)
    picture = ModelCard("p", "p", "p", input_per_mtok=0.0, output_per_mtok=0.0, per_picture=0.04)
    want = Request((Message("user", parts),), want="picture")
    assert estimate(picture, Settings(), want).usd == pytest.approx(0.04)
    assert estimate(UNPRICED, Settings(), request).usd is None


def test_a_budget_waits_for_calls_in_flight_before_it_says_no() -> None:
    async def story() -> None:
        budget = Budget(1.0, 0.0)
        await budget.reserve(0.8)
        waiting = asyncio.create_task(budget.reserve(0.5))
        await asyncio.sleep(0)
        assert not waiting.done()
        budget.settle(0.8, 0.1)
        await asyncio.wait_for(waiting, 1)
        budget.settle(0.5, 0.7)
        with pytest.raises(BudgetReached, match=r"0\.8000 USD"):
            await budget.reserve(0.3)

    asyncio.run(story())


def test_a_run_never_spends_more_than_its_budget_and_goes_on_with_a_larger_one(
    tmp_path: Path,
) -> None:
    # A call costs 100 * 1 + 50 * 2 = 200 millionths; 4096 tokens out are feared: 8,200 or so.
    keys = [f"s{i}#0" for i in range(40)]
    model = Scripted()
    path = tmp_path / "run"
    options = Options(**{**vars(FAST), "budget_usd": 0.012})
    summary = run(path, [Generate(keys)], model, options)
    assert summary.exit_status == 3
    assert summary.stopped is not None
    assert "--budget" in summary.stopped
    assert summary.spent <= 0.012
    assert summary.spent == pytest.approx(len(model.asked) * 200e-6)
    assert 0 < summary.stages["generate"].missing < 40
    before = len(model.asked)
    assert run(path, [Generate(keys)], model, options).calls_sent == 0
    assert run(path, [Generate(keys)], model).exit_status == 0
    assert len(model.asked) == 80 > before


def test_a_budget_needs_a_price(tmp_path: Path) -> None:
    options = Options(**{**vars(FAST), "budget_usd": 1.0})
    model = Scripted()
    with pytest.raises(BudgetUnknown, match="price of toy/m is not known"):
        run(tmp_path / "run", [Generate(["s1#0"])], model, options, UNPRICED)
    assert model.asked == []


def test_a_budget_without_a_price_says_what_to_write_and_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for variable in ("XDG_CONFIG_HOME", "REDLINE_CARDS"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(BudgetUnknown) as caught:
        check_prices(1.0, [UNPRICED, CARD])
    sentence, _, toml = str(caught.value).partition(":\n")
    assert "write into ~/.config/redline/cards.toml" in sentence
    written = toml.replace("PRICE_OF_A_MILLION_TOKENS", "1.5").replace(
        "YEAR-MONTH-DAY", "2026-01-31"
    )
    file = tmp_path / ".config" / "redline" / "cards.toml"
    file.parent.mkdir(parents=True)
    file.write_text(written)
    assert card("toy/m").cost(Usage(1_000_000, 1_000_000)) == 3.0
    monkeypatch.setenv("REDLINE_CARDS", str(tmp_path / "mine.toml"))
    with pytest.raises(BudgetUnknown, match=r"~/mine\.toml"):
        check_prices(1.0, [UNPRICED])


def test_a_reply_without_token_counts_is_charged_what_was_set_aside_for_it(tmp_path: Path) -> None:
    silent = Scripted(lambda prompt, n: replace(say("yes"), usage=Usage()))
    one = [Generate(["s1#0"])]
    first = run(tmp_path / "run", one, silent, replace(FAST, budget_usd=1.0))
    reserve = estimate(CARD, Settings(), ask("verbalize s1#0")).usd
    assert (first.unpriced, first.estimated, first.spent) == (0, 2, 0.0) and reserve
    assert first.estimated_spent == pytest.approx(2 * reserve, rel=0.01)
    assert "2 calls without token counts estimated at 0.0164 USD" in first.sentence()
    assert "unknown price" not in first.sentence()
    # After a restart it still counts: the next two calls no longer fit.
    two = [Generate(["s1#0", "s2#0"])]
    tight = run(tmp_path / "run", two, silent, replace(FAST, budget_usd=2.5 * reserve))
    assert tight.exit_status == 3 and tight.calls_sent == 0


@pytest.mark.parametrize(
    ("budget", "settings", "card", "told"),
    [
        (1.0, Settings(), CARD, 1),
        (1.0, Settings(max_tokens=100), CARD, 0),
        (1.0, Settings(), replace(CARD, input_per_mtok=0.0, output_per_mtok=0.0), 0),
        (None, Settings(), CARD, 0),
    ],
)
def test_a_budget_that_rests_on_a_guess_says_so_once(
    budget: float | None, settings: Settings, card: ModelCard, told: int, tmp_path: Path
) -> None:
    roles = {name: Role(Scripted(), card, settings) for name in ("model", "judge")}
    with RunFolder.create_or_open(tmp_path / "run", manifest()) as folder:
        stages: list[Stage] = [Generate(["s1#0"]), Judge()]
        summary = asyncio.run(execute(folder, stages, roles, replace(FAST, budget_usd=budget)))
    assert [w for w in summary.warnings if "No max_tokens is set for toy/m" in w] == list(
        summary.warnings
    )
    assert len(summary.warnings) == told


def test_a_model_that_is_free_costs_nothing_whether_or_not_it_counts_tokens(
    tmp_path: Path,
) -> None:
    silent = Scripted(lambda prompt, n: replace(say("yes"), usage=Usage()))
    free = replace(CARD, input_per_mtok=0.0, output_per_mtok=0.0)
    summary = run(tmp_path / "run", [Generate(["s1#0"])], silent, card=free)
    assert (summary.spent, summary.unpriced, summary.estimated) == (0.0, 0, 0)


def test_a_call_of_unknown_price_is_null_and_counted_apart(tmp_path: Path) -> None:
    summary = run(tmp_path / "run", [Generate(["s1#0"])], Scripted(), card=UNPRICED)
    assert summary.unpriced == 2
    assert summary.spent == 0
    assert "2 calls of unknown price" in summary.sentence()
    done = RunFolder.open(tmp_path / "run").get("generate", "s1#0")
    assert done is not None
    assert done.cost is None


class Throttled(Scripted):
    """Says 429 while more than `allowed` calls are in flight."""

    allowed = 3

    def __init__(self) -> None:
        super().__init__(self._say)
        self.refused = 0
        self.at_once: list[int] = []

    def _say(self, prompt: str, n: int) -> Reply | ProviderError:
        self.at_once.append(self._now + 1)
        if self._now + 1 > self.allowed:
            self.refused += 1
            return ProviderError("rate_limit", "Slow down.", status=429)
        return say("ok")


def test_under_429s_a_run_slows_down_and_speeds_up_again_when_they_end(tmp_path: Path) -> None:
    model = Throttled()
    keys = [f"s{i}#0" for i in range(120)]
    options = Options(**{**vars(FAST), "connections": 24, "attempts": 60})

    summary = run(tmp_path / "run", [Generate(keys)], model, options)
    assert summary.exit_status == 0
    asked = model.at_once
    first, last = asked[:24], asked[-60:]
    assert max(first) == 24
    assert sum(last) / len(last) <= 8
    # Most refusals come before the limit has fallen.
    assert model.refused < 120
    model.allowed = 1000
    model.at_once = []
    more = [f"t{i}#0" for i in range(400)]
    run(tmp_path / "run2", [Generate(more)], model, options)
    assert max(model.at_once[-200:]) >= 20


@pytest.mark.parametrize("digits", [12, 300, 400, 4000])
def test_a_reply_with_counts_that_cannot_be_true_is_kept_once_at_an_unknown_cost(
    digits: int, tmp_path: Path
) -> None:
    count = 10**digits
    model = Scripted(lambda prompt, n: replace(say("yes"), usage=Usage(count, count)))
    one, path = [Generate(["s1#0"])], tmp_path / "run"
    first = run(path, one, model)
    reserve = estimate(CARD, Settings(), ask("verbalize s1#0")).usd
    assert first.exit_status == 0, first
    assert (first.spent, first.estimated) == (0.0, 2) and reserve
    assert first.estimated_spent == pytest.approx(2 * reserve, rel=0.01)
    again = run(path, [Generate(["s1#0"], inputs="2")], model)
    assert (again.exit_status, again.calls_sent) == (0, 0)
    assert len(model.asked) == 2
    with RunFolder.open(path) as folder:
        assert folder.get("generate", "s1#0").cost is None  # type: ignore[union-attr]


@pytest.mark.parametrize("usage", [Usage(-5, 3), Usage(1, 2.5), Usage("x", True)])  # type: ignore[arg-type]
def test_counts_that_are_no_counts_are_unknown(usage: Usage, tmp_path: Path) -> None:
    model = Scripted(lambda prompt, n: replace(say("yes"), usage=usage))
    summary = run(tmp_path / "run", [Generate(["s1#0"])], model)
    assert (summary.exit_status, summary.estimated, summary.spent) == (0, 2, 0.0)
    assert not RunFolder.open(tmp_path / "run").warnings


def test_a_cost_that_cannot_be_reckoned_loses_no_reply(tmp_path: Path) -> None:
    class Odd(ModelCard):
        def cost(self, usage: Usage) -> float | None:
            raise ZeroDivisionError

    model = Scripted()
    card = Odd("toy/m", "toy", "toy", input_per_mtok=1.0, output_per_mtok=2.0)
    assert run(tmp_path / "run", [Generate(["s1#0"])], model, card=card).exit_status == 0
    assert run(tmp_path / "run", [Generate(["s1#0"], "2")], model, card=card).calls_sent == 0
    endless = replace(CARD, output_per_mtok=1e305)
    summary = run(tmp_path / "two", [Generate(["s1#0"])], model, card=endless)
    assert summary.exit_status == 0
    assert not RunFolder.open(tmp_path / "two").warnings


def test_one_reply_of_absurd_length_does_not_use_the_budget_up_for_all_others(
    tmp_path: Path,
) -> None:
    seen = estimate(CARD, Settings(), ask("x"), 50_000)
    assert seen.tokens == 50_000
    # No large provider lets a reply be longer than 128 Ki tokens.
    assert estimate(CARD, Settings(), ask("x"), 10**9).tokens == 131_072
    assert estimate(CARD, Settings(max_tokens=100), ask("x"), 10**9).tokens == 100
    model = Scripted(lambda p, n: replace(say("yes"), usage=Usage(1, 10**12 if "s1" in p else 50)))
    keys = [f"s{n}#0" for n in range(1, 20)]
    options = replace(FAST, budget_usd=1.0)
    assert run(tmp_path / "run", [Generate(keys)], model, options).exit_status == 0


@pytest.mark.parametrize(
    ("kind", "status", "billed"),
    [
        ("bad_request", 200, True),  # an answer that is too large
        ("transient", 200, True),  # one that is not JSON
        ("transient", None, True),  # cut off
        ("transient", 500, False),
        ("bad_request", 400, False),
        ("bad_request", None, False),
        ("rate_limit", 429, False),
        ("rate_limit", 200, False),  # an error in a body that says itself that it is a refusal
        ("quota", 200, False),
        ("unreachable", None, False),
    ],
)
def test_a_call_whose_answer_began_may_have_been_billed(
    kind: str, status: int | None, billed: bool, tmp_path: Path
) -> None:
    def answer(prompt: str, n: int) -> Reply | ProviderError:
        return say("yes") if n else ProviderError(kind, "No.", status=status)  # type: ignore[arg-type]

    summary = run(tmp_path / "run", [Generate(["s1#0"])], Scripted(answer))
    assert summary.possibly_billed == billed * (2 if kind == "transient" else 1)
    assert (summary.possibly_spent > 0) == billed


def test_an_answer_that_is_too_large_is_bought_once_a_start_and_charged(tmp_path: Path) -> None:
    large = ProviderError("bad_request", "The answer of h is larger than 64 MB.", status=200)
    model = Scripted(lambda prompt, n: large)
    one, path = [Generate(["s1#0"])], tmp_path / "run"
    reserve = estimate(CARD, Settings(), ask("verbalize s1#0")).usd or 0.0
    for start in (1, 2):
        summary = run(path, one, model, replace(FAST, budget_usd=2.5 * reserve))
        assert len(model.asked) == summary.possibly_billed == start
        assert summary.stages["generate"].unscored == 1
    done = RunFolder.open(path).get("generate", "s1#0")
    assert done is not None and "larger than 64 MB" in (done.reason or "")
    last = run(path, one, model, replace(FAST, budget_usd=2.5 * reserve))
    assert (last.exit_status, last.calls_sent) == (3, 0)
    assert "budget" in (last.stopped or "")
