"""What is unusual about a sentence and its translation, in one sentence; nothing where nothing is.

It asks for no pass of its own (core/analysis/familiarity.py has the thresholds).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from core.analysis import familiarity
from core.analysis.familiarity import Word
from core.analysis.maps import word_groups
from core.errors import AtlasError
from core.tokenizer import Tokenizer
from ui.shared import checkpoints, context
from ui.shared.checkpoints import Entry
from ui.shared.context import DecodeView

_WITHOUT_PIECES: Final = ("chars", "plain")  # tokenizers that cut every word alike


def words_of(tokenizer: Tokenizer, ids: Iterable[int]) -> list[Word]:
    """The words of a source as the tokenizer splits them, without special tokens."""
    listed = list(ids)
    numbers = tokenizer.words(listed)
    words = []
    for group in word_groups(numbers):
        if numbers[group[0]] < 0:
            continue
        pieces = [listed[index] for index in group]
        counts = [count for piece in pieces if (count := tokenizer.frequency(piece)) is not None]
        words.append(Word(tokenizer.joined(pieces).strip(), len(pieces), min(counts, default=None)))
    return words


def sentence(shown: DecodeView) -> str:
    """The first of these that holds, in words: pieces the model does not know, words unlike its training text, more tokens
    than it was trained on, far less confidence than usual. Empty where none does.
    """
    decode, card = shown.decode, shown.entry.usable.card
    tokens = len(decode.trace.source_ids)
    return (
        familiarity.unknown_words(decode.unknown)
        or _strange(shown)
        or familiarity.length_sentence(tokens, familiarity.longest_source(card))
        or _confidence(shown, familiarity.card_quantiles(card, tokens))
    )


def _strange(shown: DecodeView) -> str:
    """One sentence about source words that are far from the training text; empty if there are none."""
    entry = shown.entry
    tokenizer = entry.tokenizers[0]
    if tokenizer.family in _WITHOUT_PIECES:
        return ""

    def examples() -> list[Word]:
        return [word for text in entry.examples for word in words_of(tokenizer, tokenizer.encode(text))]

    known = context.kept(entry, "example words", examples)
    words = words_of(tokenizer, shown.decode.trace.source_ids)
    return familiarity.strange_sentence(familiarity.strange_words(words, known))


def _confidence(shown: DecodeView, quantiles: Mapping[str, float]) -> str:
    """One sentence where the translation is far less likely than usual.

    A card's figures are of finished greedy translations, so others, and those with forced words, are not compared.
    """
    decode = shown.decode
    if decode.strategy != "greedy" or decode.forced or not decode.finished or not decode.scored:
        return ""
    return familiarity.confidence_sentence(decode.log_probability / len(decode.scored), quantiles)


def better_reader(shown: DecodeView) -> tuple[Entry, str] | None:
    """Another checkpoint that reads the language of this sentence, and that language; None where this one does.

    None also where the card of this one names no language: it may be the same.
    """
    ours, text = shown.entry, shown.decode.source_text
    if ours.tokenizers[0].family in _WITHOUT_PIECES or not _source_language(ours):
        return None
    words = len(text.split())
    pieces = len(context.read_text(ours, text).ids)
    if not familiarity.reads_better(words, pieces, 0):
        return None
    for entry in checkpoints.entries():
        code = _source_language(entry)
        if entry.problem or not code or code == _source_language(ours):
            continue
        try:
            tokenizer = entry.tokenizers[0]
            theirs = len(context.read_text(entry, text).ids)
        except AtlasError:
            continue
        if tokenizer.family not in _WITHOUT_PIECES and familiarity.reads_better(words, pieces, theirs):
            return entry, checkpoints.language_in_words(code) or code
    return None


def _source_language(entry: Entry) -> str:
    return entry.languages.split(" → ")[0]
