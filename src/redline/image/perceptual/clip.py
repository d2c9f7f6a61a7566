"""CLIP ViT-B/32 (Radford et al. 2021): embeddings of pictures and of a text."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from redline.errors import UserError
from redline.image.perceptual.opening import open_model, pixels, unit
from redline.image.perceptual.weights import Weights

MEAN = (0.48145466, 0.4578275, 0.40821073)
DEVIATION = (0.26862954, 0.26130258, 0.27577711)
"""Of the pixels CLIP was trained on, as published with it."""


class Clip:
    """Safe to share between threads."""

    def __init__(self, weights: Weights, dtype: torch.dtype, texts: bool = False) -> None:
        """`texts`: whether texts will be embedded too. Raises UserError for weights that are
        incomplete or, for texts, come without a tokenizer."""
        from transformers import CLIPModel

        model = open_model(CLIPModel, weights, dtype)
        self._vision, self._visual_projection = model.vision_model, model.visual_projection
        self._side = int(model.config.vision_config.image_size)
        self._dtype = dtype
        if texts:
            self._text, self._text_projection = model.text_model, model.text_projection
            self._length = int(model.config.text_config.max_position_embeddings)
            self._tokenizer = _tokenizer(weights)

    def pictures(self, pictures: list[NDArray[np.uint8]]) -> NDArray[np.float64]:
        """Square pictures (n x n x 3, uint8) as vectors of length 1, one a row."""
        values = pixels(pictures, self._side, MEAN, DEVIATION).to(self._dtype)
        with torch.inference_mode():
            seen = self._vision(pixel_values=values).pooler_output
            return unit(self._visual_projection(seen))

    def cuts(self, text: str) -> bool:
        """Whether a text is too long, so that its end is not read."""
        return len(self._tokenizer(text)["input_ids"]) > self._length

    def text(self, text: str) -> NDArray[np.float64]:
        """The beginning of a text, as much as CLIP reads, as a vector of length 1."""
        tokens = self._tokenizer(
            [text], truncation=True, max_length=self._length, return_tensors="pt"
        )
        with torch.inference_mode():
            read = self._text(**tokens).pooler_output
            vector: NDArray[np.float64] = unit(self._text_projection(read))[0]
        return vector


def _tokenizer(weights: Weights) -> Any:
    from transformers import CLIPTokenizer

    # Beside the configuration, since a folder of converted tensors may hold nothing else.
    folder = weights.other.parent
    names = {f.name for f in folder.iterdir()}
    if "tokenizer.json" not in names and not {"vocab.json", "merges.txt"} <= names:
        raise UserError(
            f"CLIP_TEXT needs CLIP's tokenizer, and {folder} has neither tokenizer.json nor "
            "vocab.json with merges.txt. Get the whole model anew."
        )
    return CLIPTokenizer.from_pretrained(folder, local_files_only=True)
