"""Invented names to copy, so that a model learns to spell names it has never read."""

from __future__ import annotations

import random
import string
from collections import defaultdict
from collections.abc import Iterable

from core.training.tasks.sequences import hashed_split

ENOUGH_NAMES = 50
"""Shorter lists have too few spellings of their own to derive others from."""
INITIAL_VOWELS = "aeiouàâäéèêëîïôöùûü"

_ONSETS = [
    "b",
    "br",
    "c",
    "ch",
    "d",
    "dr",
    "f",
    "fr",
    "g",
    "gr",
    "j",
    "k",
    "kr",
    "l",
    "m",
    "n",
    "p",
    "pr",
    "r",
    "s",
    "sh",
    "st",
    "t",
    "tr",
    "v",
    "w",
    "z",
]
_VOWELS = ["a", "e", "i", "o", "u", "ai", "ea", "ee", "ia", "io", "ou"]
_CODAS = ["", "", "", "", "", "", "l", "m", "n", "n", "r", "s", "t", "x"]
_ENDS = [
    "a",
    "e",
    "i",
    "o",
    "u",
    "an",
    "el",
    "en",
    "er",
    "in",
    "is",
    "on",
    "ski",
    "son",
    "stein",
    "ov",
    "ova",
    "ez",
]


def invented_name(rng: random.Random, *, vowel: bool = False) -> str:
    """One capitalised word of two to four syllables that begins with a consonant, or with a vowel."""
    start = rng.choice("aeiou") + rng.choice(_CODAS) if vowel else ""
    syllables = [
        rng.choice(_ONSETS) + rng.choice(_VOWELS) + rng.choice(_CODAS)
        for _ in range(rng.choices((1, 2, 3), weights=(6, 3, 1))[0])
    ]
    end = rng.choice(_ONSETS) + rng.choice(_ENDS) if rng.random() < 0.6 else ""
    return (start + "".join(syllables) + end).capitalize()


class Spelling:
    """Names spelled like those of a list but not on it: each letter is drawn by the two before it."""

    def __init__(self, names: Iterable[str]) -> None:
        self._known = {name.lower() for name in names}
        self._next: dict[str, list[str]] = defaultdict(list)
        for name in sorted(self._known):
            if name.isalpha():
                letters = f"^^{name}$"
                for at in range(2, len(letters)):
                    self._next[letters[at - 2 : at]].append(letters[at])

    def draw(self, rng: random.Random, *, vowel: bool = False) -> str:
        """One capitalised word of three to eleven letters that begins with a consonant, or with a vowel."""
        for _ in range(50 if len(self._known) >= ENOUGH_NAMES else 0):
            letters = "^^"
            while letters[-1] != "$" and len(letters) < 14:
                letters += rng.choice(self._next[letters[-2:]])
            word = letters[2:].rstrip("$")
            # French elides before some h and y and not before others.
            if (
                letters[-1] == "$"
                and len(word) >= 3
                and (word[0] in INITIAL_VOWELS) == vowel
                and word[0] not in "hy"
                and word not in self._known
            ):
                return word.capitalize()
        return invented_name(rng, vowel=vowel)


class Names:
    """One to three invented names, which the answer repeats."""

    name = "names"
    source_alphabet = target_alphabet = string.ascii_letters + " .-"

    def generate(self, rng: random.Random) -> tuple[str, str]:
        words = [
            invented_name(rng, vowel=rng.random() < 0.2)
            for _ in range(rng.choices((1, 2, 3), weights=(4, 5, 1))[0])
        ]
        if rng.random() < 0.1:
            words[0] += "-" + invented_name(rng)
        text = " ".join(words) + rng.choice(("", "", "."))
        return text, text

    def split(self, target: str) -> str:
        return hashed_split(target)
