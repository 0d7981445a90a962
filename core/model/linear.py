"""The product of every projection, x Wᵀ + b, and where a loaded model's matrices lie in memory.

`Transformer.pack_weights` stores a loaded model's matrices by columns, which a product of few rows reads faster, and those
that read the same input (queries, keys, values) side by side, so that one product serves them. Names, shapes and values
of the parameters stay the same; a model whose weights are not packed computes the same numbers, more slowly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

_SPARE = 16  # numbers after each column: columns a multiple of 2 KiB apart would compete for the same few cache lines


class Part(nn.Module):
    """A part of the model: calling it is calling its `forward`.

    torch's own hooks on modules do not run, `core.Hooks` records and edits instead: in a decoding step looking for them
    would take longer than most layers.
    """

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self.forward(*args, **options)


def product(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """x Wᵀ + b: x (…, in), weight (out, in), bias (out,) or None → (…, out)."""
    one_row = x.is_cpu and x.numel() == weight.size(1) and not torch.is_grad_enabled()
    if one_row and bias is not None and x.dtype == weight.dtype:
        # A decoding step: a product with a vector reads the matrix faster.
        return torch.addmv(bias, weight, x.reshape(-1)).view(*x.shape[:-1], -1)
    return F.linear(x, weight, bias)


class Linear(Part, nn.Linear):
    """x Wᵀ + b."""

    def forward(self, x: Tensor) -> Tensor:
        """x (…, in) → (…, out)."""
        own = self._parameters  # torch's search for an attribute takes as long as a small product
        weight = own["weight"]
        assert weight is not None
        return product(x, weight, own["bias"])


def store_by_columns(projections: Sequence[nn.Linear]) -> tuple[Tensor, Tensor | None]:
    """Move linear layers of one shape into one memory, by columns → their matrices (n · out, in) and biases (n · out,).

    There is no second copy: the parameters are views of what is returned, so changing one changes both.
    """
    weights = [each.weight for each in projections]
    rows = torch.cat([weight.data for weight in weights])
    joined = rows.new_zeros(rows.shape[1], len(rows) + _SPARE)[:, : len(rows)].t().copy_(rows)
    for weight, part in zip(weights, joined.chunk(len(weights)), strict=True):
        weight.data = part
    biases = [each.bias for each in projections if each.bias is not None]
    if not biases:
        return joined, None
    joined_bias = torch.cat([bias.data for bias in biases])
    for bias, part in zip(biases, joined_bias.chunk(len(biases)), strict=True):
        bias.data = part
    return joined, joined_bias


class Joined:
    """Linear layers that read the same input, as one product while their parameters lie side by side in memory."""

    def __init__(self, projections: Sequence[nn.Linear]) -> None:
        self.count = len(projections)
        self.weight, self.bias = store_by_columns(projections)
        self._held = [each._parameters for each in projections]
        self._places = self._current_places()

    def _current_places(self) -> list[object]:
        places: list[object] = []
        for held in self._held:
            weight, bias = held["weight"], held["bias"]
            assert weight is not None
            places += (weight.data_ptr(), weight.stride(), None if bias is None else bias.data_ptr())
        return places

    def intact(self) -> bool:
        """Whether every parameter is where it was put: none was replaced or moved, as by `.to` or `assign=True`."""
        return self._current_places() == self._places

    def __call__(self, x: Tensor) -> Tensor:
        """x (…, in) → the outputs of all layers, (…, count · out)."""
        return product(x, self.weight, self.bias)

    def __deepcopy__(self, memo: object) -> None:
        """None: a copied model has its parameters elsewhere."""


def dropout(x: Tensor, p: float, training: bool) -> Tensor:
    """x with a share p of its numbers set to 0 and the others scaled up, while training (Srivastava et al. 2014)."""
    return F.dropout(x, p) if training and p else x
