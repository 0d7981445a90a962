"""Other numbers of heads than the one that was told, tried on the same weights: a hint, never a decision.

Every divisor of d_model fits the shapes. Cut into the wrong heads, a trained model is less sure of what it writes; so
the mean log-probability of its own greedy output is highest at the number it was trained with, on sentences like those
it was trained on. One sentence proves little and a made-up one nothing: see docs/importing.md for what was measured.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import torch

from core.analysis.readout import how_many
from core.importing.written import greedy
from core.model.transformer import Transformer

CANDIDATES: Final = 8
SENTENCES: Final = 10
_SOURCE_TOKENS: Final = 80
_STEPS: Final = 40
_PARAMETERS: Final = 200_000_000  # larger models would take minutes
# Of the told number's mean, by how much another must be better, with one, two and more sentences (measured; see docs).
_CLEARLY: Final = (0.25, 0.1, 0.04)
_AGREE: Final = 2 / 3  # of the sentences must say so each by itself
_FLUENT: Final = -1.0  # a model that is less sure of its best output tells nothing


@dataclass(frozen=True)
class HeadCounts:
    """The mean log-probability a token of what the model writes, by number of heads."""

    told: int
    means: Mapping[int, float]
    sentences: int
    better: int | None  # a number that is clearly better than the told one

    @property
    def warning(self) -> str | None:
        """One sentence, if another number is clearly better."""
        if self.better is None:
            return None
        others = ", ".join(f"{heads}: {mean:.2f}" for heads, mean in sorted(self.means.items()))
        return (
            f"with {self.better} heads the model would be clearly surer of what it writes than with the {self.told} "
            f"it was given (mean log-probability a token {self.means[self.better]:.3f} against "
            f"{self.means[self.told]:.3f}, on {how_many(self.sentences, 'sentence')}; {others}), "
            f"so doubt heads = {self.told}."
        )

    def to_json(self) -> dict[str, Any]:
        means = {str(heads): mean for heads, mean in sorted(self.means.items())}
        return {"told": self.told, "means": means, "sentences": self.sentences, "better": self.better}


def try_head_counts(model: Transformer, rows: Sequence[Sequence[int]]) -> HeadCounts | None:
    """Decode `rows` with other numbers of heads; None where shapes fix the number or it would take too long."""
    config = model.config
    fixed = config.head_dim is not None or config.shared_head_projection
    numbers = sum(parameter.numel() for parameter in model.parameters())
    chosen = [row for row in rows if len(row) <= _SOURCE_TOKENS][:SENTENCES]
    if fixed or config.positions == "relative_buckets" or numbers > _PARAMETERS or not chosen:
        return None
    results = {
        heads: greedy(with_heads(model, heads), chosen, min(_STEPS, config.max_length))
        for heads in candidates(config.d_model, config.heads)
    }
    means = {heads: _mean(found) for heads, found in results.items()}
    best = max(means, key=lambda heads: means[heads])
    better = best if best != config.heads and _clearly(results[best], results[config.heads]) else None
    return HeadCounts(config.heads, means, len(chosen), better)


def candidates(d_model: int, told: int) -> list[int]:
    """`told` and the divisors of `d_model` nearest to the usual eight, at most CANDIDATES in all."""
    divisors = [heads for heads in range(1, min(d_model, 256) + 1) if d_model % heads == 0 and heads != told]
    divisors.sort(key=lambda heads: (abs(math.log(heads / 8)), heads))
    return sorted([told, *divisors[: CANDIDATES - 1]])


def with_heads(model: Transformer, heads: int) -> Transformer:
    """A model over the very same tensors that cuts them into another number of heads."""
    with torch.device("meta"):
        other = Transformer(dataclasses.replace(model.config, heads=heads)).eval()
    for name, module in other.named_modules():
        same = model.get_submodule(name)
        module._parameters, module._buffers = same._parameters, same._buffers
    return other


def _mean(found: Sequence[tuple[list[int], float]]) -> float:
    """Over all tokens of all sentences."""
    return sum(mean * len(ids) for ids, mean in found) / sum(len(ids) for ids, _ in found)


def _clearly(best: Sequence[tuple[list[int], float]], told: Sequence[tuple[list[int], float]]) -> bool:
    surer, less = _mean(best), _mean(told)
    agreed = sum(one[1] >= other[1] for one, other in zip(best, told, strict=True))
    if surer <= less:
        return False
    needed = _CLEARLY[min(len(told), len(_CLEARLY)) - 1]
    return surer > _FLUENT and 1 - surer / less >= needed and agreed >= _AGREE * len(told)
