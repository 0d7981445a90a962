"""Sentence pairs: read, split without leaks, with test sentences kept out of training; and those changed or made up.

A model that has read one name ten thousand times and the others never learns to write that name. So an item of the list
(a first name, a place) that occurs once in each side, in the form of its language, is replaced by another of its class;
so is a number that both sides write in the same digits.

A line of a template file has one template per language. `{man}`, `{woman}`, `{surname}` and `{city}` take an item of the
list, in the form of the language; `{year}`, `{number}`, `{price}`, `{time}` and `{phone}` are drawn. A digit after a name
distinguishes two of a kind: `{man2}`.
"""

from __future__ import annotations

import hashlib
import random
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from core.errors import TrainingError
from core.files import read_lines, write_lines
from core.training.config import DataConfig, SourceConfig
from core.training.tasks import INITIAL_VOWELS, Spelling, get_task, hashed_split, invented_name


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
        if hashed_split(pair.target) == source.split:
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


_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
# 7:30, 7.30, 7h30, 7 h 30; a number that is not part of another, of a time or of a decimal fraction.
_TIME = re.compile(r"(?<![\d.,:])(\d{1,2})(:| ?[hH] ?)([0-5]\d)(?![\d.,:]?\d)")
_NUMBER = re.compile(r"(?<![\w.,:])\d+(?![\w]|[.,:]\d| ?[hH] ?\d)")
# A number is replaced by one of its own range, so that days stay days, hours hours and years years.
FIRST_NAMES = ("man", "woman")
NAMES = (*FIRST_NAMES, "surname")
RANGES = ((2, 12), (13, 24), (25, 31), (32, 99), (100, 999), (1000, 1499), (1500, 2099), (2100, 9999))


@dataclass(frozen=True)
class Item:
    """One entry of the list: its class, and its form in the two languages."""

    kind: str
    source: str
    target: str

    @property
    def group(self) -> tuple[str, bool, bool]:
        """Items of one group can replace each other: de Tom, de Paul, but d'Alice, d'Emma."""
        return self.kind, self.source[0].lower() in INITIAL_VOWELS, self.target[0].lower() in INITIAL_VOWELS


def read_items(path: str | Path, source: str, target: str) -> list[Item]:
    """The items of a tab-separated list whose first line names its columns: class, then the languages."""
    lines = [line.split("\t") for line in read_lines(path) if line.strip() and not line.startswith("#")]
    header = lines[0] if lines else []
    for name in ("class", source, target):
        if name not in header:
            raise TrainingError(f"The list {str(path)!r} has no column {name!r}; it has {', '.join(header)}.")
    columns = [header.index(name) for name in ("class", source, target)]
    items = []
    for number, cells in enumerate(lines[1:], start=2):
        if len(cells) != len(header):
            raise TrainingError(f"Row {number} of {str(path)!r} has {len(cells)} cells, not {len(header)}.")
        items.append(Item(*(cells[column] for column in columns)))
    return items


