"""`from_maps`: a `Trace` of attention weights given as arrays, with two lists of words and no model.

    trace = core.from_maps(source_words, target_words, cross=weights)  # (L, H, T, S)
    core.show(trace)

Rows, numbers and labels are kept as they are given. What a row of the decoder reads or writes is not known, so it has
the one label that was given.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from core.errors import InputError
from core.model.config import ModelConfig
from core.model.hooks import ATTENTION, Site
from core.model.trace import ROUNDED, Tokens, Trace

_ROUNDING: Final = 1e-4  # what a weight may be below 0 or above 1
_SIDES: Final[Mapping[str, tuple[str, str]]] = {
    "cross": ("target", "source"),
    "causal": ("target", "target"),
    "encoder": ("source", "source"),
}
"""The words of the rows and of the columns of each kind."""


def from_maps(
    source: Iterable[str] | None = None,
    target: Iterable[str] | None = None,
    *,
    cross: Any = None,
    causal: Any = None,
    encoder: Any = None,
    scores: bool = False,
) -> Trace:
    """Attention weights as a trace that every view, figure and export takes: as given, nothing added or dropped.

    `source` (S words) and `target` (T words) label rows and columns; a side that no map has may be left out. `cross` is
    (L, H, T, S), `causal`, the decoder's self-attention, (L, H, T, T) and `encoder` (L, H, S, S), any of them alone: numpy,
    torch or what numpy can read, or a list or dict with (H, T, S) of each layer, with or without a batch axis of 1. An array of
    three axes is one layer, of two one head. Rows that do not sum to 1 are kept, with a warning. With `scores` the numbers are
    those before the softmax, -inf where a query may not attend to a key, and the softmax over each row is taken.

    Raises `InputError` for numbers that are not in 0..1 and for shapes that do not fit the words or each other.
    """
    words = {"source": words_of("source", source), "target": words_of("target", target)}
    given = {"cross": cross, "causal": causal, "encoder": encoder}
    maps = {kind: _weights(kind, value) for kind, value in given.items() if value is not None}
    if not maps:
        raise InputError(
            "There are no maps; give cross, causal or encoder, each (layers, heads, rows, columns)."
        )
    for kind, weights in maps.items():
        _check_words(kind, weights, words)
        maps[kind] = weights = _softmax(kind, weights) if scores else weights
        _check_numbers(kind, weights)
    if "cross" in maps and "causal" in maps and maps["cross"].shape[:2] != maps["causal"].shape[:2]:
        layers, heads, *_ = maps["cross"].shape
        others, theirs, *_ = maps["causal"].shape
        raise InputError(
            f"cross has {layers} layers of {heads} heads and causal {others} of {theirs}, which are those of one decoder; "
            "give the same layers of both, or make a trace of each."
        )
    for kind, weights in maps.items():
        _warn_of_sums(kind, weights)
    return _trace(words, maps)


def words_of(side: str, given: Iterable[str] | None) -> tuple[str, ...] | None:
    """The labels of one side, None where there are none. Raises `InputError` for one text and for what is no text."""
    if given is None:
        return None
    if isinstance(given, str):
        raise InputError(f"{side} is one text; give a list of its words or tokens, such as text.split().")
    try:
        words = tuple(given)
    except TypeError:
        raise InputError(f"{side} is a {type(given).__name__}; give a list of words.") from None
    for word in words:
        if not isinstance(word, str):
            raise InputError(
                f"{side} holds {word!r}, a {type(word).__name__}; give words or tokens as text, not their ids."
            )
    return tuple(str(word) for word in words) or None


# -- the arrays ----------------------------------------------------------------------------------------------


def _weights(kind: str, given: Any) -> NDArray[np.floating[Any]]:
    """A kind's weights (L, H, rows, columns), with the batch axis taken away."""
    array = _stacked(kind, given)
    if array.ndim == 5:  # a batch of one: before the layers or, as a tuple of layers is stacked, after them
        axis = 1 if array.shape[1] == 1 else 0
        if array.shape[axis] != 1:
            raise InputError(
                f"{kind} has shape {array.shape}, with a batch of several sentences; give one of them, such as "
                f"{kind}[:, 0]."
            )
        array = array.squeeze(axis)
    if array.ndim not in (2, 3, 4) or 0 in array.shape:
        raise InputError(
            f"{kind} has shape {array.shape}; give (layers, heads, rows, columns), none of them 0."
        )
    return array.reshape((1,) * (4 - array.ndim) + array.shape)


