"""The errors a user can cause.

Every message is one sentence that says what was given, what is allowed and what to do, so that the
command line and the pages can show it as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Self

LONGEST: Final = 300
"""Characters of one message. It may quote a file of any size, so it has to be bounded."""
_END: Final = 110  # characters kept of its end, which says what to do


class AtlasError(ValueError):
    """Base of every mistake a user can make. Its message is one line of at most LONGEST characters."""

    def __init__(self, message: object = "") -> None:
        super().__init__(one_sentence(message))

    @classmethod
    def tr(cls, sentence: str, **values: Any) -> Self:
        """The error whose message is `core.language.tr` of these arguments."""
        from core.language import tr

        return cls(tr(sentence, **values))


class ConfigError(AtlasError):
    """A model or training option has a value that is not allowed."""


class InputError(AtlasError):
    """A sentence, token or file given as input cannot be used."""


class CheckpointError(AtlasError):
    """A checkpoint folder cannot be read, or its files do not fit together."""


class TrainingError(AtlasError):
    """Training cannot start or continue as configured."""


def listed(names: Sequence[str], most: int = 3, longest: int | None = 80) -> str:
    """The first `most` names, each cut to `longest` characters, and how many more there are: "a, b, c and 6 more"."""
    from core.language import numeral, tr

    more = tr(" and {count} more", count=numeral(len(names) - most)) if len(names) > most else ""
    return ", ".join(name[:longest] for name in names[:most]) + more


def one_sentence(message: object, longest: int = LONGEST) -> str:
    """A message as one line of at most `longest` characters; a longer one loses its middle."""
    text = str(message)
    if len(text) > longest:
        end = min(_END, longest // 3)
        text = f"{text[: longest - end - 3]} … {text[-end:]}"
    return " ".join(text.split()) if "\n" in text or "\r" in text else text
