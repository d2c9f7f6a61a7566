"""A model and a judge through the whole track, against the fake provider."""

from __future__ import annotations

import hashlib
import json
import signal
import sys
import time
from pathlib import Path

import pytest

from redline.bench import find, load
from redline.diagram.references import InputPictures
from redline.pixels import load_picture
from redline.run import RunFolder
from tests.end_to_end.command import Command
from tests.fake_provider.fixture import FakeProvider

pytestmark = pytest.mark.tex
LIMIT = ("--limit", 3)


def evaluate(redline: Command, fake: FakeProvider, *more: object, judge: bool = True):
    judged = ("--judge", fake.model("judge")) if judge else ()
    return redline(
        "eval", "mini-diagram", "--model", fake.model("editor"), *judged, *LIMIT,
        "--out", "run", "--json", *more,
    )  # fmt: skip


def test_a_model_and_a_judge_score_every_row(redline: Command, fake_provider: FakeProvider) -> None:
    ran = evaluate(redline, fake_provider)
    assert ran.status == 0, ran.err
    found = ran.json()
    assert found["counts"] == {"scored": 3, "failed": 0, "unscored": 0, "missing": 0}
    assert {"IA", "CP", "DR", "FSR", "CFR", "code_IA", "code_CP", "oes_min", "px_inside"} <= set(
        found["metrics"]
    )
    kinds = [c["kind"] for c in fake_provider.calls()]
    assert (kinds.count("edit"), kinds.count("judge")) == (3, 6)
    assert "Everything is in run" in ran.err
    assert set(found["picture_scaling"]) == {"model", fake_provider.model("judge")}


def test_the_pictures_sent_are_the_ones_labelled_and_letterboxed(
    redline: Command, fake_provider: FakeProvider
) -> None:
    evaluate(redline, fake_provider, judge=False)
    want = {}
    for sample in load(find("mini-diagram")).samples[:3]:
        pictures = InputPictures(None, 1024)  # type: ignore[arg-type]
        want[sample.id] = [
            hashlib.sha256(pictures.get(sample, w)).hexdigest() for w in ("picture", "instruction")
        ]
    calls = fake_provider.calls()
    assert sorted(c["pictures"] for c in calls) == sorted(want.values())
    assert all(
        [label.split('"')[1] for label in c["labels"]] == ["original", "instruction"] for c in calls
    )


def test_the_judge_sees_all_pictures_at_one_size_with_labels(
    redline: Command, fake_provider: FakeProvider
) -> None:
    evaluate(redline, fake_provider)
    judged = [c for c in fake_provider.calls() if c["kind"] == "judge" and c["pictures"]]
    assert judged
    for call in judged:
        names = [label.partition(":")[0] for label in call["labels"]]
        assert names in (
            ["ORIGINAL", "INSTRUCTION, DRAWN", "REFERENCE", "CANDIDATE"],
            ["INSTRUCTION, DRAWN"],
        )
        assert {tuple(s) for s in call["sizes"]} == {(1024, 1024)}


def test_starting_again_asks_nobody_anything(redline: Command, fake_provider: FakeProvider) -> None:
    first = evaluate(redline, fake_provider).json()
    asked = len(fake_provider.calls())
    again = evaluate(redline, fake_provider)
    assert len(fake_provider.calls()) == asked
    assert again.json()["metrics"] == first["metrics"]


def test_another_judge_later_repeats_no_generation_and_keeps_old_verdicts(
    redline: Command, fake_provider: FakeProvider
) -> None:
    first = evaluate(redline, fake_provider).json()
    ran = redline("judge", "run", "--judge", fake_provider.model("other"), "--json")
    assert ran.status == 0, ran.err
    assert ran.json()["judge"].endswith("#other")
    assert sum(c["kind"] == "edit" for c in fake_provider.calls()) == 3
    old = redline("results", "run", "--judge", fake_provider.model("judge"), "--json")
    assert old.json()["metrics"] == first["metrics"]


def test_judging_again_needs_neither_tex_nor_a_sandbox(
    redline: Command, fake_provider: FakeProvider
) -> None:
    evaluate(redline, fake_provider, judge=False)
    bare = {"PATH": "/nonexistent"}
    ran = redline("judge", "run", "--judge", fake_provider.model("other"), "--json", env=bare)
    assert ran.status == 0, ran.err
    assert ran.json()["counts"]["scored"] == 3 and "IA" in ran.json()["metrics"]
    refused = redline(
        "eval", "mini-diagram", "--model", fake_provider.model("new"), *LIMIT, "--out", "new",
        env=bare,
    )  # fmt: skip
    assert refused.status == 2 and "bubblewrap is not installed" in refused.err
    assert not [c for c in fake_provider.calls() if c["model"] == "new"], "before it is paid for"


