"""The importance of heads as numbers: two rankings, how far they agree, and the quality with only the best. Pure numpy.

Those of a checkpoint's own sentences are stored beside its weights, with what each sentence gave, so that they need not be
measured and that their intervals can be drawn.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.analysis.uncertainty import Interval, middle, rank_ranges, ratios
from core.checkpoints import files
from core.errors import CheckpointError, InputError
from core.experiments.edits import Head, Kind
from core.files import damage_as, read_npz
from core.model.hooks import ATTENTION
from core.training.tasks import TASKS, hashed_split

if TYPE_CHECKING:
    from core.model.config import ModelConfig


_SURE: Final = 0.999999  # of a correlation, so that Fisher's scale stays finite
LITTLE: Final = 0.01
"""Nats of a sentence's loss below which a head costs next to nothing."""


def ranks(values: ArrayLike) -> NDArray[np.float64]:
    """Ranks from 1, smallest first; equal values share the mean of their ranks."""
    full = np.asarray(values, dtype=np.float64).ravel()
    below = (full[None, :] < full[:, None]).sum(axis=1)
    equal = (full[None, :] == full[:, None]).sum(axis=1)
    return np.asarray(below + (equal + 1) / 2, dtype=np.float64)


def spearman(first: ArrayLike, second: ArrayLike) -> float:
    """Spearman's rank correlation of two equally long lists, from −1 to 1; NaN where one of them is constant.

    Pairs with a NaN are left out. Raises `InputError` for lists of different lengths.
    """
    one, two = (np.asarray(values, dtype=np.float64).ravel() for values in (first, second))
    if one.shape != two.shape:
        raise InputError(
            f"{one.size} and {two.size} values cannot be ranked against each other; give as many."
        )
    known = np.isfinite(one) & np.isfinite(two)
    a, b = (ranks(values[known]) for values in (one, two))
    a, b = a - a.mean() if a.size else a, b - b.mean() if b.size else b
    spread = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / spread if spread > 0 else float("nan")


