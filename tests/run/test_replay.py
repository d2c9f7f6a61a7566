"""A recorded run answers for its model."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from redline.models.cards import card
from redline.models.protocol import ProviderError
from redline.run import NotARun, ReplayModel, Role, RunFolder, execute
from redline.track import Stage
from tests.run.toy import FAST, Generate, Judge, Scripted, ask, manifest, run, say

KEYS = ["s1#0", "s2#0", "s3#0"]


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    run(tmp_path / "recorded", [Generate(KEYS), Judge()], Scripted())
    return tmp_path / "recorded"


def test_a_replayed_run_comes_out_the_same_and_costs_nothing(
    recorded: Path, tmp_path: Path
) -> None:
    model = ReplayModel.open(recorded)
    assert model.name == f"replay/{recorded.name}"
    assert model.card().family == card("toy/m").family
    with RunFolder.create_or_open(tmp_path / "again", manifest(model=model.name)) as folder:
        role = Role(model, model.card())
        stages: list[Stage] = [Generate(KEYS), Judge()]
        summary = asyncio.run(execute(folder, stages, {"model": role, "judge": role}, FAST))
        assert summary.exit_status == 0
        assert summary.spent == 0
        assert summary.unpriced == 0
        with RunFolder.open(recorded) as old:
            for stage in ("generate", "judge"):
                assert {d.key: d.value for d in folder.all(stage)} == {
                    d.key: d.value for d in old.all(stage)
                }


def test_two_runs_of_one_name_are_told_apart_whoever_judged_them_since(
    recorded: Path, tmp_path: Path
) -> None:
    run(tmp_path / "other" / "recorded", [Generate(KEYS)], Scripted())
    one, two = ReplayModel.open(recorded), ReplayModel.open(tmp_path / "other" / "recorded")
    assert one.name == two.name == "replay/recorded"
    assert one.identity != two.identity
    RunFolder.create_or_open(recorded, manifest().with_judge({"judge": "late"})).close()
    assert ReplayModel.open(recorded).identity == one.identity


def test_a_different_request_of_the_same_unit_is_answered_and_noted(recorded: Path) -> None:
    model = ReplayModel.open(recorded)
    exact = asyncio.run(model.complete_for("s1#0", "verbalize", ask("verbalize s1#0")))
    assert exact.notes == ()
    other = asyncio.run(model.complete_for("s1#0", "verbalize", ask("a newer prompt")))
    assert other.text == exact.text
    assert other.notes == ("replayed reply to a different request",)


def test_what_was_not_recorded_is_a_sentence(recorded: Path, tmp_path: Path) -> None:
    model = ReplayModel.open(recorded)
    with pytest.raises(ProviderError, match="no reply for unit 's9#0', step 'edit'") as error:
        asyncio.run(model.complete_for("s9#0", "edit", ask("edit s9#0")))
    assert error.value.kind == "bad_request"
    assert str(tmp_path) not in str(error.value)
    with pytest.raises(NotARun):
        ReplayModel.open(tmp_path / "none")


def test_repeats_of_a_judge_under_another_name_keep_their_own_replies(tmp_path: Path) -> None:
    class Repeats(Generate):
        async def run(self, unit, context):  # type: ignore[no-untyped-def]
            from redline.track import Finished

            reply = await context.call("model", "verdict", ask("the same question"))
            return Finished("ok", value={"text": reply.text})

    answers = iter("abc")
    keys = [f"s1#0@old/judge/IA/{n}" for n in range(3)]
    run(tmp_path / "old", [Repeats(keys)], Scripted(lambda p, n: say(next(answers))))
    with RunFolder.open(tmp_path / "old") as old:
        said = [old.get("generate", key) for key in keys]
    model = ReplayModel.open(tmp_path / "old")
    for n, done in enumerate(said):
        assert done is not None
        key = f"s1#0@replay/old/IA/{n}"
        reply = asyncio.run(model.complete_for(key, "verdict", ask("the same question")))
        assert reply.text == done.value["text"]
        assert reply.notes == (f"replayed from unit {keys[n]}",)
