"""Errors that are told to the user as a sentence, and how a sentence is made safe to show."""

import unicodedata


class UserError(Exception):
    """Something the user can mend: what, where and what to do, as a sentence.

    `exit_status` is what the command line ends with: 2 for wrong usage, configuration or faults
    found, 1 where the machine gave out (full disk).
    """

    exit_status = 2


def plain(text: str) -> str:
    """`text` as it may go to a terminal: characters that steer one (escape sequences and other
    control characters, marks that turn the direction of writing) become spaces; line ends stay."""
    return "".join(
        c if c == "\n" or unicodedata.category(c) not in ("Cc", "Cf", "Cs") else " " for c in text
    )
