"""How far single precision alone can move a model's numbers, found by Monte Carlo arithmetic (Parker 1997).

In double precision every number the model passes on is multiplied by 1 + ε, with ε random and as large as rounding in
single precision makes it. What that moves, the model's own sensitivity to rounding, is what rounding can explain: a
model with scores in the thousands passes on far more of it than one with scores below ten.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import torch
from torch import Tensor

from core.model.hooks import Hooks
from core.model.transformer import Transformer
from core.verify.gaps import relative_gap, worst
from core.verify.runs import Run

_UNIT: Final = 2.0**-24  # half the distance of two neighbours in single precision, relatively
_DRAWS: Final = 6
_SAFETY: Final = 16.0  # sums round more than once, two roundings are compared, and draws are few


class Bound(NamedTuple):
    """The largest gap that rounding in single precision can explain: of predictions, and of weights."""

    logits: float
    maps: float


def rounding_bound(model: Transformer, run: Run) -> Bound:
    """The bound for `model` on the sentences of `run`, both in double precision."""
    clean = Hooks(record=("*.weights",))
    logits = model(run.source, run.target, clean)
    predictions, maps = [], []
    for draw in range(_DRAWS):
        generator = torch.Generator(device=logits.device).manual_seed(draw)

        def rounded(tensor: Tensor, generator: torch.Generator = generator) -> Tensor:
            noise = torch.empty_like(tensor).normal_(generator=generator)
            return tensor * (1.0 + _UNIT * noise)

        noisy = Hooks(record=("*.weights",), edit={"*": rounded})
        predictions.append(relative_gap(model(run.source, run.target, noisy), logits))
        maps += [relative_gap(noisy.records[site], weights) for site, weights in clean.records.items()]
    return Bound(_SAFETY * worst(predictions), _SAFETY * worst(maps))
