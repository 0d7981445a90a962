"""The original model prepared for comparison: without the wrappers of training, and in single precision throughout."""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, Final
from unittest.mock import patch

import torch
from torch import Tensor, nn

from core.errors import InputError
from core.importing.options import SAME_TABLE
from core.model.transformer import sinusoid_table

# Wrappers, by class name (some belong to libraries that need not be installed), and where each keeps the model.
_WRAPPERS: Final[Mapping[str, str]] = {
    "OptimizedModule": "_orig_mod",
    **dict.fromkeys(
        ("DataParallel", "DistributedDataParallel", "AveragedModel", "DeepSpeedEngine"), "module"
    ),
    **dict.fromkeys(("FullyShardedDataParallel", "_FabricModule"), "module"),
}


def unwrapped(model: nn.Module) -> nn.Module:
    """The model inside torch.compile, DataParallel and the like."""
    while (place := _WRAPPERS.get(type(model).__name__)) is not None and isinstance(
        inner := getattr(model, place, None), nn.Module
    ):
        model = inner
    return model


def is_hugging_face(model: Any) -> bool:
    """Whether a model has a configuration as transformers' have."""
    return hasattr(model, "config") and hasattr(model.config, "to_dict")


def refuse_holder(model: nn.Module) -> None:
    """Raise InputError for a module that holds a Hugging Face encoder-decoder and is none, naming the attribute to give."""
    for name, part in model.named_modules():
        if (
            name
            and is_hugging_face(part)
            and getattr(part.config, "is_encoder_decoder", False)
            and hasattr(part, "generate")
        ):
            raise InputError(
                f"A {type(model).__name__} holds a {type(part).__name__} as .{name[:60]}; give that part alone to core.wrap."
            )


def published_class(model: nn.Module) -> str:
    """The name of the class of transformers that the model's own class is or comes from."""
    kinds = (each.__name__ for each in type(model).__mro__ if each.__module__.startswith("transformers."))
    return next(kinds, type(model).__name__)


def in_single_precision(model: nn.Module) -> tuple[nn.Module, str]:
    """The model itself where all its numbers are float32; else a copy in float32, and the names of the types it had.

    Sinusoids that half precision had rounded are computed again: the model here computes them too. Raises InputError for a
    model that cannot be copied.
    """
    tensors = [*model.parameters(), *model.buffers()]
    kinds = {each.dtype for each in tensors if each.is_floating_point()} - {torch.float32}
    if not kinds:
        return model, ""
    try:
        exact = copy.deepcopy(model).float()
    except (RuntimeError, TypeError, AttributeError, NotImplementedError) as error:
        reason = " ".join(str(error).split())[:80]
        raise InputError(
            f"A {type(model).__name__} in {', '.join(sorted(map(_name, kinds)))} cannot be copied to float32 ({reason}); give "
            "model.float()."
        ) from None
    stored = dict(model.named_parameters()) | dict(model.named_buffers())
    with torch.no_grad():
        for name, tensor in (*exact.named_parameters(), *exact.named_buffers()):
            if stored[name].dtype in (torch.float16, torch.bfloat16):
                _restore(tensor)
        for part in exact.modules():
            if "Sinusoidal" in type(part).__name__:
                _compute_again(part)
    return exact, " and ".join(sorted(map(_name, kinds)))


def _name(kind: torch.dtype) -> str:
    return str(kind).removeprefix("torch.")


def _restore(tensor: Tensor) -> None:
    """Replace a rounded table of sinusoids by the exact one."""
    shape = [size for size in tensor.shape if size != 1]
    if len(shape) != 2 or shape[1] % 2:
        return
    for layout in ("sinusoidal", "sinusoidal_halves"):
        table = sinusoid_table(shape[0], shape[1], layout).float().to(tensor.device)
        if torch.allclose(tensor.reshape(shape), table, atol=SAME_TABLE, rtol=0):
            tensor.copy_(table.reshape(tensor.shape))


