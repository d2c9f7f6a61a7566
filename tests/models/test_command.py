"""`command/NAME`: programs that play a model, well-behaved and hostile."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from redline.models import (
    ModelNameError,
    ProviderError,
    Reply,
    Request,
    Settings,
    open_model,
    program_identity,
)
from redline.models.command_config import CommandConfigError
from tests.models.making import edit_request, judge_request, picture, picture_request, real_picture

SECRET = "sk-never-to-be-seen-42"


def _config(folder: Path, program: str, **fields: object) -> Path:
    script = folder / "program.py"
    script.write_text(program)
    entry: dict[str, object] = {"argv": [sys.executable, "-I", str(script)], **fields}
    lines = "\n".join(f"{k} = {json.dumps(v)}" for k, v in entry.items())
    path = folder / "config.toml"
    path.write_text(f"[command.mine]\n{lines}\n")
    return path


def _ask(
    config: Path, request: Request, env: Mapping[str, str] = os.environ, timeout_s: float = 20
) -> Reply:
    m = open_model("command/mine", Settings(timeout_s=timeout_s, seed=3), env=env, config=config)
    return asyncio.run(m.complete(request))


def _fail(config: Path, request: Request | None = None, timeout_s: float = 20) -> ProviderError:
    with pytest.raises(ProviderError) as e:
        _ask(config, request or edit_request(), timeout_s=timeout_s)
    return e.value


ECHO = """
import base64, hashlib, json, sys
r = json.load(sys.stdin)
pictures = [p for m in r["messages"] for p in m["parts"] if p["type"] == "picture"]
for p in pictures:
    assert hashlib.sha256(base64.b64decode(p["data"])).hexdigest() == p["sha256"]
json.dump({"text": json.dumps([r["system"], r["settings"], r["schema"], r["want"],
                               [p["label"] for p in pictures]]),
           "pictures": [p["data"] for p in pictures], "usage": {"output_tokens": 4},
           "model_id": "mine-7"}, sys.stdout)
"""


def test_a_program_gets_the_request_on_stdin_and_answers_on_stdout(tmp_path: Path) -> None:
    sent = [picture("original", 300_000), picture("instruction")]
    reply = _ask(_config(tmp_path, ECHO), edit_request(*sent))
    system, settings, schema, want, labels = json.loads(reply.text)
    assert (system, schema, want) == ("You edit.", None, "text")
    assert settings["seed"] == 3
    assert labels == ["original", "instruction"]
    assert reply.pictures == tuple(p.data for p in sent)
    assert (reply.usage.output_tokens, reply.model_id, reply.finish) == (4, "mine-7", "stop")


def test_a_program_may_be_handed_files_and_leave_files(tmp_path: Path) -> None:
    program = """
import json, pathlib, sys
folder = pathlib.Path(sys.argv[1])
assert folder == pathlib.Path.cwd()
r = json.loads((folder / "request.json").read_text())
p = next(p for m in r["messages"] for p in m["parts"] if p["type"] == "picture")
(folder / "out.png").write_bytes((folder / p["file"]).read_bytes())
(folder / "reply.json").write_text(json.dumps({"text": p["file"], "pictures": ["out.png"]}))
print("chatter on stdout is no reply here")
"""
    config = _config(tmp_path, program, mode="files")
    config.write_text(config.read_text().replace('program.py"', 'program.py", "{folder}"'))
    odd = real_picture("../../orig inal")
    reply = _ask(config, replace(edit_request(odd), want="picture"))
    assert reply.pictures == (odd.data,)
    assert "/" not in reply.text


def test_the_environment_is_cleared_but_for_the_variables_named(tmp_path: Path) -> None:
    program = 'import json, os; print(json.dumps({"text": json.dumps(dict(os.environ))}))'
    env = {"PATH": os.environ["PATH"], "OPENAI_API_KEY": SECRET, "MY_MODE": "on", "HOME": "/h"}
    seen = json.loads(_ask(_config(tmp_path, program, env=["MY_MODE"]), judge_request(), env).text)
    # LC_CTYPE is what Python sets for itself.
    assert {k: v for k, v in seen.items() if k != "LC_CTYPE"} == {"MY_MODE": "on"}


def test_a_secret_passed_on_by_name_shows_in_neither_reply_nor_error(tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"], "MY_KEY": SECRET}
    told = 'import json, os; print(json.dumps({"text": "key " + os.environ["MY_KEY"]}))'
    reply = _ask(_config(tmp_path, told, env=["MY_KEY"]), judge_request(), env)
    assert reply.text == "key [key]"
    assert SECRET.encode() not in reply.raw
    dies = 'import os, sys; sys.exit("died with " + os.environ["MY_KEY"])'
    with pytest.raises(ProviderError) as e:
        _ask(_config(tmp_path, dies, env=["MY_KEY"]), judge_request(), env)
    assert "died with [key]" in str(e.value)


def _gone(pid: int) -> bool:
    """Whether the process has ended; one that nobody has fetched yet (Z) has."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        stat = Path(f"/proc/{pid}/stat")
        with contextlib.suppress(OSError):
            if stat.read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        time.sleep(0.05)
    return False


