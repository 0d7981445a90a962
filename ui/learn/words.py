"""The texts of the lesson panel and the Lessons page, by language; `words.toml` beside the lessons translates them."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from core.errors import InputError

LONGEST: Final = 200


@dataclass(frozen=True)
class Words:
    """What stands on the panel; a language that leaves one out has it in English. `{n}` and the like are filled in."""

    name: str = "English"
    decimal: str = "."
    lesson: str = "Lesson"
    step_of: str = "Step {n} of {count}"
    next: str = "Next"
    back: str = "Back"
    done: str = "All lessons"
    close: str = "Close the lesson"
    fold: str = "Fold the text away"
    unfold: str = "Show the text"
    again: str = "Show this step's view again"
    predict: str = "Before you look: what do you think?"
    yours: str = "your answer"
    model: str = "This model says {value}."
    right: str = "As you said."
    wrong: str = "Not as you said."
    neither: str = "None of the answers holds for this model."
    waiting: str = "The model is loading …"
    computed: str = "computed just now, by the model in use"
    keys: str = "Keys: N next, P back, 1 to 5 answer"
    minutes: str = "{n} minutes"
    steps: str = "{n} steps"
    begin: str = "begin"
    links: str = "links"
    title: str = "Lessons, each beside the real thing"
    about: str = (
        "Every step opens the page it speaks of, with the model and the sentence in use; every number is computed as you "
        "read. The address bar holds the step: copy it to hand it out."
    )
    handout: str = "A link opens its step for whoever has it."
    tour: str = "A tour in three steps"
    offer: str = "New here? Three steps show what there is."
    take: str = "show me"
    no: str = "no, thanks"
    language: str = "Language of the lessons"
    own: str = "Files that could not be read"


ENGLISH: Final = Words()
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
