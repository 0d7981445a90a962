"""The importance of heads as numbers: two rankings, how far they agree, and the quality with only the best. Pure numpy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import InputError
from core.experiments.edits import Head, Kind


def per_layer(values: ArrayLike) -> NDArray[np.float64]:
    """Importances (L, H) divided by their layer's ℓ2 norm (Michel et al. 2019, section 4.3, after Molchanov et al.
    2017); a layer of zeros stays zeros."""
    full = np.asarray(values, dtype=np.float64)
    norm = np.sqrt((full**2).sum(axis=-1, keepdims=True))
    return np.asarray(np.divide(full, norm, out=np.zeros_like(full), where=norm > 0))


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
        return spearman(*self._both()) if self.left_out and self.gradient else float("nan")

    @property
    def agreement_in_size(self) -> float:
        """The same with the size of what leaving out changes: the gradient's table has no sign."""
        if not self.left_out or not self.gradient:
            return float("nan")
        left, gradient = self._both()
        return spearman(np.abs(left), gradient)

    def _both(self) -> tuple[np.ndarray, np.ndarray]:
        left, gradient = (
            np.concatenate([tables[kind].ravel() for kind in self.left_out])
            for tables in (self.left_out, self.gradient)
        )
        return left, gradient

    def ranking(self, name: str = "left_out") -> list[Head]:
        """Heads from the most important to the least; `name`: "left_out" or "gradient"."""
        return ranked(self.left_out if name == "left_out" else self.gradient)
