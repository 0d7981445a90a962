"""What an example sentence shows of translation: another order, a negation, a name, a number or a time, a question.

From the sentence and its translation as text, and from word links where there are some. Nothing here judges the
translation; it says only what there is to look at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from core.analysis.alignment import Link

TOLD: Final[Mapping[str, str]] = {
    "order": "another word order",
    "agreement": "agreement",
    "negation": "negation",
    "name": "a name",
    "number": "a number or a time",
    "question": "a question",
}
"""What an example can show → in words. A card may name them itself, under `shows` of an example."""

_NEGATIONS: Final[Mapping[str, frozenset[str]]] = {
    "en": frozenset(["not", "never", "no", "nobody", "nothing", "cannot"]),
    "de": frozenset(
        ["nicht", "nie", "niemals", "kein", "keine", "keinen", "keinem", "keiner", "nichts", "niemand"]
    ),
    "fr": frozenset(["ne", "jamais", "rien", "personne"]),
}
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def shown(source: str, translation: str, language: str = "", links: Iterable[Link] = ()) -> tuple[str, ...]:
    """Names of `TOLD` that hold, in their order. `language` is the source's, "en"; `links` (source word, target word)."""
    words = _WORD.findall(source)
    asks = source.rstrip().endswith(("?", "？", "؟"))
    held = {
        "order": not asks and reordered(links),  # a question turns verb and subject in most languages anyway
        "negation": _negates(words, language),
        "name": any(_is_name(word, translation) for word in words[1:]),
        "number": any(char.isdigit() for char in source) and any(char.isdigit() for char in translation),
        "question": asks,
    }
    return tuple(name for name in TOLD if held.get(name))


def reordered(links: Iterable[Link]) -> bool:
    """Whether two neighbouring source words, each with one link, are written as neighbours the other way round."""
    targets: dict[int, list[int]] = {}
    for first, second in links:
        targets.setdefault(first, []).append(second)
    alone = {first: found[0] for first, found in targets.items() if len(found) == 1}
    return any(alone[place] == alone.get(place + 1, -1) + 1 for place in alone if place + 1 in alone)


def _negates(words: Sequence[str], language: str) -> bool:
    plain = [word.casefold().replace("’", "'") for word in words]
    known = _NEGATIONS.get(language.casefold()[:2], frozenset())
    return any(word in known or (language.startswith("en") and word.endswith("n't")) for word in plain)


def _is_name(word: str, translation: str) -> bool:
    """A capitalised word that is written alike in the translation; “I” is none."""
    return len(word) > 1 and word[0].isupper() and word in _WORD.findall(translation)


def stated(example: Mapping[str, Any]) -> tuple[str, ...] | None:
    """What a card says that an example shows, as far as it is known; None where it says nothing. Never raises."""
    listed = example.get("shows")
    if not isinstance(listed, list):
        return None
    return tuple(name for name in TOLD if name in [each for each in listed if isinstance(each, str)])


def varied(
    examples: Sequence[tuple[str, Sequence[str]]], count: int, longest: int, first: str = ""
) -> list[str]:
    """`count` of the examples (text, what it shows) that together show as much as can be, `first` among them.

    Taken one after the other: the one that shows most of what is not shown yet, the first of equals; texts of at most
    `longest` characters before longer ones.
    """
    left = [each for each in examples if each[0] != first]
    taken = [first] if first else []
    seen = {name for text, shows in examples if text == first for name in shows}
    while left and len(taken) < count:
        best = max(left, key=lambda each: (len(each[0]) <= longest, len(set(each[1]) - seen)))
        left.remove(best)
        seen |= set(best[1])
        taken.append(best[0])
    return taken