SPAWN = """
import pathlib, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
pathlib.Path({path!r}).write_text(str(child.pid))
{then}
"""


def test_a_program_that_hangs_is_killed_with_its_children(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    config = _config(tmp_path, SPAWN.format(path=str(pid_file), then="time.sleep(300)"))
    error = _fail(config, timeout_s=3)
    assert error.kind == "transient"
    assert "3 s" in str(error)
    assert _gone(int(pid_file.read_text()))


def test_a_child_that_is_left_behind_neither_delays_the_reply_nor_lives_on(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    then = 'print(\'{"text": "done"}\')'
    config = _config(tmp_path, SPAWN.format(path=str(pid_file), then=then))
    assert _ask(config, edit_request(), timeout_s=200).text == "done"
    assert _gone(int(pid_file.read_text()))


def test_a_child_that_fled_into_a_session_of_its_own_does_not_hold_the_reply(
    tmp_path: Path,
) -> None:
    pid_file = tmp_path / "pid"
    then = 'print(\'{"text": "done"}\')'
    program = SPAWN.format(path=str(pid_file), then=then)
    config = _config(tmp_path, program.replace('300)"]', '300)"], start_new_session=True'))
    try:
        assert _ask(config, edit_request(), timeout_s=200).text == "done"
    finally:
        os.kill(int(pid_file.read_text()), signal.SIGKILL)


def test_a_time_out_of_the_file_goes_before_the_settings(tmp_path: Path) -> None:
    config = _config(tmp_path, "import time; time.sleep(60)", timeout_s=0.5)
    assert "0.5 s" in str(_fail(config, timeout_s=50))


def test_a_cancelled_call_kills_its_program(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    program = (
        f"import os, pathlib, time; pathlib.Path({str(pid_file)!r}).write_text(str(os.getpid()))\n"
        "time.sleep(300)"
    )
    m = open_model("command/mine", Settings(), config=_config(tmp_path, program))

    async def give_up() -> None:
        task = asyncio.ensure_future(m.complete(edit_request()))
        for _ in range(500):
            await asyncio.sleep(0.02)
            if pid_file.exists() and pid_file.read_text():
                break
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(give_up())
    assert _gone(int(pid_file.read_text()))


@pytest.mark.parametrize(
    ("program", "kind"),
    [
        ("pass", "transient"),
        ("print('hello')", "transient"),
        ("print('[1, 2]')", "transient"),
        ("print('{}')", "transient"),
        ("print('[' * 100000)", "transient"),
        ('import sys; print(\'{"text": "a"}\'); sys.exit(3)', "transient"),
        ('print(\'{"text": "a", "text": "b"}\')', "transient"),
        (
            'print(\'{"text": "a", "usage": {"output_tokens": 1, "output_tokens": 2}}\')',
            "transient",
        ),
        ("import os; os.kill(os.getpid(), 9)", "transient"),
        ("import os; os.write(1, b'\\xff\\xfe\\x00')", "transient"),
        ("import sys\nwhile True: sys.stdout.write('x' * 65536)", "bad_request"),
        (
            "import sys\nfor _ in range(2000): sys.stderr.write('y' * 65536)\nsys.exit(1)",
            "transient",
        ),
    ],
)
def test_hostile_output_ends_in_an_error_of_its_kind(
    tmp_path: Path, program: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("redline.models.command_program.MAX_OUTPUT_BYTES", 4 << 20)
    error = _fail(_config(tmp_path, program))
    assert error.kind == kind
    assert len(str(error)) <= 500


def test_odd_fields_of_a_reply_are_read_as_absent(tmp_path: Path) -> None:
    reply = {
        "text": "a\ud800", "pictures": ["!!", 7, base64.b64encode(b"ok").decode()],
        "finish": "whatever", "usage": {"input_tokens": "many"}, "model_id": 7, "thinking": [],
    }  # fmt: skip
    got = _ask(_config(tmp_path, f"print({json.dumps(json.dumps(reply))})"), edit_request())
    assert got.pictures == (b"ok",)
    assert (got.finish, got.usage.input_tokens, got.model_id, got.thinking) == (
        "other", None, None, None,
    )  # fmt: skip
    assert got.text.encode()


FILES = """
import json, os, pathlib
{prepare}
pathlib.Path("reply.json").write_text(json.dumps({{"text": "", "pictures": [{name!r}]}}))
"""


@pytest.mark.parametrize(
    ("prepare", "name"),
    [
        ("", "/etc/passwd"),
        ("", "../../etc/passwd"),
        ("", "missing.png"),
        ("", ""),
        ("", "a\0b"),
        ("os.symlink('/etc/passwd', 'link.png')", "link.png"),
        ("os.mkfifo('pipe.png')", "pipe.png"),
        ("os.mkdir('folder.png')", "folder.png"),
    ],
)
def test_a_program_can_not_point_at_files_that_are_not_its_own(
    tmp_path: Path, prepare: str, name: str
) -> None:
    config = _config(tmp_path, FILES.format(prepare=prepare, name=name), mode="files")
    error = _fail(config)
    assert error.kind == "transient"
    assert "root:" not in str(error)


def test_what_is_no_picture_where_one_was_wanted_is_a_fault_and_no_failed_edit(
    tmp_path: Path,
) -> None:
    prepare = "open('out.png', 'w').write('<html>oops</html>')"
    config = _config(tmp_path, FILES.format(prepare=prepare, name="out.png"), mode="files")
    error = _fail(config, picture_request(real_picture("picture")))
    assert error.kind == "transient"
    assert "an HTML page in place of a picture" in str(error)


def test_a_reply_file_that_is_a_link_is_refused(tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text('{"text": "stolen"}')
    program = f"import os; os.symlink({str(secret)!r}, 'reply.json')"
    assert _fail(_config(tmp_path, program, mode="files")).kind == "transient"


def test_a_picture_file_beyond_the_limit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("redline.models.command_program.MAX_OUTPUT_BYTES", 1000)
    prepare = "open('big.png', 'wb').truncate(10**9)"
    config = _config(tmp_path, FILES.format(prepare=prepare, name="big.png"), mode="files")
    assert _fail(config).kind == "bad_request"


def test_a_program_that_does_not_exist_stops_the_run(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('[command.mine]\nargv = ["no-such-program-xyz"]\n')
    error = _fail(path)
    assert error.stops_run
    assert "no-such-program-xyz" in str(error)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[command.other]\nargv = ['x']", "command/other"),
        ("", "[command.mine]"),
        ("[command.mine]\nargv = []", "argv"),
        ("[command.mine]\nargv = 'rm -rf x'", "argv"),
        ("[command.mine]\nargv = ['x']\nshell = true", "shell"),
        ("[command.mine]\nargv = ['x']\nmode = 'socket'", "mode"),
        ("[command.mine]\nargv = ['x']\ntimeout_s = -1", "timeout_s"),
        ("[command.mine", "can't be read"),
    ],
)
def test_a_wrong_configuration_is_a_sentence(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text)
    with pytest.raises((ModelNameError, CommandConfigError)) as e:
        open_model("command/mine", Settings(), env={}, config=path)
    assert said in str(e.value)
    assert e.value.exit_status == 2


def test_programs_come_from_the_users_folder_and_not_from_the_current_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, home = tmp_path / "here", tmp_path / "home"
    here.mkdir()
    (home / "redline").mkdir(parents=True)
    _config(here, "pass")
    monkeypatch.chdir(here)
    env = {"XDG_CONFIG_HOME": str(home), "PATH": os.environ["PATH"]}
    with pytest.raises(ModelNameError) as e:
        open_model("command/mine", Settings(), env=env)
    assert str(home / "redline" / "config.toml") in str(e.value)
    _config(home / "redline", 'print(\'{"text": "mine"}\')')
    m = open_model("command/mine", Settings(), env=env)
    assert asyncio.run(m.complete(edit_request())).text == "mine"


def test_a_program_is_told_from_another_of_its_name_without_saying_where_it_lies(
    tmp_path: Path,
) -> None:
    def identity(**fields: object) -> str:
        return program_identity("command/mine", config=_config(tmp_path, ECHO, **fields))

    mine = identity(argv=["/secret/place/editor", "--key", SECRET])
    assert mine.startswith("editor ") and len(mine) == len("editor ") + 64
    assert SECRET not in mine and "secret" not in mine
    assert mine == identity(argv=["/secret/place/editor", "--key", SECRET], timeout_s=5)
    others = {
        identity(argv=["/other/place/editor", "--key", SECRET]),
        identity(argv=["/secret/place/editor", "--key " + SECRET]),
        identity(argv=["/secret/place/editor", "--key", SECRET], mode="files"),
    }
    assert len({mine, *others}) == 4
    assert program_identity("openai/gpt-5.4") == ""


def test_an_error_of_a_program_names_no_path_of_this_machine(tmp_path: Path) -> None:
    gone = _config(tmp_path, ECHO, argv=[str(tmp_path / "gone")])
    assert "gone: No such file" in str(_fail(gone)) and str(tmp_path) not in str(_fail(gone))
    silent = _config(tmp_path, "pass", mode="files")
    assert str(_fail(silent)).endswith("'reply.json' (No such file or directory).")