def test_references_are_drawn_at_the_size_that_models_see(redline: Command) -> None:
    for size in (512, 2048):
        ran = redline(
            "eval", "mini-diagram", "--model", "baseline/identity", "--limit", 1, "--out", size,
            "--input-size", size,
        )  # fmt: skip
        assert ran.status == 0, ran.err
        with RunFolder.open(redline.folder / str(size)) as run:
            (done,) = run.all("render")
            original = load_picture(run.blob(done.blobs["original"])).array
        # A page is enlarged to 8 pixels a point at most.
        assert max(original.shape[:2]) == min(size, round(8 * max(done.value["page_pt"])))


def test_outputs_are_told_apart_by_where_they_lie_and_no_run_says_where(redline: Command) -> None:
    sample = load(find("mini-diagram")).samples[0]
    for place, code in (("a", sample.code), ("b", sample.golds[0])):
        (redline.folder / place / "outs").mkdir(parents=True)
        (redline.folder / place / "outs" / f"{sample.id}.tex").write_text(code)
        ran = redline("score", "mini-diagram", f"{place}/outs", *LIMIT, "--json")
        assert ran.json()["counts"]["scored"] == 1, ran.err
    runs = sorted((redline.folder / "runs").iterdir())
    assert len(runs) == 2
    for file in (f for f in (redline.folder / "runs").rglob("*") if f.is_file()):
        assert str(redline.folder).encode() not in file.read_bytes(), file


def test_mending_one_output_rescores_that_one_alone_in_the_same_run(redline: Command) -> None:
    samples = load(find("mini-diagram")).samples[:3]
    (redline.folder / "outs").mkdir()
    for s in samples:
        (redline.folder / "outs" / f"{s.id}.tex").write_text(s.code)
    score = ("score", "mini-diagram", "outs", *LIMIT, "--json")
    first = redline(*score).json()
    (redline.folder / "outs" / f"{samples[1].id}.tex").write_text(samples[1].golds[0])
    second = redline(*score).json()
    assert second["metrics"]["px_inside"]["mean"] > first["metrics"]["px_inside"]["mean"]
    (run,) = (redline.folder / "runs").iterdir()
    units = [json.loads(line) for line in (run / "records.jsonl").read_text().splitlines()]
    done = [(u["stage"], u["key"]) for u in units if u["kind"] == "unit"]
    again = {d for d in done if done.count(d) > 1}
    assert again == {(s, f"{samples[1].id}#0") for s in ("generate", "render", "measure")}


def test_one_judge_asked_in_two_ways_is_shown_as_asked_last_and_by_its_number(
    redline: Command, fake_provider: FakeProvider
) -> None:
    evaluate(redline, fake_provider)
    judge = fake_provider.model("judge")
    scores = {"IA": 2, "CP": 2, "DR": 2, "residue": False}
    verdict = {"reasons": dict.fromkeys(scores, "So it is."), "scores": scores}
    fake_provider.answers({"model": "judge", "text": json.dumps(verdict)})
    narrow = ("--judge-levels", "image", "--judge-inputs", "instruction_picture,candidate")
    ran = redline("judge", "run", "--judge", judge, *narrow, "--json")
    assert ran.json()["judge_details"]["inputs"] == "instruction_picture,candidate"
    assert ran.json()["metrics"]["IA"]["mean"] == 2.0
    again = evaluate(redline, fake_provider).json()
    assert "code_IA" in again["metrics"] and again["metrics"]["IA"]["mean"] != 2.0
    assert [j["judge"] for j in again["judges"]] == [judge, judge]
    by_number = [redline("results", "run", "--judge", n, "--json").json() for n in (1, 2)]
    assert by_number[0]["metrics"] == again["metrics"]
    assert by_number[1]["metrics"]["IA"]["mean"] == 2.0
    assert "judge 2 of 2" in redline("results", "run").out
    assert redline("results", "run", "--judge", 3).status == 2


