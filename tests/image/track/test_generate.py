"""Stage generate: rounds follow from one another, at any kill, and a lost one ends its dialogue."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from redline.image import baselines, sending
from redline.image.generate import FOLLOWS_FAILED, FOLLOWS_UNSCORED, Generate
from redline.models.protocol import ProviderError, Reply, Request
from redline.pixels import sha256_bytes
from redline.run import RunFolder
from tests.image.track import killed
from tests.image.track.making import (
    SQUARES,
    Model,
    adds_squares,
    array_of,
    carry_out,
    dialogue,
    found,
    give,
    kept,
    picture,
    say,
    seen,
    single,
    task,
    words,
)

ROOT = Path(__file__).parents[3]


def at_round(request: Request) -> int:
    return int(words(request).split("square ")[1][0])


def blob(run: Path, key: str) -> bytes:
    with RunFolder.open(run) as folder:
        record = folder.get("generate", key)
        assert record is not None
        return folder.blob(record.blobs["picture"])


def same(one: bytes, other: bytes) -> bool:
    return bool(np.array_equal(array_of(one), array_of(other)))


def test_cumulative_rounds_start_from_the_models_own_last_picture(tmp_path: Path) -> None:
    model = Model(adds_squares)
    summary = carry_out(tmp_path / "run", [Generate(task(dialogue(tmp_path / "b")))], model)
    assert summary.exit_status == 0 and summary.calls_sent == 3
    assert [at_round(r) for r in model.asked] == [1, 2, 3]
    for n in (2, 3):
        (shown,) = seen(model.asked[n - 1])
        assert shown == blob(tmp_path / "run", f"d/{n - 1}#0"), "the very bytes that were answered"
        record = found(tmp_path / "run", "generate", f"d/{n}#0")
        assert record.value["start"] == sha256_bytes(shown)
    assert same(blob(tmp_path / "run", "d/3#0"), picture(*SQUARES[:3]))


def test_from_golds_each_round_starts_from_the_gold_before_it(tmp_path: Path) -> None:
    sample = dialogue(tmp_path / "b")
    model = Model(lambda request: give(picture()))
    carry_out(tmp_path / "run", [Generate(task(sample, mode="gt_input"))], model)
    shown = {at_round(r): seen(r)[0] for r in model.asked}
    assert shown[1] == sample.picture.read_bytes()
    for n in (2, 3):
        gold = sample.turns[n - 2].gold
        assert gold is not None and shown[n] == gold.read_bytes()


def test_a_failed_round_ends_its_dialogue_and_the_rest_fails_without_a_call(
    tmp_path: Path,
) -> None:
    def refuses_the_second(request: Request) -> Reply:
        return say("No.", "refusal") if at_round(request) == 2 else adds_squares(request)

    model = Model(refuses_the_second)
    there = [dialogue(tmp_path / "b", "d", (1, 2, 3, 4)), dialogue(tmp_path / "b", "e", (1,))]
    summary = carry_out(tmp_path / "run", [Generate(task(*there))], model)
    assert summary.calls_sent == 3 and summary.exit_status == 0
    told = {
        n: (r.status, r.reason)
        for n in (1, 2, 3, 4)
        if (r := found(tmp_path / "run", "generate", f"d/{n}#0"))
    }
    assert told == {
        1: ("ok", None),
        2: ("failed", "refusal"),
        3: ("failed", FOLLOWS_FAILED),
        4: ("failed", FOLLOWS_FAILED),
    }
    assert found(tmp_path / "run", "generate", "d/4#0").value == {"follows": 2}
    again = carry_out(tmp_path / "run", [Generate(task(*there))], model)
    assert (again.calls_sent, again.stages["generate"].done_now) == (0, 0)


def test_an_unscored_round_leaves_the_rest_unscored_until_it_is_there(tmp_path: Path) -> None:
    filtered = [True]

    def filters(request: Request) -> Reply:
        if at_round(request) == 2 and filtered[0]:
            return say("", "content_filter")
        return adds_squares(request)

    sample = dialogue(tmp_path / "b", "d", (1, 2, 3))
    summary = carry_out(tmp_path / "run", [Generate(task(sample))], Model(filters))
    assert summary.exit_status == 3
    second, third = (found(tmp_path / "run", "generate", f"d/{n}#0") for n in (2, 3))
    assert (second.status, second.reason) == ("unscored", "provider_content_filter")
    assert (third.status, third.reason) == ("unscored", FOLLOWS_UNSCORED)
    assert third.value == {"follows": 2}
    filtered[0] = False
    summary = carry_out(tmp_path / "run", [Generate(task(sample))], Model(filters))
    assert (summary.exit_status, summary.calls_sent) == (0, 2), "one asked anew and the one behind"
    assert same(blob(tmp_path / "run", "d/3#0"), picture(*SQUARES[:3]))


def test_a_run_that_stopped_within_a_dialogue_goes_on_there(tmp_path: Path) -> None:
    class Down(Model):
        async def complete(self, request: Request) -> Reply:
            if at_round(request) == 3:
                raise ProviderError("quota", "Out of money.")
            return await super().complete(request)

    sample = dialogue(tmp_path / "b")
    stopped = carry_out(tmp_path / "run", [Generate(task(sample))], Down(adds_squares))
    assert stopped.exit_status == 3 and kept(tmp_path / "run", "generate", "d/3#0") is None
    model = Model(adds_squares)
    summary = carry_out(tmp_path / "run", [Generate(task(sample))], model)
    assert (summary.exit_status, [at_round(r) for r in model.asked]) == (0, [3])
    assert seen(model.asked[0]) == [blob(tmp_path / "run", "d/2#0")]


def test_a_dialogue_that_was_killed_is_bought_on_from_the_round_it_was_in(tmp_path: Path) -> None:
    for dies_at in (1, 3):
        arguments = [sys.executable, "-m", "tests.image.track.killed", str(tmp_path), str(dies_at)]
        done = subprocess.run(arguments, cwd=ROOT, capture_output=True, timeout=60, check=False)
        assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    assert killed.run(tmp_path) == 0
    calls = (tmp_path / "journal").read_text().split()
    assert calls == ["1", "1", "2", "3", "3", "4"], "none is bought twice but those in flight"
    assert same(blob(tmp_path / "run", "d/4#0"), picture(*SQUARES))


def test_another_picture_in_one_round_makes_every_later_one_stale(tmp_path: Path) -> None:
    sample = dialogue(tmp_path / "b")
    carry_out(tmp_path / "run", [Generate(task(sample))], Model(adds_squares))
    before = found(tmp_path / "run", "generate", "d/3#0").inputs
    other = task(sample, settings="other")
    paints = Model(lambda request: give(picture((0, 0, (1, 2, 3)))))
    summary = carry_out(tmp_path / "run", [Generate(other)], paints)
    assert summary.stages["generate"].done_now == 3
    assert found(tmp_path / "run", "generate", "d/3#0").inputs != before


@pytest.mark.parametrize(
    ("reply", "status", "reason"),
    [
        (say("I can't.", "refusal"), "failed", "refusal"),
        (say("Here is", "length"), "failed", "cut_off"),
        (say("Here it is: picture.png"), "failed", "no_picture"),
        (give(b"<html>504</html>"), "failed", "unreadable_picture"),
        (give(picture()[:60]), "failed", "unreadable_picture"),
        (say("", "content_filter"), "unscored", "provider_content_filter"),
        (give(picture(), finish="content_filter"), "unscored", "provider_content_filter"),
        (give(picture()), "ok", None),
    ],
)
def test_what_a_reply_is_taken_for(
    reply: Reply, status: str, reason: str | None, tmp_path: Path
) -> None:
    stage = Generate(task(single(tmp_path / "b"), mode="single"))
    carry_out(tmp_path / "run", [stage], Model(lambda request: reply))
    record = found(tmp_path / "run", "generate", "s/1#0")
    assert (record.status, record.reason) == (status, reason)
    assert ("picture" in record.blobs) is (status == "ok")
    if reason == "unreadable_picture":
        assert record.value["message"].startswith("The picture ")


def test_of_several_pictures_the_last_one_counts(tmp_path: Path) -> None:
    last = picture((0, 0, (9, 9, 9)))
    reply = Reply("", "stop", pictures=(picture(), last))
    stage = Generate(task(single(tmp_path / "b"), mode="single"))
    carry_out(tmp_path / "run", [stage], Model(lambda request: reply))
    assert blob(tmp_path / "run", "s/1#0") == last
    assert found(tmp_path / "run", "generate", "s/1#0").value["pictures"] == 2


def test_a_picture_of_the_benchmark_that_cannot_be_read_is_no_fault_of_the_models(
    tmp_path: Path,
) -> None:
    sample = single(tmp_path / "b")
    sample.picture.write_bytes(b"")
    model = Model(adds_squares)
    carry_out(tmp_path / "run", [Generate(task(sample, mode="single"))], model)
    record = found(tmp_path / "run", "generate", "s/1#0")
    assert (record.status, record.reason, model.asked) == ("unscored", "input_picture", [])
    assert str(tmp_path) not in str(record.value)


def test_a_drawn_instruction_is_shown_on_the_models_own_picture(tmp_path: Path) -> None:
    sample = dialogue(tmp_path / "b", "d", (1, 2), drawn=[1, 2])
    model = Model(adds_squares)
    carry_out(tmp_path / "run", [Generate(task(sample, condition="visual+text"))], model)
    (shown,) = seen(model.asked[1])
    own = array_of(blob(tmp_path / "run", "d/1#0"))
    differs = (array_of(shown) != own).any(axis=2)
    assert differs.sum() == 4 and differs[4:6, 20:22].all()
    told = found(tmp_path / "run", "generate", "d/2#0").value["sent"]
    assert told["notes"] == ["The instruction was drawn on it."]


def inputs(*args: Any, **options: Any) -> dict[str, str]:
    class Nothing:
        def get(self, stage: str, key: str) -> None: ...

        def all(self, stage: str) -> list[Any]:
            return []

    return {u.key: u.inputs for u in Generate(task(*args, **options)).units(Nothing())}


def test_a_unit_is_stale_when_what_decides_its_picture_changes_and_not_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = dialogue(tmp_path / "b", drawn=[1, 2, 3])
    plain = inputs(sample, mode="gt_input")
    assert len(set(plain.values())) == 3
    for change in (
        {"settings": "x"}, {"input_size": 8}, {"condition": "visual"}, {"candidate": "toy/other"},
    ):  # fmt: skip
        other = inputs(sample, mode="gt_input", **change)
        assert all(plain[k] != other[k] for k in plain), change
    assert sample.turns[1].overlay is not None
    sample.turns[1].overlay.write_bytes(picture())
    assert inputs(sample, mode="gt_input") == plain, "nobody is shown the drawing"
    with monkeypatch.context() as patch:
        patch.setattr(sending, "SENDING_VERSION", -1)
        assert inputs(sample, mode="gt_input") != plain
    base = inputs(sample, candidate="baseline/degraded")
    monkeypatch.setattr(baselines, "BASELINES_VERSION", -1)
    assert inputs(sample, candidate="baseline/degraded") != base
    assert inputs(sample, mode="gt_input") == plain


def test_baselines_go_through_a_dialogue_without_a_call(tmp_path: Path) -> None:
    sample = dialogue(tmp_path / "b")
    made: dict[str, list[bytes]] = {}
    for kind in ("oracle", "identity", "degraded"):
        run = tmp_path / kind
        summary = carry_out(run, [Generate(task(sample, candidate=f"baseline/{kind}"))])
        assert (summary.exit_status, summary.calls_sent) == (0, 0)
        made[kind] = [blob(run, f"d/{n}#0") for n in (1, 2, 3)]
    assert made["identity"] == [sample.picture.read_bytes()] * 3
    for n, turn in enumerate(sample.turns):
        assert turn.gold is not None and made["oracle"][n] == turn.gold.read_bytes()
        gold = array_of(made["oracle"][n]).astype(int)
        away = [np.abs(array_of(made[k][n]) - gold).sum() for k in ("degraded", "identity")]
        assert 0 < away[0] < away[1], "degraded lies between the two in every round"


def test_identity_from_golds_is_the_gold_before(tmp_path: Path) -> None:
    sample = dialogue(tmp_path / "b")
    stage = Generate(task(sample, candidate="baseline/identity", mode="gt_input"))
    carry_out(tmp_path / "run", [stage])
    gold = sample.turns[0].gold
    assert gold is not None and blob(tmp_path / "run", "d/2#0") == gold.read_bytes()


def test_without_a_gold_the_oracle_has_no_picture_and_no_score(tmp_path: Path) -> None:
    sample = dialogue(tmp_path / "b", goldless=[2])
    carry_out(tmp_path / "run", [Generate(task(sample, candidate="baseline/oracle"))])
    record = found(tmp_path / "run", "generate", "d/2#0")
    assert (record.status, record.reason) == ("unscored", "no_gold")


def test_epochs_are_dialogues_of_their_own(tmp_path: Path) -> None:
    model = Model(adds_squares)
    summary = carry_out(
        tmp_path / "run", [Generate(task(dialogue(tmp_path / "b"), epochs=2))], model
    )
    assert summary.calls_sent == 6
    assert found(tmp_path / "run", "generate", "d/3#1").status == "ok"


def test_outputs_made_elsewhere_are_never_made_again_from_here(tmp_path: Path) -> None:
    assert inputs(dialogue(tmp_path / "b"), candidate="outputs/mine") == {}
