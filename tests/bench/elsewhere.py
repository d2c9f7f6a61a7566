"""Makes small copies of other benchmarks' layouts, with pictures by hand."""

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from tests.bench.image_making import edited, mask, photo

AUTHORS = "/apdcephfs/authors/iie"
"""Where the authors' paths begin."""


def png(array: np.ndarray) -> bytes:
    out = io.BytesIO()
    Image.fromarray(array).save(out, "PNG")
    return out.getvalue()


def write(path: Path, data: bytes | str | Mapping[str, Any] | list[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(data, bytes):
        path.write_bytes(data)
    else:
        path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


class Omni:
    """Omni IIE Bench in the making: `records` of both lists, files below `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.single: list[dict[str, Any]] = []
        self.multi: list[dict[str, Any]] = []

    def edit(
        self, level: str, id: str = "0001", dataset: str = "coco2017val", start: str | None = None,
        folder: str | None = None, seed: int = 0,
    ) -> dict[str, Any]:  # fmt: skip
        """A record, appended to its list, and its files. `folder` is the set's folder in the
        list's paths, where it is another than below the root."""
        told = folder or dataset
        source = start or f"sampled_datasets/{dataset}/{id}.png"
        names = {
            "original_image_path": source,
            "modified_image_path": f"synthesized_images/{dataset}/{id}_{level}.png",
            "source_mask_path": f"source_masks/{dataset}/{id}_{level}.png",
            "target_mask_path": f"target_masks/{dataset}/{id}_{level}.png",
        }
        brightness = {"low": 30, "high": 50}.get(level) or 3 * int(level)
        arrays = {
            "original_image_path": photo(seed),
            "modified_image_path": edited(photo(seed), brightness),
            "source_mask_path": mask(), "target_mask_path": mask(),
        }  # fmt: skip
        for key, name in names.items():
            if not (self.root / name).exists():
                write(self.root / name, png(arrays[key]))
        record = {
            "sample_id": id, "level": level, "modification_text": f"Brighten it ({level}).",
            **{k: f"{AUTHORS}/{n.replace(f'/{dataset}/', f'/{told}/')}" for k, n in names.items()},
            "entities": {"source_entity": ["box"], "target_entity": ["bright box"],
                         "source_boxes": [[12.0, 8.0, 36.0, 24.0]], "target_boxes": []},
            "qa_pairs": [{"question": "Is the box bright?", "correct_answer": "Yes"}],
        }  # fmt: skip
        (self.single if level in ("low", "high") else self.multi).append(record)
        return record

    def write(self) -> Path:
        if self.single:
            write(self.root / "final_dataset.json", self.single)
        if self.multi:
            write(self.root / "final_multi_dataset_cleaned.json", self.multi)
        return self.root


def holed(picture: np.ndarray, hole: np.ndarray) -> np.ndarray:
    """A mask as MagicBrush has it: the picture, transparent black where it is edited."""
    rgba = np.dstack([picture, np.full(picture.shape[:2], 255, np.uint8)])
    rgba[hole] = 0
    return rgba


def hub_cache(cache: Path, repo: str, files: Mapping[str, bytes], commit: str) -> Path:
    """A data set as the Hub's own library keeps it: blobs, a snapshot of links, refs/main."""
    store = cache / f"datasets--{repo.replace('/', '--')}"
    for k, (name, data) in enumerate(files.items()):
        blob = write(store / "blobs" / f"{k:040x}", data)
        link = store / "snapshots" / commit / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(blob)
    write(store / "refs" / "main", commit)
    return store
