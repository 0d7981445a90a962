"""What became of a text that was written again: which words stayed, and the one outcome that says it. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, Literal

Outcome = Literal[
    "same",
    "nothing",
    "repeats",
    "omits",
    "adds",
    "replaces",
    "changes",
    "other language",
    "other topic",
    "other",
]
_WORD: Final = re.compile(r"\w+(?:['’]\w+)*['’]?|[^\w\s]")
_LONG: Final = 4
"""Letters of a word that is more than an article or a preposition, by length alone."""
_REPEATS: Final = 3
_PHRASE: Final = 3  # words that are named in a title
_SENTENCE: Final = 3  # words of which a text is at least about something
_UNIT: Final = 6  # words of the longest phrase that is looked for as a repetition


@dataclass(frozen=True)
class Word:
    """A word or a mark of one of two texts; `spaced`: a space stands before it."""

    text: str
    same: bool
    spaced: bool


@dataclass(frozen=True)
class Rewriting:
    """Two texts word by word, each word marked where the other text has it in the same order."""

    before: tuple[Word, ...]
    after: tuple[Word, ...]

    @property
    def kept(self) -> tuple[str, ...]:
        """The words that both texts have, in their order."""
        return tuple(word.text for word in self.before if word.same)

    @property
    def lost(self) -> tuple[str, ...]:
        """The words that only the first text has."""
        return tuple(word.text for word in self.before if not word.same)

    @property
    def new(self) -> tuple[str, ...]:
        """The words that only the second text has."""
        return tuple(word.text for word in self.after if not word.same)

    @property
    def repeated(self) -> str:
        """The phrase that stands three or more times in a row at some place of the second text; empty without one."""
        words = [word.text.casefold() for word in self.after]
        for length in range(1, _UNIT + 1):
            for start in range(len(words) - _REPEATS * length + 1):
                unit = words[start : start + length]
                if unit * _REPEATS == words[start : start + _REPEATS * length] and any(
                    map(str.isalpha, unit)
                ):
                    return " ".join(unit)
        return ""

    def outcome(self, whole_words: bool = False) -> Outcome:
        """What the second text is beside the first.

        `whole_words`: each word of the second text is one token of the vocabulary, and with that a word of its language.
        Two thirds of the longer text kept is a change of words. Below, "other topic" means that two sentences have no
        word of four or more letters in common, and "other language" that it is so in whole words of the language.
        """
        if not self.lost and not self.new:
            return "same"
        if not self.after:
            return "nothing"
        if self.repeated:
            return "repeats"
        if not self.lost or not self.new:
            return "omits" if self.lost else "adds"
        if 3 * len(self.kept) >= 2 * max(len(self.before), len(self.after)):
            runs = _runs(self.before), _runs(self.after)
            short = max(len(self.lost), len(self.new)) <= _PHRASE
            return "replaces" if runs == (1, 1) and short else "changes"
        long = {
            word.text.casefold() for word in self.before if len(word.text) >= _LONG and word.text.isalpha()
        }
        sentence = len(self.before) >= _SENTENCE
        if sentence and long and not long & {word.text.casefold() for word in self.after}:
            return "other language" if whole_words else "other topic"
        return "other"


def _runs(words: Sequence[Word]) -> int:
    """Runs of words that are not in the other text."""
    return sum(not word.same and (n == 0 or words[n - 1].same) for n, word in enumerate(words))


def rewriting(before: str, after: str) -> Rewriting:
    """The two texts word by word, punctuation marks on their own."""
    first, second = ([*_WORD.finditer(text)] for text in (before, after))
    matcher = SequenceMatcher(None, [m[0] for m in first], [m[0] for m in second], autojunk=False)
    same: tuple[set[int], set[int]] = (set(), set())
    for a, b, size in matcher.get_matching_blocks():
        same[0].update(range(a, a + size))
        same[1].update(range(b, b + size))
    first_words, second_words = _words(before, first, same[0]), _words(after, second, same[1])
    return Rewriting(first_words, second_words)


def _words(text: str, matches: Sequence[re.Match[str]], same: set[int]) -> tuple[Word, ...]:
    return tuple(
        Word(match[0], n in same, match.start() > 0 and text[match.start() - 1].isspace())
        for n, match in enumerate(matches)
    )
