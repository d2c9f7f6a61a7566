"""What calls may cost: an estimate before each, a hard limit over all."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

from redline.models.cards import own_cards_file
from redline.models.protocol import ModelCard, Request, Settings, TextPart
from redline.models.settings_file import as_written
from redline.run.errors import BudgetUnknown
from redline.run.options import Role

TOKENS_PER_PICTURE = 1600
"""A picture of about 1024 px costs 765 to 1,600 tokens at the large providers; the most."""
CHARACTERS_PER_TOKEN = 3.0
"""English runs at about four characters a token, TikZ code at about three."""
OUTPUT_TOKENS = 4096
"""Guess for a reply when no max_tokens is set and no longer one was seen."""
LONGEST_OUTPUT_TOKENS = 131_072
"""The most that any large provider lets a reply have: what a longer one says of itself is not
believed of the next."""


@dataclass(frozen=True)
class Estimate:
    """What a call may take at most, as far as can be told before it; USD None if unpriced."""

    tokens: int
    usd: float | None


def estimate(card: ModelCard, settings: Settings, request: Request, seen: int = 0) -> Estimate:
    """Tokens and USD of a request. `seen`: the longest reply of this model so far, in tokens."""
    texts, pictures = len(request.system), 0
    for message in request.messages:
        for part in message.parts:
            if isinstance(part, TextPart):
                texts += len(part.text)
            else:
                pictures += 1
    given = int(texts / CHARACTERS_PER_TOKEN) + pictures * TOKENS_PER_PICTURE
    answer = settings.max_tokens or min(max(seen, OUTPUT_TOKENS), LONGEST_OUTPUT_TOKENS)
    if not card.priced:
        return Estimate(given + answer, None)
    dear_in = max(card.input_per_mtok or 0.0, card.picture_input_per_mtok or 0.0)
    dear_out = card.output_per_mtok or 0.0
    usd = 0.0
    if request.want == "picture":
        dear_out = max(dear_out, card.picture_output_per_mtok or 0.0)
        usd = card.per_picture or 0.0
    usd += (given * dear_in + answer * dear_out) / 1e6
    return Estimate(given + answer, usd)


def output_note(role: Role) -> str | None:
    """What a user should know where the length of replies is not limited."""
    if role.settings.max_tokens is not None or not role.card.output_per_mtok:
        return None
    return (
        f"No max_tokens is set for {role.model.name}: what a call may cost rests on a guess, that "
        f"its reply is no longer than {OUTPUT_TOKENS} tokens or the longest one seen. A longer one "
        "can pass the budget."
    )


def check_prices(budget: float | None, cards: Iterable[ModelCard]) -> None:
    """A budget needs prices. Raises BudgetUnknown, which says what to write and where."""
    unknown = sorted({card.name for card in cards if not card.priced})
    if budget is not None and unknown:
        raise BudgetUnknown(
            f"The price of {' and '.join(unknown)} is not known, so a budget cannot be kept. "
            f"Leave --budget out, or write into {as_written(own_cards_file())}, with prices in USD "
            "(0 for a server of your own; docs/files-of-your-own.md):\n"
            + "\n".join(_PRICES.format(name=name) for name in unknown)
        )


# No number stands in for a price: it could be taken for one.
_PRICES = """[[model]]
name = "{name}"
input_per_mtok = PRICE_OF_A_MILLION_TOKENS
output_per_mtok = PRICE_OF_A_MILLION_TOKENS
price_date = "YEAR-MONTH-DAY\""""


class BudgetReached(Exception):
    """The next call could cost more than what is left."""


class Budget:
    """Money already spent and money that calls in flight may cost, against a limit in USD."""

    def __init__(self, limit: float | None, spent: float) -> None:
        self.limit = limit
        self.spent = spent
        self.reserved = 0.0
        self._in_flight = 0
        self._changed = asyncio.Event()

    async def reserve(self, usd: float) -> None:
        """Set `usd` aside for a call; `settle` must follow. Waits while calls in flight may
        still turn out cheaper than feared. Raises BudgetReached."""
        while self.limit is not None and self.spent + self.reserved + usd > self.limit + 1e-12:
            if not self._in_flight:
                raise BudgetReached(
                    f"The budget of {self.limit:.2f} USD is used up: {self.spent:.4f} USD are "
                    f"spent or may have been billed, and the next call could cost {usd:.4f} USD. "
                    "Raise --budget and start the same command again to go on."
                )
            await self._changed.wait()
        self.reserved += usd
        self._in_flight += 1

    def settle(self, reserved: float, cost: float) -> None:
        """A call ended: its reserve is free again and its cost is spent."""
        self.reserved -= reserved
        self._in_flight -= 1
        self.spent += cost
        self._changed.set()
        self._changed = asyncio.Event()
