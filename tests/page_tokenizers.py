"""A tokenizer of each kind that a checkpoint may have, trained on a few hundred lines, and texts to try on it."""

from __future__ import annotations

import io
import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import sentencepiece
import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers, trainers

from core.importing.sentencepiece import pipeline, read_sentencepiece
from core.tokenizer import Tokenizer
from tests.fuzz import random_text

_RECIPES: Final = Path(__file__).parents[1] / "core" / "training" / "recipes"
_NAMES: Final = ["<pad>", "<s>", "</s>", "<unk>"]


def corpus() -> list[str]:
    """English, French and German sentences of the project's own recipes."""
    lines = [
        line.split("\t")
        for name in ("classroom.tsv", "classroom.de-en.tsv")
        for line in (_RECIPES / name).read_text("utf-8").splitlines()
        if not line.startswith("#")
    ]
    return [cell for line in lines for cell in line if " " in cell]


def texts(count: int, seed: int = 0) -> list[str]:
    """Random texts of every script, control and mark, and sentences, as many of each."""
    chance, sentences = random.Random(seed), corpus()
    made = []
    while len(made) < count:
        text = random_text(chance) if len(made) % 2 else chance.choice(sentences)
        if len(text) < 2000:  # a page reads sentences
            made.append(text)
    return made


def _trained(model: Any, trainer: Any, **steps: Any) -> Tokenizer:
    backend = tokenizers.Tokenizer(model)
    for name, step in steps.items():
        setattr(backend, name, step)
    backend.train_from_iterator(corpus(), trainer)
    return _through_a_file(backend)


def _through_a_file(backend: tokenizers.Tokenizer, **specials: int) -> Tokenizer:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tokenizer.json"
        path.write_text(backend.to_str(), "utf-8")
        return Tokenizer.load(path, specials or None)


def _bpe() -> Tokenizer:
    return Tokenizer.train_bpe(corpus(), vocab_size=900)


def _byte_level() -> Tokenizer:
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=700, special_tokens=_NAMES, initial_alphabet=alphabet, show_progress=False
    )
    return _trained(
        models.BPE(),
        trainer,
        pre_tokenizer=pre_tokenizers.ByteLevel(add_prefix_space=False),
        decoder=decoders.ByteLevel(),
    )


def _unigram() -> Tokenizer:
    """As T5 has it."""
    trainer = trainers.UnigramTrainer(
        vocab_size=600, special_tokens=_NAMES, unk_token="<unk>", show_progress=False
    )
    return _trained(
        models.Unigram(),
        trainer,
        normalizer=normalizers.Sequence(
            [normalizers.NFKC(), normalizers.Replace(tokenizers.Regex(" {2,}"), " ")]
        ),
        pre_tokenizer=pre_tokenizers.Metaspace(),
        decoder=decoders.Metaspace(),
    )


def _sentencepiece(kind: str, **options: object) -> Tokenizer:
    """As MarianMT and mBART have it: SentencePiece's own table of characters."""
    stream = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(corpus()),
        model_writer=stream,
        vocab_size=600,
        model_type=kind,
        minloglevel=2,
        hard_vocab_limit=False,
        pad_id=3,
        **options,
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "source.spm"
        path.write_bytes(stream.getvalue())
        return _through_a_file(pipeline(read_sentencepiece(path), path.name), unk=0, bos=1, eos=2, pad=3)


def _wordpiece() -> Tokenizer:
    names = ["[PAD]", "[CLS]", "[SEP]", "[UNK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=700, special_tokens=names, show_progress=False)
    return _trained(
        models.WordPiece(unk_token="[UNK]"),
        trainer,
        normalizer=normalizers.BertNormalizer(),
        pre_tokenizer=pre_tokenizers.BertPreTokenizer(),
        decoder=decoders.WordPiece(),
    )


def _words() -> Tokenizer:
    words = sorted({word for text in corpus() for word in text.split()})
    return Tokenizer.from_vocabulary([*_NAMES, *words], split="whitespace", lowercase=True)


def _words_and_signs() -> Tokenizer:
    trainer = trainers.WordLevelTrainer(special_tokens=_NAMES, show_progress=False)
    return _trained(
        models.WordLevel(unk_token="<unk>"),
        trainer,
        normalizer=normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents()]),
        pre_tokenizer=pre_tokenizers.Whitespace(),
    )


def _characters() -> Tokenizer:
    return Tokenizer.from_vocabulary([*_NAMES, *sorted(set("".join(corpus())))], split="chars")


TOKENIZERS: Final[dict[str, Callable[[], Tokenizer]]] = {
    "BPE": _bpe,
    "BPE of bytes": _byte_level,
    "BPE of SentencePiece": lambda: _sentencepiece("bpe"),
    "BPE with bytes for the rest": lambda: _sentencepiece("bpe", byte_fallback=True),
    "Unigram": _unigram,
    "Unigram of SentencePiece": lambda: _sentencepiece("unigram"),
    "Unigram with bytes for the rest": lambda: _sentencepiece("unigram", byte_fallback=True),
    "WordPiece": _wordpiece,
    "words": _words,
    "words and signs": _words_and_signs,
    "characters": _characters,
}
