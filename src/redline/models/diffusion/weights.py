"""Which weights a pipeline is loaded from: a pinned revision of a repository, or a folder."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redline.models.diffusion.config import LocalWeights
from redline.models.diffusion.settings import DiffusionError
from redline.models.names import ModelNameError

INSTALL = "pip install 'redline-bench[diffusers]'"
_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.\-]*/[A-Za-z0-9][\w.\-]*\Z")
_COMMIT = re.compile(r"[0-9a-f]{40}\Z")
_INDEX = "model_index.json"
_LORA_FILE = "pytorch_lora_weights.safetensors"
_CHUNK = 1 << 16
_SAMPLES = 64


@dataclass(frozen=True)
class Source:
    """Where a set of weights is. Either `folder` (or file) and a digest over it as `revision`, or
    `repository` at commit `revision`. `name` is what records call it: never a path."""

    name: str
    revision: str
    repository: str | None = None
    folder: Path | None = None

    def as_json(self) -> dict[str, str]:
        return {"name": self.name, "revision": self.revision}


@dataclass(frozen=True)
class Weights:
    """All that decides which pipeline answers. `lora` is laid over `base`."""

    base: Source
    pipeline: str
    lora: Source | None = None
    lora_file: str | None = None

    @property
    def identity(self) -> str:
        """Name and revision of everything loaded: other weights are another model."""
        parts = [f"{self.pipeline} {self.base.name}@{self.base.revision}"]
        if self.lora:
            parts.append(f"{self.lora.name}@{self.lora.revision}")
        return " + ".join(parts)


def is_repository(name: str) -> bool:
    return bool(_REPOSITORY.match(name))


def of_repository(name: str, revision: str | None) -> Weights:
    """The weights of `OWNER/NAME`, their branch or tag pinned to a commit: the one that lies in
    the cache of this machine, else the one the hub names now. Fetches model_index.json at most.
    Raises DiffusionError."""
    base = _pinned(name, revision, _INDEX)
    return Weights(base, _class_of(_index(base), name))


def of_local(local: LocalWeights) -> Weights:
    """The weights that the user's TOML names. Raises DiffusionError and ModelNameError."""
    shown = f"local:{local.name}"
    if local.model is not None:
        if not is_repository(local.model):
            raise ModelNameError(f"[diffusers.{local.name}]: model is OWNER/NAME.")
        base = _pinned(local.model, local.revision, _INDEX)
    else:
        folder = Path(local.path or "").expanduser()
        if not (folder / _INDEX).is_file():
            raise DiffusionError(
                f"[diffusers.{local.name}]: {folder} holds no model_index.json, so it is no "
                "pipeline as diffusers saves one."
            )
        base = Source(shown, sampled_digest(folder), folder=folder)
    pipeline = local.pipeline or _class_of(_index(base), f"diffusers/{shown}")
    return Weights(base, pipeline, _lora(local), local.lora_file)


def _lora(local: LocalWeights) -> Source | None:
    if local.lora is None:
        return None
    path = Path(local.lora).expanduser()
    if path.exists():
        return Source(f"lora of local:{local.name}", sampled_digest(path), folder=path)
    if is_repository(local.lora):
        return _pinned(local.lora, local.lora_revision, local.lora_file or _LORA_FILE)
    raise DiffusionError(
        f"[diffusers.{local.name}]: lora is {local.lora!r}, which is neither a file or folder "
        "that exists nor OWNER/NAME."
    )


