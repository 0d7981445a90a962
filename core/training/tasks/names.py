"""Names nobody has: copied as they are, so that a model learns to spell what it has never read."""

from __future__ import annotations

import random
import string

from core.training.tasks.sequences import hashed_split

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


class Names:
    """One to three invented names, and the same again."""

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
