"""The product of every projection, x Wᵀ + b, and the memory layout of weights that makes it fast.

`Transformer.pack_weights` lays a loaded model's matrices out as they are read fastest, and those that read the same
input (queries, keys, values) side by side, so that one product serves them. Names, shapes and values of the parameters
stay the same; a model whose weights are not packed computes the same numbers, more slowly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

_ONEDNN = torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")
_LEAST_MULTIPLICATIONS = 600_000  # from here on oneDNN's product is the faster one on a CPU
_CONFLICT_STRIDE = 512  # numbers: rows a multiple of this apart (2 KiB) compete for the same few cache lines
_PADDING = 16  # rows added against such conflicts


class DirectModule(nn.Module):
    """A module whose call is its `forward`, without torch's own hooks: `core.Hooks` records and edits instead."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self.forward(*args, **options)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if isinstance(value, nn.Module):
            # A plain attribute; torch's own search takes ten times as long.
            self.__dict__[name] = value
        elif name in self._modules:  # a submodule that is replaced by something else
            self.__dict__.pop(name, None)


class Linear(DirectModule, nn.Linear):
    """x Wᵀ + b."""

    fused: FusedWeights | None = None

    def forward(self, x: Tensor) -> Tensor:
        """x (…, in) → (…, out)."""
        weight, bias = self._parameters["weight"], self._parameters["bias"]
        assert weight is not None
        return linear(x, weight, bias, self.fused)

    def pack_weights(self) -> None:
        """Put the matrix into the memory layout that a product reads fastest."""
        self.fused = FusedWeights.of([self])


def linear(
    x: Tensor, weight: Tensor, bias: Tensor | None = None, fused: FusedWeights | None = None
) -> Tensor:
    """x (…, in), weight (out, in), bias (out,), and the `fused` weights that hold both, if packed → (…, out)."""
    if not _onednn_is_faster(x, weight):
        return F.linear(x, weight, bias)
    if torch.is_grad_enabled():
        trained: Tensor = _Trained.apply(x, weight, bias)  # type: ignore[no-untyped-call]
        return trained
    if fused is not None and fused.intact():
        return fused(x)
    if weight.is_contiguous() or weight.t().is_contiguous():  # oneDNN is slow for a slice of a matrix
        return _onednn(x, weight, bias)
    return F.linear(x, weight, bias)


ParameterRef = tuple[nn.Module, str]  # a parameter, by the module that has it and its name there


class FusedWeights:
    """Matrices of one shape and their biases, side by side in memory so that one product computes them all.

    They are stored by columns, padded against cache conflicts. There is no second copy: the parameters are views, so
    changing one changes the fused weights. `intact` says whether they still are.
    """

    def __init__(self, weights: Sequence[ParameterRef], biases: Sequence[ParameterRef] = ()) -> None:
        self._owned = [(module._parameters, name) for module, name in (*weights, *biases)]
        self.count = len(weights)
        self.weight = _side_by_side([module._parameters[name] for module, name in weights])
        self.bias = _side_by_side([module._parameters[name] for module, name in biases]) if biases else None
        self.size = sum(len(each) for each in self._parameters()[: self.count] if each is not None)
        self._exact = self.weight[: self.size], None if self.bias is None else self.bias[: self.size]
        self._addresses = self._current_addresses()

    @classmethod
    def of(cls, projections: Sequence[nn.Linear]) -> FusedWeights:
        """The fused weights of linear layers."""
        biased = [each for each in projections if each.bias is not None]
        return cls([(each, "weight") for each in projections], [(each, "bias") for each in biased])

    def _parameters(self) -> list[nn.Parameter | None]:
        return [parameters[name] for parameters, name in self._owned]

    def _current_addresses(self) -> list[tuple[object, ...]]:
        return [
            () if each is None else (each.data_ptr(), each.stride(), each.dtype)
            for each in self._parameters()
        ]

    def intact(self) -> bool:
        """Whether every parameter still is a view of the fused weights and none needs a gradient."""
        if self._current_addresses() != self._addresses:
            return False
        return not torch.is_grad_enabled() or not any(
            each.requires_grad for each in self._parameters() if each is not None
        )

    def __call__(self, x: Tensor) -> Tensor:
        """x (…, in) → the outputs of all matrices, (…, count · out)."""
        if torch.is_grad_enabled() or not _onednn_is_faster(x, self.weight):
            return F.linear(x, *self._exact)
        output = _onednn(x, self.weight, self.bias)
        return output if output.shape[-1] == self.size else output[..., : self.size]

    def __deepcopy__(self, memo: object) -> None:
        """None: a copied model has its parameters elsewhere, not side by side."""


def _side_by_side(parameters: Sequence[nn.Parameter | None]) -> Tensor:
    """Move `parameters`, (out, …) each, into one tensor (count · out + padding, …) whose first axis is contiguous."""
    held = [parameter for parameter in parameters if parameter is not None]
    joined = torch.cat([parameter.data for parameter in held])
    length = len(joined)
    padded = length + (_PADDING if length % _CONFLICT_STRIDE == 0 else 0)
    fused = joined.new_zeros(*joined.shape[1:], padded).movedim(-1, 0)
    fused[:length] = joined
    for parameter, rows in zip(held, fused[:length].chunk(len(held)), strict=True):
        parameter.data = rows
    return fused


def _onednn_is_faster(x: Tensor, weight: Tensor) -> bool:
    """Whether oneDNN's product is the faster one: on a CPU, for two rows and more."""
    size = x.shape[-1]
    numbers = x.numel()
    if numbers < 2 * size or numbers // size * weight.numel() < _LEAST_MULTIPLICATIONS:
        return False
    plain = x.dtype is weight.dtype is torch.float32 and x.is_cpu
    return _ONEDNN and plain and not torch.is_autocast_enabled("cpu")


class _Trained(torch.autograd.Function):
    """The same product with its gradients, which are products of the output's gradient with W and with x."""

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
        # oneDNN copies a transposed operand: transpose the narrower one.
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
    output: Tensor = torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")
    return output


def dropout(x: Tensor, p: float, training: bool) -> Tensor:
    """x with a share p of its numbers set to 0 and the others scaled up, while training (Srivastava et al. 2014)."""
    return F.dropout(x, p) if training and p else x
