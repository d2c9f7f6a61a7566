"""DINO ViT-S/16 (Caron et al. 2021): embeddings of whole pictures, by the class token."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from redline.image.perceptual.opening import open_model, pixels, unit
from redline.image.perceptual.weights import Weights

MEAN = (0.485, 0.456, 0.406)
DEVIATION = (0.229, 0.224, 0.225)
"""Of ImageNet's pixels, as published with the model."""


class Dino:
    """Safe to share between threads."""

    def __init__(self, weights: Weights, dtype: torch.dtype) -> None:
        """Raises UserError for incomplete weights."""
        from transformers import ViTModel

        self._model = open_model(ViTModel, weights, dtype, add_pooling_layer=False)
        self._side = int(self._model.config.image_size)
        self._dtype = dtype

    def pictures(self, pictures: list[NDArray[np.uint8]]) -> NDArray[np.float64]:
        """Square pictures (n x n x 3, uint8) as vectors of length 1, one a row."""
        values = pixels(pictures, self._side, MEAN, DEVIATION).to(self._dtype)
        with torch.inference_mode():
            return unit(self._model(pixel_values=values).last_hidden_state[:, 0])
