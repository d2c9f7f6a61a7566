"""Model cards: what is known of models, from our data file and the user's own."""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path

from redline.errors import UserError
from redline.models.names import HOSTS, LOCAL
from redline.models.protocol import ModelCard
from redline.models.settings_file import user_file

_FAMILIES = (
    ("gemini", "gemini"),
    ("gemma", "gemma"),
    ("claude", "claude"),
    ("qwen", "qwen"),
    ("qwq", "qwen"),
    ("glm", "glm"),
    ("internvl", "internvl"),
    ("llava", "llava"),
    ("llama", "llama"),
    ("pixtral", "mistral"),
    ("mistral", "mistral"),
    ("ministral", "mistral"),
    ("magistral", "mistral"),
    ("deepseek", "deepseek"),
    ("janus", "deepseek"),
    ("grok", "grok"),
    ("kimi", "kimi"),
    ("minicpm", "minicpm"),
    ("phi-", "phi"),
    ("nova-", "nova"),
    ("flux", "flux"),
    ("seed", "seed"),
    ("step", "step"),
    ("pix2pix", "instruct-pix2pix"),
    ("gpt", "gpt"),
    ("dall-e", "gpt"),
)
_OPENAI_O = re.compile(r"(?:^|[/#])o[1-9](?:-|$)")


class CardsError(UserError):
    """A file of cards that can't be used."""


def family(name: str) -> str:
    """The line of models that `name` belongs to ("gpt", "gemini", "qwen", ...).

    A name that tells nothing is a family of its own, so that two unknown models never count as
    relatives. Names without a provider ("Qwen3-VL-8B") do as well.
    """
    known = _cards().get(name.lower())
    if known is not None:
        return known.family
    if name.startswith(("baseline/", "replay/", "outputs/")):
        return name.partition("/")[0]
    return _guess(name)


def _guess(name: str) -> str:
    low = _model_part(name)
    for mark, line in _FAMILIES:
        if mark in low:
            return line
    return "gpt" if _OPENAI_O.search(low) else low


def card(name: str) -> ModelCard:
    """The card of a model. An unknown one gets a card with prices None and a guessed family.

    The same model behind another host (`openrouter/...`, one's own server) shares all but the
    price, which is the host's.
    """
    known = _cards().get(name.lower())
    if known is not None:
        return known
    provider = _provider(name)
    if provider == "diffusers":
        return _on_this_machine(name)
    part = _model_part(name)
    for other in _cards().values():
        if _model_part(other.name).rpartition("/")[2] == part.rpartition("/")[2]:
            return replace(
                other,
                name=name,
                provider=provider,
                input_per_mtok=None,
                output_per_mtok=None,
                picture_input_per_mtok=None,
                picture_output_per_mtok=None,
                per_picture=None,
                price_date=None,
                price_source=None,
            )
    return ModelCard(name=name, provider=provider, family=family(name))


def _on_this_machine(name: str) -> ModelCard:
    """The card of a pipeline that runs here: it answers with pictures, and nobody bills it."""
    weights = _cards().get(_model_part(name)) or ModelCard(name, "diffusers", _guess(name))
    return replace(
        weights,
        name=name,
        provider="diffusers",
        answers="picture",
        input_per_mtok=0.0,
        output_per_mtok=0.0,
        per_picture=0.0,
    )


def cards() -> tuple[ModelCard, ...]:
    """All known cards, ours first, the user's over ours of the same name."""
    return tuple(_cards().values())


def _provider(name: str) -> str:
    head = name.partition("/")[0]
    if head in HOSTS or head in LOCAL or head in (
        "command", "diffusers", "baseline", "replay", "outputs",
    ):  # fmt: skip
        return head
    return "server" if name.startswith(("http://", "https://")) else "unknown"


def _model_part(name: str) -> str:
    """The model's own name in lower case, without provider or address."""
    low = name.lower()
    if low.startswith(("http://", "https://")):
        return low.partition("#")[2] or low
    head, _, rest = low.partition("/")
    if rest and head == "diffusers":
        return rest.removeprefix("local:").partition("@")[0]
    return rest if rest and (head in HOSTS or head in LOCAL or head == "command") else low


def own_cards_file() -> Path:
    """Where the user's own cards are, or would be: $REDLINE_CARDS, else cards.toml in the user's
    configuration folder."""
    return user_file("cards.toml", "REDLINE_CARDS", os.environ)


def _cards() -> Mapping[str, ModelCard]:
    own = own_cards_file()
    try:
        about = own.stat()
        stamp = (about.st_mtime_ns, about.st_size)
    except OSError as e:
        if os.environ.get("REDLINE_CARDS"):
            raise CardsError(f"$REDLINE_CARDS names {own}, which can't be read: {e}.") from None
        return _read(None, None)
    return _read(own, stamp)


@cache
def _read(own: Path | None, _stamp: tuple[int, int] | None) -> Mapping[str, ModelCard]:
    ours = files("redline.models").joinpath("cards.toml").read_text()
    read = {c.name.lower(): c for c in parse_cards(ours, "redline's own cards.toml")}
    if own is not None:
        try:
            text = own.read_text()
        except (OSError, UnicodeDecodeError) as e:
            raise CardsError(f"{own} can't be read: {e}.") from None
        read |= {c.name.lower(): c for c in parse_cards(text, str(own))}
    return read


def parse_cards(text: str, where: str) -> list[ModelCard]:
    """Cards from TOML, one `[[model]]` a model. Raises CardsError listing every fault."""
    from pydantic import TypeAdapter, ValidationError

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as e:
        raise CardsError(f"{where} is no TOML: {e}.") from None
    entries = data.get("model", [])
    unknown = sorted(set(data) - {"model"})
    if not isinstance(entries, list) or unknown:
        raise CardsError(f"{where} may hold only [[model]] entries; found {', '.join(unknown)}.")
    reader = TypeAdapter(ModelCard)
    fields = set(ModelCard.__dataclass_fields__)
    faults: list[str] = []
    read: list[ModelCard] = []
    for i, entry in enumerate(entries, 1):
        if not isinstance(entry, dict) or not isinstance(name := entry.get("name"), str):
            faults.append(f"model {i} has no name")
            continue
        faults += [f"{name}: there is no field {n}" for n in sorted(set(entry) - fields)]
        known = {n: v for n, v in entry.items() if n in fields}
        try:
            one = reader.validate_python(
                {"provider": _provider(name), "family": _guess(name), **known}
            )
        except ValidationError as e:
            faults += [f"{name}: {'.'.join(map(str, f['loc']))}: {f['msg']}" for f in e.errors()]
            continue
        prices = [
            one.input_per_mtok,
            one.output_per_mtok,
            one.picture_input_per_mtok,
            one.picture_output_per_mtok,
            one.per_picture,
        ]
        given = [p for p in prices if p is not None]
        if any(not 0 <= p < math.inf for p in given):
            faults.append(f"{name}: a price must be 0 or more")
        if given and not one.price_date:
            faults.append(f"{name}: a price needs a price_date")
        read.append(one)
    if faults:
        raise CardsError(f"{where}: {'; '.join(faults)}.")
    return read
