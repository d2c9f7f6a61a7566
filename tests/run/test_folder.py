"""Run folders: what a bad one says, and what a damaged one still gives."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from redline.models.protocol import Reply, Usage
from redline.run import (
    BenchmarkChanged,
    FolderBusy,
    FolderNewer,
    ManifestDiffers,
    NotARun,
    RunError,
    RunFolder,
)
from redline.run.replies import pack, unpack
from tests.run.toy import Generate, Judge, Scripted, manifest, run, say

KEYS = ["s1#0", "s2#0", "s3#0"]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def done(tmp_path: Path) -> Path:
    path = tmp_path / "run"
    assert run(path, [Generate(KEYS)], Scripted()).exit_status == 0
    return path


def test_a_manifest_comes_back_as_it_was_written(tmp_path: Path) -> None:
    written = manifest(judges=({"name": "j", "rubric": "IA"},)).with_python()
    RunFolder.create_or_open(tmp_path / "run", written).close()
    assert RunFolder.open(tmp_path / "run").manifest == written


def test_run_json_names_no_path_no_host_and_no_user(done: Path) -> None:
    text = (done / "run.json").read_text() + (done / "records.jsonl").read_text()
    assert os.uname().nodename not in text
    assert str(done.parent) not in text


def test_adding_a_judge_changes_nothing_but_the_list_of_judges(done: Path) -> None:
    before = json.loads((done / "run.json").read_text())
    for _ in range(2):
        judged = manifest().with_judge({"name": "j", "rubric": "IA"})
        RunFolder.create_or_open(done, judged).close()
    after = json.loads((done / "run.json").read_text())
    assert after.pop("judges") == [{"name": "j", "rubric": "IA"}]
    assert before.pop("judges") == []
    assert after == before


def test_a_kill_while_a_judge_is_added_leaves_the_manifest_whole(done: Path) -> None:
    code = (
        "from pathlib import Path; from redline.run import RunFolder;"
        "from tests.run.toy import manifest;"
        f"RunFolder.create_or_open(Path({str(done)!r}), manifest().with_judge({{'name': 'j'}}))"
    )
    env = {**os.environ, "REDLINE_FAULT": "manifest-rename:1"}
    killed = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, check=False)
    assert killed.returncode == -9
    assert RunFolder.open(done).manifest.judges == ()
    RunFolder.create_or_open(done, manifest().with_judge({"name": "j"})).close()
    assert RunFolder.open(done).manifest.judges == ({"name": "j"},)


def test_a_second_writer_is_refused_with_the_pid_of_the_first(done: Path) -> None:
    with RunFolder.create_or_open(done, manifest()):
        with pytest.raises(FolderBusy, match=f"written by process {os.getpid()}"):
            RunFolder.create_or_open(done, manifest())
        assert len(RunFolder.open(done).all("generate")) == 3
    RunFolder.create_or_open(done, manifest()).close()


def test_a_run_of_a_newer_version_is_refused(done: Path) -> None:
    data = json.loads((done / "run.json").read_text())
    (done / "run.json").write_text(json.dumps({**data, "schema": 99, "new_field": 1}))
    for opened in (RunFolder.open, lambda p: RunFolder.create_or_open(p, manifest())):
        with pytest.raises(FolderNewer, match="Install a newer Redline") as error:
            opened(done)
        assert error.value.exit_status == 2


def test_another_manifest_is_refused_with_the_fields_that_differ(done: Path) -> None:
    other = manifest(model="toy/n", settings={"temperature": 1.0, "seed": 3})
    with pytest.raises(ManifestDiffers) as error:
        RunFolder.create_or_open(done, other)
    for part in (
        "model: toy/m -> toy/n",
        "settings.temperature: 0.0 -> 1.0",
        "settings.seed: null -> 3",
    ):
        assert part in str(error.value)
    assert "benchmark" not in str(error.value)
    assert error.value.exit_status == 2


def test_a_changed_benchmark_is_refused_with_its_own_sentence(done: Path) -> None:
    changed = manifest(benchmark_hash="c" * 64, sample_set_hash="t" * 64, samples=4)
    with pytest.raises(BenchmarkChanged, match="has changed since the run"):
        RunFolder.create_or_open(done, changed)


def test_other_versions_or_another_machine_may_go_on(done: Path) -> None:
    other = replace(manifest(), versions={"pdflatex": "9"}, machine={"os": "x"}, redline="9.9")
    with RunFolder.create_or_open(done, other) as folder:
        assert folder.manifest.redline != "9.9"
    starts = [r for r in _records(done) if r["kind"] == "start"]
    assert [s["redline"] for s in starts][-1] == "9.9"


def test_folders_without_a_run_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(NotARun, match="holds no run"):
        RunFolder.open(tmp_path / "none")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("precious")
    with pytest.raises(NotARun, match=r"thesis\.tex is in it"):
        RunFolder.create_or_open(tmp_path / "full", manifest())
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="file of that name"):
        RunFolder.create_or_open(tmp_path / "file", manifest())
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "run.json").write_text("{")
    with pytest.raises(NotARun, match="is damaged"):
        RunFolder.open(tmp_path / "odd")


def test_a_half_last_line_is_cut_off_kept_and_told(done: Path) -> None:
    file = done / "records.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole[:-20])
    half = whole[:-20].rpartition(b"\n")[2]
    model = Scripted()
    summary = run(done, [Generate(KEYS)], model)
    assert summary.exit_status == 0
    assert (done / "records.damaged-1").read_bytes() == half
    assert len(summary.warnings) == 1
    assert "records.damaged-1" in summary.warnings[0]
    assert model.asked == []  # only the unit was lost, not its replies
    assert len(RunFolder.open(done).all("generate")) == 3
    assert all(_is_json(line) for line in file.read_bytes().splitlines())


def test_a_whole_last_record_without_its_line_end_is_kept(done: Path) -> None:
    file = done / "records.jsonl"
    file.write_bytes(file.read_bytes().rstrip(b"\n"))
    summary = run(done, [Generate(KEYS)], Scripted())
    assert summary.warnings == ()
    assert summary.stages["generate"].done_now == 0
    assert all(_is_json(line) for line in file.read_bytes().splitlines())


def test_zeros_at_the_end_as_a_power_cut_leaves_them_are_cut_off(done: Path) -> None:
    file = done / "records.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole + b"\0" * 300 + b"\n" + b"\0" * 10)
    summary = run(done, [Generate(KEYS)], Scripted())
    assert summary.stages["generate"].done_now == 0
    assert len((done / "records.damaged-1").read_bytes()) == 311
    assert file.read_bytes().startswith(whole)


def test_a_damaged_line_in_the_middle_costs_only_what_it_recorded(done: Path) -> None:
    file = done / "records.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    number = next(i for i, raw in enumerate(lines) if json.loads(raw)["kind"] == "call")
    lost = json.loads(lines[number])
    lines[number] = b'{"kind": "call", broken\n'
    unit = next(i for i, raw in enumerate(lines) if b'"kind":"unit"' in raw)
    key = json.loads(lines[unit])["key"]
    lines[unit] = b'{"kind": "unit"}\n'
    file.write_bytes(b"".join(lines))
    model = Scripted()
    summary = run(done, [Generate(KEYS)], model)
    assert summary.exit_status == 0
    assert len(summary.warnings) == 2
    for n, warning in zip((number, unit), summary.warnings, strict=True):
        assert f"Line {n + 1} of" in warning
    assert summary.stages["generate"].done_now == 1
    expected = [f"{lost['step']} {key}"] if lost["unit"] == key else []
    assert [p.partition(":")[0] for p in model.asked] == expected


def test_a_record_that_says_two_things_under_one_key_is_damaged(done: Path) -> None:
    file = done / "records.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    number = next(i for i, raw in enumerate(lines) if b'"kind":"unit"' in raw)
    lines[number] = lines[number].replace(b'"status":"ok"', b'"status":"unscored","status":"ok"')
    file.write_bytes(b"".join(lines))
    summary = run(done, [Generate(KEYS)], Scripted())
    assert f"Line {number + 1} of" in summary.warnings[0]
    assert summary.stages["generate"].done_now == 1
    manifest_file = done / "run.json"
    manifest_file.write_text(manifest_file.read_text().replace("{", '{"model": "toy/n",', 1))
    with pytest.raises(NotARun, match="'model' twice"):
        RunFolder.open(done)


def test_a_reply_whose_bytes_are_gone_is_asked_for_again(done: Path) -> None:
    with RunFolder.open(done) as folder:
        unit = folder.get("generate", "s2#0")
        assert unit is not None
        folder.blobs.path(unit.blobs["code"]).unlink()
        call = next(c for c in folder.calls() if c["unit"] == "s2#0" and c["step"] == "edit")
        folder.blobs.path(call["reply"]["raw"]).unlink()
    model = Scripted()
    summary = run(done, [Generate(KEYS)], model)
    assert summary.exit_status == 0
    assert [p.split(":")[0] for p in model.asked] == ["edit s2#0"]
    assert RunFolder.open(done).blob(unit.blobs["code"])


def test_a_blob_that_changed_is_noticed(done: Path) -> None:
    with RunFolder.open(done) as folder:
        unit = folder.all("generate")[0]
        folder.blobs.path(unit.blobs["code"]).write_bytes(b"something else")
        with pytest.raises(RunError, match="no longer what it was"):
            folder.blob(unit.blobs["code"])


def test_what_a_kill_left_half_written_is_swept_away(done: Path) -> None:
    (done / "blobs" / "tmp" / "123-4").write_bytes(b"half")
    RunFolder.create_or_open(done, manifest()).close()
    assert list((done / "blobs" / "tmp").iterdir()) == []


def test_a_reply_comes_back_exactly() -> None:
    reply = Reply(
        "line\nlone \ud83d surrogate, Grüße",
        "refusal",
        pictures=(b"\x89PNG", b"\x00\xff"),
        thinking="hm",
        usage=Usage(1, 2, 3, None, 0),
        model_id="m-2026",
        notes=("a", "b"),
        raw=b'{"x": 1}',
    )
    packed, blobs = pack(reply)
    assert unpack(json.loads(json.dumps(packed)), blobs.__getitem__) == reply
    packed, blobs = pack(Reply("", "stop"))
    assert unpack(packed, blobs.__getitem__) == Reply("", "stop")


def _bwrap(*mounts: str, path: Path, code: str) -> subprocess.CompletedProcess[str]:
    command = ["bwrap", "--dev-bind", "/", "/", *mounts, sys.executable, "-c", code, str(path)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def _sandbox_works() -> bool:
    try:
        return (
            subprocess.run(["bwrap", "--dev-bind", "/", "/", "true"], check=False).returncode == 0
        )
    except FileNotFoundError:
        return False


needs_bwrap = pytest.mark.skipif(not _sandbox_works(), reason="bubblewrap cannot run here")

RUN_TOY = """
import sys
from pathlib import Path
from redline.run import RunError
from tests.run.toy import Generate, Scripted, run
try:
    stage = Generate([f"s{i}#0" for i in range(300)])
    summary = run(Path(sys.argv[1]) / "run", [stage], Scripted())
