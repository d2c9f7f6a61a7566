"""What is asked of a model and what it answers: the types every provider speaks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, Protocol

Finish = Literal["stop", "length", "refusal", "content_filter", "other"]
Thinking = Literal["on", "off", "default"]


@dataclass(frozen=True)
class TextPart:
    """A piece of text in a request."""

    text: str


@dataclass(frozen=True)
class PicturePart:
    """A picture in a request, sent as exactly these bytes.

    `label` is the name the text around it uses ("original", "instruction", ...).
    """

    data: bytes
    label: str
    media_type: str = "image/png"

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


Part = TextPart | PicturePart


@dataclass(frozen=True)
class Message:
    """One message of a conversation; `user` unless it repeats what the model said."""

    role: Literal["user", "assistant"]
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Request:
    """One call: messages, an optional system text, and what form the answer should have.

    `schema` is a JSON schema for the reply text (used where the provider can constrain to it).
    `want` says whether the answer is text or a picture.
    """

    messages: tuple[Message, ...]
    system: str = ""
    schema: Mapping[str, Any] | None = None
    want: Literal["text", "picture"] = "text"

    def digest(self) -> str:
        """SHA-256 over all that is sent, pictures by their own hash."""

        def part(p: Part) -> Any:
            if isinstance(p, TextPart):
                return ["text", p.text]
            return ["picture", p.label, p.media_type, p.sha256]

        body = [
            self.system,
            [[m.role, [part(p) for p in m.parts]] for m in self.messages],
            self.schema,
            self.want,
        ]
        text = json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Usage:
    """Tokens and pictures as the provider counts them; None where it does not say. Tokens of
    pictures are part of the input and output tokens, and cost more at some providers."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    thinking_tokens: int | None = None
    cached_tokens: int | None = None
    pictures: int | None = None
    picture_input_tokens: int | None = None
    picture_output_tokens: int | None = None


@dataclass(frozen=True)
class Reply:
    """One acknowledged answer. `raw` is the provider's body, byte for byte (no headers)."""

    text: str
    finish: Finish
    pictures: tuple[bytes, ...] = ()
    thinking: str | None = None
    usage: Usage = field(default_factory=Usage)
    model_id: str | None = None
    notes: tuple[str, ...] = ()
    raw: bytes = b""


@dataclass(frozen=True)
class Settings:
    """Sampling settings of a model; None leaves the provider's default in force."""

    temperature: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    thinking: Thinking = "default"
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    timeout_s: float = 600.0

    def digest(self) -> str:
        """SHA-256 over all that changes what a model answers; the time-out does not."""
        said = asdict(replace(self, timeout_s=0.0))
        text = json.dumps(said, sort_keys=True, separators=(",", ":"), allow_nan=False)
        return hashlib.sha256(text.encode()).hexdigest()


ErrorKind = Literal[
    "rate_limit",  # 429: slow down, retry
    "transient",  # 5xx, cut connection, body that is not JSON, time-out: retry
    "unreachable",  # the host cannot be found or refuses connections: retry a few times
    "auth",  # key missing, wrong or without rights: stop the run
    "not_found",  # no such model: stop the run
    "bad_request",  # the provider refuses this request; retrying changes nothing
    "quota",  # money or quota is used up: stop the run
]


class ProviderError(Exception):
    """A call that brought no reply. The message is a sentence and never holds a key."""

    exit_status = 2
    """What the command line ends with where nothing catches it: a missing key, a wrong model."""

    def __init__(
        self,
        kind: ErrorKind,
        message: str,
        *,
        retry_after_s: float | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(message)
        self.kind: ErrorKind = kind
        self.retry_after_s = retry_after_s
        self.status = status

    @property
    def retryable(self) -> bool:
        return self.kind in ("rate_limit", "transient", "unreachable")

    @property
    def stops_run(self) -> bool:
        return self.kind in ("auth", "not_found", "quota")


class Model(Protocol):
    """A model that can be called. It never retries by itself and holds no state between calls."""

    @property
    def name(self) -> str:
        """`provider/name` as the user wrote it."""

    async def complete(self, request: Request) -> Reply:
        """Send one request. Raises ProviderError when no reply was acknowledged."""

    async def close(self) -> None:
        """Release connections."""


@dataclass(frozen=True)
class ModelCard:
    """What is known of a model. Prices are USD; an unknown price is None, never 0. Tokens of
    pictures cost what other tokens do unless they have a price of their own."""

    name: str
    provider: str
    family: str
    weights: Literal["open", "closed", "unknown"] = "unknown"
    answers: Literal["text", "picture", "both"] = "text"
    input_per_mtok: float | None = None
    output_per_mtok: float | None = None
    picture_input_per_mtok: float | None = None
    picture_output_per_mtok: float | None = None
    per_picture: float | None = None
    price_date: str | None = None
    price_source: str | None = None
    thinking: Literal["none", "switch", "always"] = "none"
    square_scaled_above_px: int | None = None
    """The provider scales square pictures with a longer side down; None where it does not say."""

    def scaling(self, side: int) -> str:
        """What becomes of a square picture of `side` pixels at the provider, as a sentence."""
        limit = self.square_scaled_above_px
        if limit is None:
            return f"Whether {self.name} scales {side} px squares down is not known."
        if side > limit:
            return f"{self.name} scales {side} px squares down to about {limit} px."
        return f"{self.name} takes {side} px squares unscaled."

    @property
    def priced(self) -> bool:
        """Whether the cost of a call can be told: by its tokens, or by its pictures alone."""
        tokens = (self.input_per_mtok, self.output_per_mtok)
        return None not in tokens or (tokens == (None, None) and self.per_picture is not None)

    def cost(self, usage: Usage) -> float | None:
        """USD of one call, or None where a price or a count that it needs is unknown."""
        if not self.priced:
            return None
        total = 0.0
        for count, pictures, price, picture_price in (
            (
                usage.input_tokens,
                usage.picture_input_tokens,
                self.input_per_mtok,
                self.picture_input_per_mtok,
            ),
            (
                usage.output_tokens,
                usage.picture_output_tokens,
                self.output_per_mtok,
                self.picture_output_per_mtok,
            ),
        ):
            if price is None:
                continue
            own = picture_price is not None and picture_price != price
            if (count is None and price) or (own and count != 0 and pictures is None):
                return None
            extra = (picture_price or 0.0) - price if own else 0.0
            total += ((count or 0) * price + (pictures or 0) * extra) / 1e6
        if self.per_picture is not None:
            if usage.pictures is None and self.input_per_mtok is None:
                return None
            total += (usage.pictures or 0) * self.per_picture
        return total
