"""API keys: read from the environment, sent to one host, never shown."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from redline.models.names import HOSTS
from redline.models.protocol import ProviderError

VARIABLES: Mapping[str, tuple[str, ...]] = {
    "openai": ("OPENAI_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY",),
    "google": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "anthropic": ("ANTHROPIC_API_KEY",),
}
"""The environment variables that hold a provider's key; the first that is set counts."""

SHORTEST = 8
"""Values shorter than this are place-holders ("EMPTY", "x"), not secrets: blotting them out of
replies would blot out ordinary words."""


class Secrets:
    """Values that must not be seen. Its repr shows nothing; `scrub` blots them out of texts."""

    __slots__ = ("_forms",)

    def __init__(self, values: Iterable[str]) -> None:
        forms: set[str] = set()
        for value in values:
            if len(value) >= SHORTEST:
                forms |= {
                    value,
                    quote(value, safe=""),
                    json.dumps(value)[1:-1],
                    base64.b64encode(value.encode()).decode(),
                }
        # Longest first, so that no form leaves a piece of a longer one behind.
        self._forms = tuple(sorted(forms, key=len, reverse=True))

    def __repr__(self) -> str:
        return "Secrets(...)"

    def scrub(self, text: str) -> str:
        """The text with every form of the secrets replaced."""
        for form in self._forms:
            if form in text:
                text = text.replace(form, "[key]")
        return text

    def scrub_bytes(self, data: bytes) -> bytes:
        """The same for bytes; the very object where nothing is found."""
        for form in self._forms:
            needle = form.encode()
            if needle in data:
                data = data.replace(needle, b"[key]")
        return data

    def scrub_json(self, value: Any) -> Any:
        """The same for every string of a JSON document, names included. Sees through escapes."""
        if not self._forms:
            return value
        if isinstance(value, str):
            return self.scrub(value)
        if isinstance(value, list):
            return [self.scrub_json(v) for v in value]
        if isinstance(value, dict):
            return {self.scrub(k): self.scrub_json(v) for k, v in value.items()}
        return value


class Key(Secrets):
    """One API key and the variable it came from."""

    __slots__ = ("_value", "variable")

    def __init__(self, value: str, variable: str) -> None:
        super().__init__((value,))
        self._value = value
        self.variable = variable

    def __repr__(self) -> str:
        return f"Key({self.variable})"

    def reveal(self) -> str:
        """The value, for the one header that carries it."""
        return self._value


def find_key(provider: str, env: Mapping[str, str], key_env: str | None) -> Key | None:
    """The key for a provider, or None for a server of one's own without `key_env`.

    Raises ProviderError("auth") with a sentence naming the variable when it isn't set.
    """
    names = (key_env,) if key_env else VARIABLES.get(provider, ())
    if not names:
        return None
    for name in names:
        value = env.get(name, "").strip()
        if value:
            if not (value.isascii() and value.isprintable() and " " not in value):
                raise ProviderError(
                    "auth", f"The key in ${name} holds characters that no key has. Set it anew."
                )
            return Key(value, name)
    said = " or ".join(f"${n}" for n in names)
    whom = f"Models of {provider} need" if provider in HOSTS else "This model needs"
    raise ProviderError("auth", f"{whom} a key: set the environment variable {said}.")


def keys_present(env: Mapping[str, str]) -> list[tuple[str, str, bool]]:
    """(provider, variable, whether it is set) for every variable a key may be in."""
    return [
        (provider, name, bool(env.get(name, "").strip()))
        for provider, names in VARIABLES.items()
        for name in names
    ]
