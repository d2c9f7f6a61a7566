"""Prompts of the image track as files, and the hashes of them that records and manifests name."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from redline.judge.rubric import Rubric, parse_rubric

_SLOT = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True)
class Prompt:
    """A prompt file; `hash` is the SHA-256 of its text."""

    name: str
    text: str

    @property
    def hash(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()

    def fill(self, **values: str) -> str:
        """Put values into `{{slots}}`, in one pass: a value that looks like a slot stays text.

        Raises KeyError for a slot without a value.
        """
        return _SLOT.sub(lambda m: values[m[1]], self.text).strip()


@cache
def prompt(name: str) -> Prompt:
    """The prompt file of that name ("edit-text", "answer", ...)."""
    return Prompt(name, files(__package__).joinpath(f"{name}.md").read_text("utf-8"))


@cache
def question_rubric(name: str) -> Rubric:
    """The rubric of one step of a question protocol ("referee", "match")."""
    return parse_rubric(files(__package__).joinpath(f"{name}.toml").read_bytes(), name)