def test_stages_run_one_by_one_come_to_the_same(
    redline: Command, fake_provider: FakeProvider
) -> None:
    whole = evaluate(redline, fake_provider).json()
    asked = len(fake_provider.calls())
    judge = fake_provider.model("judge")
    for stage in ("generate", "render", "measure", "judge"):
        ran = redline(
            "eval", "mini-diagram", "--model", fake_provider.model("editor"), "--judge", judge,
            *LIMIT, "--out", "steps", "--stages", stage, "--json",
        )  # fmt: skip
        assert ran.status == (0 if stage == "judge" else 3), ran.err
        assert (ran.json()["counts"]["missing"] == 0) == (stage == "judge")
    assert ran.json()["metrics"] == whole["metrics"]
    assert len(fake_provider.calls()) == 2 * asked
    wrong = evaluate(redline, fake_provider, "--stages", "judge", judge=False)
    assert (wrong.status, "needs a judge" in wrong.err) == (2, True)


def test_a_run_without_a_judge_is_not_compared_with_a_judged_one_in_silence(
    redline: Command, fake_provider: FakeProvider
) -> None:
    evaluate(redline, fake_provider)
    redline("eval", "mini-diagram", "--model", "baseline/oracle", *LIMIT, "--out", "oracle")
    pair = redline("compare", "run", "oracle", "--json").json()
    assert "IA" not in pair["metrics"] and "px_inside" in pair["metrics"]
    assert "can't be compared" in pair["notes"][0]


def test_a_judge_may_be_asked_at_image_level_only_and_see_less(
    redline: Command, fake_provider: FakeProvider
) -> None:
    ran = evaluate(
        redline, fake_provider, "--judge-levels", "image", "--judge-inputs",
        "instruction_picture,candidate",
    )  # fmt: skip
    assert ran.status == 0, ran.err
    judged = [c for c in fake_provider.calls() if c["model"] == "judge"]
    assert len(judged) == 3 and all(len(c["pictures"]) == 2 for c in judged)
    found = ran.json()
    assert "IA" in found["metrics"] and "code_IA" not in found["metrics"]
    assert found["judge_details"]["inputs"] == "instruction_picture,candidate"


def test_a_malformed_verdict_is_repaired_once_and_then_unscored_not_a_number(
    redline: Command, fake_provider: FakeProvider
) -> None:
    fake_provider.answers({"model": "judge", "text": '{"scores": {"IA": "5"}}'})
    ran = evaluate(redline, fake_provider)
    assert ran.status == 3
    found = ran.json()
    assert found["counts"]["unscored"] == 3 and "IA" not in found["metrics"]
    assert sum(c["model"] == "judge" for c in fake_provider.calls()) == 12
    fake_provider.answers()
    again = evaluate(redline, fake_provider)
    assert again.status == 0 and again.json()["counts"]["scored"] == 3


def test_refusals_and_cut_off_codes_fail_and_a_content_filter_is_unscored(
    redline: Command, fake_provider: FakeProvider
) -> None:
    fake_provider.faults(
        {"fault": "refusal", "model": "editor", "calls": [0]},
        {"fault": "length", "model": "editor", "calls": [1]},
        {"fault": "content_filter", "model": "editor", "calls": [2]},
    )
    ran = evaluate(redline, fake_provider, "--connections", 1)
    assert ran.status == 3
    found = ran.json()
    assert found["counts"] == {"scored": 0, "failed": 2, "unscored": 1, "missing": 0}
    assert found["metrics"]["IA"]["mean"] == 1.0 and found["metrics"]["CFR"]["mean"] == 1.0
    assert found["metrics"]["IA"]["bounds"] == [pytest.approx(1.0), pytest.approx(7 / 3)]


@pytest.mark.parametrize("condition", ["text", "visual+text", "verbalized", "visual+verbalized"])
def test_every_condition_runs(
    redline: Command, fake_provider: FakeProvider, condition: str
) -> None:
    ran = evaluate(redline, fake_provider, "--condition", condition, "--limit", 1, judge=False)
    assert ran.status == 0, ran.err
    calls = fake_provider.calls()
    edit = calls[-1]
    assert any("instruction" in c for c in edit["labels"]) == condition.startswith("visual")
    assert len(calls) == (2 if condition.endswith("verbalized") else 1)


