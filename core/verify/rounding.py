"""How far single precision alone can move a model's numbers, found by Monte Carlo arithmetic (Parker 1997).

In double precision every number the model passes on is multiplied by 1 + ε, with ε random and as large as rounding in
single precision makes it. What that moves, the model's own sensitivity to rounding, is what rounding can explain: a
model with scores in the thousands passes on far more of it than one with scores below ten.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import torch
from torch import Tensor

from core.model.hooks import Hooks
from core.model.transformer import Transformer
from core.verify.gaps import relative_gap, worst

_UNIT: Final = 2.0**-24  # half the distance of two neighbours in single precision, relatively
_DRAWS: Final = 6
_SAFETY: Final = 16.0  # sums round more than once, two roundings are compared, and draws are few


class Bound(NamedTuple):
    """The largest gap that rounding in single precision can explain: of predictions, of weights, of any record."""

    logits: float
    maps: float
    records: float


def rounding_bound(model: Transformer, batches: Sequence[tuple[Tensor, Tensor]]) -> Bound:
    """The bound for `model`, in double precision, on `batches`: source (B, S) and target (B, T) each."""
    found = [_moved(model, *batch) for batch in batches]
    return Bound(*(_SAFETY * worst(gaps) for gaps in zip(*found, strict=True)))


def _moved(model: Transformer, source: Tensor, target: Tensor) -> Bound:
    """How far rounding at every site moves what the model records."""
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