def rank_correlations(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Spearman's correlation of two lists in each of many draws, (draws, N) each → (draws,).

    Equal values are ranked in their order, since sums of different sentences are hardly ever equal; NaN for fewer than two.
    """
    size = first.shape[1]
    if size < 2:
        return np.full(len(first), np.nan)
    apart = (first.argsort(axis=1).argsort(axis=1) - second.argsort(axis=1).argsort(axis=1)).astype(
        np.float64
    )
    return np.asarray(1 - 6 * (apart**2).sum(axis=1) / (size * (size**2 - 1)))


def ranked(tables: Mapping[Kind, np.ndarray]) -> list[Head]:
    """Heads from the largest value to the smallest, in the model's order where two are equal."""
    heads = [
        (kind, layer, head)
        for kind, table in tables.items()
        for layer in range(table.shape[0])
        for head in range(table.shape[1])
    ]
    return sorted(heads, key=lambda each: -float(np.nan_to_num(tables[each[0]][each[1:]], nan=-np.inf)))


def rank_for_pair(kind: Kind, weights: NDArray[np.floating]) -> list[Head]:
    """The heads of one kind by the weight (L, H) that they give one pair of tokens, the largest first.

    Weights that print as the same whole percent are a tie: the lower layer comes first, then the lower head. The weights alone
    decide, so that a stored example has the order of its model.
    """
    return ranked({kind: np.round(100 * np.asarray(weights, dtype=np.float64))})


@dataclass(frozen=True)
class Kept:
    """Quality with only the k best heads at work, for every k of `counts`, over all examples.

    `log_probability` is log p of a token of the translation, the mean over all tokens, in nats; `first` the share of
    tokens that are still the model's first choice of those that may be written. `low` and `high` are the ends of its 95 % interval
    over sentences; empty until all are measured, and for one sentence.
    """

    counts: tuple[int, ...]
    log_probability: np.ndarray
    first: np.ndarray
    done: int
    total: int
    low: np.ndarray = field(default_factory=lambda: np.zeros(0))
    high: np.ndarray = field(default_factory=lambda: np.zeros(0))


@dataclass(frozen=True)
class HeadIntervals:
    """95 % intervals by bootstrap over sentences of what a survey says of heads; tables (L, H) a kind.

    `left_out` and `gradient` are the intervals of the two means, `ranks` the ends of the interval of each head's rank among
    all heads by ablation, from 1. `agreement` is Spearman's ρ of the two rankings over all heads ("all") and within each
    kind, as (value, low, high): ρ of drawn corpora is lower on average, since drawing adds noise to both rankings, so only its
    spread is taken, on Fisher's scale.
    """

    left_out: Mapping[Kind, Interval]
    gradient: Mapping[Kind, Interval]
    ranks: Mapping[Kind, tuple[NDArray[np.int64], NDArray[np.int64]]]
    agreement: Mapping[str, tuple[float, float, float]]

    @classmethod
    def of(cls, rises: Mapping[Kind, np.ndarray], slopes: Mapping[Kind, np.ndarray]) -> HeadIntervals:
        """From what each sentence gave, (N, L, H) a kind; the same resamples for all, so that ranks can be compared."""
        heads = {kind: table.shape[1] * table.shape[2] for kind, table in rises.items()}
        ends = np.cumsum([0, *heads.values()])
        parts = {kind: slice(*ends[n : n + 2]) for n, kind in enumerate(heads)}
        left, gradient = (
            np.concatenate([each.reshape(len(each), -1) for each in tables.values()], axis=1).astype(
                np.float64
            )
            for tables in (rises, slopes)
        )
        drawn = ratios(left), ratios(gradient)  # (draws, heads)
        low, high = rank_ranges(drawn[0])

        def tables(flat: NDArray[Any]) -> dict[Kind, NDArray[Any]]:
            return {kind: flat[parts[kind]].reshape(rises[kind].shape[1:]) for kind in parts}

        def intervals(sums: NDArray[np.float64], draws: NDArray[np.float64]) -> dict[Kind, Interval]:
            ends = (tables(each) for each in (sums.mean(axis=0), *middle(draws)))
            value, below, above = ends
            return {kind: Interval(value[kind], below[kind], above[kind], len(sums)) for kind in value}

        agreement: dict[str, tuple[float, float, float]] = {}
        groups: dict[str, slice] = {"all": slice(None)}
        groups.update((str(kind), part) for kind, part in parts.items())
        for name, part in groups.items():
            found = spearman(left.mean(axis=0)[part], gradient.mean(axis=0)[part])
            spread = np.arctanh(
                np.clip(rank_correlations(drawn[0][:, part], drawn[1][:, part]), -_SURE, _SURE)
            ).std()
            centre = np.arctanh(np.clip(found, -_SURE, _SURE))
            low_end, high_end = (float(np.tanh(centre + side * 1.96 * spread)) for side in (-1, 1))
            agreement[name] = (found, low_end, high_end)
        first, last = tables(low), tables(high)
        return cls(
            intervals(left, drawn[0]),
            intervals(gradient, drawn[1]),
            {kind: (first[kind], last[kind]) for kind in first},
            agreement,
        )


@dataclass(frozen=True)
class Survey:
    """How far a survey has come. `sentences` is how many it is about.

    `left_out` and `gradient` are the tables (L, H) a kind, `kept` the quality with the best heads of each of the two
    rankings alone ("left_out", "gradient"); empty until they are measured. `rises` and `slopes` (N, L, H) a kind are what
    each sentence gave of the two; empty until all are measured. `complete`: every head was left out of every
    sentence; until then a table may be of some heads or some sentences.
    """

    sentences: int
    left_out: Mapping[Kind, np.ndarray]
    gradient: Mapping[Kind, np.ndarray]
    kept: Mapping[str, Kept]
    done: int
    total: int
    complete: bool = False
    rises: Mapping[Kind, np.ndarray] = field(default_factory=dict)
    slopes: Mapping[Kind, np.ndarray] = field(default_factory=dict)

    @property
    def agreement(self) -> float:
        """Spearman's rank correlation of the two tables over all heads; NaN until both are there."""
        if not self.left_out or not self.gradient:
            return float("nan")
        left, gradient = (
            np.concatenate([tables[kind].ravel() for kind in self.left_out])
            for tables in (self.left_out, self.gradient)
        )
        return spearman(left, gradient)

    @cached_property
    def measured(self) -> HeadIntervals | None:
        """The intervals over the sentences; None before all are measured, and for one sentence."""
        if self.sentences < 2 or not self.rises or not self.slopes:
            return None
        return HeadIntervals.of(self.rises, self.slopes)

    def ranking(self, name: str = "left_out") -> list[Head]:
        """Heads from the most important to the least; `name`: "left_out" or "gradient"."""
        return ranked(self.left_out if name == "left_out" else self.gradient)


_LISTS: Final = ("examples", "probe_sentences", "further_sentences")
_MOST_SOURCES: Final = 400
GENERATED: Final = 200
"""Sentences of a built-in task that importance is measured on."""


def importance_sources(card: Mapping[str, Any]) -> list[str]:
    """The sentences that the stored importance is measured on, each once: all that the card lists, 400 at most.

    They are its `examples`, `probe_sentences` and `further_sentences`. For a model of a built-in task (dates, reverse, …)
    questions of the validation split are added up to `GENERATED`. A card may hold anything; what is no text is passed over.
    """
    rows: list[Any] = []
    for name in _LISTS:
        listed = card.get(name)
        rows += listed if isinstance(listed, list) else []
    texts = [row.get("source") if isinstance(row, dict) else row for row in rows]
    found = dict.fromkeys(text for text in texts if isinstance(text, str) and text.strip())
    return list(found | dict.fromkeys(_generated(card, GENERATED - len(found))))[:_MOST_SOURCES]


def _generated(card: Mapping[str, Any], count: int) -> list[str]:
    """Questions of the card's built-in task, where all its data are of one; else none."""
    recipe = card.get("recipe")
    listed = recipe.get("sources") if isinstance(recipe, Mapping) else None
    tasks = (
        [each.get("task") for each in listed or () if isinstance(each, Mapping)]
        if isinstance(listed, list)
        else []
    )
    name = tasks[0] if len(tasks) == 1 else None
    if count < 1 or not isinstance(name, str) or name not in TASKS:
        return []
    rng = random.Random(f"importance/{name}")
    questions: dict[str, None] = {}
    for _ in range(100 * count):
        question, answer = TASKS[name].generate(rng)
        if hashed_split(answer) == "valid":
            questions[question] = None
        if len(questions) == count:
            break
    return list(questions)


MAX_BYTES: Final = 2**22  # of a stored survey, unpacked
_FORM: Final = "importance 1"
_TABLES: Final = ("left_out", "gradient")
_SENTENCES: Final = {"left_out": "rises", "gradient": "slopes"}
_CURVE: Final = ("counts", "log_probability", "first", "low", "high")


def load_importance(folder: Path, config: ModelConfig, digest: str, sources: Sequence[str]) -> Survey:
    """The stored survey of a checkpoint folder whose digest is `digest`, over some of the sentences `sources`
    (`importance_sources`), checked.

    Raises `CheckpointError` with one sentence if there is none, or it is one of another model or other sentences.
    """
    path = files.file_in(folder, files.IMPORTANCE)
    with damage_as(
        CheckpointError,
        lambda reason: (
            f"{path} is not the importance of this model's heads ({reason}); write it again with `core example`."
        ),
    ):
        arrays = read_npz(path, MAX_BYTES)
        if (str(arrays["form"]), str(arrays["about"])) != (_FORM, digest):
            raise ValueError("it is about something else")
        if not set(json.loads(arrays["sources"].tobytes())) <= set(sources):
            raise ValueError("its sentences are others")
        return _survey(arrays, config)


def _survey(arrays: Mapping[str, np.ndarray], config: ModelConfig) -> Survey:
    """The survey that `_arrays` wrote; else ValueError or KeyError."""

    sentences = int(arrays["sentences"])
    if not 0 < sentences < 10**9:
        raise ValueError("its number of sentences cannot be")
    left_out, gradient = (_tables(arrays, name, config) for name in _TABLES)
    if any((table < 0).any() for table in gradient.values()):
        raise ValueError("a gradient's size is negative")
    total = sum(table.size for table in left_out.values())
    kept = {name: _curve(arrays, name, total, sentences) for name in _TABLES}
    each = {name: _by_sentence(arrays, name, sentences, config) for name in _SENTENCES.values()}
    return Survey(sentences, left_out, gradient, kept, 1, 1, complete=True, **each)


def _tables(arrays: Mapping[str, np.ndarray], name: str, config: ModelConfig) -> dict[Kind, np.ndarray]:
    """One table (L, H) a kind, every number finite."""
    tables: dict[Kind, np.ndarray] = {}
    for kind, attention in ATTENTION.items():
        shape = config.shape(attention.stack)
        if not shape[0]:
            continue
        table = arrays[f"{name}|{kind}"]
        if table.shape != shape or table.dtype.kind != "f" or not np.isfinite(table).all():
            raise ValueError(f"{name} of {kind} does not belong to this model")
        tables[kind] = table  # type: ignore[index]
    return tables


def _by_sentence(
    arrays: Mapping[str, np.ndarray], name: str, sentences: int, config: ModelConfig
) -> dict[Kind, np.ndarray]:
    """What each sentence gave, (N, L, H) a kind; empty where the file is of an earlier version, which has none."""
    tables: dict[Kind, np.ndarray] = {}
    for kind, attention in ATTENTION.items():
        shape, table = config.shape(attention.stack), arrays.get(f"{name}|{kind}")
        if table is None or not shape[0]:
            continue
        if table.shape != (sentences, *shape) or table.dtype.kind != "f" or not np.isfinite(table).all():
            raise ValueError(f"{name} of {kind} does not belong to this model")
        tables[kind] = table  # type: ignore[index]
    return tables


def _curve(arrays: Mapping[str, np.ndarray], name: str, heads: int, sentences: int) -> Kept:
    """The quality with only the best heads, every number in its range."""
    counts, logs, first = (arrays[f"kept|{name}|{part}"] for part in _CURVE[:3])
    low, high = (arrays.get(f"kept|{name}|{part}", np.zeros(0)) for part in _CURVE[3:])
    numbers = [int(count) for count in counts.ravel()]
    if numbers != sorted(set(numbers)) or not numbers or numbers[0] < 0 or numbers[-1] > heads:
        raise ValueError(f"the numbers of heads kept by {name} cannot be")
    if logs.shape != (len(numbers),) or first.shape != (len(numbers),):
        raise ValueError(f"the curve of {name} has another length")
    if not np.isfinite(logs).all() or (logs > 1e-6).any() or not ((first >= 0) & (first <= 1)).all():
        raise ValueError(f"the curve of {name} holds what cannot be")
    if len(low) and (low.shape != first.shape or high.shape != first.shape or not _between(low, first, high)):
        raise ValueError(f"the interval of {name} cannot be")
    return Kept(tuple(numbers), logs, first, sentences, sentences, low, high)


def _between(low: np.ndarray, value: np.ndarray, high: np.ndarray) -> bool:
    return bool(((low >= 0) & (low <= value + 1e-6) & (value <= high + 1e-6) & (high <= 1)).all())


def survey_arrays(survey: Survey, sources: list[str], about: str) -> dict[str, Any]:
    """The arrays of the stored file, which `load_importance` reads; `about` is the digest of the model's folder."""
    words = np.frombuffer(json.dumps(sources).encode(), dtype=np.uint8)
    arrays: dict[str, Any] = {"form": np.array(_FORM), "about": np.array(about), "sources": words}
    arrays["sentences"] = np.array(survey.sentences)
    for name, tables in zip(_TABLES, (survey.left_out, survey.gradient), strict=True):
        arrays |= {f"{name}|{kind}": table.astype(np.float32) for kind, table in tables.items()}
    for name, tables in zip(_SENTENCES.values(), (survey.rises, survey.slopes), strict=True):
        arrays |= {f"{name}|{kind}": table.astype(np.float32) for kind, table in tables.items()}
    for name, curve in survey.kept.items():
        arrays |= {f"kept|{name}|{part}": np.asarray(getattr(curve, part)) for part in _CURVE}
    return arrays
