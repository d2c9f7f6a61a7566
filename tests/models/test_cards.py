"""Model cards, families and what calls cost."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from redline.cli.models import models_command
from redline.models import CardsError, Usage, card, cards, family
from redline.models.names import ModelNameError, parse_name

SECRET = "sk-do-not-show-12345678"


@pytest.fixture(autouse=True)
def _no_user_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REDLINE_CARDS", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "nothing"))


def test_an_unknown_model_has_a_card_with_prices_that_are_unknown() -> None:
    c = card("openai/gpt-99-turbo")
    assert (c.provider, c.family, c.weights) == ("openai", "gpt", "unknown")
    assert (c.input_per_mtok, c.output_per_mtok, c.per_picture) == (None, None, None)
    assert c.cost(Usage(input_tokens=1, output_tokens=1)) is None


def test_a_call_costs_its_tokens_times_the_price() -> None:
    # 2.50 and 15 USD a million: 1,000 in and 2,000 out are 0.0025 + 0.03 USD.
    cost = card("openai/gpt-5.4").cost(Usage(input_tokens=1000, output_tokens=2000))
    assert cost == pytest.approx(0.0325)


def test_a_count_that_is_unknown_leaves_the_cost_unknown() -> None:
    assert card("openai/gpt-5.4").cost(Usage(input_tokens=1000)) is None


def test_the_same_model_behind_another_host_shares_all_but_the_price() -> None:
    for name in (
        "http://h:1/v1#Qwen/Qwen3-VL-8B-Instruct", "openrouter/qwen/qwen3-vl-8b-instruct",
    ):  # fmt: skip
        c = card(name)
        assert (c.name, c.family, c.weights) == (name, "qwen", "open")
    c = card("openrouter/openai/gpt-5.4")
    assert (c.weights, c.thinking, c.input_per_mtok, c.price_date) == (
        "closed", "switch", None, None,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("openai/gpt-5.4", "gpt"), ("openai/o3-mini", "gpt"), ("GPT-5", "gpt"),
        ("google/gemini-3.1-pro-preview", "gemini"), ("openrouter/google/gemma-4-31b-it", "gemma"),
        ("Claude Opus 4.6", "claude"), ("http://h/v1#Qwen/Qwen3.5-9B", "qwen"),
        ("openrouter/z-ai/glm-4.6v", "glm"), ("baseline/oracle", "baseline"),
    ],
)  # fmt: skip
def test_families(name: str, line: str) -> None:
    assert family(name) == line


def test_two_models_that_nothing_is_known_of_are_no_relatives() -> None:
    assert family("command/mine") != family("command/yours")


def test_every_price_has_its_date_and_source_and_every_hosted_card_a_name_that_opens() -> None:
    assert len({c.name for c in cards()}) == len(cards())
    for c in cards():
        if c.input_per_mtok is not None or c.output_per_mtok is not None:
            assert re.fullmatch(r"20\d\d-\d\d-\d\d", c.price_date or "")
            assert (c.price_source or "").startswith("https://")
        if c.provider != "open":
            assert parse_name(c.name).provider == c.provider
        else:
            assert c.weights == "open"
            assert c.input_per_mtok is None
            # A name like google/gemma-4-31B-it stands for weights, not for a provider's model.
            if not c.name.startswith("google/"):
                with pytest.raises(ModelNameError):
                    parse_name(c.name)


def test_every_model_of_the_published_table_has_a_card() -> None:
    table = Path(__file__).parents[3] / "shared/facts/viseditbench_table.csv"
    if not table.exists():
        pytest.skip("the published table is not beside the repository")

    def plain(name: str) -> str:
        low = re.sub(r"\(pixels\)|preview|thinking$|instruct$", "", name.lower().strip())
        return re.sub(r"[^a-z0-9]", "", low)

    known = {plain(c.name.rpartition("/")[2]): c for c in cards()}
    for row in csv.DictReader(table.open()):
        found = known.get(plain(row["model"]))
        assert found is not None, row["model"]
        assert found.weights == row["weights"]
        assert (found.answers == "picture") == ("pixels" in row["model"])


def test_users_add_cards_and_replace_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "mine.toml"
    own.write_text(
        '[[model]]\nname = "openai/gpt-5.4"\ninput_per_mtok = 1\noutput_per_mtok = 2.5\n'
        'price_date = "2027-01-01"\n\n[[model]]\nname = "command/editor"\nanswers = "picture"\n'
        'per_picture = 0.04\nprice_date = "2027-01-01"\n'
    )
    monkeypatch.setenv("REDLINE_CARDS", str(own))
    assert card("openai/gpt-5.4").input_per_mtok == 1
    assert card("command/editor").answers == "picture"
    assert card("anthropic/claude-opus-4-6").input_per_mtok == 5
    own.write_text("")
    assert card("openai/gpt-5.4").input_per_mtok == 2.5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[model]]\nname = 'a/b'\nprice = 1", "price"),
        ("[[model]]\nname = 'a/b'\ninput_per_mtok = 'cheap'", "input_per_mtok"),
        ("[[model]]\nname = 'a/b'\ninput_per_mtok = -1\nprice_date = '2027-01-01'", "0 or more"),
        ("[[model]]\nname = 'a/b'\ninput_per_mtok = nan\nprice_date = '2027-01-01'", "0 or more"),
        ("[[model]]\nname = 'a/b'\ninput_per_mtok = 1", "price_date"),
        ("[[model]]\nweights = 'open'", "no name"),
        ("[models]\nx = 1", "models"),
        ("[[model", "TOML"),
    ],
)
def test_a_wrong_file_of_cards_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    own = tmp_path / "mine.toml"
    own.write_text(text)
    monkeypatch.setenv("REDLINE_CARDS", str(own))
    with pytest.raises(CardsError) as e:
        cards()
    assert said in str(e.value)
    assert str(own) in str(e.value)


def test_a_file_of_cards_that_is_named_but_not_there_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REDLINE_CARDS", str(tmp_path / "none.toml"))
    with pytest.raises(CardsError, match="REDLINE_CARDS"):
        card("openai/gpt-5.4")


def _run(*arguments: str, **env: str) -> str:
    app = typer.Typer()
    app.command()(models_command)
    cleared = {"OPENAI_API_KEY": "", "GEMINI_API_KEY": "", "GOOGLE_API_KEY": ""}
    result = CliRunner().invoke(app, list(arguments), env={**cleared, **env})
    assert result.exit_code == 0, result.output
    return result.output


def test_redline_models_tells_that_a_key_is_set_and_never_which() -> None:
    shown = _run(OPENAI_API_KEY=SECRET)
    assert "openai: OPENAI_API_KEY is set" in shown
    assert "google: GEMINI_API_KEY is not set" in shown
    told = json.loads(_run("--json", OPENAI_API_KEY=SECRET))
    by_name = {m["name"]: m for m in told["models"]}
    assert by_name["openai/gpt-5.4"]["key_present"] is True
    assert by_name["google/gemini-3-flash-preview"]["key_present"] is False
    assert by_name["Qwen/Qwen3.5-4B"]["key_present"] is None
    assert by_name["Qwen/Qwen3.5-4B"]["input_per_mtok"] is None
    assert SECRET not in shown + json.dumps(told)


def test_redline_models_says_what_each_way_answers_with_and_what_it_was_tried_against() -> None:
    told = json.loads(_run("--json"))
    answers = {w["name"]: (w["answers"], w["real"]) for w in told["ways"]}
    assert answers["anthropic/NAME"] == ("text", False)
    assert answers["openai/gpt-image-..."] == ("picture", False)
    assert answers["command/NAME"] == ("both", True)
    # No weights could be had where this was written.
    assert {p["verified"] for p in told["pipelines"]} == {False}
    shown = _run()
    for pipeline in told["pipelines"]:
        assert pipeline["pipeline"] in shown


@pytest.mark.parametrize(
    ("name", "line", "weights"),
    [
        ("diffusers/Qwen/Qwen-Image-Edit", "qwen", "open"),
        ("diffusers/Qwen/Qwen-Image-Edit@abc", "qwen", "open"),
        ("diffusers/black-forest-labs/FLUX.1-Kontext-dev", "flux", "open"),
        ("diffusers/timbrooks/instruct-pix2pix", "instruct-pix2pix", "open"),
        ("diffusers/local:mine", "mine", "unknown"),
    ],
)
def test_a_pipeline_on_this_machine_answers_with_pictures_and_nobody_bills_it(
    name: str, line: str, weights: str
) -> None:
    c = card(name)
    assert (c.name, c.provider, c.answers) == (name, "diffusers", "picture")
    assert (c.family, c.weights) == (line, weights)
    assert c.cost(Usage(pictures=1)) == 0


def test_a_card_says_what_its_provider_does_to_pictures() -> None:
    claude = card("anthropic/claude-opus-4-6")
    assert "unscaled" in claude.scaling(1024)
    assert "down to about 1092 px" in claude.scaling(1568)
    assert "not known" in card("http://127.0.0.1:1/v1#x").scaling(1024)
