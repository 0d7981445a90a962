"""The product of every projection, x Wᵀ + b, and how weights lie in memory so that it is quick.

`Transformer.lay_out` puts a loaded model's matrices as they are read fastest, and those that read the same input
(queries, keys, values) side by side, so that one product serves them. Only the memory changes: names, shapes and values
of the parameters are the same, and a model that was never laid out computes the same, slower.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

_ONEDNN = torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")
_WORTH = 600_000  # multiplications from which on oneDNN's product is the quicker one on a CPU
_CROWDED = 512  # numbers: rows a multiple of this apart (2 KiB) compete for the same few lines of the cache
_SPARE = 16


class Part(nn.Module):
    """A module whose call is its `forward`: into a pass one looks with `core.Hooks`, so torch's own hooks are not asked."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self.forward(*args, **options)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if isinstance(value, nn.Module):
            # Found like any attribute; torch's own search takes ten times as long.
            self.__dict__[name] = value
        elif name in self._modules:  # a part that is taken out is not found any more
            self.__dict__.pop(name, None)


class Linear(Part, nn.Linear):
    """x Wᵀ + b."""

    whole: Whole | None = None

    def forward(self, x: Tensor) -> Tensor:
        """x (…, in) → (…, out)."""
        weight, bias = self._parameters["weight"], self._parameters["bias"]
        assert weight is not None
        return linear(x, weight, bias, self.whole)

    def lay_out(self) -> None:
        """Put the matrix in memory as a product reads it fastest."""
        self.whole = Whole.of([self])


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None, whole: Whole | None = None) -> Tensor:
    """x (…, in), weight (out, in), bias (out,), and perhaps the `whole` that holds both → (…, out)."""
    if not _many(x, weight):
        return F.linear(x, weight, bias)
    if torch.is_grad_enabled():
        trained: Tensor = _Trained.apply(x, weight, bias)  # type: ignore[no-untyped-call]
        return trained
    if whole is not None and whole.intact():
        return whole(x)
    if weight.is_contiguous() or weight.t().is_contiguous():  # a part of a matrix is slow there
        return _onednn(x, weight, bias)
    return F.linear(x, weight, bias)


Owned = tuple[nn.Module, str]  # a parameter, by the module that has it and its name there


class Whole:
    """Matrices of one shape and their biases, moved side by side in memory, as one product reads them.

    They lie by columns, and with rows to spare where they would be crowded. No second copy: whoever changes a
    parameter changes the whole, and where one was replaced, `intact` says so.
    """

    def __init__(self, weights: Sequence[Owned], biases: Sequence[Owned] = ()) -> None:
        self._owned = [(module._parameters, name) for module, name in (*weights, *biases)]
        self.count = len(weights)
        self.weight = _side_by_side([module._parameters[name] for module, name in weights])
        self.bias = _side_by_side([module._parameters[name] for module, name in biases]) if biases else None
        self.size = sum(len(each) for each in self._parameters()[: self.count] if each is not None)
        self._exact = self.weight[: self.size], None if self.bias is None else self.bias[: self.size]
        self._lie = self._where()

    @classmethod
    def of(cls, projections: Sequence[nn.Linear]) -> Whole:
        """The whole of linear layers."""
        biased = [each for each in projections if each.bias is not None]
        return cls([(each, "weight") for each in projections], [(each, "bias") for each in biased])

    def _parameters(self) -> list[nn.Parameter | None]:
        return [parameters[name] for parameters, name in self._owned]

    def _where(self) -> list[tuple[object, ...]]:
        return [
            () if each is None else (each.data_ptr(), each.stride(), each.dtype)
            for each in self._parameters()
        ]

    def intact(self) -> bool:
        """Whether every parameter is a part of the whole, whatever it holds now, and none is to get a gradient."""
        if self._where() != self._lie:
            return False
        return not torch.is_grad_enabled() or not any(
            each.requires_grad for each in self._parameters() if each is not None
        )

    def __call__(self, x: Tensor) -> Tensor:
        """x (…, in) → what all of the matrices make of it, (…, count · out)."""
        if torch.is_grad_enabled() or not _many(x, self.weight):
            return F.linear(x, *self._exact)
        found = _onednn(x, self.weight, self.bias)
        return found if found.shape[-1] == self.size else found[..., : self.size]

    def __deepcopy__(self, memo: object) -> None:
        """None: a copied model has its parameters elsewhere, not side by side."""


def _side_by_side(parameters: Sequence[nn.Parameter | None]) -> Tensor:
    """Move `parameters`, (out, …) each, into one tensor (count · out + spare, …) whose first axis lies in a row."""
    held = [parameter for parameter in parameters if parameter is not None]
    joined = torch.cat([parameter.data for parameter in held])
    length = len(joined)
    room = joined.new_zeros(*joined.shape[1:], length + (_SPARE if length % _CROWDED == 0 else 0))
    whole = room.movedim(-1, 0)
    whole[:length] = joined
    for parameter, part in zip(held, whole[:length].chunk(len(held)), strict=True):
        parameter.data = part
    return whole


def _many(x: Tensor, weight: Tensor) -> bool:
    """Whether oneDNN's product is the quicker one: on a CPU, for two rows and more."""
    size = x.shape[-1]
    numbers = x.numel()
    if numbers < 2 * size or numbers // size * weight.numel() < _WORTH:
        return False
    plain = x.dtype is weight.dtype is torch.float32 and x.is_cpu
    return _ONEDNN and plain and not torch.is_autocast_enabled("cpu")


class _Trained(torch.autograd.Function):
    """The same product with its gradients, which are products too: of those of the result with W and with x."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(x, weight)
        return _onednn(x, weight, bias)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *outputs: Tensor) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        (x, weight), (back,) = ctx.saved_tensors, outputs
        wanted_x, wanted_weight, wanted_bias = ctx.needs_input_grad
        read, rows = x.flatten(0, -2), back.flatten(0, -2)  # (N, in), (N, out)
        of_weight = None
        # oneDNN copies what it reads turned: let that be the narrower.
        if wanted_weight and weight.shape[0] <= weight.shape[1]:
            of_weight = _onednn(rows.t(), read.t(), None)
        elif wanted_weight:
            of_weight = _onednn(read.t(), rows.t(), None).t().contiguous()
        return (
            _onednn(back, weight.t(), None) if wanted_x else None,
            of_weight,
            rows.sum(0) if wanted_bias else None,
        )


def _onednn(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    found: Tensor = torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")
    return found


def dropout(x: Tensor, p: float, training: bool) -> Tensor:
    """x with a share p of its numbers set to 0 and the others scaled up, while training (Srivastava et al. 2014)."""
    return F.dropout(x, p) if training and p else x