class Substitution:
    """Replaces names and numbers in pairs."""

    def __init__(
        self, items: Sequence[Item], *, share: float, invented: float, surnames: float = 0.0
    ) -> None:
        """Each item is replaced with probability `share`; a name by an invented one in `invented` of those cases.

        A replaced first name gets a surname in `surnames` of the cases.
        """
        self.share, self.invented, self.surnames = share, invented, surnames
        self._spelling = Spelling(item.source for item in items if item.kind in NAMES)
        self._known: dict[str, list[Item]] = defaultdict(list)
        self._groups: dict[tuple[str, bool, bool], list[Item]] = defaultdict(list)
        for item in items:
            self._known[item.source].append(item)
            self._groups[item.group].append(item)

    @classmethod
    def of(cls, data: DataConfig) -> Substitution | None:
        """The substitution of a recipe, for its two languages; None where it has none."""
        if (config := data.substitution) is None:
            return None
        items = read_items(config.path, data.source_language, data.target_language)
        return cls(items, share=config.share, invented=config.invented, surnames=config.surnames)

    def __call__(self, pair: Pair, rng: random.Random) -> Pair:
        """The pair with its items and numbers replaced; the same pair where there is none."""
        changes: list[tuple[tuple[int, int], tuple[int, int], str, str]] = []
        left, right = _once(_WORD, pair.source), _once(_WORD, pair.target)
        for word, span in left.items():
            for item in self._known.get(word, ()):
                if item.target in right and rng.random() < self.share:
                    other = self._other(item, rng)
                    surname = self._surname(item, rng)
                    changes.append((span, right[item.target], other.source + surname, other.target + surname))
                    break
        changes += self._numbers(pair, rng)
        return Pair(
            _replaced(pair.source, [(span, text) for span, _, text, _ in changes]),
            _replaced(pair.target, [(span, text) for _, span, _, text in changes]),
        )

    def masked(self, text: str) -> str:
        """A source sentence with its items replaced by their classes and without its numbers.

        Substitution can turn two sentences with the same mask into each other.
        """
        words = _WORD.sub(lambda m: self._known[m[0]][0].kind if m[0] in self._known else m[0], text)
        return _NUMBER.sub("", words)

    def _other(self, item: Item, rng: random.Random) -> Item:
        if item.kind in NAMES and rng.random() < self.invented:
            name = self.invented_name(rng, vowel=item.group[2])
            return Item(item.kind, name, name)
        return rng.choice(self._groups[item.group])

    def invented_name(self, rng: random.Random, *, vowel: bool = False) -> str:
        """A name that is on no list: half of them spelled like those of the list, half made of any syllables."""
        return (
            self._spelling.draw(rng, vowel=vowel) if rng.random() < 0.5 else invented_name(rng, vowel=vowel)
        )

    def items(self, kind: str) -> list[Item]:
        """The items of a class that begin with a consonant in the target language."""
        return [
            item
            for group, items in self._groups.items()
            if group[0] == kind and not group[2]
            for item in items
        ]

    def _surname(self, item: Item, rng: random.Random) -> str:
        """A surname to follow a first name, with a space before it; empty in most cases."""
        if item.kind not in FIRST_NAMES or rng.random() >= self.surnames:
            return ""
        if rng.random() < 0.5 or not (listed := self._groups.get(("surname", False, False))):
            return f" {self.invented_name(rng)}"
        return f" {rng.choice(listed).source}"

    def _numbers(
        self, pair: Pair, rng: random.Random
    ) -> list[tuple[tuple[int, int], tuple[int, int], str, str]]:
        changes = []
        left, right = _times(pair.source), _times(pair.target)
        for time, (span, between) in left.items():
            if time in right and 1 <= int(time[0]) <= 12 and rng.random() < self.share:
                hour, minute = str(rng.randint(1, 12)), f"{rng.randrange(0, 60, 5):02d}"
                there, between_there = right[time]
                changes.append((span, there, hour + between + minute, hour + between_there + minute))
        numbers, others = _once(_NUMBER, pair.source), _once(_NUMBER, pair.target)
        for digits, span in numbers.items():
            low, high = next((r for r in RANGES if r[0] <= int(digits[:9]) <= r[1]), (0, 0))
            if digits in others and high and digits[0] != "0" and rng.random() < self.share:
                number = str(rng.randint(low, high))
                changes.append((span, others[digits], number, number))
        return changes


def _once(pattern: re.Pattern[str], text: str) -> dict[str, tuple[int, int]]:
    """The texts that the pattern matches exactly once, with their spans."""
    spans: dict[str, tuple[int, int] | None] = {}
    for match in pattern.finditer(text):
        spans[match[0]] = None if match[0] in spans else match.span()
    return {words: span for words, span in spans.items() if span is not None}


def _times(text: str) -> dict[tuple[str, str], tuple[tuple[int, int], str]]:
    """(hour, minute) → the span of the time and the text between its two numbers; only times that occur once."""
    times = [((m[1], m[3]), (m.span(), m[2])) for m in _TIME.finditer(text)]
    keys = [key for key, _ in times]
    return {key: span for key, span in times if keys.count(key) == 1}


def _replaced(text: str, changes: Sequence[tuple[tuple[int, int], str]]) -> str:
    for (start, end), new in sorted(changes, reverse=True):
        text = text[:start] + new + text[end:]
    return text


_SLOT = re.compile(r"\{([a-z]+)\d?\}")
_AFTER_E = re.compile(r"\b([dl]|qu)e (\{[a-z]+\d?\})", re.IGNORECASE)
VOWELS, DOUBLE = 0.25, 0.08
"""Of the invented names of a template: the share that begins with a vowel, and that of two parts (Anna-Kalin)."""


