"""`tokenizers` pipelines that this project trains or builds itself: joint BPE, characters, words, patterns."""

from __future__ import annotations

import bisect
import json
from collections.abc import Iterable, Sequence
from typing import Any

import tokenizers
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, trainers

from core.child import ChildError
from core.errors import InputError
from core.tokenizer.guarded import GuardedPipeline, Pipeline
from core.tokenizer.piece import Family

METASPACE = "▁"
BPE_SPECIALS = ("<pad>", "<s>", "</s>", "<unk>")

_LETTER = r"[\p{L}\p{M}]"
_CLITIC = rf"'(?:s|t|m|d|re|ve|ll|S|T|M|D|RE|VE|LL)(?!{_LETTER})"
# One alternative per line: the one French word with an apostrophe inside; a word, with its apostrophe if more
# letters follow (l' | homme, qu' | il); an English ending ('s, 't, 'll); one digit; one sign; a lone space.
BPE_PIECES = "|".join(
    (
        rf"▁?[Aa]ujourd'hui(?!{_LETTER})",
        rf"▁?{_LETTER}+(?:(?!{_CLITIC})'(?={_LETTER}))?",
        rf"(?<={_LETTER}){_CLITIC}",
        r"▁?\p{N}",
        r"▁?[^▁\p{L}\p{M}\p{N}]",
        r"▁",
    )
)
_INVISIBLE, _SPACES, _ENDS, _CHARACTER = r"[\u00ad\u200b\ufeff]", r"[\s\p{Z}]+", r"\A | \z", r"[\s\S]"
OWN_NEVER_EMPTY = (BPE_PIECES, _INVISIBLE, _SPACES, _CHARACTER)  # each matches at least one character
OWN_PATTERNS = (*OWN_NEVER_EMPTY, _ENDS)
# No letter of English or French is ever unknown, however small the training text.
BASE_ALPHABET = [
    *map(chr, range(0x21, 0x7F)),
    *"ÀÂÆÇÉÈÊËÎÏÔŒÙÛÜŸàâæçéèêëîïôœùûüÿ«»–—…€°",
    METASPACE,
]


def text_normalizer(lowercase: bool = False) -> normalizers.Normalizer:
    """One spelling for texts that look the same: NFC, ’ → ', every kind of space → one space, none at the ends."""
    steps = [
        normalizers.Replace(Regex(_INVISIBLE), ""),
        normalizers.NFC(),
        normalizers.Replace("’", "'"),
        normalizers.Replace(METASPACE, "_"),  # decoding would turn it into a space
        normalizers.Replace(Regex(_SPACES), " "),
        normalizers.Replace(Regex(_ENDS), ""),
    ]
    if lowercase:
        steps += [normalizers.Lowercase(), normalizers.NFC()]
    return normalizers.Sequence(steps)


def bpe_backend(
    texts: Iterable[str], vocab_size: int, min_frequency: int, lowercase: bool, alphabet: int
) -> tokenizers.Tokenizer:
    """Byte-pair encoding (Sennrich et al. 2016) with ids 0-3 for the specials. Raises InputError if too small."""
    least = len(BPE_SPECIALS) + len(BASE_ALPHABET)
    if vocab_size < least:
        raise InputError(
            f"a BPE vocabulary needs at least {least} entries for its characters; {vocab_size} given."
        )
    backend = tokenizers.Tokenizer(models.BPE(unk_token="<unk>"))
    backend.normalizer = text_normalizer(lowercase)
    backend.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Metaspace(replacement=METASPACE, prepend_scheme="always", split=False),
            pre_tokenizers.Split(Regex(BPE_PIECES), "isolated"),
        ]
    )
    backend.decoder = decoders.Metaspace(replacement=METASPACE, prepend_scheme="always", split=False)
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        min_frequency=min_frequency,
        special_tokens=list(BPE_SPECIALS),
        initial_alphabet=BASE_ALPHABET,
        limit_alphabet=max(alphabet, len(BASE_ALPHABET)),
        show_progress=False,
    )
    backend.train_from_iterator(texts, trainer)
    return _without_added_tokens(backend)


