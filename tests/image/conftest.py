"""Folders of weights for tests: right files of the right networks, filled from a seed."""

from __future__ import annotations

import functools
import json
import string
from collections.abc import Callable
from pathlib import Path

import pytest

from tools.golden import seeded

Weights = Callable[..., Path]


@pytest.fixture(scope="session")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Weights:
    """`weights("alex", "clip", ...)`: a folder that holds at least these networks."""
    folder = tmp_path_factory.mktemp("weights")

    @functools.cache
    def make(network: str) -> None:
        if network == "clip":
            _clip(folder / "clip-vit-base-patch32")
        elif network == "dino":
            _dino(folder / "dino-vits16")
        else:
            _trunk(folder, network)

    def made(*networks: str) -> Path:
        import torch

        # Two on a busy machine are many times slower than one.
        torch.set_num_threads(1)
        for network in networks:
            make(network)
        return folder

    return made


def _trunk(folder: Path, network: str) -> None:
    import torch

    from redline.image.perceptual.weights import TRUNKS

    state = {k: torch.from_numpy(v) for k, v in seeded.trunk(network).items()}
    torch.save(state, folder / TRUNKS[network])


def _clip(folder: Path) -> None:
    """A tiny CLIP with patches and pictures of the real one's size, and a tokenizer that knows
    letters."""
    import torch
    from transformers import CLIPConfig, CLIPModel

    torch.manual_seed(0)
    tower = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2}
    tower |= {"num_attention_heads": 2}
    letters = [*string.ascii_lowercase, *(c + "</w>" for c in string.ascii_lowercase)]
    words = {w: i for i, w in enumerate([*letters, "<|startoftext|>", "<|endoftext|>"])}
    ends = {"bos_token_id": len(words) - 2, "eos_token_id": len(words) - 1}
    config = CLIPConfig(
        text_config={**tower, "vocab_size": len(words), **ends},
        vision_config={**tower, "image_size": 224, "patch_size": 32},
        projection_dim=16,
    )
    CLIPModel(config).save_pretrained(folder)
    (folder / "vocab.json").write_text(json.dumps(words), encoding="utf-8")
    (folder / "merges.txt").write_text("#version: 0.2\n", encoding="utf-8")


def _dino(folder: Path) -> None:
    import torch
    from transformers import ViTConfig, ViTModel

    torch.manual_seed(1)
    config = ViTConfig(
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        image_size=224,
        patch_size=16,
    )
    ViTModel(config, add_pooling_layer=False).save_pretrained(folder)
