"""The strip under a translation: how likely it is, where it came from, and source words far from the training text.

Measured once per decode, after the stage is drawn (core/analysis/familiarity.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from core.analysis import familiarity as analysis
from core.analysis.contributions import TROUBLES
from core.analysis.familiarity import Trouble, Word, card_quantiles, strange_words
from core.analysis.maps import word_groups
from core.analysis.readout import quoted
from core.errors import AtlasError
from core.language import message, tr
from core.tokenizer import Tokenizer
from ui.shared import checkpoints, context, contributions, models
from ui.shared.checkpoints import Entry
from ui.shared.context import DecodeView
from ui.shared.decode import Decode

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


def strange(shown: DecodeView) -> str:
    """One sentence about source words that are far from the training text; empty if there are none."""
    entry = shown.entry
    tokenizer = entry.tokenizers[0]
    if tokenizer.family in _WITHOUT_PIECES:
        return ""

    def examples() -> list[Word]:
        return [word for text in entry.examples for word in words_of(tokenizer, tokenizer.encode(text))]

    known = context.kept(entry, "example words", examples)
    rare = strange_words(words_of(tokenizer, shown.decode.trace.source_ids), known)
    if not rare:
        return ""
    listed = ", ".join(f"{quoted(word.text)} {reason}" for word, reason in rare[:3])
    if len(rare) > 3:
        return tr("Unlike the training text: {words}, and {count} more.", words=listed, count=len(rare) - 3)
    return tr("Unlike the training text: {words}.", words=listed)


_LANGUAGES: Final = {"en": message("English"), "de": message("German"), "fr": message("French")}


def better_reader(shown: DecodeView) -> tuple[Entry, str] | None:
    """Another checkpoint that reads the language of this sentence, and that language; None where this one does."""
    ours, text = shown.entry, shown.decode.source_text
    if ours.tokenizers[0].family in _WITHOUT_PIECES:
        return None
    words = len(text.split())
    pieces = len(context.read_text(ours, text).ids)
    if not analysis.reads_better(words, pieces, 0):
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
        if tokenizer.family not in _WITHOUT_PIECES and analysis.reads_better(words, pieces, theirs):
            return entry, tr(_LANGUAGES[code]) if code in _LANGUAGES else code
    return None


def _source_language(entry: Entry) -> str:
    return entry.languages.split(" → ")[0]


OMISSION_LIMIT: Final = 60_000
"""Token vectors through the model: a few seconds on one core."""


def has_strip(decode: Decode) -> bool:
    """Whether there is a finished translation to speak of."""
    return decode.finished and bool(decode.scored)


def trouble(shown: DecodeView) -> Trouble:
    """What speaks against this translation; without the model only how likely it was."""
    if not shown.is_loaded:
        return Trouble(_mean(shown.decode))
    return shown.memo(("trouble",), lambda: _measured(shown))


def _mean(decode: Decode) -> float:
    """The mean log-probability per token."""
    return decode.log_probability / len(decode.scored)


def _measured(shown: DecodeView) -> Trouble:
    unsaid = []
    try:
        share: float | None = float(contributions.source_shares(shown).mean())
    except AtlasError as error:
        share, unsaid = None, [str(error)]
    try:
        missing: tuple[str, ...] | None = unwritten(shown)
    except AtlasError as error:
        missing, unsaid = None, [*unsaid, str(error)]
    return Trouble(_mean(shown.decode), share, missing, " ".join(unsaid[:1]))


def shares(shown: DecodeView) -> NDArray[np.float64]:
    """ALTI+ of each written token in the source's tokens, (T, S); what a row lacks to 1 is the words before."""
    alti = contributions.measured(shown, "alti", "cross")
    return np.asarray(alti.values[0, -1, :, :-1])


def unwritten(shown: DecodeView) -> tuple[str, ...]:
    """Source words whose removal makes the translation likelier. Raises `InputError` for a sentence that is too long."""
    from core.experiments import omissions

    decode = shown.decode
    source, written = decode.trace.source_ids, decode.trace.written_ids
    words = [group for group in word_groups(decode.source_words) if decode.source_words[group[0]] >= 0]
    omissions.check_length(len(source), len(written), len(words), OMISSION_LIMIT)
    loaded = shown.load()
    gains = models.in_turns(omissions.gains(loaded, source, written, words))
    tokenizer = shown.entry.tokenizers[0]
    names = [tokenizer.joined([source[index] for index in group]).strip() for group in words]
    return analysis.unwritten_words(names, np.concatenate(gains) if gains else np.zeros(0))


def lines(shown: DecodeView, summary: Trouble) -> list[str]:
    """The strip: one line on the translation's likelihood and origin, one on what was left out."""
    # The card's figures come from greedy search, so other strategies and forced words are not compared with them.
    own = shown.decode.strategy == "greedy" and not shown.decode.forced
    quantiles = card_quantiles(shown.entry.usable.card) if own else None
    likely = analysis.likelihood_words(summary.mean, quantiles, _length(shown))
    first = [likely, analysis.origin_words(summary.source_share)]
    second = [analysis.unwritten_sentence(summary.unwritten), summary.unsaid]
    joined = [" ".join(part for part in line if part) for line in (first, second)]
    return [line for line in joined if line]


def _length(shown: DecodeView) -> str:
    """Why this sentence is longer than those of the card; "" if it is not."""
    known = (*shown.entry.examples, *shown.entry.probes)
    longest = max((len(text.split()) for text in known), default=0)
    return analysis.length_words(len(shown.decode.source_text.split()), longest, len(known))


def measures() -> list[tuple[str, str]]:
    """What the strip goes by, and that it is of one sentence."""
    listed = [(tr(entry.label), f"{tr(entry.definition)} ({entry.source})") for entry in TROUBLES.values()]
    return [
        *listed,
        (
            tr("This sentence only"),
            tr("These numbers do not judge the model or the meaning of the translation."),
        ),
    ]
