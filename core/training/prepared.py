"""The data of a run, ready to train on: tokenizers, tokenized pairs that vary in each epoch, and batches of equal cost.

Tokenizers are trained once on the training pairs, then read from the work folder. Each epoch may draw other names and
numbers, other segmentations, and typing mistakes in source sentences, whose target stays the same. Batches are bucketed
by length, shuffled by seed, resumable, and sharded by process.
"""

from __future__ import annotations

import dataclasses
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.errors import TrainingError
from core.model.config import ModelConfig
from core.tokenizer import Tokenizer
from core.training.config import TokenizerConfig, TrainingConfig
from core.training.data import Corpus, Pair, Sentences, Substitution, Templates, load_corpus, write_pairs
from core.training.process import Process
from core.training.snapshots import Start
from core.training.tasks import get_task

IGNORED = -100  # label of a position that carries no loss


@dataclass(frozen=True)
class Example:
    """Token ids of one pair; both sides end in the end mark, neither begins with the start mark."""

    source: list[int]
    target: list[int]


@dataclass(frozen=True)
class Batch:
    """One process's share of a global batch.

    source (B, S), target (B, T) the decoder's input, labels (B, T) with IGNORED where padded;
    `tokens` counts the labels of the *global* batch, so that every process divides by the same number.
    """

    source: Tensor
    target: Tensor
    labels: Tensor
    tokens: int

    def to(self, device: torch.device) -> Batch:
        """The same on a device."""
        return Batch(self.source.to(device), self.target.to(device), self.labels.to(device), self.tokens)


def plan_epoch(examples: Sequence[Example], batch_tokens: int, seed: int, epoch: int) -> list[list[int]]:
    """Index lists of one epoch's batches: a pure function of its arguments, so a run can resume inside it.

    A batch's rows times its longest side is at most `batch_tokens` (a single longer pair is a batch of its
    own). Pairs of equal length are shuffled, and so are the batches.
    """
    rng = random.Random(f"{seed}/{epoch}")
    order = list(range(len(examples)))
    rng.shuffle(order)
    order.sort(key=lambda i: (len(examples[i].target), len(examples[i].source)))
    batches: list[list[int]] = []
    rows: list[int] = []
    longest = 0
    for index in order:
        length = max(len(examples[index].source), len(examples[index].target))
        if rows and max(longest, length) * (len(rows) + 1) > batch_tokens:
            batches.append(rows)
            rows, longest = [], 0
        rows.append(index)
        longest = max(longest, length)
    if rows:
        batches.append(rows)
    rng.shuffle(batches)
    return batches


def pad(rows: Sequence[Sequence[int]], value: int) -> Tensor:
    """Rows of numbers as one (B, longest) int64 tensor, padded with `value`."""
    longest = max(len(row) for row in rows)
    return torch.tensor([[*row, *[value] * (longest - len(row))] for row in rows], dtype=torch.long)


def make_batch(
    examples: Sequence[Example], rows: Sequence[int], config: ModelConfig, rank: int = 0, world: int = 1
) -> Batch:
    """The rows `rank`, `rank + world`, … of a global batch as tensors for a model of this configuration.

    A process without a row takes the first one without labels, since it must take part in the exchange of gradients.
    """
    mine = [examples[i] for i in rows[rank::world]]
    silent = not mine
    if silent:
        mine = [examples[rows[0]]]
    labels = pad([example.target for example in mine], IGNORED)
    if silent:
        labels.fill_(IGNORED)
    return Batch(
        source=pad([example.source for example in mine], config.source_padding),
        target=pad([[config.bos_id, *example.target[:-1]] for example in mine], config.pad_id),
        labels=labels,
        tokens=sum(len(examples[i].target) for i in rows),
    )


SPECIALS = ("<pad>", "<s>", "</s>", "<unk>")


def build_tokenizers(
    config: TrainingConfig, pairs: Sequence[Pair], start: Start | None = None
) -> tuple[Tokenizer, Tokenizer]:
    """(source, target) tokenizers; the same object twice when shared. Counts are of the training pairs.

    A run that starts from a checkpoint uses its tokenizers.
    """
    wanted = config.tokenizer
    sources, targets = [pair.source for pair in pairs], [pair.target for pair in pairs]
    if start is not None:
        source, target = start.bundle.source_tokenizer, start.bundle.target_tokenizer
        if start.shares_tokenizer:
            joint = target.counted(sources + targets)
            return joint, joint
        return source.counted(sources), target.counted(targets)
    if wanted.shared:
        texts = sources + targets
        alphabet = "".join(_alphabets(config, index) for index in (0, 1))
        joint = _train(wanted, texts, alphabet)
        return joint, joint
    return (
        _train(wanted, sources, _alphabets(config, 0)).counted(sources),
        _train(wanted, targets, _alphabets(config, 1)).counted(targets),
    )


