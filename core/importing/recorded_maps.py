"""The attention maps of anybody's module: what its softmaxes, or torch's own attention, computed in one forward pass.

A `TorchFunctionMode` sees each call of torch's functions, so that nothing of the module need be known but how many layers it
has. The kinds of attention are told apart by their shape, as source and target have different lengths.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.overrides import TorchFunctionMode

from core.errors import InputError
from core.model.config import ModelConfig
from core.model.hooks import ATTENTION

Layers = Mapping[str, int]
"""How many layers have each kind of attention, by its name in `ATTENTION`."""


def layers_of(config: ModelConfig) -> Layers:
    """The layers of a model of this configuration."""
    return {name: config.layers(kind.stack) for name, kind in ATTENTION.items()}


class RecordedMaps(TorchFunctionMode):
    """Within its block, keeps the attention weights (B, H, T, S) that torch's functions compute.

    `source` and `target`: the tokens of each side, which must differ. `sentences`: of the batch, or None where they are read one
    at a time.
    """

    def __init__(self, source: int, target: int, sentences: int | None) -> None:
        super().__init__()
        self._kinds: Final = {
            (source, source): "encoder",
            (target, target): "causal",
            (target, source): "cross",
        }
        self._sentences: Final = sentences
        self._kept: dict[str, list[Tensor]] = {name: [] for name in ATTENTION}
        self.others: list[tuple[int, ...]] = []  # the shapes (B, H, T, S) of other lengths or sentences

    def __enter__(self) -> RecordedMaps:
        self._fast = torch.backends.mha.get_fastpath_enabled()
        torch.backends.mha.set_fastpath_enabled(False)  # it computes a whole layer in one function
        super().__enter__()  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *raised: Any) -> None:
        super().__exit__(*raised)  # type: ignore[no-untyped-call]
        torch.backends.mha.set_fastpath_enabled(self._fast)

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        options = kwargs or {}
        name = getattr(function, "__name__", "")
        if function is F.multi_head_attention_forward:
            options = {**options, "need_weights": True, "average_attn_weights": False}
        result = function(*args, **options)
        if name == "softmax":
            self._keep(result)
        elif function is F.multi_head_attention_forward:
            self._keep(result[1])
        elif function is F.scaled_dot_product_attention:
            self._keep(_weights(*args, **options))
        return result

    def _keep(self, weights: Tensor) -> None:
        """Keep what has the shape of a map, with or without an axis for sentences or heads."""
        kind = self._kinds.get(tuple(weights.shape[-2:]))  # type: ignore[arg-type]
        sentences = self._sentences or 1
        outer = weights.shape[:-2]
        if kind is None or len(outer) > 2 or (len(outer) == 2 and outer[0] != sentences):
            if len(outer) == 2:
                self.others.append(tuple(weights.shape))
            return
        if math.prod(outer) % sentences == 0:
            self._kept[kind].append(weights.detach().reshape(sentences, -1, *weights.shape[-2:]))

    @property
    def layers(self) -> Layers:
        """How many maps of each kind were computed."""
        return {name: len(kept) for name, kept in self._kept.items()}

    def stacked(self, layers: Layers, passes: int = 1) -> dict[str, Tensor]:
        """The maps of the last `passes` forward passes by kind, (L, B, H, T, S); the passes are joined as sentences.

        Raises InputError where a kind was not computed in as many layers.
        """
        maps = {}
        for name, count in layers.items():
            kept = self._kept[name]
            if len(kept) < count * passes or len(kept) % max(count, 1):
                raise InputError(
                    f"its {ATTENTION[name].title} was computed {len(kept)} times for {count * passes} layers"
                )
            last = kept[len(kept) - count * passes :]
            each = [torch.stack(last[start : start + count]) for start in range(0, len(last), count)]
            maps[name] = torch.cat(each, dim=1)
        return maps


def _weights(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """The weights that `scaled_dot_product_attention` takes the mean of the values with, by its documented formula."""
    if enable_gqa:  # several heads of queries read one of keys
        key = key.repeat_interleave(query.shape[-3] // key.shape[-3], dim=-3)
    scores = query @ key.transpose(-2, -1) * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    if is_causal:
        attn_mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        scores = scores.masked_fill(~attn_mask, -math.inf)
    elif attn_mask is not None:
        scores = scores + attn_mask
    return scores.softmax(-1)
