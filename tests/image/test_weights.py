"""Where weights are looked for, what is said when they are missing, and how they are named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from redline.errors import UserError
from redline.image import networks
from redline.image.measuring import Measurer
from redline.image.names import OFFERED, STANDARD
from redline.image.networks import available
from redline.image.perceptual import weights as files
from redline.image.profiles import CORRECTED, UPSTREAM
from redline.pixels import sha256_file

PIXELS = ("PSNR", "SSIM", "PSNR_FG", "PSNR_BG", "SSIM_FG", "SSIM_BG")


@pytest.fixture(autouse=True)
def empty_caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("TORCH_HOME", "HF_HOME", "HF_HUB_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_without_the_extra_only_pixel_measures_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files.importlib.util, "find_spec", lambda name: None)
    told = available()
    assert {n for n, reason in told.items() if reason is None} == set(PIXELS)
    assert "pip install 'redline-bench[perceptual]'" in str(told["LPIPS_FG"])
    measurer = Measurer()
    assert measurer.measures == ("PSNR", "SSIM")
    assert set(measurer.absent) == set(STANDARD) - {"PSNR", "SSIM"}


def test_without_weights_the_sentence_says_which_file_and_where() -> None:
    told = available()
    assert "vgg16-397923af.pth" in str(told["LPIPS_ALL"])
    assert "hf download openai/clip-vit-base-patch32" in str(told["CLIP_FG"])
    assert "hf download facebook/dino-vits16" in str(told["DINO"])


def test_caches_are_found_by_the_rules_of_torch_and_the_hub(
    empty_caches: Path, weights: Callable[..., Path]
) -> None:
    made = weights("alex", "clip")
    hub = empty_caches / "torch" / "hub" / "checkpoints"
    hub.mkdir(parents=True)
    (hub / files.TRUNKS["alex"]).symlink_to(made / files.TRUNKS["alex"])
    repo = empty_caches / "huggingface" / "hub" / "models--openai--clip-vit-base-patch32"
    (repo / "refs").mkdir(parents=True)
    (repo / "refs" / "main").write_text("abc\n")
    for revision in ("abc", "older"):
        (repo / "snapshots" / revision).mkdir(parents=True)
    # transformers 5 keeps converted tensors in a revision of their own.
    clip = made / "clip-vit-base-patch32"
    (repo / "snapshots" / "abc" / "config.json").symlink_to(clip / "config.json")
    (repo / "snapshots" / "older" / "model.safetensors").symlink_to(clip / "model.safetensors")
    told = available(trunk="alex")
    assert {n for n, reason in told.items() if reason is not None} == {"DINO"}
    found = files.model_weights(files.CLIP)
    assert found.tensors.parent.name == "older" and found.other.parent.name == "abc"


def test_the_hub_folder_is_torchs_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import torch

    assert str(files._torch_hub()) == torch.hub.get_dir()
    monkeypatch.setenv("TORCH_HOME", str(tmp_path / "torch"))
    assert str(files._torch_hub()) == torch.hub.get_dir()


def test_identity_names_profile_versions_and_the_hash_of_every_file(
    weights: Callable[..., Path],
) -> None:
    folder = weights("alex", "clip")
    identity = Measurer(UPSTREAM, weights_dir=folder, trunk="alex").identity()
    assert identity["profile"]["name"] == "upstream"
    assert identity["profile"]["resampling"] == "bicubic"
    assert {"numpy", "pillow", "torch", "transformers"} == set(identity["versions"])
    trunk = sha256_file(folder / files.TRUNKS["alex"])
    assert identity["weights"]["lpips-alex/alexnet-owt-7be5be79.pth"] == trunk
    tensors = sha256_file(folder / "clip-vit-base-patch32" / "model.safetensors")
    assert identity["weights"]["clip-vit-base-patch32/model.safetensors"] == tensors
    assert str(folder) not in str(identity)


def test_a_network_with_other_weights_is_named_another_measure(
    weights: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = weights("alex")
    measurer = Measurer(CORRECTED, ["SSIM", "LPIPS_FG"], weights_dir=folder, trunk="alex")
    digest = sha256_file(folder / files.TRUNKS["alex"])
    names = measurer.long_names()
    assert names["LPIPS_FG"] == f"LPIPS_FG[alex,black,weights {digest[:8]}]"
    assert names["SSIM"] == "SSIM[uniform7]"
    monkeypatch.setitem(files._KNOWN, files.TRUNKS["alex"], digest[:8])
    assert measurer.long_names()["LPIPS_FG"] == "LPIPS_FG[alex,black]"


def test_wrong_names_are_told_with_the_right_ones(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no picture measure 'LPIPS'; there are PSNR"):
        available(["LPIPS"])
    with pytest.raises(UserError, match="no LPIPS trunk 'resnet'; choose of alex, vgg, squeeze"):
        available(["LPIPS_ALL"], trunk="resnet")
    with pytest.raises(UserError, match="no folder of weights"):
        available(weights_dir=tmp_path / "nowhere")
    assert set(available()) == set(STANDARD + OFFERED)


def test_a_model_with_tensors_missing_is_refused(
    weights: Callable[..., Path], tmp_path: Path
) -> None:
    from safetensors.torch import load_file, save_file

    made = weights("clip") / "clip-vit-base-patch32"
    broken = tmp_path / "weights" / "clip-vit-base-patch32"
    broken.mkdir(parents=True)
    (broken / "config.json").write_bytes((made / "config.json").read_bytes())
    state = load_file(made / "model.safetensors")
    del state["visual_projection.weight"]
    save_file(state, broken / "model.safetensors")
    with pytest.raises(UserError, match=r"lacks weights \(visual_projection.weight\)"):
        Measurer(CORRECTED, ["CLIP_ALL"], weights_dir=tmp_path / "weights")
    (broken / "model.safetensors").write_bytes(b"cut off")
    with pytest.raises(UserError, match="can't be loaded"):
        Measurer(CORRECTED, ["CLIP_ALL"], weights_dir=tmp_path / "weights")


def test_bf16_is_refused_where_the_processor_lacks_it(
    weights: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx2": True}, raising=False)
    with pytest.raises(UserError, match="no bf16"):
        Measurer(CORRECTED, ["LPIPS_ALL"], weights_dir=weights("alex"), trunk="alex", dtype="bf16")
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"amx_bf16": True}, raising=False)
    assert networks._torch_dtype("bf16") is torch.bfloat16
