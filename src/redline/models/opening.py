"""From a model's name to a model that can be called."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from redline.models.keys import find_key
from redline.models.names import parse_name
from redline.models.protocol import Model, Settings
from redline.models.settings_file import user_file


def open_model(
    name: str,
    settings: Settings,
    *,
    key_env: str | None = None,
    env: Mapping[str, str] = os.environ,
    config: Path | None = None,
) -> Model:
    """Open a model by name; nothing is sent yet.

    A key comes from the provider's variable in `env`, or from the one that `key_env` names; a
    server named by its address gets a key only with `key_env`. `config` is the user's TOML with
    the programs for `command/NAME` and the weights for `diffusers/local:NAME` (default:
    $REDLINE_CONFIG, else ~/.config/redline/config.toml).
    Raises ModelNameError for a name that means nothing, ProviderError("auth") where a key is
    missing.
    """
    parsed = parse_name(name)
    if parsed.provider == "command":
        from redline.models.command import CommandModel
        from redline.models.command_batch import CommandBatch
        from redline.models.command_config import load_command

        program = load_command(parsed.model, _user(config, env))
        kind = CommandBatch if program.mode == "batch" else CommandModel
        return kind(name, program, settings, env)
    if parsed.provider == "diffusers":
        from redline.models.diffusion.model import open_diffusion

        return open_diffusion(name, parsed.model, settings, _user(config, env))
    key = find_key(parsed.provider, env, key_env)
    model, base_url = parsed.model, parsed.base_url
    # Imported here: httpx takes a while to load, and most commands call no model.
    if parsed.provider == "google":
        from redline.models.google import GeminiModel

        return GeminiModel(name, model, base_url, settings, key)
    if parsed.provider == "anthropic":
        from redline.models.anthropic import ClaudeModel

        return ClaudeModel(name, model, base_url, settings, key)
    api = ""
    if parsed.provider == "server":
        base_url, api = _endpoint(base_url)
    elif parsed.provider == "openai":
        draws = model.startswith(("gpt-image", "chatgpt-image"))
        api = "images/edits" if draws else "responses"
    if api == "images/edits":
        from redline.models.openai_pictures import PictureEditModel

        return PictureEditModel(name, model, base_url, settings, key)
    if api == "responses":
        from redline.models.openai_responses import ResponsesModel

        return ResponsesModel(name, model, base_url, settings, key, "openai")
    from redline.models.openai_chat import ChatModel, Dialect

    dialects: dict[str, Dialect] = {
        "openrouter": "openrouter", "ollama": "ollama",
    }  # fmt: skip
    dialect = dialects.get(parsed.provider, "server")
    return ChatModel(name, model, base_url, settings, key, dialect)


def _endpoint(address: str) -> tuple[str, str]:
    """An address that ends in an endpoint says which API its server is asked by:
    http://HOST/v1/images/edits#NAME. Without one it is chat completions."""
    for kind in ("images/edits", "responses", "chat/completions"):
        if address.endswith(f"/{kind}"):
            return address.removesuffix(f"/{kind}"), kind
    return address, ""


def program_identity(
    name: str, *, env: Mapping[str, str] = os.environ, config: Path | None = None
) -> str:
    """What tells the program or the weights behind `command/NAME` or `diffusers/...` from others
    that go by the same name; "" for every other model. Raises as `open_model` does."""
    parsed = parse_name(name)
    if parsed.provider == "diffusers":
        from redline.models.diffusion.model import find_weights

        return find_weights(parsed.model, _user(config, env)).identity
    if parsed.provider != "command":
        return ""
    from redline.models.command_config import load_command

    return load_command(parsed.model, _user(config, env)).identity


def _user(config: Path | None, env: Mapping[str, str]) -> Path:
    return config or user_file("config.toml", "REDLINE_CONFIG", env)
