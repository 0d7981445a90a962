"""Calling code that somebody else wrote: copies of modules, what an argument is called, which of several results is meant."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

Fn = Callable[..., Any]
CLOSE = 1e-4  # of numbers around 1, in single precision


def quiet_copy(fn: Fn) -> Fn:
    """A module's copy in evaluation mode on the CPU, so that no dropout and no state of it matters; a function as it is."""
    if not isinstance(fn, nn.Module):
        return fn
    return copy.deepcopy(fn).cpu().float().eval().requires_grad_(False)


def parameters(fn: Fn) -> list[inspect.Parameter]:
    """The positional arguments that a call takes; none where Python cannot say."""
    try:
        signature = inspect.signature(fn.forward if isinstance(fn, nn.Module) else fn)
    except (TypeError, ValueError):
        return []
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [each for each in signature.parameters.values() if each.kind in kinds]


def required(fn: Fn) -> int:
    """How many arguments a call must have, those that are masks by name not counted."""
    needed = [each for each in parameters(fn) if each.default is inspect.Parameter.empty]
    return sum("mask" not in each.name for each in needed)


def mask_place(fn: Fn, after: int) -> str | None:
    """The name of the argument that takes a mask: one called so, or the one that follows the first `after`."""
    listed = parameters(fn)
    named = [each.name for each in listed if "mask" in each.name and "padding" not in each.name]
    if named:
        return named[0]
    return listed[after].name if len(listed) > after and listed[after].default is None else None


def tensors(result: Any) -> list[Tensor]:
    """Every tensor of a result, in order."""
    if isinstance(result, Tensor):
        return [result]
    if isinstance(result, list) and result and isinstance(result[0], list):
        return [torch.tensor(result)]  # a table in plain Python
    if isinstance(result, (tuple, list)):
        return [found for each in result for found in tensors(each)]
    try:
        return [torch.as_tensor(result)] if not isinstance(result, (dict, type(None))) else []
    except (TypeError, ValueError, RuntimeError):
        return []


def of_shape(result: Any, shape: tuple[int, ...]) -> Tensor | None:
    """The first tensor of this shape, a leading axis of 1 apart."""
    for each in tensors(result):
        if tuple(each.shape) == shape:
            return each.detach().float()
        if tuple(each.shape) == (1, *shape):
            return each.detach().float()[0]
    return None


def close(a: Tensor, b: Tensor) -> bool:
    """Whether two tensors are the same but for rounding."""
    return a.shape == b.shape and bool(torch.allclose(a.float(), b.float(), atol=CLOSE, rtol=CLOSE))


def normal(seed: int, *shape: int) -> Tensor:
    """Numbers that are the same on every run."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def short(values: Tensor) -> str:
    """A few numbers as text."""
    return (
        "["
        + ", ".join(f"{float(each):.4g}" for each in values.flatten()[:6])
        + ("]" if values.numel() <= 6 else ", …]")
    )
