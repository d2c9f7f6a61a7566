"""`[diffusers.NAME]` in the user's own TOML: weights in a folder, LoRA weights, another class."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path

from redline.models.diffusion.settings import DiffusionError
from redline.models.names import ModelNameError

EXAMPLE = '[diffusers.NAME]\npath = "/path/to/the/pipeline"'


@dataclass(frozen=True)
class LocalWeights:
    """A pipeline of the user's: `path` is a folder with a model_index.json, or `model` is
    OWNER/NAME at `revision`. `lora` is a file or folder, or OWNER/NAME at `lora_revision`, with
    the file `lora_file` in it where there are several."""

    name: str
    path: str | None = None
    model: str | None = None
    revision: str | None = None
    lora: str | None = None
    lora_file: str | None = None
    lora_revision: str | None = None
    pipeline: str | None = None
    """The class, where it is not the one that model_index.json names."""


def load_local(name: str, path: Path) -> LocalWeights:
    """Read `[diffusers.NAME]`. Raises ModelNameError for a name that isn't there and
    DiffusionError with a sentence for an entry that can't be used."""
    from pydantic import TypeAdapter, ValidationError

    try:
        data = tomllib.loads(path.read_text())
    except FileNotFoundError:
        raise ModelNameError(
            f"diffusers/local:{name} is not set up: {path} does not exist. "
            f"Write into it:\n{EXAMPLE}"
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as e:
        raise DiffusionError(f"{path} can't be read: {e}.") from None
    table = data.get("diffusers")
    entries = table if isinstance(table, dict) else {}
    if name not in entries:
        known = ", ".join(f"diffusers/local:{n}" for n in entries) or "none"
        raise ModelNameError(
            f"{path} has no [diffusers.{name}] (there: {known}). Write into it:\n{EXAMPLE}"
        )
    entry = entries[name]
    where = f"[diffusers.{name}] in {path}"
    if not isinstance(entry, dict):
        raise DiffusionError(f"{where} is no table.")
    fields = set(LocalWeights.__dataclass_fields__) - {"name"}
    if unknown := sorted(set(entry) - fields):
        raise DiffusionError(
            f"{where} has no use for {', '.join(unknown)}; it may hold {', '.join(sorted(fields))}."
        )
    try:
        # By way of JSON: there a strict reader takes an object for a dataclass.
        said = json.dumps({**entry, "name": name}, default=str)
        read = TypeAdapter(LocalWeights).validate_json(said, strict=True)
    except ValidationError as e:
        faults = "; ".join(f"{f['loc'][0]}: {f['msg']}" for f in e.errors())
        raise DiffusionError(f"{where} is wrong: {faults}.") from None
    if (read.path is None) == (read.model is None):
        raise DiffusionError(f"{where} needs either path (a folder) or model (OWNER/NAME).")
    if read.revision and not read.model:
        raise DiffusionError(f"{where}: a revision goes with model, not with path.")
    return read