@pytest.mark.parametrize("condition", ["visual", "visual+verbalized"])
def test_a_drawn_condition_without_the_drawing_is_a_blind_ablation(
    redline: Command, fake_provider: FakeProvider, condition: str
) -> None:
    ran = evaluate(
        redline, fake_provider, "--condition", condition, "--inputs", "code,picture", "--limit", 1,
        judge=False,
    )  # fmt: skip
    assert ran.status == 0, ran.err
    (call,) = fake_provider.calls()
    assert [label.split('"')[1] for label in call["labels"]] == ["original"]
    assert "you are not told which" in call["text"]


def test_another_model_may_put_the_drawing_into_words(
    redline: Command, fake_provider: FakeProvider
) -> None:
    ran = evaluate(
        redline, fake_provider, "--condition", "verbalized", "--limit", 1,
        "--verbalizer", fake_provider.model("describer"), judge=False,
    )  # fmt: skip
    assert ran.status == 0, ran.err
    assert [c["model"] for c in fake_provider.calls()] == ["describer", "editor"]


@pytest.mark.parametrize(("other", "outcome"), [(False, "failed"), (True, "unscored")])
@pytest.mark.parametrize(("fault", "reason"), [("refusal", "refusal"), ("length", "cut_off")])
def test_words_that_never_came_are_the_fault_of_whoever_should_have_found_them(
    redline: Command,
    fake_provider: FakeProvider,
    other: bool,
    outcome: str,
    fault: str,
    reason: str,
) -> None:
    more = ("--verbalizer", fake_provider.model("describer")) if other else ()
    fake_provider.faults({"fault": fault, "calls": [0]})
    ran = evaluate(
        redline, fake_provider, "--condition", "verbalized", "--limit", 1, *more, judge=False
    )
    assert ran.status == (3 if other else 0), ran.err
    assert ran.json()["counts"][outcome] == 1 and len(fake_provider.calls()) == 1
    assert any(f"verbalization: {reason}" in r for r in ran.json()["reasons"])


def test_epochs_and_repeats_are_asked_apart(redline: Command, fake_provider: FakeProvider) -> None:
    ran = evaluate(
        redline, fake_provider, "--epochs", 2, "--judge-repeats", 2, "--limit", 1,
    )  # fmt: skip
    assert ran.status == 0, ran.err
    kinds = [c["kind"] for c in fake_provider.calls()]
    assert (kinds.count("edit"), kinds.count("judge")) == (2, 8)
    assert ran.json()["n"] == 2


def test_a_replay_gives_the_same_result_without_a_call(
    redline: Command, fake_provider: FakeProvider
) -> None:
    first = evaluate(redline, fake_provider, judge=False).json()
    asked = len(fake_provider.calls())
    ran = redline(
        "eval", "mini-diagram", "--model", "replay/run", *LIMIT, "--out", "again", "--json"
    )
    assert ran.status == 0, ran.err
    assert len(fake_provider.calls()) == asked
    assert ran.json()["metrics"] == first["metrics"]
    far = redline(
        "eval", "mini-diagram", "--model", f"replay/{redline.folder / 'run'}", *LIMIT, "--out",
        "again", "--json",
    )  # fmt: skip
    assert far.json()["model"] == "replay/run"
    assert str(redline.folder) not in (redline.folder / "again" / "run.json").read_text()
    judged = redline("judge", "again", "--judge", fake_provider.model("judge"), "--json")
    assert judged.status == 0, judged.err


def test_another_program_under_the_same_name_does_not_go_on_with_its_run(
    redline: Command,
) -> None:
    program = redline.folder / "editor.py"
    program.write_text(
        "import json, sys\n"
        "request = json.load(sys.stdin)\n"
        "print(json.dumps({'text': 'I would rather not.', 'finish': sys.argv[1]}))\n"
    )
    config = redline.folder / "my.toml"

    def evaluate_with(finish: str):
        argv = [sys.executable, str(program), finish]
        config.write_text(f"[command.mine]\nargv = {json.dumps(argv)}\n")
        return redline(
            "eval", "mini-diagram", "--model", "command/mine", "--config", config, *LIMIT, "--out",
            "run", "--json",
        )  # fmt: skip

    first = evaluate_with("refusal")
    assert first.status == 0 and first.json()["counts"]["failed"] == 3
    other = evaluate_with("stop")
    assert other.status == 2 and "identity" in other.err
    assert evaluate_with("refusal").json()["metrics"] == first.json()["metrics"]
    assert str(program) not in (redline.folder / "run" / "run.json").read_text()


