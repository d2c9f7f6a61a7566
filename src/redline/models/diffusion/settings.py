"""Settings of a diffusion pipeline: what `extra_body` may hold for `diffusers/...`."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Literal

from redline.errors import UserError
from redline.models.protocol import Settings

_SIZE = re.compile(r"auto|[1-9]\d{1,3}|[1-9]\d{1,3}x[1-9]\d{1,3}")


class DiffusionError(UserError):
    """Settings, weights or packages that can't be used."""


@dataclass(frozen=True)
class DiffusionSettings:
    """None leaves the pipeline's (or its adapter's) own default in force; what was in force is
    told with every reply.

    `size`: "auto" (what the pipeline makes of the picture's size), "WxH" or "N" (longer side) in
    pixels. `dtype` "auto": bfloat16 on CUDA, float32 elsewhere. `device` "auto": CUDA, else MPS,
    else the CPU. `batch`: pictures edited in one go at most. `strength`: 0 to 1.
    """

    steps: int | None = None
    guidance: float | None = None
    image_guidance: float | None = None
    negative_prompt: str | None = None
    strength: float | None = None
    size: str = "auto"
    dtype: Literal["auto", "float32", "float16", "bfloat16"] = "auto"
    device: str = "auto"
    offload: Literal["none", "model", "sequential"] = "none"
    batch: int = 1
    safety_checker: bool = True


def diffusion_settings(settings: Settings, name: str) -> DiffusionSettings:
    """Read and check `settings.extra_body`. Raises DiffusionError naming every fault."""
    from pydantic import TypeAdapter, ValidationError

    faults = [
        f"{word} means nothing to a diffusion pipeline"
        for word, value in (
            ("temperature", settings.temperature),
            ("max_tokens", settings.max_tokens),
            ("thinking", None if settings.thinking == "default" else settings.thinking),
        )
        if value is not None
    ]
    known = DiffusionSettings.__dataclass_fields__
    given = dict(settings.extra_body)
    faults += [f"there is no setting {word}" for word in sorted(set(given) - set(known))]
    try:
        # By way of JSON: there a strict reader takes an object for a dataclass.
        said = json.dumps({k: v for k, v in given.items() if k in known})
        read = TypeAdapter(DiffusionSettings).validate_json(said, strict=True)
    except ValidationError as e:
        faults += [f"{'.'.join(map(str, f['loc']))}: {f['msg']}" for f in e.errors()]
    else:
        faults += _out_of_range(read)
        if not faults:
            return read
    raise DiffusionError(
        f"Settings of {name}: {'; '.join(faults)}. extra_body may hold {', '.join(known)}."
    )


def _out_of_range(s: DiffusionSettings) -> list[str]:
    faults = []
    if s.steps is not None and not 1 <= s.steps <= 1000:
        faults.append(f"steps is 1 to 1000, not {s.steps}")
    for word, value in (("guidance", s.guidance), ("image_guidance", s.image_guidance)):
        if value is not None and not 0 <= value <= 1000:
            faults.append(f"{word} is 0 to 1000, not {value:g}")
    if s.strength is not None and not 0 < s.strength <= 1:
        faults.append(f"strength is above 0 and at most 1, not {s.strength:g}")
    if not _SIZE.fullmatch(s.size):
        faults.append(f'size is "auto", "WxH" or "N" in pixels, not {s.size!r}')
    if not re.fullmatch(r"auto|cpu|mps|cuda(:\d+)?", s.device):
        faults.append(f"device is auto, cpu, mps, cuda or cuda:N, not {s.device!r}")
    if not 1 <= s.batch <= 64:
        faults.append(f"batch is 1 to 64, not {s.batch}")
    return faults


def wanted_size(size: str, width: int, height: int) -> tuple[int, int] | None:
    """Width and height that `size` asks for of a picture; None for "auto"."""
    if size == "auto":
        return None
    across, _, down = size.partition("x")
    if down:
        return int(across), int(down)
    scale = int(across) / max(width, height)
    return max(1, round(width * scale)), max(1, round(height * scale))
