"""The words of the lesson panel and the shelf: those of the app, or of the `words.toml` beside lessons in another language."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from core.errors import InputError
from core.language import language, languages, message, tr

LONGEST: Final = 200


@dataclass(frozen=True)
class Words:
    """What is written on the panel and the shelf; a `words.toml` that leaves one out has it in English. `{n}` and the like
    are filled in by `fill`.
    """

    name: str = "English"
    decimal: str = "."
    lesson: str = message("Lesson")
    step_of: str = message("Step {n} of {count}")
    next: str = message("Next")
    back: str = message("Back")
    done: str = message("All lessons")
    close: str = message("Close the lesson")
    fold: str = message("Fold the text")
    unfold: str = message("Show the text")
    again: str = message("Show the view of this step again")
    predict: str = message("Choose an answer to lift the cover")
    yours: str = message("your answer")
    model: str = message("This model gives {value}.")
    measured: str = message("Measured here: {value}.")
    right: str = message("That was your answer.")
    wrong: str = message("You answered otherwise.")
    neither: str = message("None of the answers holds for this model.")
    waiting: str = message("The model is loading …")
    computed: str = message("Computed just now, by the model in use")
    keys: str = message("Keys: N next, P back, 1 to 5 answer")
    minutes: str = message("{n} minutes")
    steps: str = message("{n} steps")
    begin: str = message("Begin")
    links: str = message("Links")
    title: str = message("Lessons")
    about: str = message(
        "Each step shows one picture, computed by the model as you read, and asks before it shows"
    )
    handout: str = message("One link for each step. Copy them to hand them out.")
    tour: str = message("New here? Take the tour in three steps.")
    offer: str = message("New here? Take the three-step tour.")
    take: str = message("Start the tour")
    no: str = message("No, thanks")
    own: str = message("Files that could not be read")


ENGLISH: Final = Words()


def in_use() -> Words:
    """The words in the language in use, from the catalogue of the app."""
    from babel.numbers import get_decimal_symbol

    own = {"name": languages()[language()], "decimal": get_decimal_symbol(language())}
    kept = {each.name: tr(str(each.default)) for each in dataclasses.fields(Words) if each.name not in own}
    return Words(**kept, **own)


_PLACEHOLDER: Final = re.compile(r"\{(\w*)\}")


def fill(words: str, **values: object) -> str:
    """Fill placeholders: `fill("Step {n}", n=3)`; one without a value stays as it is."""
    return _PLACEHOLDER.sub(lambda match: str(values.get(match[1], match[0])), words)


def read_words(table: Mapping[str, Any], file: str) -> Words:
    """The texts of a language. Raises `InputError`, one sentence that names the file, the key and what is allowed."""
    known = {field.name: str(field.default) for field in dataclasses.fields(Words)}
    for key, value in table.items():
        if key not in known:
            raise InputError(f"{file}: the key {key[:60]!r} was found; allowed: {', '.join(known)}.")
        longest = max(LONGEST, 2 * len(known[key]))
        if not isinstance(value, str) or not 1 <= len(value) <= longest or any(sign < " " for sign in value):
            raise InputError(
                f"{file}: {key} = {str(value)[:40]!r} was found; allowed: a line of 1 to {longest} characters."
            )
        if set(_PLACEHOLDER.findall(value)) != set(_PLACEHOLDER.findall(known[key])):
            raise InputError(
                f"{file}: {key} = {value[:60]!r} was found; allowed: the places of {known[key]!r}."
            )
    return Words(**table)
