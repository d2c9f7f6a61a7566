"""Wrong use ends with a sentence and status 2, never with a traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.end_to_end.command import Command
from tests.fake_provider.fixture import FakeProvider

pytestmark = pytest.mark.tex


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("eval", "mini-diagram", "--model", "openai/gpt-5.4"), "OPENAI_API_KEY"),
        (("eval", "mini-diagram", "--model", "nonsense"), "nonsense"),
        (("eval", "mini-diagram", "--model", "baseline/best"), "baseline"),
        (("eval", "no-such-bench", "--model", "baseline/oracle"), "no-such-bench"),
        (("eval", "mini-diagram", "--model", "baseline/oracle", "--ids", "nobody"), "nobody"),
        (("eval", "mini-diagram", "--model", "http://127.0.0.1:9/v1#m", "--inputs", ""),
         "given nothing"),
        (("eval", "mini-diagram", "--model", "http://127.0.0.1:9/v1#m", "--inputs", "code,film"),
         "code,film"),
        (("eval", "mini-diagram", "--model", "replay/nowhere"), "nowhere"),
        (("eval", "mini-diagram", "--model", "command/none"), "none"),
        (("eval", "mini-diagram", "--model", "baseline/oracle", "--ids", ","), "--ids"),
        (("eval", "mini-diagram", "--model", "http://127.0.0.1:9/v1#m", "--thinking", "maybe"),
         "thinking"),
        (("eval", "mini-diagram", "--model", "openai/gpt-5.4", "--budget", "-1"), "budget"),
        (("eval", "mini-diagram", "--model", "http://127.0.0.1:9/v1#m", "--extra-body",
          '{"top_k": 1, "top_k": 2}'), "'top_k' twice"),
        (("eval", "mini-diagram", "--model", "baseline/oracle", "--judge",
          "http://127.0.0.1:9/v1#j", "--judge-setting",
          'extra_body={"a": 1, "a": 2}'), "'a' twice"),
        (("eval", "mini-diagram", "--model", "baseline/oracle", "--judge",
          "http://127.0.0.1:9/v1#j", "--image-rubric", "viseditbench-code-v1"), "level"),
        (("eval", "mini-diagram", "--model", "baseline/oracle", "--judge",
          "http://127.0.0.1:9/v1#j", "--judge-inputs", "candidate"), "original"),
        (("eval", "mini-diagram", "--model", "baseline/oracle", "--judge",
          "http://127.0.0.1:9/v1#j", "--judge-setting", "temperature=hot"), "temperature"),
        (("results", "nowhere"), "nowhere"),
        (("judge", "nowhere", "--judge", "openai/gpt-5.4"), "nowhere"),
        (("score", "mini-diagram", "nowhere"), "nowhere"),
        (("eval", "mini-diagram", "--model", "baseline/oracle", "--config", "nowhere.toml"),
         "nowhere.toml"),
    ],
)  # fmt: skip
def test_wrong_use_is_told_in_a_sentence(
    redline: Command, arguments: tuple[str, ...], said: str
) -> None:
    ran = redline(*arguments)
    assert ran.status == 2, ran.err
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_an_unreachable_host_stops_the_run_and_its_rows_are_missing(redline: Command) -> None:
    model = "http://127.0.0.1:9/v1#m"
    ran = redline("eval", "mini-diagram", "--model", model, "--limit", 2, "--out", "run", "--json")
    assert ran.status == 2, ran.err
    assert f"Stopped: {model} was not reached once:" in ran.err
    assert "Check its address and your network, then start the same command again." in ran.err
    assert "Traceback" not in ran.err
    assert ran.json()["counts"] == {"scored": 0, "failed": 0, "unscored": 0, "missing": 2}
    assert ran.json()["metrics"] == {}


def test_a_changed_benchmark_is_refused(redline: Command) -> None:
    done = redline("bench", "export", "mini-diagram", "bench", "--format", "folder")
    assert done.status == 0, done.err
    run = ("eval", "bench", "--model", "baseline/identity", "--limit", 1, "--out", "run")
    assert redline(*run).status == 0
    code = next((redline.folder / "bench" / "code").glob("*.tex"))
    code.write_text(code.read_text() + "% changed\n")
    ran = redline(*run)
    assert ran.status == 2 and "changed" in ran.err


def test_a_run_goes_on_with_another_time_limit_but_not_with_another_temperature(
    redline: Command, fake_provider: FakeProvider
) -> None:
    run = ("eval", "mini-diagram", "--model", fake_provider.model("m"), "--limit", 1)
    assert redline(*run, "--out", "run").status == 0
    assert redline(*run, "--out", "run", "--timeout", 30).status == 0
    assert len(fake_provider.calls()) == 1
    ran = redline(*run, "--out", "run", "--temperature", 0.5)
    assert ran.status == 2 and "temperature" in ran.err


def test_a_run_folder_of_a_newer_version_is_refused(redline: Command) -> None:
    run = ("eval", "mini-diagram", "--model", "baseline/identity", "--limit", 1, "--out", "run")
    assert redline(*run).status == 0
    manifest = redline.folder / "run" / "run.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "schema": 99}))
    ran = redline(*run)
    assert ran.status == 2 and "newer" in ran.err


def test_a_corrupt_last_line_is_kept_aside_and_its_unit_done_again(redline: Command) -> None:
    run = ("eval", "mini-diagram", "--model", "baseline/identity", "--limit", 1, "--out", "run")
    assert redline(*run).status == 0
    records = redline.folder / "run" / "records.jsonl"
    records.write_bytes(records.read_bytes()[:-20])
    ran = redline(*run)
    assert ran.status == 0, ran.err
    assert list((redline.folder / "run").glob("records.damaged-*"))
    assert ran.err.count("was damaged") == 1, "each warning is told once"


def test_options_come_from_a_toml_file_and_the_command_line_wins(redline: Command) -> None:
    Path(redline.folder / "o.toml").write_text('limit = 2\nout = "from-file"\n')
    run = ("eval", "mini-diagram", "--model", "baseline/identity", "--config", "o.toml", "--json")
    assert redline(*run).json()["n"] == 2
    assert (redline.folder / "from-file" / "run.json").exists()
    assert redline(*run, "--limit", 1, "--out", "other").json()["n"] == 1
    Path(redline.folder / "o.toml").write_text("limitt = 2\n")
    ran = redline(*run)
    assert ran.status == 2 and "limitt" in ran.err
