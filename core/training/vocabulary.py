"""The tokenizers of a run: trained once on the training pairs, then read from the work folder."""

from __future__ import annotations

from collections.abc import Sequence

from core.model.config import ModelConfig
from core.tokenizer import Tokenizer
from core.training.batches import Example
from core.training.config import TokenizerConfig, TrainingConfig
from core.training.data import Pair
from core.training.snapshots import Start
from core.training.tasks import get_task

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
