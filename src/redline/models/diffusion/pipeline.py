"""One pipeline held in memory: loaded once, called for one batch after the other."""

from __future__ import annotations

import gc
import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redline.models.diffusion.adapters import Adapter, Edit
from redline.models.diffusion.settings import DiffusionError, DiffusionSettings
from redline.models.diffusion.weights import Source, Weights, missing, on_the_hub
from redline.models.protocol import ProviderError


@dataclass(frozen=True)
class Made:
    """One edit as it came out: `array` is height x width x 3, uint8, or None where the weights'
    own safety checker blacked it out. `facts` is all that it was made with, JSON-able."""

    array: NDArray[np.uint8] | None
    facts: Mapping[str, Any]


_NOT_TOLD = ("prompt", "output_type", "return_dict")


class GivenUp(Exception):
    """Nobody waits for the edit any more."""


class Pipeline:
    """A pipeline in memory. Not safe for several threads: one calls it, one after the other."""

    def __init__(self, weights: Weights, adapter: Adapter, settings: DiffusionSettings) -> None:
        """Load it. Raises DiffusionError with a sentence."""
        self._weights, self._adapter, self._settings = weights, adapter, settings
        try:
            import diffusers
            import torch
            import transformers
        except ImportError:
            raise DiffusionError(missing()) from None
        # Both talk a lot on the way, in the middle of the progress display.
        diffusers.utils.logging.set_verbosity_error()
        diffusers.utils.logging.disable_progress_bar()
        transformers.utils.logging.set_verbosity_error()
        transformers.utils.logging.disable_progress_bar()
        kind = getattr(diffusers, adapter.pipeline, None)
        if kind is None:
            raise DiffusionError(
                f"diffusers {diffusers.__version__} has no {adapter.pipeline}: "
                "pip install --upgrade diffusers"
            )
        self._torch = torch
        self._device = _device(torch, settings.device)
        self._dtype = settings.dtype
        if self._dtype == "auto":
            self._dtype = "bfloat16" if self._device.startswith("cuda") else "float32"
        self._pipe = self._load(kind)
        self._pipe.set_progress_bar_config(disable=True)
        self._facts = self._told(diffusers.__version__, transformers.__version__)

    def edit(
        self, edits: Sequence[Edit], timeout_s: float, wanted: Callable[[], bool]
    ) -> list[Made]:
        """Edit a batch of pictures of one size. Each has a generator of its own on the CPU, so
        that neither the batch nor the device changes the noise it starts from.

        `wanted` is asked after every step. Raises GivenUp once it says no, and ProviderError:
        `transient` after `timeout_s` seconds, `bad_request` for a call that the pipeline refuses,
        memory that is used up and numbers that are none.
        """
        torch = self._torch
        deadline = time.monotonic() + timeout_s

        def after_step(_pipe: Any, _step: int, _time: Any, kept: dict[str, Any]) -> dict[str, Any]:
            if not wanted():
                raise GivenUp
            if time.monotonic() > deadline:
                raise TimeoutError
            return kept

        said = self._adapter.call(edits, self._settings)
        generators = [torch.Generator("cpu").manual_seed(e.seed) for e in edits]
        try:
            came = self._pipe(
                **said,
                generator=generators if self._adapter.batches else generators[0],
                callback_on_step_end=after_step,
                output_type="np",
            )
        except TimeoutError:
            raise ProviderError(
                "transient", f"The edit had not ended after {timeout_s:g} s and was given up."
            ) from None
        except torch.OutOfMemoryError:
            raise ProviderError(
                "bad_request",
                f"The memory of {self._device} is used up. Try a smaller size or batch, "
                '{"offload": "model"} or another dtype.',
            ) from None
        except (ValueError, RuntimeError, TypeError) as e:
            words = " ".join(str(e).split())[:300]
            raise ProviderError(
                "bad_request", f"{self._adapter.pipeline} failed: {type(e).__name__}: {words}"
            ) from None
        flags = getattr(came, "nsfw_content_detected", None) or [False] * len(edits)
        return [
            self._made(edit, image, bool(flag), said)
            for edit, image, flag in zip(edits, came.images, flags, strict=True)
        ]

    def close(self) -> None:
        """Free its memory."""
        self._pipe = None
        gc.collect()
        if self._device.startswith("cuda"):
            self._torch.cuda.empty_cache()
        elif self._device == "mps":
            self._torch.mps.empty_cache()

    def _made(self, edit: Edit, image: Any, blacked: bool, said: Mapping[str, Any]) -> Made:
        if self._adapter.right_half:
            image = image[:, image.shape[1] // 2 :]
        height, width = image.shape[:2]
        facts = {
            **self._facts,
            "arguments": self._arguments(said),
            "prompt": said["prompt"] if isinstance(said["prompt"], str) else self._prompt(edit),
            "seed": edit.seed,
            "pictures": [list(p.size) for p in edit.pictures],
            "made": [width, height],
        }
        if blacked:
            return Made(None, facts)
        if not np.isfinite(image).all():
            raise ProviderError(
                "bad_request",
                f"{self._adapter.pipeline} gave numbers that are none (NaN) in {self._dtype}, "
                "which would be a black picture. Use another dtype (bfloat16, float32).",
            )
        return Made((image * 255).round().clip(0, 255).astype(np.uint8), facts)

    def _prompt(self, edit: Edit) -> str:
        (prompt,) = self._adapter.call([edit], self._settings)["prompt"]
        return str(prompt)

    def _arguments(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """Every plain argument of the call: as said, else the pipeline's own default."""
        names = inspect.signature(self._pipe.__call__).parameters
        values = {name: said.get(name, p.default) for name, p in names.items()}
        return {
            name: value
            for name, value in values.items()
            if name not in _NOT_TOLD and isinstance(value, str | int | float)
        }

    def _load(self, kind: Any) -> Any:
        dtype = getattr(self._torch, self._dtype)
        weights, how, settings = self._weights, self._adapter, self._settings
        base = weights.base
        if base.folder is None:
            with on_the_hub(base.name):
                folder = Path(kind.download(base.repository, revision=base.revision))
        else:
            folder = base.folder
        try:
            more = _components(folder, how)
            if not settings.safety_checker and (folder / "safety_checker").is_dir():
                more |= {"safety_checker": None, "requires_safety_checker": False}
            pipe = kind.from_pretrained(folder, dtype=dtype, local_files_only=True, **more)
            if how.plain_tokenizer:
                from transformers import AutoTokenizer

                tokenizer = AutoTokenizer.from_pretrained(folder / "tokenizer")
                pipe.register_modules(tokenizer=tokenizer)
            if weights.lora:
                _lay_over(pipe, weights.lora, weights.lora_file)
            if settings.offload == "model":
                pipe.enable_model_cpu_offload(device=self._device)
            elif settings.offload == "sequential":
                pipe.enable_sequential_cpu_offload(device=self._device)
            else:
                pipe.to(self._device)
        except self._torch.OutOfMemoryError:
            raise DiffusionError(
                f"{weights.base.name} does not fit into the memory of {self._device}. "
                'Try {"offload": "model"}.'
            ) from None
        except DiffusionError:
            raise
        except (ImportError, OSError, ValueError, RuntimeError, TypeError) as e:
            raise DiffusionError(_not_loaded(weights, e)) from None
        return pipe

    def _told(self, diffusers: str, transformers: str) -> dict[str, Any]:
        weights, scheduler = self._weights, self._pipe.scheduler
        named = None
        if self._device.startswith("cuda"):
            named = self._torch.cuda.get_device_name(self._device)
        return {
            "provider": "diffusers",
            "pipeline": self._adapter.pipeline,
            "weights": weights.base.as_json(),
            "lora": weights.lora.as_json() if weights.lora else None,
            "scheduler": {"class": type(scheduler).__name__, "config": _plain(scheduler.config)},
            "dtype": self._dtype,
            "device": self._device,
            "device_name": named,
            "offload": self._settings.offload,
            "batch": self._settings.batch,
            "safety_checker": getattr(self._pipe, "safety_checker", None) is not None,
            "versions": {
                "diffusers": diffusers,
                "transformers": transformers,
                "torch": self._torch.__version__,
            },
        }


def _device(torch: Any, asked: str) -> str:
    """The device to run on. Raises DiffusionError for one that is not there."""
    if asked == "auto":
        if torch.cuda.is_available():
            return "cuda"
        return "mps" if torch.backends.mps.is_available() else "cpu"
    there = {
        "cpu": True,
        "mps": torch.backends.mps.is_available(),
        "cuda": torch.cuda.is_available(),
    }
    if not there[asked.partition(":")[0]]:
        raise DiffusionError(f"This machine (or its torch {torch.__version__}) has no {asked}.")
    return asked


def _components(folder: Path, how: Adapter) -> dict[str, Any]:
    """Parts that are not left to from_pretrained, so that pictures are prepared in the same way
    whether torchvision is installed or not: by Pillow."""
    import transformers

    found: dict[str, Any] = {}
    processor = folder / "processor"
    if (processor / "preprocessor_config.json").is_file():
        from redline.models.diffusion.still_pictures import still_processor

        found["processor"] = still_processor(processor)
    if how.plain_tokenizer:
        # Given later: from_pretrained insists on the processor that the index names.
        found["tokenizer"] = None
    if (folder / "feature_extractor").is_dir():
        found["feature_extractor"] = transformers.CLIPImageProcessorPil.from_pretrained(
            folder / "feature_extractor"
        )
    return found


def _lay_over(pipe: Any, lora: Source, file: str | None) -> None:
    """Load LoRA weights into the pipeline."""
    named = {"weight_name": file} if file else {}
    if lora.folder is not None and lora.folder.is_file():
        pipe.load_lora_weights(lora.folder.parent, weight_name=lora.folder.name)
    elif lora.folder is not None:
        pipe.load_lora_weights(lora.folder, **named)
    else:
        with on_the_hub(lora.name):
            pipe.load_lora_weights(lora.repository, revision=lora.revision, **named)


def _not_loaded(weights: Weights, error: Exception) -> str:
    words = " ".join(str(error).split())[:300]
    if isinstance(error, ImportError) or "accelerate" in words or "PEFT" in words:
        return f"{weights.base.name} can't be loaded: {words} {missing()}"
    return f"{weights.base.name} can't be loaded as {weights.pipeline}: {words}"


def _plain(config: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a configuration that JSON can say."""
    return {
        k: v
        for k, v in config.items()
        if isinstance(v, str | int | float | bool | None) and not k.startswith("_")
    }