def _compute_again(part: Any) -> None:
    """Fill the table of one of transformers' modules of sinusoids by its own formula."""
    table = getattr(part, "weights", None) if hasattr(part, "weights") else getattr(part, "weight", None)
    if not isinstance(table, Tensor):
        return
    if hasattr(part, "create_weight"):
        table.copy_(part.create_weight())
    elif hasattr(part, "get_embedding"):
        table.copy_(part.get_embedding(*table.shape, getattr(part, "padding_idx", None)))


@contextmanager
def full_precision(device: torch.device) -> Iterator[None]:
    """No autocast, neither the caller's nor one that training left around `forward`, and nothing compiled anew."""
    entering: Any = torch.autocast.__enter__

    def enter(autocast: Any) -> Any:
        was, autocast._enabled = autocast._enabled, False
        try:
            return entering(autocast)
        finally:
            autocast._enabled = was

    with ExitStack() as stack:
        stack.enter_context(torch.autocast(device.type, enabled=False))
        stack.enter_context(patch.object(torch.autocast, "__enter__", enter))
        if "torch._dynamo" in sys.modules:  # else nothing is compiled, and loading it takes seconds
            stack.enter_context(torch.compiler.set_stance("force_eager"))
        yield


# -- what a forward pass gives ---------------------------------------------------------------------------------

_LOGITS: Final = (
    "logits",
    "output",
    "outputs",
    "out",
    "scores",
    "prediction",
    "predictions",
    "log_probs",
    "pred",
)
_MOST: Final = 16


def readings(result: Any, sentences: int, length: int) -> list[Tensor]:
    """Every way to read what a forward pass gave as logits (B, T, V), the likeliest first; empty where there is none.

    Looked into: tuples, mappings and objects with attributes. The axes may come as (B, T, V), (T, B, V), (B, V, T), or
    flattened to (B · T, V) or (T · B, V).
    """
    found: list[Tensor] = []
    for tensor in _tensors(result):
        shape = tuple(tensor.shape)
        if len(shape) == 3:
            found += [tensor] * (shape[:2] == (sentences, length))
            found += [tensor.transpose(0, 1)] * (shape[:2] == (length, sentences))
            found += [tensor.transpose(1, 2)] * (shape[::2] == (sentences, length))
        elif len(shape) == 2 and shape[0] == sentences * length:
            found += [
                tensor.reshape(sentences, length, -1),
                tensor.reshape(length, sentences, -1).transpose(0, 1),
            ]
    return found


def shapes(result: Any) -> str:
    """The shapes of the tensors in what a forward pass gave, for a sentence."""
    return ", ".join(str(tuple(each.shape)) for each in _tensors(result)[:4]) or f"a {type(result).__name__}"


def _tensors(result: Any) -> list[Tensor]:
    if isinstance(result, Tensor):
        return [result] if result.is_floating_point() else []
    if isinstance(result, Mapping):
        named = [result[name] for name in _LOGITS if name in result]
        parts = [*named, *(each for name, each in result.items() if name not in _LOGITS)]
    elif isinstance(result, (tuple, list)):
        parts = list(result)
    elif hasattr(result, "__dict__"):
        return _tensors(vars(result))
    else:
        return []
    flat = (
        tensor
        for part in parts[:_MOST]
        if isinstance(part, (Tensor, tuple, list))
        for tensor in _tensors(part)
    )
    return list(flat)[:_MOST]


def as_returned(logits: Tensor, theirs: Tensor) -> tuple[Tensor, str]:
    """Our logits in the form of `theirs`, (B, T, V) both: log-probabilities or probabilities where theirs are; and which."""
    if theirs.shape != logits.shape:
        return logits, ""
    theirs = theirs.float()
    if bool((theirs.logsumexp(-1).abs() < _SUM).all()):
        return logits.log_softmax(-1), "log-probabilities"
    if bool((theirs >= 0).all()) and bool(((theirs.sum(-1) - 1).abs() < _SUM).all()):
        return logits.softmax(-1), "probabilities"
    return logits, ""


_SUM: Final = 1e-3
"""How far the probabilities of one row may be from 1 together."""
