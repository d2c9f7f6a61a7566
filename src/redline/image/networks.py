"""Which measures can be had on this machine, and the networks that the rest need, opened once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from redline.errors import UserError
from redline.image.instruments import (
    ClipInstrument,
    DinoInstrument,
    Instrument,
    LpipsInstrument,
    Psnr,
    Ssim,
)
from redline.image.names import OFFERED, STANDARD, family
from redline.image.perceptual import weights as files
from redline.image.perceptual.weights import Weights, WeightsMissing
from redline.image.profiles import Profile

if TYPE_CHECKING:
    import torch

Dtype = Literal["fp32", "bf16"]
_BF16 = ("avx512_bf16", "amx_bf16", "bf16")


def available(
    measures: Sequence[str] = STANDARD + OFFERED,
    weights_dir: Path | None = None,
    trunk: str = "vgg",
) -> dict[str, str | None]:
    """For each measure None where it can be had here, else a sentence on what is missing and how
    to get it. Reads no weights and imports no torch. Raises UserError for an unknown name."""
    return dict.fromkeys(measures) | find(measures, weights_dir, trunk)[1]


def find(
    measures: Sequence[str], weights_dir: Path | None, trunk: str
) -> tuple[dict[str, Weights], dict[str, str]]:
    """The weights that `measures` need, by family (LPIPS, CLIP, DINO), and the measures that
    can't be had, each with the reason. Raises UserError for an unknown measure or trunk, or a
    folder of weights that is not there."""
    for name in measures:
        if name not in STANDARD + OFFERED:
            raise UserError(
                f"There is no picture measure {name!r}; there are {', '.join(STANDARD + OFFERED)}."
            )
    if weights_dir is not None and not weights_dir.is_dir():
        raise UserError(f"There is no folder of weights {weights_dir}.")
    wanted = {family(n) for n in measures} - {"PSNR", "SSIM"}
    weights, reasons = dict[str, Weights](), dict[str, str]()
    lacking = files.missing_packages()
    for kind in sorted(wanted):
        try:
            if lacking is not None:
                raise WeightsMissing(lacking)
            if kind == "LPIPS":
                weights[kind] = files.trunk_weights(trunk, weights_dir)
            else:
                repo = files.CLIP if kind == "CLIP" else files.DINO
                weights[kind] = files.model_weights(repo, weights_dir)
        except WeightsMissing as e:
            reasons[kind] = str(e)
    return weights, {n: reasons[family(n)] for n in measures if family(n) in reasons}


def open_instruments(
    weights: Mapping[str, Weights],
    measures: Sequence[str],
    profile: Profile,
    trunk: str,
    dtype: Dtype,
) -> list[Instrument]:
    """The instruments of `measures`, each network loaded on the CPU, torch set to one thread in
    this process: more processes are faster, more threads in one are not.

    Raises UserError where a file holds something else than it should.
    """
    names = {kind: [n for n in measures if family(n) == kind] for kind in map(family, measures)}
    made: list[Instrument] = []
    if "PSNR" in names:
        made.append(Psnr(names["PSNR"]))
    if "SSIM" in names:
        made.append(Ssim(names["SSIM"]))
    if not weights:
        return made
    import torch

    torch.set_num_threads(1)
    kind = _torch_dtype(dtype)
    if "LPIPS" in names:
        from redline.image.perceptual.lpips import Lpips

        twice = profile.lpips_input == "normalised-twice"
        made.append(LpipsInstrument(names["LPIPS"], Lpips(trunk, weights["LPIPS"], kind, twice)))
    if "CLIP" in names:
        from redline.image.perceptual.clip import Clip

        clip = Clip(weights["CLIP"], kind, texts="CLIP_TEXT" in names["CLIP"])
        made.append(ClipInstrument(names["CLIP"], clip, profile))
    if "DINO" in names:
        from redline.image.perceptual.dino import Dino

        made.append(DinoInstrument(Dino(weights["DINO"], kind)))
    return made


def _torch_dtype(dtype: Dtype) -> torch.dtype:
    import torch

    if dtype == "fp32":
        return torch.float32
    # Asked of torch, which uses it; releases that can't tell don't get it.
    can: Mapping[str, bool] = getattr(torch.cpu, "get_capabilities", dict)()
    if not any(can.get(flag) for flag in _BF16):
        raise UserError("This processor has no bf16 arithmetic; measure in fp32.")
    return torch.bfloat16
