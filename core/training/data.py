"""Sentence pairs: read, split without leaks, with test sentences kept out of training."""

from __future__ import annotations

import gzip
import hashlib
import random
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from core.errors import TrainingError
from core.files import write_lines
from core.training.data_config import DataConfig, SourceConfig
from core.training.tasks import get_task


class Pair(NamedTuple):
    source: str
    target: str


def sentence_key(text: str) -> str:
    """The key by which two sentences are the same: letters and digits only, case folded (NFKC)."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in folded if char.isalnum()) or folded.strip()


def split_key(text: str) -> str:
    """The key by which near duplicates stay on one side of a split: `sentence_key` without digits, if letters are left."""
    key = sentence_key(text)
    return "".join(char for char in key if not char.isnumeric()) or key


@dataclass
class Sentences:
    """A set of pairs, by the `split_key`s of their sources, and of their targets where these count too."""

    sources: set[str] = field(default_factory=set)
    targets: set[str] = field(default_factory=set)

    def add(self, pairs: Iterable[Pair], *, by: str = "source") -> None:
        """Add the source sentences of the pairs, and their target sentences too if `by` is "both"."""
        for pair in pairs:
            self.sources.add(split_key(pair.source))
            if by == "both":
                self.targets.add(split_key(pair.target))

    def __contains__(self, pair: Pair) -> bool:
        """Whether a sentence of the pair is in the set."""
        return split_key(pair.source) in self.sources or (
            bool(self.targets) and split_key(pair.target) in self.targets
        )


@dataclass(frozen=True)
class Corpus:
    """`train` has no pair in `unseen`; `held_back` maps a source's name to its held-back pairs.

    `sentences` maps a source's name to its source sentences that are trained on.
    """

    train: list[Pair]
    valid: list[Pair]
    held_back: dict[str, list[Pair]]
    counts: dict[str, int]
    unseen: Sentences
    sentences: dict[str, set[str]]


def read_lines(path: str | Path) -> list[str]:
    """The lines of a UTF-8 text file, .gz or plain, without line ends."""
    file = Path(path)
    try:
        raw = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        text = raw.decode("utf-8-sig")
    except (OSError, EOFError) as error:
        raise TrainingError(f"The file {str(file)!r} cannot be read: {error}.") from error
    except UnicodeDecodeError as error:
        raise TrainingError(
            f"The file {str(file)!r} is not UTF-8 text: {error.reason} at byte {error.start}."
        ) from error
    # Only \n ends a line: str.splitlines would also cut at characters that occur inside sentences.
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines and not lines[-1] else lines


def read_column(path: str | Path, column: int) -> list[str]:
    """One column (from 0) of a tab-separated file."""
    values = []
    for number, line in enumerate(read_lines(path), start=1):
        cells = line.split("\t")
        if column >= len(cells):
            raise TrainingError(
                f"Line {number} of {str(path)!r} has {len(cells)} columns; column {column} (from 0) does not exist."
            )
        values.append(cells[column].strip())
    return values


def read_pairs(source: SourceConfig, seed: int = 0) -> list[Pair]:
    """All pairs of one data source, in file order; pairs with an empty side are dropped."""
    if source.task is not None:
        return _generate(source, seed)
    if source.path is not None:
        left, right = (read_column(source.path, column) for column in source.columns)
    else:
        left = [line.strip() for line in read_lines(source.source_path or "")]
        right = [line.strip() for line in read_lines(source.target_path or "")]
        if len(left) != len(right):
            raise TrainingError(
                f"{source.source_path!r} has {len(left)} lines and {source.target_path!r} has {len(right)}; "
                "parallel files need the same number."
            )
    return [Pair(a, b) for a, b in zip(left, right, strict=True) if a and b]


def _generate(source: SourceConfig, seed: int) -> list[Pair]:
    task = get_task(source.task or "")
    rng = random.Random(f"{seed}/{source.task}/{source.split}")
    pairs: list[Pair] = []
    while len(pairs) < source.pairs:
        pair = Pair(*task.generate(rng))
        if task.split(pair.target) == source.split:
            pairs.append(pair)
    return pairs


def hold_back(
    pairs: Sequence[Pair], count: int, seed: int, keep: Sentences | None = None
) -> tuple[list[Pair], list[Pair]]:
    """Split into (kept, held back), with `count` pairs held back where whole groups allow, never more.

    Pairs that share a source sentence (`split_key`) stay together, and those with a sentence in `keep` are kept.
    Groups are drawn by a seeded hash of the sentence, so the choice does not depend on the order of the file.
    """
    keys = [split_key(pair.source) for pair in pairs]
    groups: dict[str, list[Pair]] = defaultdict(list)
    for key, pair in zip(keys, pairs, strict=True):
        groups[key].append(pair)
    open_to_choice = [
        key for key, group in groups.items() if keep is None or not any(pair in keep for pair in group)
    ]
    order = sorted(
        open_to_choice,
        key=lambda key: (hashlib.blake2b(f"{seed}/{key}".encode(), digest_size=8).digest(), key),
    )
    chosen: set[str] = set()
    room = count
    for key in order:
        if room == 0:
            break
        if len(groups[key]) <= room:
            chosen.add(key)
            room -= len(groups[key])
    kept = [pair for key, pair in zip(keys, pairs, strict=True) if key not in chosen]
    held = [pair for key, pair in zip(keys, pairs, strict=True) if key in chosen]
    return kept, held


def load_corpus(data: DataConfig, seed: int) -> Corpus:
    """Read every source, hold back pairs, remove those that must not be seen, and repeat. `seed` is for generated tasks.

    Without `valid` in the recipe, the held-back pairs are the validation set.
    """
    read = [(source, read_pairs(source, seed)) for source in data.sources]
    unseen = Sentences()
    held: dict[str, list[Pair]] = {}
    for index, (source, pairs) in enumerate(read):
        if source.held_back:
            keep = Sentences()
            for other, theirs in read:
                if other.never_held_back:
                    keep.add(theirs, by=source.held_back_by)
            kept, back = hold_back(pairs, source.held_back, data.split_seed, keep)
            read[index], held[source_name(source, index)] = (source, kept), back
            unseen.add(back, by=source.held_back_by)
    valid = (
        read_pairs(data.valid, seed) if data.valid else [pair for pairs in held.values() for pair in pairs]
    )
    unseen.add(valid, by=data.valid.held_back_by if data.valid else "source")
    for source in data.test:
        unseen.add(read_pairs(source, seed), by=source.held_back_by)
    train: list[Pair] = []
    counts: dict[str, int] = {}
    sentences: dict[str, set[str]] = {}
    for index, (source, pairs) in enumerate(read):
        # A generated task splits by its answer (tasks), and its questions may be short and repeat.
        clean = pairs if source.task else [pair for pair in pairs if pair not in unseen]
        counts[source_name(source, index)] = len(clean)
        sentences[source_name(source, index)] = {pair.source for pair in clean}
        train.extend(clean * source.repeat)
    if not train or not valid:
        raise TrainingError(
            f"There are {len(train)} training and {len(valid)} validation pairs; both need at least one."
        )
    return Corpus(train=train, valid=valid, held_back=held, counts=counts, unseen=unseen, sentences=sentences)


def source_name(source: SourceConfig, index: int) -> str:
    """A readable name of a data source for files and the card."""
    path = source.path or source.source_path
    return Path(path).name.split(".")[0] if path else (source.task or f"source-{index}")


def write_pairs(path: Path, pairs: Iterable[Pair]) -> None:
    """Write pairs as a two-column TSV file."""
    write_lines(path, (f"{pair.source}\t{pair.target}" for pair in pairs))
