"""Makes small benchmark folders to break in one place at a time."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

ORIGINAL = "\\begin{tikzpicture}\\node{A};\\end{tikzpicture}\n"
GOLD = "\\begin{tikzpicture}\\node{B};\\end{tikzpicture}\n"
GOLD2 = "\\begin{tikzpicture}\\node{b};\\end{tikzpicture}\n"
TOML = {"name": "small", "version": "1", "track": "diagram", "licence": "CC0-1.0"}
SCENE = {"type": "excalidraw", "version": 2, "elements": [{"type": "image"}, {"type": "freedraw"}]}


def plain_line(id: str = "s1") -> dict[str, Any]:
    """A line with text only."""
    return {
        "id": id, "edit_type": "UPDATE", "operations": 1, "code": f"code/{id}.tex",
        "gold": [f"code/{id}.gold.tex"], "instruction": "Rename A to B.",
    }  # fmt: skip


def drawn_line(id: str = "s1") -> dict[str, Any]:
    """A line with everything."""
    return {
        **plain_line(id), "subtypes": ["text"], "drawn_with": "pen",
        "gold": [f"code/{id}.gold.tex", f"code/{id}.gold2.tex"],
        "picture": f"pictures/{id}.png", "gold_picture": f"pictures/{id}.gold.png",
        "overlay": f"drawings/{id}.overlay.png",
        "instruction_picture": f"drawings/{id}.instruction.png",
        "scene": f"drawings/{id}.excalidraw", "origin": "here", "source_id": "src-1",
        "licence": "CC0-1.0", "instruction_model": "google/x", "gold_model": "openai/y",
        "annotator": "a01", "ratings": [{"by": "a02", "IA": 5}],
    }  # fmt: skip


def pictures(size: tuple[int, int] = (12, 8)) -> dict[str, np.ndarray]:
    """picture, gold, overlay and instruction picture that fit together, by hand."""
    width, height = size
    picture = np.full((height, width, 3), 255, np.uint8)
    picture[2:4, 2:4] = 0
    gold = picture.copy()
    gold[2:4, 6:8] = 0
    overlay = np.zeros((height, width, 4), np.uint8)
    overlay[1:6, 1:3] = (255, 0, 0, 255)
    instruction = picture.copy()
    instruction[1:6, 1:3] = (255, 0, 0)
    return {"picture": picture, "gold": gold, "overlay": overlay, "instruction": instruction}


class Folder:
    """A benchmark folder in the making; `write` puts it on disk."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.toml: dict[str, Any] = dict(TOML)
        self.lines: list[dict[str, Any]] = []
        self.files: dict[str, bytes] = {}

    def text_sample(self, id: str = "s1") -> dict[str, Any]:
        self.lines.append(plain_line(id))
        self.files |= {f"code/{id}.tex": ORIGINAL.encode(), f"code/{id}.gold.tex": GOLD.encode()}
        return self.lines[-1]

    def drawn_sample(self, id: str = "s1") -> dict[str, Any]:
        self.text_sample(id)
        self.lines[-1] = drawn_line(id)
        self.files[f"code/{id}.gold2.tex"] = GOLD2.encode()
        made = pictures()
        for name, array in (
            (f"pictures/{id}.png", made["picture"]), (f"pictures/{id}.gold.png", made["gold"]),
            (f"drawings/{id}.overlay.png", made["overlay"]),
            (f"drawings/{id}.instruction.png", made["instruction"]),
        ):  # fmt: skip
            self.picture(name, array)
        self.files[f"drawings/{id}.excalidraw"] = json.dumps(SCENE).encode()
        return self.lines[-1]

    def picture(self, name: str, array: np.ndarray) -> None:
        self.write_file(name, b"")
        Image.fromarray(array).save(self.root / name)
        self.files[name] = (self.root / name).read_bytes()

    def write_file(self, name: str, data: bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def write(self) -> Path:
        for name, data in self.files.items():
            self.write_file(name, data)
        self.write_file("benchmark.toml", toml_text(self.toml).encode())
        lines = "".join(json.dumps(x) + "\n" for x in self.lines)
        self.write_file("samples.jsonl", lines.encode())
        return self.root


def toml_text(table: dict[str, Any]) -> str:
    flat = "".join(f"{k} = {json.dumps(v)}\n" for k, v in table.items() if not isinstance(v, dict))
    tables = "".join(f"[{k}]\n" + toml_text(v) for k, v in table.items() if isinstance(v, dict))
    return flat + tables


Break = Callable[[Folder], None]
