"""Prompts as files, and the hashes of them that a run's manifest records."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_SLOT = re.compile(r"\{\{(\w+)\}\}")
_SLOT_LINE = re.compile(r"^\{\{(\w+)\}\}\n", re.MULTILINE)


@dataclass(frozen=True)
class Prompt:
    """A prompt file, or a sentence that goes into one."""

    name: str
    text: str

    def fill(self, **values: str) -> str:
        """Put values into `{{slots}}`, in one pass: a value that looks like a slot stays text. A
        line that is one slot goes where its value is empty.

        Raises KeyError for a slot without a value.
        """
        text = _SLOT_LINE.sub(lambda m: m[0] if values[m[1]] else "", self.text)
        return _SLOT.sub(lambda m: values[m[1]], text).strip()


def combined_hash(prompts: Iterable[Prompt]) -> str:
    """SHA-256 over names and texts, in order."""
    told = [[p.name, p.text] for p in prompts]
    return hashlib.sha256(json.dumps(told, ensure_ascii=False).encode()).hexdigest()


@cache
def prompt(name: str) -> Prompt:
    """The prompt file of that name ("edit-code", "edit-picture", "verbalize")."""
    return Prompt(name, files(__package__).joinpath(f"{name}.md").read_text("utf-8"))


@cache
def _sentences() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(files(__package__).joinpath("sentences.toml").read_text("utf-8"))


def sentence(section: str, name: str) -> Prompt:
    """A sentence of sentences.toml. Raises KeyError."""
    return Prompt(f"{section}/{name}", _sentences()[section][name])
