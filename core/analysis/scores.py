"""Head scores: one number per map, for one sentence; and `AxisTokens`, the kinds of tokens on one axis of a map.

All functions take attention weights `(..., T, S)` (query, key; usually `(L, H, T, S)`) and return
`(...)`, so `(L, H)`. `valid_queries (T,)` and `valid_keys (S,)` leave out padding; rows without any
weight (fully masked) never count. NaN means the score is not defined there. `FORMULAS` has each score
under its name in `core.analysis.glossary`; `core.analysis.heads` computes them all at once.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypedDict, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import InputError
from core.tokenizer.piece import END_LABEL, PADDING_LABEL, START_LABEL, UNKNOWN_LABEL, is_special

_SPACE_MARKS: Final = " \t\n▁Ġ␣·"


@dataclass(frozen=True)
class AxisTokens:
    """Masks over the tokens of an axis: special, punctuation, with a letter or digit; and how often each token occurs.

    `special` are start, end, padding and all others that are no text, such as a language code. `counts` are training
    frequencies; NaN where unknown and for special tokens.
    """

    start: NDArray[np.bool_]
    end: NDArray[np.bool_]
    padding: NDArray[np.bool_]
    special: NDArray[np.bool_]
    punctuation: NDArray[np.bool_]
    letters: NDArray[np.bool_]
    counts: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.start)

    @classmethod
    def unknown(cls, length: int) -> AxisTokens:
        """An axis of which only the length is known: no padding, no special tokens."""
        no = np.zeros(length, dtype=bool)
        return cls(no, no, no, no, no, ~no, np.full(length, np.nan))

    @classmethod
    def from_labels(cls, labels: Sequence[str], counts: Sequence[float | None] | None = None) -> AxisTokens:
        """The masks of tokens with these labels."""
        names = np.array(labels, dtype=object)
        if counts is not None and len(counts) != len(labels):
            raise InputError(f"{len(counts)} counts for {len(labels)} tokens; give one count per token.")
        known = [np.nan if count is None else float(count) for count in counts or [None] * len(labels)]
        start, end, padding = (
            np.asarray(names == mark, dtype=bool) for mark in (START_LABEL, END_LABEL, PADDING_LABEL)
        )
        special = np.array([is_special(label) for label in labels], dtype=bool)
        no_text = special | np.asarray(names == UNKNOWN_LABEL, dtype=bool)
        return cls(
            start,
            end,
            padding,
            special,
            np.array([is_punctuation(label) for label in labels], dtype=bool) & ~no_text,
            np.array([any(map(str.isalnum, label.strip(_SPACE_MARKS))) for label in labels], dtype=bool)
            & ~no_text,
            np.where(no_text, np.nan, np.array(known, dtype=np.float64)),
        )


def is_punctuation(label: str) -> bool:
    """Whether every character, apart from blanks and word marks, is Unicode punctuation."""
    text = label.strip(_SPACE_MARKS)
    return bool(text) and all(unicodedata.category(character).startswith("P") for character in text)


Array = NDArray[np.float64]
Floating = TypeVar("Floating", bound=np.floating)
Mask = NDArray[np.bool_]
Valid = ArrayLike | None
"""Which queries (T,) or keys (S,) count; None: all."""

DIAGONAL_WIDTH: Final = 0.2  # Tachibana et al. 2018


def _prepare(weights: ArrayLike, valid_queries: Valid, valid_keys: Valid) -> tuple[Array, Mask]:
    """Weights with invalid keys set to 0, and a mask of the rows that count `(..., T)`: valid and not empty."""
    full = np.asarray(weights, dtype=np.float64)
    if valid_keys is not None and not np.all(valid_keys):
        full = np.where(np.asarray(valid_keys, dtype=bool), full, 0.0)
    rows = full.sum(axis=-1) > 0
    if valid_queries is not None:
        rows &= np.asarray(valid_queries, dtype=bool)
    return full, rows


def mean_rows(values: Array, rows: Mask) -> Array:
    """Mean of `values (..., T)` over the rows that count; NaN where none does."""
    count = rows.sum(axis=-1)
    total = np.where(rows, values, 0.0).sum(axis=-1)
    mean: Array = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return mean


def row_shares(values: NDArray[Floating]) -> NDArray[Floating]:
    """`values (..., S)` scaled so that each row sums to 1; a row of zeros stays as it is."""
    total = values.sum(axis=-1, keepdims=True)
    shares: NDArray[Floating] = np.divide(values, total, out=np.zeros_like(values), where=total > 0)
    return shares


def _span(valid: Valid, length: int) -> tuple[int, int]:
    """First valid position and the number of positions up to the last one: the sentence without padding."""
    if valid is None or not np.any(valid):
        return 0, length
    positions = np.flatnonzero(np.asarray(valid, dtype=bool))
    return int(positions[0]), int(positions[-1] - positions[0] + 1)


def row_entropy(weights: ArrayLike) -> Array:
    """−Σ_j A log A of each row in nats, `(..., T, S) → (..., T)`; 0 · log 0 is 0, no smoothing."""
    full = np.asarray(weights, dtype=np.float64)
    logs = np.log(full, out=np.zeros_like(full), where=full > 0)
    # Negated before adding +0.0, so that a one-hot row gives 0.0, not −0.0.
    return np.asarray(-np.einsum("...s,...s->...", full, logs) + 0.0, dtype=np.float64)


def entropy(
    weights: ArrayLike,
    *,
    valid_queries: Valid = None,
    valid_keys: Valid = None,
    normalised: bool = False,
    causal: bool = False,
) -> Array:
    """Mean row entropy in nats; `normalised` divides each row by the log of its number of allowed keys.

    With `causal`, row t may see keys 0…t. A row with one allowed key counts as 0 when normalised.
    """
    full, rows = _prepare(weights, valid_queries, valid_keys)
    values = row_entropy(full)
    if normalised:
        queries, keys = full.shape[-2:]
        valid = np.ones(keys, bool) if valid_keys is None else np.asarray(valid_keys, dtype=bool)
        seen = np.tri(queries, keys, dtype=bool) if causal else np.ones((queries, keys), dtype=bool)
        most = np.log(np.maximum((seen & valid).sum(axis=-1), 1))
        values = np.divide(values, most, out=np.zeros_like(values), where=most > 0)
    return mean_rows(values, rows)


def confidence(
    weights: ArrayLike,
    *,
    valid_queries: Valid = None,
    valid_keys: Valid = None,
    end_queries: ArrayLike | None = None,
    end_keys: ArrayLike | None = None,
) -> Array:
    """Mean over queries of the largest weight (Voita et al. 2019, §4).

    `end_queries (T,)` and `end_keys (S,)` mark the end token; it is dropped as a query and as a key
    (the other weights stay as they are). Leave one out to keep it there.
    """
    full, rows = _prepare(weights, valid_queries, valid_keys)
    if end_keys is not None and np.any(end_keys):
        full = np.where(np.asarray(end_keys, dtype=bool), 0.0, full)
    if end_queries is not None:
        rows &= ~np.asarray(end_queries, dtype=bool)
    return mean_rows(full.max(axis=-1), rows)


def _at_offset(
    full: Array, rows: Mask, offset: int, valid_keys: Valid
) -> tuple[NDArray[np.intp], NDArray[np.intp], Mask]:
    """Query rows i for which key i+offset exists, those keys, and which of them count."""
    queries, keys = full.shape[-2:]
    row = np.arange(max(0, -offset), min(queries, keys - offset))
    counted = rows[..., row]
    if valid_keys is not None:
        counted = counted & np.asarray(valid_keys, dtype=bool)[row + offset]
    return row, row + offset, counted


def positional_share(
    weights: ArrayLike, offset: int, *, valid_queries: Valid = None, valid_keys: Valid = None
) -> Array:
    """Mean weight on the key at i+offset, over the rows where that key exists (not over all rows)."""
    full, rows = _prepare(weights, valid_queries, valid_keys)
    row, key, counted = _at_offset(full, rows, offset, valid_keys)
    return mean_rows(full[..., row, key], counted)


def offset_share(
    weights: ArrayLike, offset: int, *, valid_queries: Valid = None, valid_keys: Valid = None
) -> Array:
    """Share of eligible query tokens whose one largest weight is at i+offset (Voita et al. 2019, §5.1).

    A head with a share of at least 0.9 is positional. A tie for the largest weight
    is no hit.
    """
    full, rows = _prepare(weights, valid_queries, valid_keys)
    row, key, counted = _at_offset(full, rows, offset, valid_keys)
    largest = full.max(axis=-1, keepdims=True)
    alone = (full == largest).sum(axis=-1) == 1
    hit = (full[..., row, key] == largest[..., row, 0]) & alone[..., row]
    return mean_rows(hit.astype(np.float64), counted)


def token_share(
    weights: ArrayLike, marked: ArrayLike, *, valid_queries: Valid = None, valid_keys: Valid = None
) -> Array:
    """Mean over queries of the weight on the marked keys `(S,)` together; NaN where no key is marked."""
    full, rows = _prepare(weights, valid_queries, valid_keys)
    mask = np.asarray(marked, dtype=bool)
    if not mask.any():
        return np.full(full.shape[:-2], np.nan)
    return mean_rows(full[..., mask].sum(axis=-1), rows)


def distance(
    weights: ArrayLike, *, cross: bool = False, valid_queries: Valid = None, valid_keys: Valid = None
) -> Array:
    """The mean distance of attention. Self: Σ_j A_ij·|i−j| in tokens. Cross: |j/(S−1) − t/(T−1)|, in sentences."""
    full, rows = _prepare(weights, valid_queries, valid_keys)
    query = np.arange(full.shape[-2], dtype=np.float64)
    key = np.arange(full.shape[-1], dtype=np.float64)
    if cross:
        (first, queries), (start, keys) = _span(valid_queries, len(query)), _span(valid_keys, len(key))
        query = (query - first) / max(queries - 1, 1)
        key = (key - start) / max(keys - 1, 1)
    gap = np.abs(query[:, None] - key)
    return mean_rows(np.einsum("...ts,ts->...t", full, gap), rows)


def rare_token(
    weights: ArrayLike, counts: ArrayLike, *, valid_queries: Valid = None, valid_keys: Valid = None
) -> Array:
    """1 where the key with the most weight in total is the least frequent one, else 0 (Voita 2019, §5.3).

    `counts (S,)` are training frequencies, NaN for special or unknown tokens (never the rarest). Several
    occurrences of the rarest token all count. Over a corpus, take the mean over its sentences.
    """
    full, rows = _prepare(weights, valid_queries, valid_keys)
    frequency = np.array(counts, dtype=np.float64)
    if valid_keys is not None:
        frequency[~np.asarray(valid_keys, dtype=bool)] = np.nan
    if np.isnan(frequency).all():
        return np.full(full.shape[:-2], np.nan)
    rarest = frequency == np.nanmin(frequency)
    favourite = np.einsum("...ts,...t->...s", full, rows.astype(np.float64)).argmax(axis=-1)
    return np.where(rows.any(axis=-1), rarest[favourite].astype(np.float64), np.nan)


def diagonality(weights: ArrayLike, *, valid_queries: Valid = None, valid_keys: Valid = None) -> Array:
    """Σ_tj A_tj·exp(−(j/S − t/T)²/(2·0.2²))/T with t and j from 0, S and T without padding."""
    full, rows = _prepare(weights, valid_queries, valid_keys)
    (first, queries), (start, keys) = (
        _span(valid_queries, full.shape[-2]),
        _span(valid_keys, full.shape[-1]),
    )
    gap = ((np.arange(full.shape[-1]) - start) / keys) - ((np.arange(full.shape[-2]) - first) / queries)[
        :, None
    ]
    near = np.exp(-(gap**2) / (2 * DIAGONAL_WIDTH**2))
    return mean_rows(np.einsum("...ts,ts->...t", full, near), rows)


def monotonicity(weights: ArrayLike, *, valid_queries: Valid = None, valid_keys: Valid = None) -> Array:
    """Kendall's τ-b between t and the mean attended position Σ_j j·A_tj, −1 … 1.

    τ-b = (concordant − discordant) / √(all pairs · pairs that do not tie); queries never tie. Mean
    positions closer than a millionth of the sentence count as a tie, the precision of float32 weights.
    0 where every pair ties, NaN for fewer than two rows.
    """
    full, rows = _prepare(weights, valid_queries, valid_keys)
    keys = full.shape[-1]
    mean_position = np.rint((full @ np.arange(keys, dtype=np.float64)) / (1e-6 * keys))
    sign = np.sign(mean_position[..., None, :] - mean_position[..., :, None])  # (..., earlier, later)
    pair = np.triu(rows[..., :, None] & rows[..., None, :], k=1)
    difference = np.where(pair, sign, 0.0).sum(axis=(-2, -1))
    pairs = pair.sum(axis=(-2, -1)).astype(np.float64)
    untied = (pair & (sign != 0)).sum(axis=(-2, -1)).astype(np.float64)
    scale = np.sqrt(pairs * untied)
    tau = np.divide(difference, scale, out=np.zeros_like(scale), where=scale > 0)
    return np.where(pairs > 0, tau, np.nan)


def coverage(weights: ArrayLike, *, valid_queries: Valid = None, valid_keys: Valid = None) -> Array:
    """The total weight of each key, `(..., S)`: C_j = Σ_t A_tj; sums to the number of rows."""
    full, rows = _prepare(weights, valid_queries, valid_keys)
    total: Array = np.einsum("...ts,...t->...s", full, rows.astype(np.float64))
    return total


def effective_rank(weights: ArrayLike, *, valid_queries: Valid = None, valid_keys: Valid = None) -> Array:
    """exp of the entropy of the normalised singular values, `(..., T, S) → (...)` (Roy & Vetterli 2007).

    The identity gives its size, a map with identical rows gives 1, an empty map NaN.
    """
    full = np.asarray(weights, dtype=np.float64)
    if valid_queries is not None:
        full = full[..., np.asarray(valid_queries, dtype=bool), :]
    if valid_keys is not None:
        full = full[..., np.asarray(valid_keys, dtype=bool)]
    singular = np.linalg.svd(full, compute_uv=False)
    return np.where(singular.any(axis=-1), np.exp(row_entropy(row_shares(singular))), np.nan)


def mean_score(values: Iterable[ArrayLike]) -> Array:
    """Mean over sentences of `(L, H)` scores, leaving out sentences where the score is NaN."""
    stack = np.stack([np.asarray(value, dtype=np.float64) for value in values], axis=-1)
    return mean_rows(stack, ~np.isnan(stack))


class Counted(TypedDict):
    """Which queries `(T,)` and keys `(S,)` count, as every score takes them."""

    valid_queries: Mask
    valid_keys: Mask


@dataclass(frozen=True)
class LayerMaps:
    """The maps of one layer's heads, weights `(H, T, S)`, with the tokens of both sides and those that count.

    `causal`: query t sees keys 0…t alone.
    """

    weights: NDArray[np.generic]
    kind: str
    causal: bool
    queries: AxisTokens
    keys: AxisTokens
    valid_queries: Mask
    valid_keys: Mask

    @property
    def valid(self) -> Counted:
        return {"valid_queries": self.valid_queries, "valid_keys": self.valid_keys}


def _confidence(maps: LayerMaps) -> Array:
    return confidence(maps.weights, end_queries=maps.queries.end, end_keys=maps.keys.end, **maps.valid)


def _positional(maps: LayerMaps) -> Array:
    offsets = (-1, 0) if maps.causal else (-1, 0, 1)
    shares = [offset_share(maps.weights, offset, **maps.valid) for offset in offsets]
    return np.asarray(np.fmax.reduce(shares), dtype=np.float64)


FORMULAS: Final[Mapping[str, Callable[[LayerMaps], Array]]] = {
    "entropy": lambda maps: entropy(maps.weights, **maps.valid),
    "normalised_entropy": lambda maps: entropy(
        maps.weights, normalised=True, causal=maps.causal, **maps.valid
    ),
    "confidence": _confidence,
    "previous_share": lambda maps: positional_share(maps.weights, -1, **maps.valid),
    "self_share": lambda maps: positional_share(maps.weights, 0, **maps.valid),
    "next_share": lambda maps: positional_share(maps.weights, 1, **maps.valid),
    "positional": _positional,
    "bos_share": lambda maps: token_share(maps.weights, maps.keys.start, **maps.valid),
    "eos_share": lambda maps: token_share(maps.weights, maps.keys.end, **maps.valid),
    "punctuation_share": lambda maps: token_share(maps.weights, maps.keys.punctuation, **maps.valid),
    "distance": lambda maps: distance(maps.weights, cross=maps.kind == "cross", **maps.valid),
    "rare_token": lambda maps: rare_token(maps.weights, maps.keys.counts, **maps.valid),
    "diagonality": lambda maps: diagonality(maps.weights, **maps.valid),
    "monotonicity": lambda maps: monotonicity(maps.weights, **maps.valid),
    "effective_rank": lambda maps: effective_rank(maps.weights, **maps.valid),
}
"""How each score of the glossary is computed from a layer's maps, `(H, T, S)` → `(H,)`."""
