"""Prompts as files: each is loaded with the hash that a run's manifest records."""

from __future__ import annotations

import hashlib
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_SLOT = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True)
class Prompt:
    """A prompt file and the SHA-256 of its bytes."""

    name: str
    text: str
    hash: str

    def fill(self, **values: str) -> str:
        """Put values into `{{slots}}`, in one pass: a value that looks like a slot stays text.

        Raises KeyError for a slot without a value.
        """
        return _SLOT.sub(lambda m: values[m[1]], self.text).strip()


@cache
def prompt(name: str) -> Prompt:
    """The prompt file of that name ("edit-code", "edit-picture", "verbalize")."""
    data = files(__package__).joinpath(f"{name}.md").read_bytes()
    return Prompt(name, data.decode(), hashlib.sha256(data).hexdigest())


@cache
def instruction_prompts() -> dict[str, Prompt]:
    """By condition, the sentence that says where the instruction is."""
    data = files(__package__).joinpath("instruction.toml").read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    return {
        k: Prompt(f"instruction:{k}", v, digest) for k, v in tomllib.loads(data.decode()).items()
    }