def _without_added_tokens(backend: tokenizers.Tokenizer) -> tokenizers.Tokenizer:
    """The same vocabulary without added tokens, the only ones that the library looks for in a typed text: "<s>" stays text."""
    layout = json.loads(backend.to_str())
    layout["added_tokens"] = []
    return tokenizers.Tokenizer.from_str(json.dumps(layout))


def list_backend(
    tokens: Sequence[str], split: str, pattern: str | None, unk: str | None, lowercase: bool
) -> tuple[Pipeline, Family]:
    """A fixed list of tokens; the id is the index in the list. Raises InputError naming what is wrong."""
    if not tokens or not all(isinstance(token, str) for token in tokens):
        raise InputError("a vocabulary is a list of at least one token, each of them text.")
    vocabulary = {token: index for index, token in enumerate(tokens)}
    if len(vocabulary) < len(tokens):
        twice = next(token for index, token in enumerate(tokens) if vocabulary[token] != index)
        raise InputError(f"the vocabulary lists {twice!r} more than once; every token needs one place.")
    backend = tokenizers.Tokenizer(models.WordLevel(vocabulary, unk_token=unk if unk is not None else ""))
    steps: list[normalizers.Normalizer] = [normalizers.NFC()]
    if lowercase:
        steps.append(normalizers.Lowercase())
    backend.normalizer = normalizers.Sequence(steps)
    if split == "chars":
        backend.pre_tokenizer = pre_tokenizers.Split(Regex(_CHARACTER), "isolated")
        backend.decoder = decoders.Fuse()
        return backend, "chars"
    if split == "whitespace":
        backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        return backend, "words"
    if split != "regex":
        raise InputError(f"split is {split!r}; choose 'chars', 'whitespace' or 'regex'.")
    if not pattern:
        raise InputError("split='regex' needs a pattern that matches one token, such as r'\\w+|[^\\w\\s]'.")
    return _split_by(pattern, json.loads(backend.to_str()))


def _split_by(pattern: str, layout: dict[str, Any]) -> tuple[Pipeline, Family]:
    """The pipeline whose tokens are the matches of `pattern`, in a child process: a pattern may take any time."""
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Removed", "invert": True}
    try:
        words = GuardedPipeline(json.dumps({**layout, "pre_tokenizer": split}))
        steps = words.pre_tokenizer
        if steps is None or not steps.pre_tokenize_str(" "):
            return words, "words"
        # Spaces match too, so a text is the concatenation of its tokens.
        return GuardedPipeline(
            json.dumps({**layout, "pre_tokenizer": split, "decoder": {"type": "Fuse"}})
        ), "plain"
    except ChildError as error:
        reason = " ".join(str(error).split())[:200]
        raise InputError(f"the pattern {pattern[:200]!r} is not a regular expression: {reason}.") from None


_CHARACTERS = pre_tokenizers.Split(Regex(r"\X"), "isolated")


def as_seen(text: str, spans: Iterable[tuple[int, int]]) -> list[str]:
    """The visible characters of `text` at `spans`: widened to whole characters, an accent with its letter.

    Extended grapheme clusters of Unicode Standard Annex 29. Blanks at the ends are stripped unless there is nothing
    else.
    """
    wanted = sorted(spans)
    if not wanted:
        return []
    starts, ends = zip(*(span for _, span in _CHARACTERS.pre_tokenize_str(text)), strict=True)
    visible = []
    for start, end in wanted:
        first = bisect.bisect_right(starts, start) - 1
        last = bisect.bisect_left(ends, max(end, start + 1))
        characters = text[starts[first] : ends[last]]
        visible.append(characters.strip() or characters)
    return visible