def _stacked(kind: str, given: Any) -> NDArray[np.floating[Any]]:
    """One array of what may be a list of layers."""
    if isinstance(given, Mapping):  # a layer's number or name → its weights, as hooks gather them
        given = list(given.values())
    if not isinstance(given, list | tuple):
        return _array(kind, given)
    if not given:
        raise InputError(f"{kind} is an empty list; give (heads, rows, columns) of each layer.")
    given = [_heads_stacked(kind, layer) for layer in given]
    if any(isinstance(layer, list | tuple) and layer and hasattr(layer[0], "shape") for layer in given):
        raise InputError(
            f"{kind} is a list of lists of arrays, as generate returns one for each step; give all that it returned to "
            "core.from_generate."
        )
    layers = [_array(kind, layer) for layer in given]
    shapes = list(dict.fromkeys(layer.shape for layer in layers))
    if len(shapes) > 1:
        raise InputError(
            f"The layers of {kind} have shapes {shapes[0]} and {shapes[1]}; give as many heads, rows and columns for each."
        )
    if layers[0].ndim == 4:
        if layers[0].shape[0] != 1:
            raise InputError(
                f"Each layer of {kind} has shape {layers[0].shape}, with a batch of several sentences; give one of them, "
                f"such as [layer[0] for layer in {kind}]."
            )
        layers = [layer[0] for layer in layers]
    if layers[0].ndim == 2 and hasattr(given[0], "shape"):  # a layer's one head
        layers = [layer[None] for layer in layers]
    return np.stack(layers)


def _heads_stacked(kind: str, layer: Any) -> Any:
    """A layer as one array where it is a list of its heads' arrays, each (rows, columns)."""
    if layer is None:
        raise InputError(
            f"A layer of {kind} is None, as models return without output_attentions=True or with another attention than "
            '"eager"; give the weights of each layer.'
        )
    if (
        isinstance(layer, list | tuple)
        and layer
        and all(len(getattr(head, "shape", ())) == 2 for head in layer)
    ):
        return np.stack([_array(kind, head) for head in layer])
    return layer


def _array(kind: str, given: Any) -> NDArray[np.floating[Any]]:
    """An array as floating-point numbers of at least 32 bits, the same numbers as were given."""
    try:
        if hasattr(given, "detach"):  # torch's, on any device
            tensor = given.detach().cpu().to_dense()
            given = (tensor if str(tensor.dtype) == "torch.float64" else tensor.float()).numpy()
        if isinstance(given, np.ma.MaskedArray):  # where a query may not attend to a key
            given = given.filled(0)
        array = np.asarray(given)
        if array.dtype.kind == "c":
            raise TypeError
        return array if array.dtype in (np.float32, np.float64) else array.astype(np.float32)
    except (TypeError, ValueError, NotImplementedError, RuntimeError):
        raise InputError(
            f"{kind} cannot be read as numbers; give an array (layers, heads, rows, columns) or a list of a layer's each."
        ) from None


# -- what is checked -----------------------------------------------------------------------------------------


