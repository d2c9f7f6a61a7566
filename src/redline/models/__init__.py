"""Models that edit or judge: one protocol, one file a provider.

`open_model` turns a name into a model; `card` says what is known of it. Providers make a single
attempt a call and hold no state: retries, limits, budget and caching are put around them by run.
"""

from redline.models.cards import CardsError, card, cards, family
from redline.models.keys import keys_present
from redline.models.names import ModelNameError
from redline.models.opening import open_model, program_identity
from redline.models.protocol import (
    ErrorKind,
    Finish,
    Message,
    Model,
    ModelCard,
    Part,
    PicturePart,
    ProviderError,
    Reply,
    Request,
    Settings,
    TextPart,
    Thinking,
    Usage,
)

__all__ = [
    "CardsError",
    "ErrorKind",
    "Finish",
    "Message",
    "Model",
    "ModelCard",
    "ModelNameError",
    "Part",
    "PicturePart",
    "ProviderError",
    "Reply",
    "Request",
    "Settings",
    "TextPart",
    "Thinking",
    "Usage",
    "card",
    "cards",
    "family",
    "keys_present",
    "open_model",
    "program_identity",
]
