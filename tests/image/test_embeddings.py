"""What goes into CLIP and DINO, and what comes out, against transformers' own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from redline.image.perceptual import clip, dino
from redline.image.perceptual.opening import pixels
from redline.image.perceptual.weights import CLIP, DINO, model_weights
from tests.image import naive
from tools.golden import seeded


@pytest.mark.parametrize("side", [100, 224, 301])
def test_pixels_are_those_of_clips_pillow_processor(side: int) -> None:
    from transformers import CLIPImageProcessorPil

    picture = seeded.picture(side, side, side)
    images = Image.fromarray(picture)
    expected = CLIPImageProcessorPil()(images=images, return_tensors="pt")["pixel_values"]
    found = pixels([picture], 224, clip.MEAN, clip.DEVIATION)
    assert found.shape == expected.shape == (1, 3, 224, 224)
    # A step of 255 is .015 here, so nothing was resampled otherwise.
    assert torch.allclose(found, expected, atol=1e-6)


def test_embeddings_are_those_of_the_whole_clip_model(weights: Callable[..., Path]) -> None:
    folder = weights("clip")
    net = clip.Clip(model_weights(CLIP, folder), torch.float32)
    peer = naive.ClipCosine(folder / "clip-vit-base-patch32")
    pictures = [seeded.picture(seed, 224, 224) for seed in (1, 2)]
    for vector, picture in zip(net.pictures(pictures), pictures, strict=True):
        expected = peer.embedding(picture).numpy()
        assert vector == pytest.approx(expected / np.linalg.norm(expected), abs=1e-6)
        assert np.linalg.norm(vector) == pytest.approx(1)


def test_dinos_embedding_is_the_class_token(weights: Callable[..., Path]) -> None:
    from transformers import ViTModel

    folder = weights("dino")
    net = dino.Dino(model_weights(DINO, folder), torch.float32)
    picture = seeded.picture(3, 224, 224)
    (vector,) = net.pictures([picture])
    values = (picture / 255 - np.array([0.485, 0.456, 0.406])) / np.array([0.229, 0.224, 0.225])
    inputs = torch.from_numpy(values.transpose(2, 0, 1)[None].astype(np.float32))
    model = ViTModel.from_pretrained(folder / "dino-vits16", add_pooling_layer=False).eval()
    with torch.no_grad():
        expected = model(pixel_values=inputs).last_hidden_state[0, 0].numpy()
    assert vector == pytest.approx(expected / np.linalg.norm(expected), abs=1e-6)


def test_opening_a_model_prints_nothing(
    weights: Callable[..., Path], capfd: pytest.CaptureFixture[str]
) -> None:
    found = model_weights(CLIP, weights("clip"))
    capfd.readouterr()
    clip.Clip(found, torch.float32, texts=True)
    said = capfd.readouterr()
    assert said.out == "" and said.err == ""
