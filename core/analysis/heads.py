"""All head scores of one attention kind at once, and the one door to everything about heads.

Heads are comparable only within one attention kind. Names, labels and sources of the scores are in
`SCORES`; the single functions are in `core.analysis.scores`, maps made smaller or simpler in
`core.analysis.maps`, likeness of heads in `core.analysis.similarity`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.analysis.glossary import KINDS, SCORES, Score
from core.analysis.maps import (
    aggregate,
    hidden_share,
    hide_keys,
    merge_words,
    reduce_map,
    rollout,
    rollout_null,
    uniform_weights,
    word_groups,
)
from core.analysis.scores import (
    POSITIONAL_THRESHOLD,
    Array,
    Mask,
    confidence,
    coverage,
    diagonality,
    distance,
    entropy,
    mean_score,
    monotonicity,
    offset_share,
    positional_share,
    rare_token,
    row_entropy,
    token_share,
)
from core.analysis.similarity import effective_rank, head_similarity, jensen_shannon, layout
from core.analysis.tokens import AxisTokens
from core.errors import InputError
from core.model.sites import ATTENTION

__all__ = [
    "KINDS",
    "POSITIONAL_THRESHOLD",
    "SCORES",
    "AxisTokens",
    "Score",
    "aggregate",
    "attention_kind",
    "confidence",
    "coverage",
    "diagonality",
    "distance",
    "effective_rank",
    "entropy",
    "head_scores",
    "head_similarity",
    "hidden_share",
    "hide_keys",
    "jensen_shannon",
    "layout",
    "mean_score",
    "merge_words",
    "monotonicity",
    "offset_share",
    "positional_share",
    "rare_token",
    "reduce_map",
    "rollout",
    "rollout_null",
    "row_entropy",
    "token_share",
    "uniform_weights",
    "word_groups",
]


def attention_kind(stack: str, block: str) -> str:
    """'encoder-self', 'decoder-self' or 'cross' for a hook site's stack and block."""
    for kind in ATTENTION.values():
        if (kind.stack, kind.block) == (stack, block):
            return kind.name
    raise InputError(f"There is no attention at {stack}.{block}; the kinds are {', '.join(KINDS)}.")


def _axis(tokens: AxisTokens | Sequence[str] | None, length: int, name: str) -> AxisTokens:
    if tokens is None:
        return AxisTokens.unknown(length)
    axis = tokens if isinstance(tokens, AxisTokens) else AxisTokens.from_labels(tokens)
    if len(axis) != length:
        raise InputError(f"{len(axis)} {name} tokens for a map with {length}; give one token per {name}.")
    return axis


def head_scores(
    weights: ArrayLike,
    kind: str,
    *,
    queries: AxisTokens | Sequence[str] | None = None,
    keys: AxisTokens | Sequence[str] | None = None,
    valid_queries: ArrayLike | None = None,
    valid_keys: ArrayLike | None = None,
    drop_end_query: bool = True,
    drop_end_key: bool = True,
    names: Iterable[str] | None = None,
) -> dict[str, Array]:
    """Every score of one attention kind: `(L, H, T, S)` → name → `(L, H)`, in the glossary's order.

    `kind` is 'encoder-self', 'decoder-self' (causal) or 'cross'. `queries` and `keys` are token labels
    or `AxisTokens`; for self-attention one of them is enough. Padding is read off the labels, and the
    valid masks leave out more. Scores that this kind or these tokens do not define are NaN.
    `names` picks a few scores; above 128 tokens `effective_rank` is by far the slowest.
    """
    full = np.asarray(weights)
    if kind not in KINDS:
        raise InputError(f"Attention kind {kind!r} is unknown; choose one of {', '.join(KINDS)}.")
    if full.ndim != 4:
        raise InputError(f"Weights have shape {full.shape}; scores need (layers, heads, queries, keys).")
    chosen = list(SCORES) if names is None else list(names)
    if unknown := [name for name in chosen if name not in SCORES]:
        raise InputError(f"Score {unknown[0]!r} is unknown; choose from {', '.join(SCORES)}.")
    if kind != "cross":
        queries, keys = (keys if queries is None else queries), (queries if keys is None else keys)
    query_axis, key_axis = _axis(queries, full.shape[2], "query"), _axis(keys, full.shape[3], "key")
    query_valid, key_valid = ~query_axis.padding, ~key_axis.padding
    if valid_queries is not None:
        query_valid = query_valid & np.asarray(valid_queries, dtype=bool)
    if valid_keys is not None:
        key_valid = key_valid & np.asarray(valid_keys, dtype=bool)
    ends = (query_axis.end if drop_end_query else None, key_axis.end if drop_end_key else None)
    # Layer by layer: a 512-token map in float64 stays small enough for the processor's cache.
    layers = [
        {name: _score(name, layer, kind, key_axis, query_valid, key_valid, ends) for name in chosen}
        for layer in full
    ]
    return {name: np.stack([layer[name] for layer in layers]) for name in chosen}


def _score(
    name: str,
    weights: NDArray[np.generic],
    kind: str,
    keys: AxisTokens,
    valid_queries: Mask,
    valid_keys: Mask,
    ends: tuple[Mask | None, Mask | None],
) -> Array:
    """One score of one layer's weights `(H, T, S)`."""
    valid = {"valid_queries": valid_queries, "valid_keys": valid_keys}
    if kind not in SCORES[name].kinds:
        return np.full(weights.shape[:-2], np.nan)
    causal = kind == "decoder-self"
    match name:
        case "entropy" | "normalised_entropy":
            return entropy(weights, normalised=name != "entropy", causal=causal, **valid)
        case "confidence":
            return confidence(weights, end_queries=ends[0], end_keys=ends[1], **valid)
        case "previous_share" | "self_share" | "next_share":
            offset = {"previous_share": -1, "self_share": 0, "next_share": 1}[name]
            return positional_share(weights, offset, **valid)
        case "positional":
            offsets = (-1, 0) if causal else (-1, 0, 1)
            shares = [offset_share(weights, offset, **valid) for offset in offsets]
            return np.asarray(np.fmax.reduce(shares), dtype=np.float64)
        case "bos_share" | "eos_share" | "punctuation_share":
            marked = {
                "bos_share": keys.start,
                "eos_share": keys.end,
                "punctuation_share": keys.punctuation,
            }[name]
            return token_share(weights, marked, **valid)
        case "distance":
            return distance(weights, cross=kind == "cross", **valid)
        case "rare_token":
            return rare_token(weights, keys.counts, **valid)
        case "diagonality":
            return diagonality(weights, **valid)
        case "monotonicity":
            return monotonicity(weights, **valid)
        case _:
            return effective_rank(weights, **valid)
