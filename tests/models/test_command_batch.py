"""`command/NAME` in mode `batch`: many requests, one start of the program."""

from __future__ import annotations

import asyncio
import io
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from redline.models import (
    Message,
    PicturePart,
    ProviderError,
    Reply,
    Request,
    Settings,
    TextPart,
    open_model,
)
from tests.models.test_command import _gone

COLOURS = ("red", "green", "blue", "white", "black")


def config(folder: Path, program: str, **fields: object) -> Path:
    script = folder / "program.py"
    script.write_text(program)
    entry: dict[str, object] = {
        "argv": [sys.executable, str(script), "{folder}", str(folder / "starts")],
        "mode": "batch", "window_s": 0.3, **fields,
    }  # fmt: skip
    lines = "\n".join(f"{k} = {json.dumps(v)}" for k, v in entry.items())
    path = folder / "config.toml"
    path.write_text(f"[command.mine]\n{lines}\n")
    return path


def png(colour: str) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (8, 6), colour).save(out, "PNG")
    return out.getvalue()


def request(words: str, colour: str = "red") -> Request:
    parts = (PicturePart(png(colour), "picture"), TextPart(words))
    return Request((Message("user", parts),), want="picture")


def ask(path: Path, requests: Sequence[Request], timeout_s: float = 60) -> list[Any]:
    """Replies or errors, in the order of the requests."""

    async def all_at_once() -> list[Any]:
        m = open_model("command/mine", Settings(timeout_s=timeout_s, seed=3), config=path)
        try:
            return await asyncio.gather(*(m.complete(r) for r in requests), return_exceptions=True)
        finally:
            await m.close()

    return asyncio.run(all_at_once())


HEAD = """
import json, pathlib, sys
folder, starts = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
lines = [json.loads(line) for line in (folder / "requests.jsonl").read_text().splitlines()]
with starts.open("a") as f:
    f.write(f"{len(lines)}\\n")
"""
COPY = f"""{HEAD}
for line in lines:
    data = (folder / line["pictures"][0]).read_bytes()
    (folder / "out" / (line["id"] + ".png")).write_bytes(data)
"""


def test_calls_that_come_together_share_one_start_and_each_gets_its_own_reply(
    tmp_path: Path,
) -> None:
    replies = ask(config(tmp_path, COPY), [request(c, c) for c in COLOURS])
    assert [r.pictures for r in replies] == [(png(c),) for c in COLOURS]
    assert (tmp_path / "starts").read_text() == "5\n"
    assert all(r.usage.pictures == 1 for r in replies)


def test_a_batch_is_no_larger_than_told(tmp_path: Path) -> None:
    path = config(tmp_path, COPY, batch=2)
    assert len(ask(path, [request(c, c) for c in COLOURS])) == 5
    assert (tmp_path / "starts").read_text() == "2\n2\n1\n"


def test_a_program_is_told_instruction_pictures_and_seed_and_may_answer_in_json(
    tmp_path: Path,
) -> None:
    program = f"""{HEAD}
for line in lines:
    out = folder / "out"
    (out / "edited.png").write_bytes((folder / line["pictures"][0]).read_bytes())
    said = [line["instruction"], line["seed"], line["request"]["want"], len(line["pictures"])]
    reply = {{"text": json.dumps(said), "pictures": ["edited.png"], "model_id": "mine-7"}}
    (out / (line["id"] + ".json")).write_text(json.dumps(reply))
"""
    (reply,) = ask(config(tmp_path, program), [request("make it blue")])
    assert json.loads(reply.text) == ["make it blue", 3, "picture", 1]
    assert (reply.pictures, reply.model_id) == ((png("red"),), "mine-7")


def test_what_was_finished_before_the_program_died_is_kept(tmp_path: Path) -> None:
    program = f"""{HEAD}
for line in lines[:2]:
    (folder / "out" / (line["id"] + ".png")).write_bytes(
        (folder / line["pictures"][0]).read_bytes())
half = (folder / lines[2]["pictures"][0]).read_bytes()[:40]
(folder / "out" / (lines[2]["id"] + ".png")).write_bytes(half)
sys.exit("out of memory")
"""
    came = ask(config(tmp_path, program), [request(c, c) for c in COLOURS])
    assert [type(c) for c in came] == [Reply, Reply, *[ProviderError] * 3]
    assert {c.kind for c in came[2:]} == {"transient"}
    assert all("out of memory" in str(c) for c in came[2:])


@pytest.mark.parametrize(
    ("left", "said"),
    [
        ("", "left neither out/0000.json nor out/0000.png"),
        ("(out / '0000.png').write_text('<html>')", "an HTML page in place of"),
        ("(out / '0000.json').write_text('[]')", "no object"),
        ("(out / '0000.json').write_text('{\"pictures\": [\"../in\"]}')", "no plain file name"),
        ("(out / '0000.png').symlink_to('/etc/hostname')", "no readable file"),
        ("out.rmdir(); out.symlink_to('/etc')", "a link in place of out/"),
    ],
)
def test_what_is_no_reply_is_a_fault_with_its_sentence(
    tmp_path: Path, left: str, said: str
) -> None:
    program = f"{HEAD}\nout = folder / 'out'\n{left}\n"
    (error,) = ask(config(tmp_path, program), [request("red")])
    assert isinstance(error, ProviderError)
    assert error.kind == "transient"
    assert said in str(error)


def test_a_batch_has_as_many_times_the_time_out_as_it_has_requests(tmp_path: Path) -> None:
    slow = f"{HEAD}\nimport time\ntime.sleep(300)\n"
    began = time.monotonic()
    errors = ask(config(tmp_path, slow, timeout_s=0.5), [request(c) for c in COLOURS[:3]])
    assert all("1.5 s" in str(e) for e in errors)
    assert time.monotonic() - began < 60


def test_a_program_is_killed_once_nobody_waits_for_it(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    program = (
        f"import os, pathlib, time; pathlib.Path({str(pid_file)!r}).write_text(str(os.getpid()))\n"
        "time.sleep(300)"
    )

    async def give_up() -> None:
        m = open_model("command/mine", Settings(), config=config(tmp_path, program))
        calls = [asyncio.ensure_future(m.complete(request(c))) for c in COLOURS]
        for _ in range(500):
            await asyncio.sleep(0.02)
            if pid_file.exists() and pid_file.read_text():
                break
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        await asyncio.sleep(0.2)

    asyncio.run(give_up())
    assert _gone(int(pid_file.read_text()))


def test_a_secret_shows_in_no_error_of_a_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "sk-never-to-be-seen-42")
    program = 'import os, sys; sys.exit("died with " + os.environ["MY_KEY"])'
    (error,) = ask(config(tmp_path, program, env=["MY_KEY"]), [request("red")])
    assert "died with [key]" in str(error)
    assert os.environ["MY_KEY"] not in str(error)
