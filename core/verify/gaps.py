"""Differences between tensors, in the two measures of the trust report, and the effect of rounding on a model.

A difference that cannot be measured because of NaN is NaN, and one where something is missing is infinite: neither
passes any check.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
import torch
from torch import Tensor

from core.model.hooks import Hooks
from core.model.transformer import Transformer

# Sums of terms below this have no significant digits in single precision.
_NOTHING = 1e-30


def relative_gap(values: Tensor, reference: Tensor) -> float:
    """The largest difference, relative to the largest reference value or 1: for two ways through a whole model."""
    if values.shape != reference.shape:
        return math.inf
    if not reference.numel():
        return 0.0
    size = max(1.0, float(reference.abs().max()))
    return float((values - reference).abs().max()) / size


def array_gap(values: np.ndarray, reference: np.ndarray) -> float:
    """The same for arrays; where one is −inf the other must be too, which counts as no difference."""
    if values.shape != reference.shape or not np.array_equal(np.isneginf(values), np.isneginf(reference)):
        return math.inf
    seen = ~np.isneginf(reference)
    size = max(1.0, float(np.abs(reference[seen]).max(initial=0.0)))
    return float(np.abs(values[seen].astype(np.float64) - reference[seen]).max(initial=0.0)) / size


def per_term(values: Tensor, expected: Tensor, terms: Tensor) -> float:
    """The largest difference of an element, relative to the terms that it sums: for one operation.

    `terms` holds Σ|summand| of each element. Rounding one operation in single precision changes an element by about
    1e-7 of that, however wide its numbers are, so that no allowance for wide ones is needed (Higham 2002, section 3.1).
    """
    if values.shape != expected.shape:
        return math.inf
    if not expected.numel():
        return 0.0
    return float(((values - expected).abs() / terms.clamp(min=_NOTHING)).max())


def worst(values: Iterable[float]) -> float:
    """The largest difference, 0 without any, NaN if any is NaN (which `max` would lose)."""
    return float(torch.tensor([0.0, *values], dtype=torch.float64).max())


_UNIT: Final = 2.0**-24  # half the distance of two neighbours in single precision, relatively
_DRAWS: Final = 6
_SAFETY: Final = 16.0  # sums round more than once, two roundings are compared, and draws are few


class Bound(NamedTuple):
    """The largest gap that rounding in single precision can explain: of predictions, of weights, of any record."""

    logits: float
    maps: float
    records: float


def rounding_bound(model: Transformer, batches: Sequence[tuple[Tensor, Tensor]]) -> Bound:
    """The effect of single-precision rounding on `model`, by Monte Carlo arithmetic (Parker 1997).

    In double precision every number that the model passes on is multiplied by 1 + ε, with ε random and as large as
    rounding
    in single precision. `batches`: source (B, S) and target (B, T) each. A model with scores in the thousands
    propagates far
    more of it than one with scores below ten.
    """
    moved = [_moved(model, *batch) for batch in batches]
    return Bound(*(_SAFETY * worst(gaps) for gaps in zip(*moved, strict=True)))


def _moved(model: Transformer, source: Tensor, target: Tensor) -> Bound:
    """The change of the model's records by rounding at every site."""
    clean = Hooks(record=("*",))
    logits = model(source, target, clean)
    predictions, maps, records = [], [], []
    for draw in range(_DRAWS):
        generator = torch.Generator(device=logits.device).manual_seed(draw)

        def rounded(tensor: Tensor, generator: torch.Generator = generator) -> Tensor:
            noise = torch.empty_like(tensor).normal_(generator=generator)
            return tensor * (1.0 + _UNIT * noise)

        noisy = Hooks(record=("*",), edit={"*": rounded})
        predictions.append(relative_gap(model(source, target, noisy), logits))
        for site, expected in clean.records.items():
            seen = ~expected.isneginf()
            records.append(relative_gap(noisy.records[site][seen], expected[seen]))
            if site.kind == "weights":
                maps.append(records[-1])
    return Bound(worst(predictions), worst(maps), worst(records))
