"""Opens models of `transformers` from a folder: quietly, offline, and complete or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor

from redline.errors import UserError
from redline.image.perceptual.weights import Weights


def tensors(path: Path) -> dict[str, Tensor]:
    """The tensors of a safetensors file or a torch state dict, on the CPU. Raises UserError."""
    try:
        if path.suffix == ".safetensors":
            from safetensors.torch import load_file

            loaded: dict[str, Tensor] = load_file(path)
            return loaded
        # weights_only: a file of weights can't run code.
        found: dict[str, Tensor] = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as e:
        raise UserError(
            f"The weights {path} can't be loaded ({type(e).__name__}): the file is damaged, or "
            "holds more than tensors. Get it anew."
        ) from e
    return found


def open_model(kind: Any, weights: Weights, dtype: torch.dtype, **options: Any) -> Any:
    """A model of a class of `transformers`, in evaluation mode. Raises UserError where the files
    do not hold all of its weights."""
    from transformers import AutoConfig

    state = tensors(weights.tensors)
    try:
        with _quiet():
            config = AutoConfig.from_pretrained(weights.other.parent, local_files_only=True)
            model, report = kind.from_pretrained(
                None, config=config, state_dict=state, output_loading_info=True, **options
            )
    except Exception as e:
        raise UserError(
            f"The model in {weights.tensors.parent} can't be loaded ({type(e).__name__}): "
            f"{weights.tensors.name} and config.json don't fit. Get it anew."
        ) from e
    if report["missing_keys"]:
        lacking = ", ".join(sorted(report["missing_keys"])[:3])
        raise UserError(
            f"{weights.tensors} lacks weights ({lacking}): it is another model. Get it anew."
        )
    return model.to(dtype).eval()


@contextmanager
def _quiet() -> Iterator[None]:
    """No progress bars, and no list of the half of a model that is not wanted."""
    from transformers import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def pixels(
    pictures: list[NDArray[np.uint8]],
    side: int,
    mean: tuple[float, float, float],
    deviation: tuple[float, float, float],
) -> Tensor:
    """Square pictures (n x n x 3, uint8) as a network takes them: `side` pixels by Pillow's
    bicubic filter, 0 to 1, normalised; batch x 3 x side x side, float32.

    What CLIPImageProcessorPil does with a square. Done here, since transformers takes another
    class, with other pixels, where torchvision is installed.
    """
    resized = [
        np.asarray(Image.fromarray(p).resize((side, side), Image.Resampling.BICUBIC))
        for p in pictures
    ]
    values = np.stack(resized).astype(np.float32) / np.float32(255)
    values -= np.array(mean, np.float32)
    values /= np.array(deviation, np.float32)
    return torch.from_numpy(np.ascontiguousarray(values.transpose(0, 3, 1, 2)))


def unit(embeddings: Tensor) -> NDArray[np.float64]:
    """Embeddings at length 1, so that a dot product is their cosine."""
    vectors: NDArray[np.float64] = embeddings.double().numpy()
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors
