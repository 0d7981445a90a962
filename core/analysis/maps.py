"""Attention maps compared, simplified and checked: differences, hidden keys, means, words, blocks, invariants.

Functions that simplify take weights `(..., T, S)` (query, key) and return a new float64 array. Pure numpy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.analysis.scores import AxisTokens
from core.errors import InputError
from core.model.hooks import ATTENTION_MAPS
from core.model.trace import Trace

_PREFER_WORDS = 0.05  # a word is preferred to ⟨start⟩ and ⟨end⟩ when it differs by this much


@dataclass(frozen=True)
class Change:
    """One cell of two maps: query and key position, and the weight there in the first and in the second map."""

    query: int
    key: int
    first: float
    second: float

    @property
    def points(self) -> int:
        """Second minus first in percentage points, rounded."""
        return round(100 * (self.second - self.first))


def largest_change(
    first: ArrayLike, second: ArrayLike, query_labels: Sequence[str], key_labels: Sequence[str]
) -> Change | None:
    """The cell in which two maps `(T, S)` differ most; None when no cell differs by half a point.

    A difference between words is preferred to one at a special token, if it reaches five points.
    """
    one, two = _maps(first, second, query_labels, key_labels)
    distance = np.nan_to_num(np.abs(two - one))
    if not distance.size:
        return None
    special = (
        AxisTokens.from_labels(query_labels).special[:, None] | AxisTokens.from_labels(key_labels).special
    )
    plain = np.where(special, 0.0, distance)
    considered = plain if plain.max() >= _PREFER_WORDS else distance
    query, key = (int(index) for index in np.unravel_index(int(considered.argmax()), considered.shape))
    if considered[query, key] < 0.005:
        return None
    return Change(query, key, float(one[query, key]), float(two[query, key]))


def distances(weights: ArrayLike, chosen: tuple[int, int]) -> NDArray[np.float64]:
    """The distance of each head of `weights (L, H, T, S)` from the chosen one, (L, H) in 0..1.

    Total variation distance (half the sum of absolute differences of a row), averaged over rows.
    """
    full = np.asarray(weights, dtype=np.float64)
    return np.asarray(0.5 * np.abs(full - full[chosen]).sum(axis=-1).mean(axis=-1))


def sureness(weights: ArrayLike, causal: bool = False) -> float:
    """The largest weight of a row of `(T, S)`, averaged over the rows that have a choice; 0 without rows.

    Rows of NaN are not drawn and do not count.
    """
    full = np.asarray(weights, dtype=np.float64)
    rows = full[1:] if causal else full  # the first causal row can only attend to itself
    rows = rows[~np.isnan(rows).any(axis=1)]
    return float(rows.max(axis=1).mean()) if rows.size else 0.0


def _maps(
    first: ArrayLike, second: ArrayLike, queries: Sequence[str], keys: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    one, two = (np.asarray(values, dtype=np.float64) for values in (first, second))
    if one.shape != two.shape or one.shape != (len(queries), len(keys)):
        raise InputError(
            f"The maps have shapes {one.shape} and {two.shape} for {len(queries)} × {len(keys)} words; "
            "only maps over the same words can be subtracted."
        )
    return one, two


Array = NDArray[np.float64]

LEAST_LEFT: Final = 0.05
"""Rows with a smaller share outside the hidden keys are not drawn: renormalising would magnify very small weights."""


def hide_keys(weights: ArrayLike, hidden: ArrayLike) -> Array:
    """Set the keys where `hidden (S,)` is True to zero and renormalise each row to sum 1.

    A row with less than `LEAST_LEFT` of its weight on the other keys becomes zeros. The result is not what the model
    computed: say so wherever it is drawn, with `hidden_share`. Take means over heads before, not after: the mean of
    renormalised rows gives a head with little weight on the remaining keys as much influence as one with much.
    """
    kept = np.array(weights, dtype=np.float64)  # (..., T, S)
    mask = _key_mask(kept, hidden)
    kept[..., mask] = 0.0
    total = kept.sum(axis=-1, keepdims=True)
    renormalised: Array = np.divide(kept, total, out=np.zeros_like(kept), where=total >= LEAST_LEFT)
    return renormalised


def hidden_share(weights: ArrayLike, hidden: ArrayLike) -> Array:
    """The share of each row on the keys where `hidden (S,)` is True, `(..., T)`."""
    full = np.asarray(weights, dtype=np.float64)
    return np.asarray(full[..., _key_mask(full, hidden)].sum(axis=-1), dtype=np.float64)


def _key_mask(weights: Array, hidden: ArrayLike) -> NDArray[np.bool_]:
    mask = np.asarray(hidden, dtype=bool)
    if mask.shape != weights.shape[-1:]:
        raise InputError(
            f"`hidden` has shape {mask.shape} but the map has {weights.shape[-1]} keys; "
            "give one True or False per key."
        )
    return mask


def hides_later(kind: str, values: ArrayLike) -> bool:
    """Whether a map (…, T, S) is of a decoder's causal self-attention, which hides later keys.

    A decoder without the mask gives weight to later keys, so that the numbers themselves tell it; a column after the T
    keys is no token and does not count.
    """
    if kind not in ("causal", "decoder-self"):
        return False
    full = np.asarray(values, dtype=np.float64)
    later = np.triu(full[..., : full.shape[-2]], 1)
    return not bool((np.isfinite(later) & (later != 0)).any())


def only_allowed(
    values: ArrayLike, causal: bool, quantity: str = "weights", positions: Sequence[int] | None = None
) -> Array:
    """The values (..., T, S) with NaN where attending is forbidden: drawn and exported as empty, never as 0.

    In a causal map a query sees no later key; `positions` (T,) are the positions of the queries, 0 … T − 1 unless
    given. Scores before the mask ("scores") exist for every pair; an infinite masked score becomes NaN.
    """
    full = np.array(values, dtype=np.float64)
    full[~np.isfinite(full)] = np.nan
    if causal and quantity != "scores":
        queries = np.arange(full.shape[-2]) if positions is None else np.asarray(positions)
        full[..., np.arange(full.shape[-1]) > queries[:, None]] = np.nan
    return full


def reduce_map(weights: ArrayLike, max_side: int) -> tuple[Array, tuple[int, int]]:
    """Shrink the last two axes to at most `max_side` cells each; returns the map and its block (rows, columns).

    Cell (a, b) is the largest weight of queries `a·rows … a·rows+rows−1` and of keys likewise, so that every bright cell
    stays visible; the last block may be smaller. Blocks of one cell leave the map unchanged.
    """
    full = np.array(weights, dtype=np.float64)
    if max_side < 1:
        raise InputError(f"max_side is {max_side}; a reduced map needs at least 1 cell per side.")
    rows, columns = (max(1, -(-length // max_side)) for length in full.shape[-2:])
    for axis, block in ((-2, rows), (-1, columns)):
        if block > 1:
            full = np.maximum.reduceat(full, np.arange(0, full.shape[axis], block), axis=axis)
    return full, (rows, columns)


def word_groups(words: Sequence[int]) -> list[list[int]]:
    """Token positions of each word, in order: neighbours with the same word index belong together.

    `words` is `Tokenizer.words(ids)`: a word index per token, −1 for special tokens, which stay alone.
    `Tokenizer.joined` gives the label of a group.
    """
    groups: list[list[int]] = []
    for position, word in enumerate(words):
        if position and word >= 0 and word == words[position - 1]:
            groups[-1].append(position)
        else:
            groups.append([position])
    return groups


def merge_words(
    weights: ArrayLike,
    query_groups: Sequence[Sequence[int]],
    key_groups: Sequence[Sequence[int]],
) -> Array:
    """From tokens to words: sum over the keys of a word, mean over its queries. Rows still sum to 1.

    Source: Clark et al. 2019, §4.1. Groups come from `word_groups`; each token is in exactly one.
    """
    full = np.asarray(weights, dtype=np.float64)
    for name, groups, length in (
        ("query", query_groups, full.shape[-2]),
        ("key", key_groups, full.shape[-1]),
    ):
        if [position for group in groups for position in group] != list(range(length)):
            raise InputError(
                f"The {name} groups do not cover the map's {length} {name} tokens once each, in order; "
                "make them with word_groups()."
            )
    by_key = np.add.reduceat(full, [group[0] for group in key_groups], axis=-1)
    by_query = np.add.reduceat(by_key, [group[0] for group in query_groups], axis=-2)
    sizes = np.array([len(group) for group in query_groups], dtype=np.float64)
    return np.asarray(by_query / sizes[:, None], dtype=np.float64)


def uniform_weights(queries: int, keys: int, causal: bool = False) -> Array:
    """The map of a head that attends to all allowed keys equally, `(queries, keys)`."""
    allowed = np.tri(queries, keys) if causal else np.ones((queries, keys))
    return np.asarray(allowed / allowed.sum(axis=-1, keepdims=True), dtype=np.float64)


def crossing_pair(weights: NDArray[np.floating]) -> tuple[int, int] | None:
    """The (query, key) of `weights (T, S)` that shows best that word order changed; None for an empty map.

    Each row's link is its largest weight. Of two neighbouring rows whose links cross, the first one is taken, at the largest
    product of the two weights; without a crossing, the row with the largest weight away from the diagonal.
    """
    if not weights.size:
        return None
    keys, strength = weights.argmax(axis=1), weights.max(axis=1)
    crossing = keys[:-1] > keys[1:]
    if crossing.any():
        query = int(np.where(crossing, strength[:-1] * strength[1:], -1.0).argmax())
    else:
        query = int(np.where(keys != np.arange(len(keys)), strength, strength - 1.0).argmax())
    return query, int(keys[query])


ROUNDING: Final = 1e-5
"""The largest difference between two ways to compute the same numbers through a whole model in single precision."""


def row_error(trace: Trace) -> float:
    """The largest distance of a row's sum from 1, in any map; NaN where a weight is NaN."""
    return _largest({key: np.abs(maps.sum(axis=-1) - 1) for key, maps in _recorded_maps(trace).items()})


def weight_ahead(full: Trace) -> float:
    """The largest weight of a decoder position on a later one.

    `full` must come from one pass over all inputs: in a decode by steps, future keys do not exist and are filled with
    zeros.
    """
    return _largest(
        {
            key: np.abs(np.triu(maps, 1))
            for key, maps in _recorded_maps(full).items()
            if key == ("decoder", "self")
        }
    )


def map_gap(one: Trace, other: Trace) -> float:
    """The largest difference of a weight between two traces of the same tokens, in any map."""
    others = _recorded_maps(other)
    return _largest({key: np.abs(maps - others[key]) for key, maps in _recorded_maps(one).items()})


def _recorded_maps(trace: Trace) -> dict[tuple[str, str], np.ndarray]:
    """Every attention map of the model by (stack, block), (L, H, T, S) each, float64."""
    return {
        (stack, block): trace.stacked(stack, block, "weights").astype(np.float64)
        for stack, block in ATTENTION_MAPS
        if trace.config.layers(stack)
    }


def _largest(maps: Mapping[tuple[str, str], np.ndarray]) -> float:
    return float(np.max([0.0, *(np.max(values, initial=0.0) for values in maps.values())]))
