"""The worked example of a checkpoint: one greedy decode, stored beside the weights and read without torch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from core.checkpoints import files
from core.decoding.strategies import by_probability
from core.errors import CheckpointError, InputError
from core.model.config import ModelConfig
from core.model.hooks import ATTENTION, LOGITS, Site
from core.model.trace import Trace

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle

MAX_BYTES = 2**28  # of a stored example, unpacked
LONGEST_LABEL = 1000
_SLACK = 1e-3  # of the sum of a row of weights
EXACT = 48  # the most probable tokens of a step whose logits are stored as they are
_RECORD = (
    "*.weights",
    "*.value_norm",
    "*.norm_mean",
    "*.norm_var",
    "encoder.embed.*",
    "decoder.embed.*",
    str(LOGITS),
)


def write_example(checkpoint: Bundle, source: str | None = None, folder: str | Path | None = None) -> Path:
    """Decode `source` (default: the first example of the card) and store it as `example.npz` → the file.

    `folder` defaults to the checkpoint's own. Raises `InputError` if there is no sentence or no folder.
    """
    from core.checkpoints.bundle import folder_of
    from core.decoding.session import DecodeSession

    target = folder_of(checkpoint, folder)
    session = DecodeSession(
        checkpoint, _first_example(checkpoint) if source is None else source, record=_RECORD
    )
    session.run()
    trace = session.trace
    logits = {LOGITS: coarse_logits(trace.array(LOGITS))}
    path = target / files.EXAMPLE
    replace(trace, records={**trace.records, **logits}).save(path)
    return path


def load_example(folder: Path, config: ModelConfig) -> Trace:
    """The stored example of a checkpoint folder, every number of it checked against the model's shape.

    Raises `CheckpointError` or `InputError` if there is none, or it is not one decode of this model.
    """
    path = files.file_in(folder, files.EXAMPLE)
    trace = Trace.load(path, MAX_BYTES)
    wrong = f"{path} is not a decode of this model: %s; write it again with `core example`."
    if trace.config != config:
        raise CheckpointError(wrong % "its configuration is another")
    for side, ids, vocabulary in (
        ("source", trace.source_ids, config.source_vocab_size),
        ("target", trace.target_ids, config.target_vocab_size),
        ("written", trace.written_ids, config.target_vocab_size),
    ):
        if not 0 < len(ids) == len(getattr(trace.tokens, side)) <= config.max_length + 1:
            raise CheckpointError(wrong % f"it has {len(ids)} {side} tokens")
        if not all(0 <= token < vocabulary for token in ids):
            raise CheckpointError(wrong % f"a {side} token is not in the vocabulary")
    if len(trace.target_ids) != len(trace.written_ids):
        raise CheckpointError(wrong % "not every step wrote a token")
    required = {
        Site(kind.stack, layer, kind.block, "weights")
        for kind in ATTENTION.values()
        for layer in range(config.layers(kind.stack))
    }
    if lacking := [site for site in (*required, LOGITS) if not trace.has(site)]:
        raise CheckpointError(wrong % f"it lacks {lacking[0]}")
    if any(len(label) > LONGEST_LABEL for row in trace.tokens for label in row):
        raise CheckpointError(wrong % "a token is too long")
    if any("\ud800" <= letter <= "\udfff" for row in trace.tokens for label in row for letter in label):
        raise CheckpointError(wrong % "a token holds half a character, which no page can show")
    for site, array in trace.records.items():
        if site.layer >= max(1, config.layers(site.stack)) or array.shape != _shape(site, trace):
            raise CheckpointError(wrong % f"{site} has shape {array.shape}")
        if array.dtype.kind != "f" or not np.isfinite(array).all():
            raise CheckpointError(wrong % f"{site} holds something that is not a number")
        if site.kind == "weights" and not _are_weights(
            array, causal=config.causal and site.block == "self" and site.stack == "decoder"
        ):
            raise CheckpointError(wrong % f"the rows of {site} are no attention weights")
    return trace


def _are_weights(weights: np.ndarray, causal: bool) -> bool:
    """Whether every row (..., T_query, T_key) lies in 0..1 and sums to 1, and no causal row has weight on the future."""
    exact = weights.astype(np.float64)
    ahead = causal and bool(np.triu(exact, 1).any())
    return bool((exact >= 0).all() and (abs(exact.sum(-1) - 1) < _SLACK).all()) and not ahead


def _shape(site: Site, trace: Trace) -> tuple[int, ...]:
    """The shape of the record at a site of one decode; sizes as in `Trace`."""
    config = trace.config.of(site.stack)
    rows = len(trace.source_ids if site.stack == "encoder" else trace.target_ids)
    keys = (
        len(trace.source_ids if site.block == "cross" else trace.target_ids)
        if site.stack == "decoder"
        else rows
    )
    shapes = {
        "weights": (config.heads, rows, keys),
        "value_norm": (config.heads, keys),
        "norm_mean": (rows,),
        "norm_var": (rows,),
        "logits": (rows, config.target_vocab_size),
    }
    return shapes.get(site.kind, (rows, config.d_model))


def coarse_logits(logits: np.ndarray, exact: int = EXACT) -> np.ndarray:
    """Logits (T, V) with all but the `exact` best of each row replaced by one value of the same total probability.

    The best tokens keep their probability, the others share theirs evenly, and the file becomes small.
    """
    coarse = logits.astype(np.float32).copy()
    for row in coarse:
        others = by_probability(row)[exact:]
        if len(others):
            values = row[others].astype(np.float64)
            row[others] = values.max() + np.log(np.mean(np.exp(values - values.max())))
    return coarse


def _first_example(checkpoint: Bundle) -> str:
    examples = checkpoint.card.get("examples")
    first = examples[0] if isinstance(examples, list) and examples else None
    text = first.get("source") if isinstance(first, dict) else None
    if not isinstance(text, str):
        raise InputError("The checkpoint's card lists no example sentence; give one.")
    return text