def _train(wanted: TokenizerConfig, texts: Sequence[str], alphabet: str) -> Tokenizer:
    if wanted.kind == "bpe":
        return Tokenizer.train_bpe(texts, wanted.vocab_size)
    letters = sorted(set(alphabet).union(*texts))
    return Tokenizer.from_vocabulary([*SPECIALS, *letters], split="chars").counted(texts)


def _alphabets(config: TrainingConfig, side: int) -> str:
    """Every character the recipe's tasks can produce on one side (0 source, 1 target)."""
    tasks = [get_task(source.task) for source in config.data.sources if source.task]
    return "".join(task.target_alphabet if side else task.source_alphabet for task in tasks)


def load_or_build(
    config: TrainingConfig, pairs: Sequence[Pair], start: Start | None = None, *, write: bool
) -> tuple[Tokenizer, Tokenizer]:
    """The run's tokenizers, from the work folder if they are there; otherwise built, and saved if `write`."""
    shared = config.tokenizer.shared if start is None else start.shares_tokenizer
    names = ("tokenizer.json",) if shared else ("source_tokenizer.json", "target_tokenizer.json")
    files = [config.work / name for name in names]
    if all(file.exists() for file in files):
        loaded = [Tokenizer.load(file) for file in files]
        return loaded[0], loaded[-1]
    source, target = build_tokenizers(config, pairs, start)
    if write:
        for file, tokenizer in zip(files, (source, target), strict=False):
            tokenizer.save(file)
    return source, target


def model_config(config: TrainingConfig, source: Tokenizer, target: Tokenizer) -> ModelConfig:
    """The recipe's [model] with the options that follow from the tokenizers."""
    return ModelConfig(
        **{
            "source_vocab_size": source.vocab_size,
            "target_vocab_size": target.vocab_size,
            "pad_id": target.pad_id,
            "bos_id": target.bos_id,
            "eos_id": target.eos_id,
            "unk_id": target.unk_id,
            "source_pad_id": source.pad_id,
            **config.model,
        }
    )


def encode_pairs(
    pairs: Sequence[Pair],
    source: Tokenizer,
    target: Tokenizer,
    max_tokens: int,
    max_length_ratio: float = 0.0,
) -> tuple[list[Example], list[int]]:
    """Examples of the pairs whose sides have 1 to `max_tokens` tokens, and the indices of those pairs.

    With `max_length_ratio`, a pair whose longer side has more than that many times the tokens of the shorter
    (end marks counted) is left out as well: it is hardly a translation.
    """
    left = source.encode_batch([pair.source for pair in pairs])
    right = target.encode_batch([pair.target for pair in pairs])

    def fits(a: int, b: int) -> bool:
        near = not max_length_ratio or max(a, b) <= max_length_ratio * min(a, b)
        return 1 < a <= max_tokens and 1 < b <= max_tokens and near

    kept = [i for i in range(len(pairs)) if fits(len(left[i]), len(right[i]))]
    return [Example(left[i], right[i]) for i in kept], kept


_WORD = re.compile(r"[^\W\d_]{4,}")


def with_typo(text: str, rng: random.Random, keep: str = "") -> str:
    """`text` with one letter of one word swapped with the next, left out or doubled.

    Only lower-case words of four letters or more take part, and none that is in `keep` too (the target sentence: copied
    words must stay copies). The text itself where no word is left.
    """
    kept = set(_WORD.findall(keep))
    words = [match for match in _WORD.finditer(text) if match[0].islower() and match[0] not in kept]
    if not words:
        return text
    match = rng.choice(words)
    word = match[0]
    # The first letter stays: mistakes there are rare and would change the word too much.
    at = rng.randrange(1, len(word) - 1)
    kind = rng.choice(("swap", "drop", "double"))
    if kind == "swap":
        changed = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    elif kind == "drop":
        changed = word[:at] + word[at + 1 :]
    else:
        changed = word[: at + 1] + word[at:]
    return text[: match.start()] + changed + text[match.end() :]


