"""The pipelines of diffusers that are known, and how each takes an instruction and a picture.

What a pipeline does to a picture's size by itself is left to it ("auto"), but for two that would
forget its shape: FLUX.1 Kontext makes a square where no size is given, and a diptych is twice as
wide as its picture.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from redline.models.diffusion.settings import DiffusionError, DiffusionSettings, wanted_size

if TYPE_CHECKING:
    from PIL.Image import Image


@dataclass(frozen=True)
class Edit:
    """One picture to be edited: the instruction, the pictures (RGB, the one to edit first) and
    the seed of its noise."""

    prompt: str
    pictures: tuple[Image, ...]
    seed: int


Arguments = Callable[[Sequence[Edit], DiffusionSettings], dict[str, Any]]


@dataclass(frozen=True)
class Adapter:
    """How one class of pipelines is called. `guidance` and `image_guidance` are its own words for
    the two; None where it has none. `defaults` are arguments that are set where the user says
    nothing, because the pipeline's own default is not what its weights were published with.
    `most_pictures`: how many it takes; `batches`: whether several edits go in one call."""

    pipeline: str
    weights: str
    """The published weights that it is meant for."""
    arguments: Arguments
    guidance: str | None = "guidance_scale"
    image_guidance: str | None = None
    negative_prompt: bool = False
    strength: bool = False
    most_pictures: int = 1
    batches: bool = False
    defaults: Mapping[str, Any] = field(default_factory=dict)
    plain_tokenizer: bool = False
    """Its tokenizer is taken out of a processor of texts and pictures, since only texts go in."""
    right_half: bool = False
    """The edit is the right half of what comes out."""
    verified: bool = False
    """Whether it ever ran with the published weights, not only with small random ones."""

    def call(self, edits: Sequence[Edit], settings: DiffusionSettings) -> dict[str, Any]:
        """The arguments of one call of the pipeline, but for generators and callbacks."""
        said = {
            "num_inference_steps": settings.steps,
            "strength": settings.strength,
            "negative_prompt": settings.negative_prompt,
        }
        if self.guidance:
            said[self.guidance] = settings.guidance
        if self.image_guidance:
            said[self.image_guidance] = settings.image_guidance
        given = {name: value for name, value in said.items() if value is not None}
        return {**self.defaults, **given, **self.arguments(edits, settings)}

    def check(self, settings: DiffusionSettings) -> None:
        """Refuse settings that this pipeline would not listen to. Raises DiffusionError."""
        faults = [
            f"{word} means nothing to {self.pipeline}"
            for word, said, heard in (
                ("image_guidance", settings.image_guidance, bool(self.image_guidance)),
                ("negative_prompt", settings.negative_prompt, self.negative_prompt),
                ("strength", settings.strength, self.strength),
            )
            if said is not None and not heard
        ]
        if settings.batch > 1 and not self.batches:
            faults.append(f"{self.pipeline} edits one picture at a time, so batch is 1")
        if faults:
            raise DiffusionError(f"{'; '.join(faults)}. Leave it out.")


def diptych_prompt(instruction: str) -> str:
    """The sentence that the LoRA weights of ICEdit were trained with (Zhang et al. 2025, arXiv
    2504.20690): other words would be another method."""
    template = files("redline.models.diffusion").joinpath("prompts/diptych.txt").read_text().strip()
    return template.replace("{instruction}", instruction)


def _instruct_pix2pix(edits: Sequence[Edit], settings: DiffusionSettings) -> dict[str, Any]:
    pictures = [e.pictures[0] for e in edits]
    if size := wanted_size(settings.size, *pictures[0].size):
        # It has no arguments for a size: the picture's is the edit's.
        pictures = [p.resize(size, _lanczos()) for p in pictures]
    return {"prompt": [e.prompt for e in edits], "image": pictures}


def _one_picture(edits: Sequence[Edit], settings: DiffusionSettings) -> dict[str, Any]:
    (edit,) = edits
    return {"prompt": edit.prompt, "image": edit.pictures[0], **_sides(edit, settings)}


def _pictures(edits: Sequence[Edit], settings: DiffusionSettings) -> dict[str, Any]:
    (edit,) = edits
    return {"prompt": edit.prompt, "image": list(edit.pictures), **_sides(edit, settings)}


def _qwen_plus(edits: Sequence[Edit], settings: DiffusionSettings) -> dict[str, Any]:
    said = _pictures(edits, settings)
    if len(edits[0].pictures) > 1 and settings.size == "auto":
        # It would take its shape from the last picture; the first is the one to edit.
        across, down = edits[0].pictures[0].size
        width = (MEGAPIXEL * across / down) ** 0.5
        said |= {
            "width": round(width / 32) * 32,
            "height": round(width * down / across / 32) * 32,
        }
    return said


def _kontext(edits: Sequence[Edit], settings: DiffusionSettings) -> dict[str, Any]:
    (edit,) = edits
    width, height = wanted_size(settings.size, *edit.pictures[0].size) or edit.pictures[0].size
    return {
        "prompt": edit.prompt,
        "image": edit.pictures[0],
        "width": width,
        "height": height,
        # By default it keeps only the shape and makes a megapixel of it.
        **({} if settings.size == "auto" else {"max_area": width * height}),
    }


MEGAPIXEL = 1024 * 1024
"""Pixels that Qwen-Image-Edit makes of every picture."""

DIPTYCH_WIDTH = 512
"""The width of each panel that ICEdit was trained at."""


def _diptych(edits: Sequence[Edit], settings: DiffusionSettings) -> dict[str, Any]:
    """The picture on the left, the panel to be painted on the right."""
    from PIL import Image

    across, down = edits[0].pictures[0].size
    width, height = wanted_size(settings.size, across, down) or (
        DIPTYCH_WIDTH,
        round(DIPTYCH_WIDTH * down / across),
    )
    width, height = max(16, width // 16 * 16), max(16, height // 16 * 16)
    mask = Image.new("L", (2 * width, height))
    mask.paste(255, (width, 0, 2 * width, height))
    panels = []
    for edit in edits:
        panel = Image.new("RGB", (2 * width, height))
        panel.paste(edit.pictures[0].resize((width, height), Image.Resampling.BICUBIC))
        panels.append(panel)
    return {
        "prompt": [diptych_prompt(e.prompt) for e in edits],
        "image": panels,
        "mask_image": [mask] * len(edits),
        "width": 2 * width,
        "height": height,
    }


def _sides(edit: Edit, settings: DiffusionSettings) -> dict[str, int]:
    size = wanted_size(settings.size, *edit.pictures[0].size)
    return {"width": size[0], "height": size[1]} if size else {}


def _lanczos() -> Any:
    from PIL import Image

    return Image.Resampling.LANCZOS


ADAPTERS: Mapping[str, Adapter] = {
    a.pipeline: a
    for a in (
        Adapter(
            "StableDiffusionInstructPix2PixPipeline",
            "timbrooks/instruct-pix2pix, HQ-Edit's weights",
            _instruct_pix2pix,
            image_guidance="image_guidance_scale",
            negative_prompt=True,
            batches=True,
        ),
        Adapter(
            "QwenImageEditPipeline",
            "Qwen/Qwen-Image-Edit",
            _one_picture,
            guidance="true_cfg_scale",
            negative_prompt=True,
            # Without a negative prompt this pipeline silently leaves guidance out.
            defaults={"negative_prompt": " "},
        ),
        Adapter(
            "QwenImageEditPlusPipeline",
            "Qwen/Qwen-Image-Edit-2509 and later",
            _qwen_plus,
            guidance="true_cfg_scale",
            negative_prompt=True,
            most_pictures=3,
            defaults={"negative_prompt": " ", "num_inference_steps": 40},
        ),
        Adapter(
            "FluxKontextPipeline",
            "black-forest-labs/FLUX.1-Kontext-dev",
            _kontext,
        ),
        Adapter(
            "FluxFillPipeline",
            "black-forest-labs/FLUX.1-Fill-dev with ICEdit's LoRA weights",
            _diptych,
            strength=True,
            batches=True,
            defaults={"num_inference_steps": 28, "guidance_scale": 50.0},
            right_half=True,
        ),
        Adapter(
            "Flux2Pipeline",
            "black-forest-labs/FLUX.2-dev",
            _pictures,
            most_pictures=10,
            plain_tokenizer=True,
        ),
        Adapter(
            "Flux2KleinPipeline",
            "black-forest-labs/FLUX.2-klein-4B",
            _pictures,
            most_pictures=4,
        ),
    )
}  # fmt: skip


def adapter(pipeline: str, name: str) -> Adapter:
    """The adapter of a class of pipelines. Raises DiffusionError with a sentence for others."""
    found = ADAPTERS.get(pipeline)
    if found is None:
        raise DiffusionError(
            f"{name} is a {pipeline}, which Redline can't call as an editor. It knows "
            f"{', '.join(ADAPTERS)}. Others can be run by command/NAME (docs/editing-models.md)."
        )
    return found
