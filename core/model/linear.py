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

_ONEDNN = torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")
_ROWS = 16  # from which on oneDNN's product is the quicker one on a CPU


class Part(nn.Module):
    """A module whose call is its `forward`: into a pass one looks with `core.Hooks`, so torch's own hooks are not asked."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self.forward(*args, **options)


class Linear(Part, nn.Linear):
    """x Wᵀ + b."""

    def forward(self, x: Tensor) -> Tensor:
        """x (…, in) → (…, out)."""
        return linear(x, self.weight, self.bias)


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x (…, in), weight (out, in), bias (out,) → (…, out)."""
    if _ONEDNN and x.device.type == "cpu" and not torch.is_grad_enabled() and _quicker(x, weight):
        found: Tensor = torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")
        return found
    return F.linear(x, weight, bias)


def _quicker(x: Tensor, weight: Tensor) -> bool:
    if x.numel() < _ROWS * x.shape[-1] or not x.dtype == weight.dtype == torch.float32:
        return False
    whole = weight.is_contiguous() or weight.t().is_contiguous()  # a part of a matrix is slow there
    return whole and not torch.is_autocast_enabled("cpu")


def together(projections: Sequence[nn.Linear], x: Tensor) -> Sequence[Tensor]:
    """What each of `projections`, all of one shape, makes of x (…, in) → (…, out) each; one product if they lie side by side."""
    if len(projections) == 1:
        return [projections[0](x)]
    weight = _joined([projection.weight for projection in projections])
    bias = _joined([projection.bias for projection in projections])
    if weight is None or (bias is None and projections[0].bias is not None):
        return [projection(x) for projection in projections]
    return torch.split(linear(x, weight, bias), projections[0].out_features, dim=-1)


def put_together(projections: Sequence[nn.Linear]) -> None:
    """Move the parameters of `projections`, all of one shape, side by side; `together` finds them so."""
    for parameters in ([each.weight for each in projections], [each.bias for each in projections]):
        if parameters[0] is not None:
            whole = along_longer_axis(torch.cat([parameter.data for parameter in parameters]))
            for parameter, part in zip(parameters, whole.chunk(len(parameters)), strict=True):
                parameter.data = part


def along_longer_axis(matrix: Tensor) -> Tensor:
    """The same numbers with the longer of two axes in a row in memory, which is how a product reads them fastest."""
    if matrix.dim() == 2 and matrix.shape[0] >= matrix.shape[1]:
        return matrix.t().contiguous().t()
    return matrix.contiguous()


def _joined(parts: Sequence[Tensor | None]) -> Tensor | None:
    """`parts` as one tensor, if each begins in memory where the one before it ends along its first axis."""
    first = parts[0]
    if first is None or (
        first.requires_grad and torch.is_grad_enabled()
    ):  # each is to get a gradient of its own
        return None
    start, stride, shape = first.data_ptr(), first.stride(), first.shape
    step = shape[0] * stride[0] * first.element_size()
    for place, part in enumerate(parts):
        if part is None or part.data_ptr() != start + place * step or part.stride() != stride:
            return None
        if part.untyped_storage().data_ptr() != first.untyped_storage().data_ptr():
            return None  # neighbours by chance
    return first.as_strided((len(parts) * shape[0], *shape[1:]), stride)
