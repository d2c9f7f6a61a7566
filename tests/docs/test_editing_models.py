"""The wrappers in docs/editing-models.md, against programs with the command lines of the real ones.

The programs here stand for research code only in how they are called: what each reads and writes
was looked up in its repository. They paint a picture in the colour that the instruction names."""

from __future__ import annotations

import io
import json
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from redline.models import Reply
from redline.models.diffusion.adapters import ADAPTERS
from tests.models.test_command_batch import ask, request

PAGE = Path(__file__).parents[2] / "docs" / "editing-models.md"
COLOURS = ("red", "green", "blue")


def wrapper(name: str, folder: Path) -> Path:
    """A wrapper as the page shows it, saved."""
    found = re.search(rf"^```python {re.escape(name)}\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
    assert found, name
    path = folder / name
    path.write_text(found[1])
    return path


def code(folder: Path, files: dict[str, str]) -> Path:
    root = folder / "code"
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text))
    return root


def edits(folder: Path, *argv: str | Path) -> list[Any]:
    """What comes of asking for three colours through the wrapper."""
    told = [sys.executable, *map(str, argv)]
    path = folder / "config.toml"
    path.write_text(f'[command.mine]\nargv = {json.dumps(told)}\nmode = "batch"\nwindow_s = 0.3\n')
    return ask(path, [request(f"make it {c}", "white") for c in COLOURS])


def colours(replies: list[Any]) -> list[Any]:
    assert all(isinstance(r, Reply) for r in replies), replies
    return [Image.open(io.BytesIO(r.pictures[0])).convert("RGB").getpixel((0, 0)) for r in replies]


EXPECTED = [(255, 0, 0), (0, 128, 0), (0, 0, 255)]

PAINT = """
from PIL import Image
def paint(source, words, target):
    picture = Image.open(source).convert("RGB")
    Image.new("RGB", picture.size, words.split()[-1]).save(target, "PNG")
"""


def test_hive(tmp_path: Path) -> None:
    script = """
        import argparse, json, os
        from paint import paint
        p = argparse.ArgumentParser()
        for name in ("--steps", "--resolution", "--config", "--ckpt", "--output_dir",
                     "--jsonl_file", "--image_dir", "--cfg-text", "--cfg-image", "--seed"):
            p.add_argument(name, required=True)
        a = p.parse_args()
        assert (a.seed, a.ckpt, a.config) == ("3", "checkpoints/hive.ckpt", "configs/v21.yaml")
        for i, line in enumerate(open(a.jsonl_file)):
            one = json.loads(line)
            paint(os.path.join(a.image_dir, one["source_img"]), one["instruction"],
                  os.path.join(a.output_dir, f"instruct_{i}.png"))
    """
    root = code(tmp_path, {"paint.py": PAINT, "edit_cli_batch.py": script})
    replies = edits(
        tmp_path, wrapper("hive.py", tmp_path), "{folder}", root, "checkpoints/hive.ckpt",
        "configs/v21.yaml",
    )  # fmt: skip
    assert colours(replies) == EXPECTED


def test_step1x_edit(tmp_path: Path) -> None:
    script = """
        import argparse, json, os
        from paint import paint
        p = argparse.ArgumentParser()
        for name in ("--model_path", "--input_dir", "--output_dir", "--json_path", "--seed",
                     "--size_level"):
            p.add_argument(name, required=True)
        a = p.parse_args()
        assert (a.seed, a.model_path) == ("3", "/weights/step1x")
        out = a.output_dir.rstrip("/") + f"-{a.size_level}"
        os.makedirs(out)
        for name, words in json.load(open(a.json_path)).items():
            paint(os.path.join(a.input_dir, name), words, os.path.join(out, name))
    """
    root = code(tmp_path, {"paint.py": PAINT, "inference.py": script})
    replies = edits(
        tmp_path, wrapper("step1x.py", tmp_path), "{folder}", root, "/weights/step1x", "1024"
    )
    assert colours(replies) == EXPECTED


def test_icedit(tmp_path: Path) -> None:
    script = """
        import argparse, os, sys
        sys.path.insert(0, ".")
        from paint import paint
        p = argparse.ArgumentParser()
        for name in ("--image", "--instruction", "--seed", "--output-dir", "--lora-path"):
            p.add_argument(name, required=True)
        a = p.parse_args()
        assert a.seed == "3"
        paint(a.image, a.instruction, os.path.join(a.output_dir, a.image.split("/")[-1]))
    """
    root = code(tmp_path, {"paint.py": PAINT, "scripts/inference.py": script})
    replies = edits(
        tmp_path, wrapper("icedit.py", tmp_path), "{folder}", root, "scripts/inference.py",
        "--lora-path", "/weights/moe",
    )  # fmt: skip
    assert colours(replies) == EXPECTED


def test_mgie(tmp_path: Path) -> None:
    last = """
        SEED = 13331

        ins = ['make the frame red', 'turn the day into night']
        for i in range(len(ins)):
            img, txt = Image.open('_input/%d.jpg'%(i)).convert('RGB'), ins[i]
            res = edit(img, txt)
            display(Image.open('_input/%d.jpg'%(i)).convert('RGB')), print(ins[i])
            print('a longer instruction'), display(res)
    """
    first = """
        import os
        from PIL import Image
        from llava import edit
        assert open('./_ckpt/mgie_7b/unet.pt').read() == 'weights'
    """
    cells = [
        {"cell_type": "markdown", "source": ["# MGIE"]},
        *(
            {"cell_type": "code", "source": textwrap.dedent(c).splitlines(True)}
            for c in (first, last)
        ),
    ]
    model = (
        'from PIL import Image\ndef edit(i, t):\n    return Image.new("RGB", i.size, t.split()[-1])'
    )
    root = code(
        tmp_path,
        {
            "demo.ipynb": json.dumps({"cells": cells}),
            "llava.py": model,
            "_ckpt/mgie_7b/unet.pt": "weights",
        },
    )
    replies = edits(tmp_path, wrapper("mgie.py", tmp_path), "{folder}", root)
    assert colours(replies) == EXPECTED


def test_a_program_that_dies_is_told_with_its_last_words(tmp_path: Path) -> None:
    root = code(tmp_path, {"edit_cli_batch.py": "raise SystemExit('no such checkpoint')"})
    errors = edits(tmp_path, wrapper("hive.py", tmp_path), "{folder}", root, "x", "y")
    assert all("status 1" in str(e) for e in errors)


@pytest.mark.parametrize("pipeline", ADAPTERS)
def test_the_page_has_a_row_for_every_pipeline_with_its_defaults(pipeline: str) -> None:
    (row,) = re.findall(rf"^\| `{pipeline}` \|.*$", PAGE.read_text(), re.M)
    how = ADAPTERS[pipeline]
    assert f"`{how.guidance}`" in row
    assert ("| yes |" in row) == how.batches
    assert (f"1 to {how.most_pictures} |" in row) == (how.most_pictures > 1)
    if steps := how.defaults.get("num_inference_steps"):
        assert f"{steps} steps" in row
