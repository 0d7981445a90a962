"""Sentence pairs: read them, split them without leaks, and keep test sentences out of training."""

from __future__ import annotations

import gzip
import hashlib
import random
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from core.errors import TrainingError
from core.training.config import DataConfig, SourceConfig
from core.training.tasks import get_task


class Pair(NamedTuple):
    source: str
    target: str


@dataclass(frozen=True)
class Corpus:
    """`train` and `valid` share no source sentence; `held_back` maps a source's name to its held-back pairs."""

    train: list[Pair]
    valid: list[Pair]
    held_back: dict[str, list[Pair]]
    counts: dict[str, int]


def sentence_key(text: str) -> str:
    """What makes two sentences the same: letters and digits only, case folded (NFKC)."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in folded if char.isalnum()) or folded.strip()


def read_lines(path: str | Path) -> list[str]:
    """The lines of a text file, .gz or plain, in UTF-8, without their line ends."""
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


def hold_back(pairs: Sequence[Pair], count: int, seed: int) -> tuple[list[Pair], list[Pair]]:
    """Split into (kept, held back), the latter `count` pairs where whole groups allow, never more.

    Pairs that share a source sentence (`sentence_key`) stay on one side. Groups are drawn by a seeded
    hash of the sentence, so the choice does not depend on the order of the file.
    """
    groups: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        groups[sentence_key(pair.source)].append(pair)
    order = sorted(groups, key=lambda key: hashlib.blake2b(f"{seed}/{key}".encode(), digest_size=8).digest())
    chosen: set[str] = set()
    room = count
    for key in order:
        if room == 0:
            break
        if len(groups[key]) <= room:
            chosen.add(key)
            room -= len(groups[key])
    kept = [pair for pair in pairs if sentence_key(pair.source) not in chosen]
    held = [pair for pair in pairs if sentence_key(pair.source) in chosen]
    return kept, held


def without(pairs: Iterable[Pair], keys: set[str]) -> list[Pair]:
    """The pairs whose source sentence is not among `keys`."""
    return [pair for pair in pairs if sentence_key(pair.source) not in keys]


def load_corpus(data: DataConfig, seed: int) -> Corpus:
    """Read every source, hold back, remove what must not be seen, and repeat.

    Without `valid` in the recipe, the held-back pairs are the validation set.
    """
    held: dict[str, list[Pair]] = {}
    kept: list[tuple[SourceConfig, list[Pair]]] = []
    for index, source in enumerate(data.sources):
        pairs = read_pairs(source, seed)
        if source.held_back:
            pairs, held[source_name(source, index)] = hold_back(pairs, source.held_back, seed)
        kept.append((source, pairs))
    valid = (
        read_pairs(data.valid, seed) if data.valid else [pair for pairs in held.values() for pair in pairs]
    )
    never = {sentence_key(pair.source) for pair in valid}
    never.update(sentence_key(pair.source) for pairs in held.values() for pair in pairs)
    for source in data.test:
        never.update(sentence_key(pair.source) for pair in read_pairs(source, seed))
    train: list[Pair] = []
    counts: dict[str, int] = {}
    for index, (source, pairs) in enumerate(kept):
        # A generated task splits by its answer (tasks.py), and its questions may be short and repeat.
        clean = pairs if source.task else without(pairs, never)
        counts[source_name(source, index)] = len(clean)
        train.extend(clean * source.repeat)
    if not train or not valid:
        raise TrainingError(
            f"There are {len(train)} training and {len(valid)} validation pairs; both need at least one."
        )
    return Corpus(train=train, valid=valid, held_back=held, counts=counts)


def source_name(source: SourceConfig, index: int) -> str:
    """A readable name of a data source for files and the card."""
    path = source.path or source.source_path
    return Path(path).name.split(".")[0] if path else (source.task or f"source-{index}")


def write_pairs(path: Path, pairs: Iterable[Pair]) -> None:
    """Write pairs as a two-column TSV file."""
    path.write_text("".join(f"{pair.source}\t{pair.target}\n" for pair in pairs), encoding="utf-8")
