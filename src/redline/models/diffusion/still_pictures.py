"""Qwen2-VL's processor for still pictures only: the same inputs with and without torchvision.

transformers can't build its own without torchvision (it wants a video processor too), and with it
resizes pictures by another library. Import only where transformers is installed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from transformers import AutoTokenizer, Qwen2VLImageProcessorPil, Qwen2VLProcessor


class StillPictureProcessor(Qwen2VLProcessor):  # type: ignore[misc]
    """Qwen2VLProcessor without its video processor. transformers reads the signature of __init__
    to learn which parts there are."""

    def __init__(
        self, image_processor: Any = None, tokenizer: Any = None, chat_template: Any = None
    ) -> None:
        super().__init__(image_processor, tokenizer, None, chat_template)


def still_processor(folder: Path) -> StillPictureProcessor:
    """The processor saved in `folder`."""
    return StillPictureProcessor(
        Qwen2VLImageProcessorPil.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    )
