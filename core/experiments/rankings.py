"""The importance of heads as numbers: two rankings, how far they agree, and the quality with only the best. Pure numpy.

Those of a checkpoint's example sentences are stored beside its weights, so that they need not be measured.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.checkpoints import files
from core.errors import CheckpointError, InputError
from core.experiments.edits import Head, Kind
from core.files import damage_as, read_npz
from core.model.hooks import ATTENTION

if TYPE_CHECKING:
    from core.model.config import ModelConfig


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
    tokens that are still the model's first choice of those that may be written.
    """

    counts: tuple[int, ...]
    log_probability: np.ndarray
    first: np.ndarray
    done: int
    total: int


@dataclass(frozen=True)
class Survey:
    """How far a survey has come. `sentences` is how many it is about.

    `left_out` and `gradient` are the tables (L, H) a kind, `kept` the quality with the best heads of each of the two
    rankings alone ("left_out", "gradient"); empty until they are measured. `complete`: every head was left out of every
    sentence; until then a table may be of some heads or some sentences.
    """

    sentences: int
    left_out: Mapping[Kind, np.ndarray]
    gradient: Mapping[Kind, np.ndarray]
    kept: Mapping[str, Kept]
    done: int
    total: int
    complete: bool = False

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

    def ranking(self, name: str = "left_out") -> list[Head]:
        """Heads from the most important to the least; `name`: "left_out" or "gradient"."""
        return ranked(self.left_out if name == "left_out" else self.gradient)


MAX_BYTES: Final = 2**22  # of a stored survey, unpacked
_FORM: Final = "importance 1"
_TABLES: Final = ("left_out", "gradient")
_CURVE: Final = ("counts", "log_probability", "first")


def load_importance(folder: Path, config: ModelConfig, digest: str, sources: tuple[str, ...]) -> Survey:
    """The stored survey of the example sentences `sources` of a checkpoint folder whose digest is `digest`, checked.

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
        if json.loads(arrays["sources"].tobytes()) != list(sources):
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
    return Survey(sentences, left_out, gradient, kept, 1, 1, complete=True)


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


def _curve(arrays: Mapping[str, np.ndarray], name: str, heads: int, sentences: int) -> Kept:
    """The quality with only the best heads, every number in its range."""
    counts, logs, first = (arrays[f"kept|{name}|{part}"] for part in _CURVE)
    numbers = [int(count) for count in counts.ravel()]
    if numbers != sorted(set(numbers)) or not numbers or numbers[0] < 0 or numbers[-1] > heads:
        raise ValueError(f"the numbers of heads kept by {name} cannot be")
    if logs.shape != (len(numbers),) or first.shape != (len(numbers),):
        raise ValueError(f"the curve of {name} has another length")
    if not np.isfinite(logs).all() or (logs > 1e-6).any() or not ((first >= 0) & (first <= 1)).all():
        raise ValueError(f"the curve of {name} holds what cannot be")
    return Kept(tuple(numbers), logs, first, sentences, sentences)


def survey_arrays(survey: Survey, sources: list[str], about: str) -> dict[str, Any]:
    """The arrays of the stored file, which `load_importance` reads; `about` is the digest of the model's folder."""
    words = np.frombuffer(json.dumps(sources).encode(), dtype=np.uint8)
    arrays: dict[str, Any] = {"form": np.array(_FORM), "about": np.array(about), "sources": words}
    arrays["sentences"] = np.array(survey.sentences)
    for name, tables in zip(_TABLES, (survey.left_out, survey.gradient), strict=True):
        arrays |= {f"{name}|{kind}": table.astype(np.float32) for kind, table in tables.items()}
    for name, curve in survey.kept.items():
        arrays |= {f"kept|{name}|{part}": np.asarray(getattr(curve, part)) for part in _CURVE}
    return arrays