def _check_words(
    kind: str, weights: NDArray[np.floating[Any]], words: Mapping[str, tuple[str, ...] | None]
) -> None:
    for side, axis, count in zip(_SIDES[kind], ("rows", "columns"), weights.shape[2:], strict=True):
        labels = words[side]
        if labels is None:
            raise InputError(f"{kind} has {count} {axis} of {side} words; give {side}, the list of them.")
        if len(labels) != count:
            wanted = [len(words[each] or ()) for each in _SIDES[kind]]
            turned = list(weights.shape[:1:-1]) == wanted
            raise InputError(
                f"{kind} has {count} {axis} and {side} {len(labels)} words; "
                + (
                    f"its last two axes are exchanged: give {kind}.swapaxes(-1, -2)."
                    if turned
                    else "give one word for each."
                )
            )


def _softmax(kind: str, scores: NDArray[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    """The softmax over each row of scores, of which some may be -inf."""
    highest = scores.max(axis=-1, keepdims=True)
    if not np.isfinite(highest).all():
        raise InputError(
            f"{kind} has a row of scores without a finite one, or with NaN; each query needs a key that it may attend to."
        )
    powers = np.exp(scores - highest)
    weights: NDArray[np.floating[Any]] = powers / powers.sum(axis=-1, keepdims=True)
    return weights


def _check_numbers(kind: str, weights: NDArray[np.floating[Any]]) -> None:
    if not np.isfinite(weights).all():
        raise InputError(
            f"{kind} holds NaN or infinite numbers; give 0 where a query may not attend to a key."
        )
    low, high = float(weights.min()), float(weights.max())
    if low >= 0 and high > 1 and bool((np.abs(weights.sum(axis=-1) - 100) < 1).all()):
        raise InputError(f"The rows of {kind} sum to 100, so they are percentages; give {kind} / 100.")
    if low < -_ROUNDING or high > 1 + _ROUNDING:
        raise InputError(
            f"{kind} holds numbers from {low:.3g} to {high:.3g}, and attention weights are between 0 and 1; if these are "
            "scores before the softmax, give scores=True."
        )


def _warn_of_sums(kind: str, weights: NDArray[np.floating[Any]]) -> None:
    sums = weights.sum(axis=-1, dtype=np.float64)
    off = int((np.abs(sums - 1) > ROUNDED).sum())
    if off:
        columns = weights.sum(axis=-2, dtype=np.float64)
        turned = bool((np.abs(columns - 1) <= ROUNDED).all())
        warnings.warn(
            f"{off:,} of the {sums.size:,} rows of {kind} do not sum to 1 (from {sums.min():.3g} to {sums.max():.3g}), so they "
            "are not what a softmax gives; they are kept as they are."
            + (f" The columns do: if rows are the keys, give {kind}.swapaxes(-1, -2)." if turned else ""),
            stacklevel=3,
        )


# -- the trace -----------------------------------------------------------------------------------------------


def _trace(
    words: Mapping[str, tuple[str, ...] | None], maps: Mapping[str, NDArray[np.floating[Any]]]
) -> Trace:
    records = {
        Site(ATTENTION[kind].stack, layer, ATTENTION[kind].block, "weights"): each
        for kind, weights in maps.items()
        for layer, each in enumerate(np.ascontiguousarray(weights))
    }
    none = (0, 0)
    encoder = maps["encoder"].shape[:2] if "encoder" in maps else none
    decoder = next((maps[kind].shape[:2] for kind in ("cross", "causal") if kind in maps), none)
    source, target = words["source"] or (), words["target"] or ()
    size = max(len(source), len(target))
    config = ModelConfig(
        source_vocab_size=size,
        target_vocab_size=size,
        d_model=max(encoder[1], decoder[1]),  # not known: a number that fits the heads
        heads=encoder[1] or decoder[1],
        decoder_heads=decoder[1] or None,
        head_dim=1,
        encoder_layers=encoder[0],
        decoder_layers=decoder[0],
        causal="causal" not in maps or not np.triu(maps["causal"], 1).any(),
        tie_embeddings=False,
        positions="none",
        pad_id=0,
        bos_id=0,
        eos_id=None,
        unk_id=None,
    )
    tokens = Tokens(source, target, ())
    return Trace(config, tokens, tuple(range(len(source))), tuple(range(len(target))), (), records, True)
