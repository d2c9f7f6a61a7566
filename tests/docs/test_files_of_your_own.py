"""The examples in docs/files-of-your-own.md, run as they stand there."""

from __future__ import annotations

import asyncio
import io
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from PIL import Image

from redline.bench import DiagramSample, find, load
from redline.diagram.conditions import edit_request
from redline.diagram.reading import read_reply
from redline.judge import load_rubric
from redline.judge.requests import verdict_request
from redline.judge.rubric import _File
from redline.models import (
    Message,
    ModelCard,
    PicturePart,
    Reply,
    Request,
    Settings,
    TextPart,
    Usage,
    card,
    open_model,
)
from redline.models.protocol import Finish
from redline.run import RunFolder
from tests.end_to_end.command import Command

PAGE = (Path(__file__).parents[2] / "docs" / "files-of-your-own.md").read_text()


def example(name: str) -> str:
    """A block of the page by the name behind its language."""
    found = re.search(rf"^```\w+ {re.escape(name)}\n(.*?)^```$", PAGE, re.M | re.S)
    assert found, name
    return found[1]


def asked(name: str, folder: Path, *requests: Request) -> list[Reply]:
    """Save the configuration and its programs, and ask `command/NAME` all of this at once."""
    for program in ("blue_to_red.py", "grey.py", "mirror.py"):
        (folder / program).write_text(example(program))
    config = folder / "config.toml"
    # A batch that is not full would wait its five seconds.
    config.write_text(
        example("config.toml").replace("/home/me", str(folder)).replace("= 5", "= 0.1")
    )
    env = {"PATH": str(Path(sys.executable).parent)}
    model = open_model(f"command/{name}", Settings(timeout_s=60), env=env, config=config)

    async def ask() -> list[Reply]:
        try:
            return list(await asyncio.gather(*(model.complete(r) for r in requests)))
        finally:
            await model.close()

    return asyncio.run(ask())


def photograph(seed: int) -> tuple[Image.Image, Request]:
    pixels = np.random.default_rng(seed).integers(0, 256, (8, 12, 3), np.uint8)
    drawn = Image.fromarray(pixels)
    data = io.BytesIO()
    drawn.save(data, "PNG")
    parts = (PicturePart(data.getvalue(), "picture"), TextPart("Edit it."))
    return drawn, Request((Message("user", parts),), want="picture")


def made(reply: Reply) -> np.ndarray:
    (data,) = reply.pictures
    return np.asarray(Image.open(io.BytesIO(data)))


def test_the_program_on_stdin_recolours_a_diagram(tmp_path: Path) -> None:
    samples = [s for s in load(find("mini-diagram")).samples if isinstance(s, DiagramSample)]
    sample = next(s for s in samples if "blue" in s.code)
    request = edit_request(sample, "text", ("code",), {}, sample.instruction, "code")
    (reply,) = asked("blue-to-red", tmp_path, request)
    code = read_reply(reply.text, sample.code, reply.finish).code
    assert code is not None
    assert code.strip() == sample.code.replace("blue", "red").strip()


def test_the_program_with_files_makes_a_picture_grey(tmp_path: Path) -> None:
    drawn, request = photograph(1)
    (reply,) = asked("grey", tmp_path, request)
    assert np.array_equal(made(reply), np.asarray(drawn.convert("L")))


def test_the_program_with_batches_mirrors_each_picture(tmp_path: Path) -> None:
    both = [photograph(1), photograph(2)]
    replies = asked("mirror", tmp_path, *(request for _, request in both))
    for (drawn, _), reply in zip(both, replies, strict=True):
        assert np.array_equal(made(reply), np.asarray(drawn)[:, ::-1])


def test_the_rubric_loads_and_asks(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(example("mine.toml"))
    rubric = load_rubric(path)
    assert rubric.overall is not None
    assert rubric.overall.value({"IA": 4, "residue": False}) == 4.0
    request = verdict_request(rubric, {"candidate": b"x", "original": b"y"}, {})
    assert "IA (1 to 5). Was done what was asked?" in str(request.messages[0].parts[-1])


def test_every_key_of_rubrics_and_cards_is_described() -> None:
    for key in (*_File.model_fields, *(f.name for f in fields(ModelCard)), *get_args(Finish)):
        assert re.search(rf"`{key}`|`\[+{key}\]+`", PAGE), key


def test_the_cards_give_prices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "cards.toml"
    path.write_text(example("cards.toml"))
    monkeypatch.setenv("REDLINE_CARDS", str(path))
    usage = Usage(1_000_000, 1_000_000)
    assert card("http://localhost:8000/v1#my-model").cost(usage) == 0.0
    assert card("openai/some-new-model").cost(usage) == 17.5


@pytest.mark.tex
def test_the_snippet_prints_every_rows_code_and_the_layout_is_as_said(tmp_path: Path) -> None:
    redline = Command(tmp_path, tmp_path / "cache")
    ran = redline(
        "eval", "mini-diagram", "--model", "baseline/oracle", "--limit", 2, "--out", "runs/mine",
        "--stages", "generate",
    )  # fmt: skip
    assert ran.status in (0, 3), ran.err
    printed = subprocess.run(
        [sys.executable, "-c", example("codes.py")],
        cwd=tmp_path, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    for sample in load(find("mini-diagram")).samples[:2]:
        assert isinstance(sample, DiagramSample)
        assert f"% {sample.id}#0: ok" in printed
        assert sample.golds[0].rstrip() in printed
    run = tmp_path / "runs" / "mine"
    assert {p.name for p in run.iterdir()} == {
        "run.json", "samples.json", "records.jsonl", "blobs", "lock",
    }  # fmt: skip
    with RunFolder.open(run) as folder:
        sha = folder.all("generate")[0].blobs["code"]
    assert (run / "blobs" / sha[:2] / sha[2:]).is_file()
