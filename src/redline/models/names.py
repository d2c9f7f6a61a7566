"""Model names: what `provider/name` or an address means, and what to say when it means nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from redline.errors import UserError

HOSTS = {
    "openai": "https://api.openai.com/v1",
    "openrouter": "https://openrouter.ai/api/v1",
    "google": "https://generativelanguage.googleapis.com/v1beta",
    "anthropic": "https://api.anthropic.com/v1",
}
"""Providers with a host of their own: the only place their key is ever sent to."""

LOCAL = {
    "ollama": "http://localhost:11434/v1",
    "vllm": "http://localhost:8000/v1",
    "sglang": "http://localhost:30000/v1",
}
"""Short names for servers on this machine at their usual ports."""

FORMS = (
    "openai/NAME, openrouter/VENDOR/NAME, google/NAME, anthropic/NAME, "
    "http://HOST:PORT/v1#NAME, https://HOST/v1#NAME (or /v1/images/edits#NAME), ollama/NAME, "
    "vllm/NAME, sglang/NAME, command/NAME, diffusers/OWNER/NAME, diffusers/local:NAME, "
    "baseline/oracle, baseline/identity, baseline/degraded, replay/RUN"
)
"""Every kind of name, for people; baselines and replays call nobody and are opened elsewhere."""

_WEIGHTS = re.compile(r"local:[\w.\-]+\Z|[A-Za-z0-9][\w.\-]*/[A-Za-z0-9][\w.\-]*(@[\w.\-/]+)?\Z")
_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+\-]*\Z")


class ModelNameError(UserError):
    """A name that no provider answers to."""


@dataclass(frozen=True)
class ModelName:
    """A parsed name. `provider` is a key of HOSTS or LOCAL, "server", "command" or "diffusers";
    `base_url` has no trailing slash and is empty for the last two."""

    full: str
    provider: str
    model: str
    base_url: str = ""


def parse_name(name: str) -> ModelName:
    """Take a model name apart. Raises ModelNameError with a sentence listing what would do."""
    if name.startswith(("http://", "https://")):
        return _parse_address(name)
    provider, _, model = name.partition("/")
    base_url = HOSTS.get(provider) or LOCAL.get(provider)
    if base_url is None and provider not in ("command", "diffusers"):
        raise ModelNameError(f"There is no model {name!r}. A model is named {FORMS}.")
    if not _MODEL.match(model) or ".." in model:
        raise ModelNameError(
            f"{name!r} lacks a proper name after {provider}/ (letters, digits and . _ : / @ + -). "
            f"A model is named {FORMS}."
        )
    if provider == "diffusers" and not _WEIGHTS.match(model):
        raise ModelNameError(
            f"{name!r} names no weights. Write diffusers/OWNER/NAME, diffusers/OWNER/NAME@REVISION "
            "or, for [diffusers.NAME] in your own configuration, diffusers/local:NAME. "
            f"A model is named {FORMS}."
        )
    return ModelName(name, provider, model, base_url or "")


def _parse_address(name: str) -> ModelName:
    """An address of an OpenAI-compatible server with the model behind `#`."""
    try:
        url = urlsplit(name)
        host, _ = url.hostname, url.port
    except ValueError as e:
        raise ModelNameError(f"The address in {name!r} can't be read ({e}).") from None
    # Names are written into records, so an address must not be able to carry a secret.
    if url.username is not None or url.password is not None or url.query:
        raise ModelNameError(
            "A model's address may hold neither a user name, a password nor a query (it is written "
            "into the run's records). Give a key with --key-env NAME."
        )
    if not host:
        raise ModelNameError(f"The address {name!r} names no host. Write http://HOST:PORT/v1#NAME.")
    if not _MODEL.match(url.fragment):
        raise ModelNameError(
            f"{name!r} doesn't say which model of the server is meant. "
            "Write its name behind a #, as in http://HOST:PORT/v1#NAME."
        )
    base_url = f"{url.scheme}://{url.netloc}{url.path.rstrip('/')}"
    return ModelName(name, "server", url.fragment, base_url)
