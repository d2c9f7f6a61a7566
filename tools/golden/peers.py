"""LPIPS by the `lpips` package with seeded weights, for golden values and benchmarks.

Runs in an environment of its own with torch, lpips, torchvision, scikit-image; never with the
package's. Needs no weights but those of `seeded`.
"""

from __future__ import annotations

import importlib
import warnings
from typing import Any

import numpy as np
import torch

_SIGNATURE = "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"


def _torchvision() -> object:
    """torchvision, of which lpips needs the definitions of three networks. Its Python part works
    beside a torch build for the processor alone once the operators that its binary part would
    have brought are declared; none of the three uses them. What is returned must be kept: the
    declarations go with it."""
    try:
        return importlib.import_module("torchvision")
    except RuntimeError:
        library = torch.library.Library("torchvision", "DEF")
        for operator in ("nms", "qnms"):
            library.define(operator + _SIGNATURE)
        return library, importlib.import_module("torchvision")


_TORCHVISION = _torchvision()
"""Loaded with this module: transformers looks for it too, so it must come first."""


def lpips_model(trunk: str, state: dict[str, np.ndarray]) -> Any:
    """An `lpips.LPIPS` with its own heads and a trunk of these weights."""
    lpips = importlib.import_module("lpips")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = lpips.LPIPS(net=trunk, pnet_rand=True, verbose=False)
    own = model.state_dict()
    for name in own:
        if name.startswith("net.slice"):
            # net.slice2.5.weight is torchvision's features.5.weight.
            own[name].copy_(torch.from_numpy(state[f"features.{name.split('.', 2)[2]}"]))
    return model.eval()


def tensor(picture: np.ndarray) -> torch.Tensor:
    """A picture (height x width x 3, uint8) as 1 x 3 x height x width, 0 to 1."""
    return torch.from_numpy(picture.copy()).permute(2, 0, 1)[None].float() / 255
