"""Finds weight files on this machine and hashes them. Imports no torch, downloads nothing."""

from __future__ import annotations

import functools
import importlib.util
import os
from dataclasses import dataclass
from pathlib import Path

from redline.errors import UserError
from redline.pixels import FileFault, sha256_file

TRUNKS = {
    "alex": "alexnet-owt-7be5be79.pth",
    "vgg": "vgg16-397923af.pth",
    "squeeze": "squeezenet1_1-b8a52dc0.pth",
}
"""torchvision's weight files (IMAGENET1K_V1); each name ends in the start of its SHA-256."""

CLIP = "openai/clip-vit-base-patch32"
DINO = "facebook/dino-vits16"

_KNOWN = {name: name.removesuffix(".pth").rsplit("-", 1)[1] for name in TRUNKS.values()} | {
    # CLIP's file at revision 3d74acf9a28c67741b2f4f2ea7635f0aaf6f0268 of the Hub.
    "pytorch_model.bin": "a63082132ba4f97a80bea76823f544493bffa8082296d62d71581a4feff1576f"
}
"""How the SHA-256 of published files begins. Conversions of them (safetensors) are not known."""

HEADS = Path(__file__).parent / "heads"
"""The linear heads of LPIPS v0.1, bundled as published (see NOTICE)."""

INSTALL = "pip install 'redline-bench[perceptual]'"
_TENSORS = ("model.safetensors", "pytorch_model.bin")


class WeightsMissing(UserError):
    """Weights or packages that a measure needs and this machine lacks: a sentence that says how
    to get them."""


@dataclass(frozen=True)
class Weights:
    """The files a network is loaded from: its `tensors`, and a head or a configuration."""

    name: str
    tensors: Path
    other: Path

    @property
    def sha256(self) -> dict[str, str]:
        """SHA-256 of both files, by `name/file name`."""
        return {f"{self.name}/{f.name}": _sha256(f) for f in (self.tensors, self.other)}

    @property
    def digest(self) -> str:
        """SHA-256 of the tensors' file."""
        return _sha256(self.tensors)

    @property
    def published(self) -> bool:
        """Whether the tensors are known to be the published ones, byte for byte. False does not
        say that they are not: a conversion has another digest."""
        known = _KNOWN.get(self.tensors.name)
        return known is not None and self.digest.startswith(known)


def missing_packages() -> str | None:
    """Why no network can run here at all, as a sentence; None where torch and transformers are
    installed."""
    lacking = [p for p in ("torch", "transformers") if importlib.util.find_spec(p) is None]
    if not lacking:
        return None
    return f"It needs {' and '.join(lacking)}, which this installation lacks: {INSTALL}"


def trunk_weights(trunk: str, folder: Path | None = None) -> Weights:
    """The weights of an LPIPS trunk (`alex`, `vgg`, `squeeze`) and its head.

    Looked for in `folder`, then in torch hub's cache. Raises WeightsMissing; UserError for
    another trunk.
    """
    if trunk not in TRUNKS:
        raise UserError(f"There is no LPIPS trunk {trunk!r}; choose of {', '.join(TRUNKS)}.")
    name = TRUNKS[trunk]
    head = HEADS / f"{trunk}.pth"
    for place in (folder, _torch_hub() / "checkpoints"):
        if place is not None and (place / name).is_file():
            return Weights(f"lpips-{trunk}", place / name, head)
    raise WeightsMissing(
        f"The weights of LPIPS's trunk, {name}, are not here. Put the file that torchvision "
        f"publishes under this name into {_said(folder, _torch_hub())}."
    )


def model_weights(repo: str, folder: Path | None = None) -> Weights:
    """A model of the Hugging Face Hub: config.json and tensors.

    Looked for in `folder`, in a folder of the last part of its name, then in the Hub's cache.
    Raises WeightsMissing.
    """
    name = repo.rsplit("/", 1)[1]
    places = [folder / name] if folder is not None else []
    for place in (*places, *_hub_snapshots(repo)):
        tensors = next((place / t for t in _TENSORS if (place / t).is_file()), None)
        config = _config(place)
        if tensors is not None and config is not None:
            return Weights(name, tensors, config)
    where = f" --local-dir {folder / name}" if folder is not None else ""
    raise WeightsMissing(
        f"The weights of {repo} are not here. Get them by: hf download {repo}{where}"
    )


def _torch_hub() -> Path:
    """torch.hub.get_dir(), by the same rule, without torch."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "torch"
    return (Path(os.environ.get("TORCH_HOME") or cache) / "hub").expanduser()


def _hub_snapshots(repo: str) -> list[Path]:
    """The revisions of a repository in the Hub's cache, `main` first."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface"
    hub = Path(os.environ.get("HF_HOME") or home) / "hub"
    cache = Path(os.environ.get("HF_HUB_CACHE") or hub).expanduser()
    kept = cache / f"models--{repo.replace('/', '--')}"
    try:
        main = (kept / "refs" / "main").read_text(encoding="utf-8").strip()
    except OSError:
        main = ""
    return sorted((kept / "snapshots").glob("*"), key=lambda p: (p.name != main, p.name))


def _config(place: Path) -> Path | None:
    """A snapshot's config.json; that of another revision for one with nothing but tensors, which
    transformers 5 makes where a repository has none in safetensors."""
    if (place / "config.json").is_file():
        return place / "config.json"
    if place.parent.name != "snapshots":
        return None
    return next(iter(sorted(place.parent.glob("*/config.json"))), None)


def _said(folder: Path | None, hub: Path) -> str:
    own = f"{folder}, or into " if folder is not None else ""
    return f"{own}torch hub's cache {hub / 'checkpoints'}"


def _sha256(path: Path) -> str:
    facts = path.stat()
    return _hashed(path, facts.st_size, facts.st_mtime_ns)


@functools.lru_cache(maxsize=64)
def _hashed(path: Path, size: int, changed_ns: int) -> str:
    """Hashed once a process as long as size and time of the file stay: CLIP has 600 MB."""
    try:
        return sha256_file(path)
    except FileFault as e:
        raise WeightsMissing(f"The weights {path} can't be read: {e}.") from e
