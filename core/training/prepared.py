"""The data of a run, read, split and turned into token numbers, before training starts."""

from __future__ import annotations

import dataclasses
import random
from dataclasses import dataclass

from core.errors import TrainingError
from core.tokenizer import Tokenizer
from core.training.batches import Example
from core.training.config import TrainingConfig
from core.training.data import Corpus, Pair, load_corpus, write_pairs
from core.training.distributed import Process
from core.training.epochs import Encode, TrainingSet
from core.training.start import Start
from core.training.substitution import Substitution
from core.training.templates import Templates
from core.training.vocabulary import encode_pairs, load_or_build


@dataclass(frozen=True)
class Prepared:
    """`valid_pairs` and `valid_examples` are the same sentences in the same order."""

    corpus: Corpus
    tokenizers: tuple[Tokenizer, Tokenizer]
    train: TrainingSet
    valid_examples: list[Example]
    valid_pairs: list[Pair]


def prepare(config: TrainingConfig, process: Process, start: Start | None = None) -> Prepared:
    """Read the data; the main process builds the tokenizers and writes the held-back pairs to the work folder.

    A run that starts from a checkpoint has its tokenizers.
    """
    if start is not None and any(source.held_back for source in config.data.sources):
        start.check_split(config.data.split_seed)
    corpus = load_corpus(config.data, config.training.seed)
    corpus = dataclasses.replace(corpus, train=corpus.train + made_pairs(config, corpus))
    if not process.main:
        process.wait()  # until the tokenizers are there to be read
    else:
        config.work.mkdir(parents=True, exist_ok=True)
        for name, pairs in corpus.held_back.items():
            write_pairs(config.work / f"{name}.held-back.tsv", pairs)
    tokenizers = load_or_build(config, corpus.train, start, write=process.main)
    if process.main:
        process.wait()
    train = _training_set(config, corpus, tokenizers)
    valid_examples, kept = encode_pairs(corpus.valid, *tokenizers, config.data.max_tokens)
    if not len(train) or not valid_examples:
        raise TrainingError(
            f"No training or validation pair has at most {config.data.max_tokens} tokens a side; raise max_tokens."
        )
    return Prepared(corpus, tokenizers, train, valid_examples, [corpus.valid[i] for i in kept])


def made_pairs(config: TrainingConfig, corpus: Corpus) -> list[Pair]:
    """Pairs that no file holds: filled templates, and two training pairs one after the other."""
    data, rng = config.data, random.Random(f"{config.training.seed}/made")
    made: list[Pair] = []
    if data.templates is not None and data.substitution is not None:
        names = Substitution.of(data.substitution, data.source_language, data.target_language)
        templates = Templates.read(data.templates.path, names, data.source_language, data.target_language)
        drawn = (templates.draw(rng, data.templates.invented) for _ in range(data.templates.pairs))
        made += [pair for pair in drawn if pair not in corpus.unseen]
    for _ in range(data.joined):
        first, second = rng.choice(corpus.train), rng.choice(corpus.train)
        made.append(Pair(f"{first.source} {second.source}", f"{first.target} {second.target}"))
    return made


def _training_set(
    config: TrainingConfig, corpus: Corpus, tokenizers: tuple[Tokenizer, Tokenizer]
) -> TrainingSet:
    """The pairs of a fitting length, with what the recipe newly draws each epoch."""
    data, dropout = config.data, config.tokenizer.bpe_dropout
    examples, kept = encode_pairs(corpus.train, *tokenizers, data.max_tokens, data.max_length_ratio)
    substitution = None
    if data.substitution is not None:
        substitution = Substitution.of(data.substitution, data.source_language, data.target_language)
    return TrainingSet(
        [corpus.train[i] for i in kept],
        examples,
        config.training.seed,
        encoders=(_encoder(tokenizers[0], dropout), _encoder(tokenizers[1], dropout))
        if dropout or substitution or data.typos
        else None,
        substitution=substitution,
        unseen=corpus.unseen,
        max_tokens=data.max_tokens,
        typos=data.typos,
    )


def _encoder(tokenizer: Tokenizer, dropout: float) -> Encode:
    if dropout:
        return tokenizer.bpe_dropout(dropout)
    return lambda text, rng: tokenizer.encode(text)
