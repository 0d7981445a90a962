"""What a model is shown with when its card names no example: one sentence, in the language that it reads."""

from __future__ import annotations

import contextlib
import re
from typing import Final

from core.errors import AtlasError, CheckpointError, InputError
from core.tokenizer import Tokenizer
from core.verify.sample import text_of

ENGLISH: Final = "A man in a red shirt is riding a bike."
SENTENCES: Final = {
    "en": ENGLISH,
    "de": "Ein Mann in einem roten Hemd fährt Fahrrad.",
    "fr": "Un homme en chemise rouge fait du vélo.",
    "es": "Un hombre con camisa roja monta en bicicleta.",
    "it": "Un uomo con una camicia rossa va in bicicletta.",
    "pt": "Um homem de camisa vermelha anda de bicicleta.",
    "nl": "Een man in een rood shirt rijdt op een fiets.",
    "sv": "En man i röd skjorta cyklar.",
    "pl": "Mężczyzna w czerwonej koszuli jedzie na rowerze.",
    "tr": "Kırmızı gömlekli bir adam bisiklet sürüyor.",
    "ru": "Мужчина в красной рубашке едет на велосипеде.",
    "ar": "رجل يرتدي قميصًا أحمر يركب دراجة.",
    "he": "איש בחולצה אדומה רוכב על אופניים.",
    "hi": "लाल कमीज़ पहने एक आदमी साइकिल चला रहा है।",
    "zh": "一个穿红衬衫的男人在骑自行车。",
    "ja": "赤いシャツを着た男性が自転車に乗っています。",
}
"""The same sentence in languages that models are often trained on, by ISO 639-1 code."""

_MUCH_BETTER: Final = 0.8
"""Of the English sentence's tokens: a vocabulary of two languages cuts both about alike."""
_CLEARLY: Final = 0.2
"""By how much fewer tokens must be unknown: letters are shared by many languages."""
_UNKNOWN: Final = 0.5
"""The share of tokens that may be unknown: where less of a sentence is read, English is as good."""

_MADE_UP: Final = 40  # tokens at most of a text that is made up


def first_sentence(tokenizer: Tokenizer, language: str = "") -> str:
    """The sentence in `language` (`de`, `de_DE`), else the one that a source tokenizer knows best.

    That is the one with the smallest share of unknown tokens, of these the one with the fewest tokens; English unless
    another is clearly better, and half of it known. A vocabulary without an unknown token that cannot spell it gives a
    text of its own tokens.
    """
    text = _in_words(tokenizer, language)
    if tokenizer.unk_id is None:
        try:
            tokenizer.encode(text)
        except InputError:
            with contextlib.suppress(CheckpointError):
                return text_of(tokenizer, _MADE_UP)
    return text


def _in_words(tokenizer: Tokenizer, language: str) -> str:
    """The sentence that fits best, whether it can be read or not."""
    code = re.split(r"[_-]", language.strip().lower(), maxsplit=1)[0]
    if code in SENTENCES:
        return SENTENCES[code]
    found = {text: _strangeness(tokenizer, text) for text in SENTENCES.values()}
    best = min(found, key=lambda text: found[text])
    (unknown, tokens), (least, fewest) = found[ENGLISH], found[best]
    better = unknown > least + _CLEARLY or (not least and fewest < _MUCH_BETTER * tokens)
    return best if better and least <= _UNKNOWN else ENGLISH


def _strangeness(tokenizer: Tokenizer, text: str) -> tuple[float, int]:
    """The share of a text's tokens that are unknown, in tenths, and how many tokens it becomes."""
    try:
        around, ids = tokenizer.encode(""), tokenizer.read(text).ids
    except AtlasError:
        return 1.0, len(text)
    inner = [token for token in ids if token not in around]
    unknown = sum(token == tokenizer.unk_id for token in inner)
    return round(unknown / len(inner) if inner else 1.0, 1), len(inner)