def _time(rng: random.Random, language: str) -> str:
    hour, minute = rng.randint(1, 12), f"{rng.randrange(0, 60):02d}"
    return f"{hour} h {minute}" if language == "fr" else f"{hour}:{minute}"


def _price(rng: random.Random, language: str) -> str:
    units, cents = rng.randint(2, 300), f"{rng.randrange(5, 100, 5):02d}"
    if rng.random() < 0.5:
        return str(units)
    return f"{units}.{cents}" if language == "en" else f"{units},{cents}"


def _phone(rng: random.Random, _language: str) -> str:
    groups = rng.choice(((2, 2, 2, 2, 2), (3, 4), (3, 3, 4), (4, 6), (3, 3, 3)))
    between = rng.choice((" ", "-"))
    return between.join("".join(str(rng.randrange(10)) for _ in range(size)) for size in groups)


DRAWN: Mapping[str, Callable[[random.Random, str], str]] = {
    "year": lambda rng, _: str(rng.randint(1600, 2060)),
    "number": lambda rng, _: str(rng.randint(2, rng.choice((12, 31, 99, 999)))),
    "day": lambda rng, _: str(rng.randint(2, 31)),
    "time": _time,
    "price": _price,
    "phone": _phone,
}


def _elided(before: re.Match[str], value: str) -> str:
    """The slot with the small word before it, which French shortens before a vowel: d'Aisling, qu'Omar."""
    return f"{before[1]}'{before[2]}" if value[0].lower() in INITIAL_VOWELS else before[0]


class Templates:
    """The templates of one file, with their names and places."""

    def __init__(self, lines: list[tuple[str, str]], names: Substitution, languages: tuple[str, str]) -> None:
        """`lines` have a template for each language; both sides of one have the same slots."""
        self.lines, self.names, self.languages = lines, names, languages
        self._items = {kind: names.items(kind) for kind in (*NAMES, "city")}
        known = {*DRAWN, *(kind for kind, items in self._items.items() if items)}
        for source, target in lines:
            slots = {match[0]: match[1] for match in _SLOT.finditer(source)}
            if set(slots) != {match[0] for match in _SLOT.finditer(target)} or not known >= set(
                slots.values()
            ):
                raise TrainingError(
                    f"The template {source!r} and its translation need the same slots, of {', '.join(sorted(known))}."
                )

    @classmethod
    def read(cls, path: str | Path, names: Substitution, source: str, target: str) -> Templates:
        """The templates of a tab-separated file whose first line names its languages."""
        header, *rows = [line.split("\t") for line in read_lines(path) if line and not line.startswith("#")]
        if source not in header or target not in header or any(len(row) != len(header) for row in rows):
            raise TrainingError(
                f"The templates in {str(path)!r} need a column for {source!r} and one for {target!r}, full in every row."
            )
        columns = header.index(source), header.index(target)
        return cls([(row[columns[0]], row[columns[1]]) for row in rows], names, (source, target))

    def draw(self, rng: random.Random, invented: float) -> Pair:
        """One pair; its names are invented with probability `invented`."""
        templates = rng.choice(self.lines)
        values = {match[0]: self._value(match[1], rng, invented) for match in _SLOT.finditer(templates[0])}
        source, target = templates
        if self.languages[1] == "fr":
            target = _AFTER_E.sub(lambda match: _elided(match, values[match[2]][1]), target)
        return Pair(
            _SLOT.sub(lambda match: values[match[0]][0], source),
            _SLOT.sub(lambda match: values[match[0]][1], target),
        )

    def _value(self, kind: str, rng: random.Random, invented: float) -> tuple[str, str]:
        """The value of a slot, in each language."""
        if kind in DRAWN:
            seed = rng.getrandbits(32)  # the same draw for both
            source, target = (DRAWN[kind](random.Random(seed), language) for language in self.languages)
            return source, target
        if rng.random() < (invented if kind in NAMES else invented / 2):
            name = self.names.invented_name(rng, vowel=rng.random() < VOWELS)
            if kind in FIRST_NAMES and rng.random() < DOUBLE:
                second = self.names.invented_name(rng)
                name += "-" + (second if rng.random() < 0.5 else second.lower())
            return name, name
        item = rng.choice(self._items[kind])
        return item.source, item.target