except RunError as error:
    print(error)
    sys.exit(error.exit_status)
print(summary.stopped)
print(summary.stages["generate"])
sys.exit(summary.exit_status)
"""


@needs_bwrap
def test_a_read_only_folder_is_a_sentence(done: Path) -> None:
    answer = _bwrap("--ro-bind", str(done.parent), str(done.parent), path=done.parent, code=RUN_TOY)
    assert answer.returncode == 2, answer.stderr
    assert "cannot be written" in answer.stdout
    assert "--out" in answer.stdout


@needs_bwrap
def test_a_full_disk_stops_with_all_that_was_finished(tmp_path: Path) -> None:
    after = RUN_TOY.replace(
        "sys.exit(summary.exit_status)",
        "from redline.run import RunFolder\n"
        "folder = RunFolder.open(Path(sys.argv[1]) / 'run')\n"
        "print('kept', len(folder.all('generate')), len(folder.warnings))\n"
        "sys.exit(summary.exit_status)",
    )
    answer = _bwrap("--size", "500000", "--tmpfs", str(tmp_path), path=tmp_path, code=after)
    assert answer.returncode == 1, answer.stdout + answer.stderr
    assert "is full" in answer.stdout
    assert "Traceback" not in answer.stderr
    ok = int(answer.stdout.split("ok=")[1].split(",")[0])
    assert f"kept {ok} 0" in answer.stdout
    assert 0 < ok < 300


def test_a_stage_alone_runs_over_what_is_there(done: Path) -> None:
    summary = run(done, [Judge()], Scripted())
    assert summary.stages["judge"].ok == 3
    assert list(summary.stages) == ["judge"]


def test_old_replies_do_not_sit_in_memory(tmp_path: Path) -> None:
    text = "x" * 1_000_000
    model = Scripted(lambda prompt, n: replace(say(text[:-6] + prompt[-6:]), thinking=text))
    path = tmp_path / "run"
    assert run(path, [_Short(KEYS)], model).exit_status == 0
    with RunFolder.open(path) as folder:
        held = sum(len(repr(v)) for v in vars(folder._index).values())
    assert held < 20_000


class _Short(Generate):
    async def run(self, unit, context):  # type: ignore[no-untyped-def]
        from redline.track import Finished
        from tests.run.toy import ask

        await context.call("model", "edit", ask(f"edit {unit.key}"))
        return Finished("ok")


def test_records_of_one_moment_share_a_sync(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from redline.run.blobs import Blobs
    from redline.run.journal import Journal

    synced: list[int] = []
    real = os.fsync

    def fsync(fd: int) -> None:
        synced.append(fd)
        real(fd)

    monkeypatch.setattr(os, "fsync", fsync)

    async def many() -> list[int]:
        journal = Journal(tmp_path / "records.jsonl", Blobs(tmp_path / "blobs"))
        offsets = await asyncio.gather(
            *(journal.append({"kind": "x", "n": n}, {}) for n in range(100))
        )
        journal.close()
        return offsets

    offsets = asyncio.run(many())
    data = (tmp_path / "records.jsonl").read_bytes()
    assert len(synced) <= 2
    for n, offset in enumerate(offsets):
        assert json.loads(data[offset:].partition(b"\n")[0])["n"] == n


def _records(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (path / "records.jsonl").read_bytes().splitlines()]


def _is_json(line: bytes) -> bool:
    json.loads(line)
    return True
