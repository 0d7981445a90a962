"""Heads, tokens, numbers and counts in words, for sentences: plain text, no markup. Also whole percents, and the
difference of two texts: the words that stayed, and the outcome in one phrase.

The sentences under the views are made in the browser (ui/web/maps/sentence.ts), where hovering needs them;
tests/ui/web/test_sentences.py compares the names of both.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, Literal

import numpy as np

from core.analysis.contributions import PREFIX_LABEL, SOURCE_LABEL
from core.errors import InputError
from core.language import counted, localised, message, plural, tr
from core.tokenizer.piece import END_LABEL, PADDING_LABEL, START_LABEL, UNKNOWN_LABEL


def whole_percents(shares: Sequence[float]) -> list[int]:
    """Shares as integer percents that sum to the rounded sum of the shares (largest-remainder method, Hamilton 1792).

    Each share `(n,)` is rounded down, and the missing points go to those with the largest remainders. Raises InputError
    for negative or infinite shares.
    """
    exact = 100 * np.asarray(shares, dtype=np.float64).reshape(-1)
    if not np.isfinite(exact).all() or (exact < 0).any():
        raise InputError("Shares of a whole are finite numbers, none of them below 0.")
    percents = np.floor(exact + 1e-9).astype(int)
    missing = round(float(exact.sum())) - int(percents.sum())
    for index in np.argsort(percents - exact, kind="stable")[:missing]:
        percents[index] += 1
    return [int(each) for each in percents]


WordRun = tuple[Literal["same", "missing", "extra"], str]


def word_difference(before: str, after: str) -> list[WordRun]:
    """Runs of words, cut at spaces: the same, missing (only in `before`) and extra (only in `after`)."""
    wanted, given = before.split(), after.split()
    runs: list[WordRun] = []
    for kind, a, b, c, d in SequenceMatcher(None, wanted, given, autojunk=False).get_opcodes():
        if kind == "equal":
            runs.append(("same", " ".join(wanted[a:b])))
            continue
        runs += [("missing", " ".join(wanted[a:b]))] if a < b else []
        runs += [("extra", " ".join(given[c:d]))] if c < d else []
    return runs


_SPECIAL: Final = {
    START_LABEL: message("the start token"),
    END_LABEL: message("the end token"),
    PADDING_LABEL: message("padding"),
    UNKNOWN_LABEL: message("an unknown token"),
    PREFIX_LABEL: message("the words before"),
    SOURCE_LABEL: message("the source"),
}


def subject(
    layer: int | None,
    head: int | None,
    how: Literal["mean", "max"] = "mean",
    heads: int | None = None,
    layers: int | None = None,
) -> str:
    """The heads of a sentence in words: “head 2.3”, “the mean of 8 heads in layer 3”, “the strongest of all heads”. From 0."""
    if layer is not None and head is not None:
        return tr("head {name}", name=f"{layer}.{head}")
    total = heads * layers if heads is not None and layers is not None else None
    counted_heads = how_many(total if layer is None else heads, "head")
    if layer is not None:
        text = _IN_LAYER[how]
    elif head is not None:
        text = _OF_HEAD[how]
    else:
        text = _OF_ALL[how]
    return tr(text, heads=counted_heads, layer=layer, head=head, layers=how_many(layers, "layer"))


_IN_LAYER: Final = {
    "mean": message("the mean of {heads} in layer {layer}"),
    "max": message("the strongest of {heads} in layer {layer}"),
}
_OF_HEAD: Final = {
    "mean": message("the mean of head {head} in {layers}"),
    "max": message("the strongest of head {head} in {layers}"),
}
_OF_ALL: Final = {"mean": message("the mean of {heads}"), "max": message("the strongest of {heads}")}
_ALL: Final = {"head": message("all heads"), "layer": message("all layers")}


def quoted(label: str) -> str:
    """A token in a sentence: “dog”, or words for a special one.

    A right-to-left label is isolated so that it does not reorder the sentence around it.
    """
    return tr(_SPECIAL[label]) if label in _SPECIAL else tr("“{word}”", word=isolated(label))


def capitalised(sentence: str) -> str:
    """A sentence or title that may begin with words for a special token: “The end token falls most”."""
    return sentence[:1].upper() + sentence[1:]


def joined(names: Sequence[str]) -> str:
    """“a, b and c”."""
    if len(names) < 2:
        return "".join(names)
    return tr("{names} and {last}", names=", ".join(names[:-1]), last=names[-1])


def power_of_ten(power: int) -> str:
    """“10⁶” in letters as large as any other; 10 and 100 in digits."""
    small = str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return str(10**power) if 0 <= power <= 2 else f"10{small}"


def row_name(read: str, written: str) -> str:
    """A decoder row by the token it reads and the one it writes: “reads le → writes canapé”."""
    return tr("reads {read} → writes {written}", read=isolated(read), written=isolated(written))


def isolated(label: str) -> str:
    """A label for use among other words; a right-to-left one is isolated so that it does not reorder them."""
    turns = any(unicodedata.bidirectional(character) in ("R", "AL", "AN") for character in label)
    return f"\u2068{label}\u2069" if turns else label


def decimal(value: float, digits: int = 2, *, plus: bool = False) -> str:
    """A number for readers: “−0.31”, with `plus` “+0.31”. A number that rounds to zero has no sign."""
    return localised(exact(value, digits, plus=plus))


def exact(value: float, digits: int = 2, *, plus: bool = False) -> str:
    """The same with a decimal point in every language, for what is also exported."""
    return _signed(f"{value:{'+' if plus else ''}.{digits}f}")


def minus(written: str) -> str:
    """A number formatted by Python with a proper minus sign, for readers: “−0.31”, “2e−7”; zero has no sign."""
    return localised(_signed(written))


def _signed(written: str) -> str:
    return written.lstrip("+-") if float(written) == 0 else written.replace("-", "−")


def how_many(number: int | None, noun: str) -> str:
    """“1 head”, “8 heads”, “1,326 sentences”; None: “all heads” or “all layers”. For readers only: file names have plain digits."""
    return tr(_ALL[noun]) if number is None else plural(*counted(noun), number)


def key_names(labels: Sequence[str]) -> list[str]:
    """Quoted labels; a label that occurs more than once is followed by its token number, counted from 1."""
    often = Counter(labels)
    return [
        tr("{word} (token {number})", word=quoted(label), number=number)
        if often[label] > 1
        else quoted(label)
        for number, label in enumerate(labels, start=1)
    ]


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
    pairs = _common([word[0] for word in first], [word[0] for word in second])
    first_words = _words(before, first, {n for n, _ in pairs})
    second_words = _words(after, second, {n for _, n in pairs})
    return Rewriting(first_words, second_words)


def _common(first: Sequence[str], second: Sequence[str]) -> list[tuple[int, int]]:
    """Where the most words stand in both in one order, as pairs of places: a longest common subsequence."""
    longest = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]  # of what follows each pair of places
    for a in reversed(range(len(first))):
        for b in reversed(range(len(second))):
            if first[a] == second[b]:
                longest[a][b] = longest[a + 1][b + 1] + 1
            else:
                longest[a][b] = max(longest[a + 1][b], longest[a][b + 1])
    pairs, a, b = [], 0, 0
    while a < len(first) and b < len(second):
        if first[a] == second[b]:
            pairs.append((a, b))
            a, b = a + 1, b + 1
        elif longest[a + 1][b] >= longest[a][b + 1]:
            a += 1
        else:
            b += 1
    return pairs


def words_changed(before: str, after: str) -> int:
    """Words that change from one text to the other: those of the text that has more that the other lacks.

    Punctuation does not count, as on a page that marks the same words.
    """
    change = rewriting(before, after)
    return max(
        sum(not word.same and any(map(str.isalnum, word.text)) for word in line)
        for line in (change.before, change.after)
    )


def _words(text: str, matches: Sequence[re.Match[str]], same: set[int]) -> tuple[Word, ...]:
    return tuple(
        Word(match[0], n in same, match.start() > 0 and text[match.start() - 1].isspace())
        for n, match in enumerate(matches)
    )