def test_the_second_process_on_a_run_is_refused_with_a_sentence(
    redline: Command, fake_provider: FakeProvider
) -> None:
    fake_provider.faults({"fault": "slow", "seconds": 3})
    arguments = (
        "eval", "mini-diagram", "--model", fake_provider.model("editor"), "--limit", 1,
        "--out", "run",
    )  # fmt: skip
    process = redline.start(*arguments)
    while not fake_provider.calls():
        time.sleep(0.05)
        assert process.poll() is None
    second = redline(*arguments)
    process.communicate()
    assert second.status == 2 and "is being written by" in second.err
    assert "Traceback" not in second.err


def test_ctrl_c_saves_what_is_done_and_ends_with_130(
    redline: Command, fake_provider: FakeProvider
) -> None:
    fake_provider.faults({"fault": "slow", "seconds": 1})
    process = redline.start(
        "eval", "mini-diagram", "--model", fake_provider.model("editor"), "--out", "run",
        "--connections", 1,
    )  # fmt: skip
    while not fake_provider.calls():
        time.sleep(0.05)
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert '"kind":"call"' in (redline.folder / "run" / "records.jsonl").read_text()


def test_a_picture_editing_model_is_judged_at_image_level_without_code_scores(
    redline: Command, fake_provider: FakeProvider
) -> None:
    ran = evaluate(redline, fake_provider, "--answers", "picture")
    assert ran.status == 0, ran.err
    found = ran.json()
    assert {"IA", "px_outside"} <= set(found["metrics"])
    assert not {"code_IA", "CFR", "code_similarity"} & set(found["metrics"])


def test_no_key_reaches_any_file_or_message(redline: Command, fake_provider: FakeProvider) -> None:
    key = "sk-planted-4711-secret"
    fake_provider.faults({"fault": "echo", "calls": [1]})
    ran = redline(
        "eval", "mini-diagram", "--model", fake_provider.model("editor"), *LIMIT,
        "--key-env", "MY_KEY", "--out", "run", env={"MY_KEY": key},
    )  # fmt: skip
    assert key not in ran.out + ran.err
    for file in Path(redline.folder).rglob("*"):
        assert not file.is_file() or key.encode() not in file.read_bytes(), file


def test_a_budget_without_a_known_price_is_refused(
    redline: Command, fake_provider: FakeProvider
) -> None:
    ran = evaluate(redline, fake_provider, "--budget", 1)
    assert ran.status == 2 and "price" in ran.err
    assert fake_provider.calls() == []


def priced(redline: Command, model: str) -> dict[str, str]:
    """The environment of a user who has put the model's price into cards: 1,000 USD a million."""
    cards = redline.folder / "cards.toml"
    cards.write_text(
        f'[[model]]\nname = {json.dumps(model)}\nprovider = "http"\nfamily = "fake"\n'
        "input_per_mtok = 1000.0\noutput_per_mtok = 1000.0\n"
        'price_date = "2026-01-01"\nprice_source = "this test"\n'
    )
    return {"REDLINE_CARDS": str(cards)}


def test_a_budget_stops_the_run_before_it_is_overspent(
    redline: Command, fake_provider: FakeProvider
) -> None:
    ran = redline(
        "eval", "mini-diagram", "--model", fake_provider.model("editor"), "--budget", 0.000001,
        "--out", "run", env=priced(redline, fake_provider.model("editor")),
    )  # fmt: skip
    assert ran.status == 3, ran.err
    assert "budget" in ran.err.lower() and fake_provider.calls() == []


def test_calls_without_token_counts_are_shown_as_estimated_and_never_as_spent(
    redline: Command, fake_provider: FakeProvider
) -> None:
    reply = {"choices": [{"message": {"content": "I would rather not."}, "finish_reason": "stop"}]}
    fake_provider.faults({"fault": "raw", "body": json.dumps(reply)})
    model = fake_provider.model("editor")
    ran = redline(
        "eval", "mini-diagram", "--model", model, "--max-tokens", 1000, *LIMIT, "--out", "run",
        "--json", env=priced(redline, model),
    )  # fmt: skip
    assert ran.status == 0, ran.err
    found = ran.json()
    assert (found["spent_usd"], found["unpriced_calls"], found["estimated_calls"]) == (None, 0, 3)
    # 1,000 tokens out are 1 USD; what goes in is reckoned besides.
    assert 3.0 < found["estimated_usd"] < 30.0
    assert "3 calls without token counts estimated at" in ran.err
