"""How an imported model generates: its languages, its first token, and the settings that are not taken over.

Hugging Face's `generate` follows generation_config.json where there is one, else config.json; `Weights.generation` is
that file. mBART's target language is a choice of the user. mBART-25 starts its decoder with the language's code and
reads its source before one (Liu et al. 2020, section 2.2); mBART-50 starts with the end token, is forced to write
the code first, and reads its source after one (Tang et al. 2020, section 3).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from core.errors import CheckpointError
from core.importing.other_vocabularies import tokenizer_settings
from core.importing.sentencepiece import MBART_25, Vocabulary

LANGUAGE_OPTIONS = ("source_language", "target_language")
NONE = "none"  # an answer in place of a token: force nothing
_CODE = re.compile(r"[a-z]{2,3}_[A-Z][A-Za-z]{1,3}|__[a-z]{2,8}(_[A-Z]{2})?__")
_LISTED = 8
_NEUTRAL: Mapping[str, Any] = {
    "num_beams": 1,
    "do_sample": False,
    "length_penalty": 1.0,
    "repetition_penalty": 1.0,
    "no_repeat_ngram_size": 0,
    "encoder_no_repeat_ngram_size": 0,
    "min_length": 0,
    "min_new_tokens": 0,
    "forced_eos_token_id": None,
    "forced_decoder_ids": None,
    "suppress_tokens": None,
    "begin_suppress_tokens": None,
}


def language_codes(vocabulary: Vocabulary) -> tuple[str, ...]:
    """The tokens that name a language as mBART does, such as fr_XX, in the order of their ids."""
    codes = [token for token in vocabulary.tokens if _CODE.fullmatch(token)]
    return tuple(sorted(codes, key=vocabulary.tokens.__getitem__))


def card_languages(
    vocabularies: tuple[Vocabulary, Vocabulary], around: Collection[int], first: Collection[int | None]
) -> dict[str, str]:
    """`source_language` and `target_language` of a card, such as fr, as far as they are known.

    They are those whose codes are `around` a source text and `first` in the output.
    """
    languages = {}
    for name, vocabulary, ids in zip(LANGUAGE_OPTIONS, vocabularies, (around, first), strict=True):
        codes = [code for code in language_codes(vocabulary) if vocabulary.tokens[code] in ids]
        if len(codes) == 1:
            languages[name] = codes[0].strip("_").partition("_")[0]
    return languages


def settle_languages(
    answers: Mapping[str, Any],
    start: int | None,
    end: int | None,
    vocabularies: tuple[Vocabulary, Vocabulary] | None,
    files: Mapping[str, Path] | None = None,
) -> dict[str, Any]:
    """The options that follow from given languages, with the decoder's start and end tokens as far as they are known.

    Raises CheckpointError for a code that the vocabulary does not have.
    """
    options: dict[str, Any] = {}
    if all(answers.get(name) is None for name in LANGUAGE_OPTIONS):
        return options
    if vocabularies is None:
        raise CheckpointError("a language is given but no vocabulary to find its code in; give --tokenizer.")
    source, target = vocabularies
    later = start == end if start is not None else len(language_codes(target)) > MBART_25
    if (name := answers.get("target_language")) == NONE:
        options["forced_bos_id"] = NONE
    elif name is not None:
        code = _code(target, "target_language", str(name))
        options |= {"bos_id": end, "forced_bos_id": code} if later else {"bos_id": code}
    if (name := answers.get("source_language")) is not None:
        code = _code(source, "source_language", str(name))
        options |= (
            {"source_before": code, "source_after": "end"}
            if later and not _legacy(files or {})
            else {
                "source_before": "",
                "source_after": f"end {code}",
            }
        )
    return {name: value for name, value in options.items() if value is not None}


def _legacy(files: Mapping[str, Path]) -> bool:
    """Whether tokenizer_config.json asks for NLLB's first tokenizer, which put the source's language at the end."""
    return tokenizer_settings(files).get("legacy_behaviour") is True


def _code(vocabulary: Vocabulary, option: str, name: str) -> int:
    codes = language_codes(vocabulary)
    name = f"__{name}__" if f"__{name}__" in codes else name  # M2M100 and PLBart write en as __en__
    if name in codes or (name.isascii() and name.isdecimal()):
        return vocabulary.id_of(option, name)
    listed = (
        f"{', '.join(codes[:_LISTED])}{f' and {len(codes) - _LISTED} more' if len(codes) > _LISTED else ''}"
    )
    raise CheckpointError(
        f"{name[:40]!r}, given as {option}, is no language of this vocabulary; it has {listed}."
        if codes
        else f"{name[:40]!r} is given as {option}, but this vocabulary has no language codes such as fr_XX; "
        "leave it out (MarianMT's >>fra<< is typed before the text)."
    )


def not_followed(generation: Mapping[str, Any] | None, pad: Any) -> str | None:
    """A sentence naming the settings of `generate` that decoding here does not take over; None if there are none."""
    given = generation or {}
    names = [name for name, neutral in _NEUTRAL.items() if given.get(name) not in (None, neutral)]
    if given.get("bad_words_ids") not in (None, [[pad]]):  # padding is never written anyway
        names.append("bad_words_ids")
    settings = [
        f"{name} = {str(given[name])[:20]}" if isinstance(given[name], (bool, int, float)) else name
        for name in names
    ]
    return f"decoding here does not take over {', '.join(settings)} of `generate`" if settings else None