Encode = Callable[[str, random.Random], list[int]]


class TrainingSet:
    """Training pairs with their plain `examples`, from which batches are planned, and their variants in each epoch.

    A variant is a pure function of (seed, epoch, index), drawn when it is needed: a resumed run equals the
    uninterrupted one, and no epoch has to be prepared in advance.
    """

    def __init__(
        self,
        pairs: Sequence[Pair],
        examples: Sequence[Example],
        seed: int,
        *,
        encoders: tuple[Encode, Encode] | None = None,
        substitution: Substitution | None = None,
        unseen: Sentences | None = None,
        max_tokens: int = 0,
        typos: float = 0.0,
    ) -> None:
        """`encoders` segment the two sides of a pair; where one gives more than `max_tokens`, the plain example is used.

        A substitution that results in a sentence of `unseen` is dropped. `typos` is the share of source sentences with
        a typing mistake.
        """
        self.pairs, self.examples, self.seed = pairs, examples, seed
        self.encoders, self.max_tokens = encoders, max_tokens
        self.substitution, self.unseen, self.typos = substitution, unseen or Sentences(), typos

    def __len__(self) -> int:
        return len(self.examples)

    def draw(self, epoch: int, index: int) -> Example:
        """The pair `index` in epoch `epoch`."""
        if self.encoders is None:
            return self.examples[index]
        rng = random.Random(f"{self.seed}/{epoch}/{index}")
        pair = self.pairs[index]
        if self.substitution is not None:
            other = self.substitution(pair, rng)
            pair = pair if other != pair and other in self.unseen else other
        if self.typos and rng.random() < self.typos:
            pair = Pair(with_typo(pair.source, rng, keep=pair.target), pair.target)
        source, target = self.encoders
        example = Example(source(pair.source, rng), target(pair.target, rng))
        if max(len(example.source), len(example.target)) > self.max_tokens:
            return self.examples[index]
        return example


@dataclass(frozen=True)
class Prepared:
    """The data of a run. `valid_pairs` and `valid_examples` are the same sentences in the same order."""

    corpus: Corpus
    tokenizers: tuple[Tokenizer, Tokenizer]
    train: TrainingSet
    valid_examples: list[Example]
    valid_pairs: list[Pair]


def prepare(config: TrainingConfig, process: Process, start: Start | None = None) -> Prepared:
    """Read the data; the main process builds the tokenizers and writes the held-back pairs to the work folder.

    A run that starts from a checkpoint uses its tokenizers.
    """
    if start is not None and any(source.held_back for source in config.data.sources):
        start.check_split(config.data.split_seed)
    corpus = load_corpus(config.data, config.training.seed)
    corpus = dataclasses.replace(corpus, train=corpus.train + made_pairs(config, corpus))
    if not process.main:
        process.wait()  # until the tokenizers are written
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
            f"No training or validation pair has at most {config.data.max_tokens} tokens per side; raise max_tokens."
        )
    return Prepared(corpus, tokenizers, train, valid_examples, [corpus.valid[i] for i in kept])


def made_pairs(config: TrainingConfig, corpus: Corpus) -> list[Pair]:
    """Pairs that are in no file: filled templates, and concatenations of two training pairs."""
    data, rng = config.data, random.Random(f"{config.training.seed}/made")
    made: list[Pair] = []
    if data.templates is not None and (names := Substitution.of(data)) is not None:
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
    """The pairs of a fitting length, with the variations of the recipe."""
    data, dropout = config.data, config.tokenizer.bpe_dropout
    examples, kept = encode_pairs(corpus.train, *tokenizers, data.max_tokens, data.max_length_ratio)
    substitution = Substitution.of(data)
    varied = dropout or substitution or data.typos
    return TrainingSet(
        [corpus.train[i] for i in kept],
        examples,
        config.training.seed,
        encoders=(_encoder(tokenizers[0], dropout), _encoder(tokenizers[1], dropout)) if varied else None,
        substitution=substitution,
        unseen=corpus.unseen,
        max_tokens=data.max_tokens,
        typos=data.typos,
    )


def _encoder(tokenizer: Tokenizer, dropout: float) -> Encode:
    if dropout:
        return tokenizer.bpe_dropout(dropout)
    return lambda text, rng: tokenizer.encode(text)
