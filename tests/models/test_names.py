"""Model names and their keys."""

from __future__ import annotations

import pytest

from redline.models import ModelNameError, ProviderError, Settings, keys_present, open_model
from redline.models.names import parse_name


@pytest.mark.parametrize(
    ("name", "provider", "model", "base_url"),
    [
        ("openai/gpt-5.4", "openai", "gpt-5.4", "https://api.openai.com/v1"),
        ("openrouter/qwen/qwen3", "openrouter", "qwen/qwen3", "https://openrouter.ai/api/v1"),
        ("http://h:8000/v1#Qwen/Q-7B", "server", "Qwen/Q-7B", "http://h:8000/v1"),
        ("https://h.example/x/v1/#m:7b", "server", "m:7b", "https://h.example/x/v1"),
        ("ollama/llava:13b", "ollama", "llava:13b", "http://localhost:11434/v1"),
        ("command/mine", "command", "mine", ""),
        ("diffusers/Qwen/Qwen-Image-Edit", "diffusers", "Qwen/Qwen-Image-Edit", ""),
        ("diffusers/a/b@main", "diffusers", "a/b@main", ""),
        ("diffusers/local:mine", "diffusers", "local:mine", ""),
    ],
)
def test_a_name_says_provider_model_and_address(
    name: str, provider: str, model: str, base_url: str
) -> None:
    parsed = parse_name(name)
    assert (parsed.provider, parsed.model, parsed.base_url) == (provider, model, base_url)


@pytest.mark.parametrize(
    "name",
    [
        "", "gpt-5.4", "openai", "openai/", "opnai/gpt", "google/../../secret", "google/a?key=1",
        "http://h:8000/v1", "http://#m", "http://h:99999/v1#m", "diffusers/Qwen", "baseline/oracle",
    ],
)  # fmt: skip
def test_a_wrong_name_is_refused_with_what_would_be_right(name: str) -> None:
    with pytest.raises(ModelNameError) as e:
        open_model(name, Settings(), env={"OPENAI_API_KEY": "x" * 20, "GEMINI_API_KEY": "y" * 20})
    assert "http" in str(e.value)


@pytest.mark.parametrize(
    "name", ["http://user:hunter2secret@h/v1#m", "https://h/v1?api_key=hunter2secret#m"]
)
def test_an_address_that_carries_a_secret_is_refused_without_repeating_it(name: str) -> None:
    with pytest.raises(ModelNameError) as e:
        open_model(name, Settings(), env={})
    assert "hunter2secret" not in str(e.value)


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("openai/m", "OPENAI_API_KEY"), ("openrouter/a/m", "OPENROUTER_API_KEY"),
        ("google/m", "GEMINI_API_KEY"), ("anthropic/m", "ANTHROPIC_API_KEY"),
    ],
)  # fmt: skip
def test_a_missing_key_is_a_sentence_that_names_the_variable(name: str, variable: str) -> None:
    with pytest.raises(ProviderError) as e:
        open_model(name, Settings(), env={"SOMETHING": "else", variable: "  "})
    assert e.value.kind == "auth"
    assert e.value.stops_run
    assert f"${variable}" in str(e.value)


def test_a_key_that_no_header_could_carry_is_refused_unseen() -> None:
    with pytest.raises(ProviderError) as e:
        open_model("openai/m", Settings(), env={"OPENAI_API_KEY": "sk-first\nsk-second"})
    assert e.value.kind == "auth"
    assert "sk-" not in str(e.value)


def test_keys_present_tells_which_variables_are_set_and_nothing_of_their_values() -> None:
    told = keys_present({"GOOGLE_API_KEY": "abcdefgh-secret", "OPENAI_API_KEY": ""})
    assert ("google", "GOOGLE_API_KEY", True) in told
    assert ("google", "GEMINI_API_KEY", False) in told
    assert ("openai", "OPENAI_API_KEY", False) in told
    assert "secret" not in repr(told)