def sampled_digest(path: Path) -> str:
    """SHA-256 over every file under `path` (or the file itself): name, size, and 64 samples of 64
    KiB spread evenly over it (the whole file below 4 MiB). Weights are tens of gigabytes; training
    changes them everywhere, so a sample tells one set from another."""
    digest = hashlib.sha256()
    if path.is_file():
        files = [path]
    else:
        files = sorted(
            f
            for f in path.rglob("*")
            if f.is_file() and not any(p.startswith(".") for p in f.relative_to(path).parts)
        )
    for file in files:
        size = file.stat().st_size
        name = file.name if file == path else file.relative_to(path).as_posix()
        digest.update(f"{name}\0{size}\0".encode())
        with file.open("rb") as f:
            if size <= _CHUNK * _SAMPLES:
                digest.update(f.read())
                continue
            for i in range(_SAMPLES):
                f.seek(i * (size - _CHUNK) // (_SAMPLES - 1))
                digest.update(f.read(_CHUNK))
    return digest.hexdigest()


def _pinned(name: str, revision: str | None, file: str) -> Source:
    """`OWNER/NAME` at a commit; `file` is one that every copy of it in the cache holds."""
    if revision and _COMMIT.match(revision):
        return Source(name, revision, repository=name)
    hub = _hub()
    # What was fetched before is used again: a branch that moved would be another model.
    cached = hub.try_to_load_from_cache(name, file, revision=revision or "main")
    if isinstance(cached, str):
        return Source(name, Path(cached).parent.name, repository=name)
    with on_the_hub(name):
        commit = hub.HfApi().model_info(name, revision=revision).sha
    return Source(name, commit, repository=name)


def _index(base: Source) -> Mapping[str, Any]:
    """The model_index.json of a pipeline."""
    if base.folder is not None:
        path = base.folder / _INDEX
    else:
        assert base.repository
        with on_the_hub(base.name):
            path = Path(_hub().hf_hub_download(base.repository, _INDEX, revision=base.revision))
    try:
        index = json.loads(path.read_bytes())
    except (OSError, ValueError) as e:
        raise DiffusionError(f"model_index.json of {base.name} can't be read: {e}.") from None
    if not isinstance(index, dict):
        raise DiffusionError(f"model_index.json of {base.name} is no JSON object.")
    return index


def _class_of(index: Mapping[str, Any], name: str) -> str:
    """The class of pipelines; code that comes with the weights is never run."""
    named = index.get("_class_name")
    if not isinstance(named, str):
        raise DiffusionError(
            f"{name} brings code of its own for its pipeline, which Redline does not run. "
            "Use command/NAME for it (docs/editing-models.md)."
        )
    return named


def _hub() -> Any:
    try:
        import huggingface_hub
    except ImportError:
        raise DiffusionError(missing()) from None
    return huggingface_hub


def require_packages() -> None:
    """Raises DiffusionError where a package that loading needs is not installed."""
    if not all(importlib.util.find_spec(p) for p in ("torch", "diffusers", "transformers")):
        raise DiffusionError(missing())


def missing() -> str:
    """What to do where the packages are not installed."""
    return f"Models named diffusers/... need packages that are not installed: {INSTALL}"


@contextlib.contextmanager
def on_the_hub(name: str) -> Iterator[None]:
    """Turns what goes wrong on the way to the hub into a DiffusionError with a sentence."""
    try:
        yield
    except Exception as e:
        raise DiffusionError(_hub_fault(name, e)) from None


def _hub_fault(name: str, error: Exception) -> str:
    from huggingface_hub import errors

    if isinstance(error, errors.GatedRepoError):
        return (
            f"{name} is gated: accept its terms on its page, then log in with `hf auth login` or "
            "set $HF_TOKEN."
        )
    if isinstance(error, errors.RevisionNotFoundError):
        return f"{name} has no such revision: {_line(error)}"
    if isinstance(error, errors.RepositoryNotFoundError):
        return f"There are no weights named {name} on the hub, or they are private."
    if isinstance(error, errors.EntryNotFoundError):
        return (
            f"{name} holds no model_index.json, so it is no pipeline of diffusers. Run it by "
            "command/NAME (docs/editing-models.md)."
        )
    return (
        f"{name} is not on this machine and can't be fetched ({_line(error)}). Fetch it where "
        f"there is a network: hf download {name}"
    )


def _line(error: Exception) -> str:
    words = " ".join(str(error).split())
    return words[:200] or type(error).__name__
