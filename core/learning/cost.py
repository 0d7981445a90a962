"""What attention costs as the sentence grows: weights, memory and products from the shapes, times on the model's own layer.

Imports no torch.

    of(config, 1024).weights          # n² of one head
    times(model, LENGTHS)             # {1024: Times(attention=…, feed_forward=…)}, measured now
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from torch import Tensor

    from core.model.config import ModelConfig
    from core.model.transformer import Transformer

LENGTHS: Final = (64, 128, 256, 512, 1024)
"""The lengths that are compared, in tokens; each is twice the one before."""
NUMBER: Final = 4
"""Bytes of a number in single precision."""
_RUNS: Final = 5


@dataclass(frozen=True)
class Cost:
    """What the encoder's self-attention costs for one sentence of `tokens`.

    `weights`: of one head, n². `bytes`: of the weights of all heads of all layers, as they are kept while a model trains.
    `products`: multiplications of one layer that grow with n² (scores and weighted sums); `others`: those of its
    projections and its feed-forward network, which grow with n.
    """

    tokens: int
    weights: int
    bytes: int
    products: int
    others: int

    @property
    def share(self) -> float:
        """The part of a layer's multiplications that grows with n²."""
        return self.products / (self.products + self.others)


def of(config: ModelConfig, tokens: int) -> Cost:
    """The cost for one sentence, from the shapes alone."""
    inner = config.heads * config.d_head
    weights = tokens * tokens
    projections = inner * config.d_head if config.shared_head_projection else config.d_model * inner
    feed_forward = (3 if config.gated else 2) * config.d_model * config.d_ff
    return Cost(
        tokens,
        weights,
        NUMBER * config.encoder_layers * config.heads * weights,
        2 * weights * inner,
        tokens * (3 * projections + inner * config.d_model + feed_forward),
    )


def break_even(config: ModelConfig) -> int:
    """The length from which the n² part is at least half of an encoder layer's multiplications."""
    one = of(config, 1)
    return -(-one.others // one.products)


def cached_numbers(config: ModelConfig) -> int:
    """The numbers that the decoder keeps of each token it has written: a key and a value for each head of each layer."""
    return 2 * config.decoder_layers * config.heads * config.d_head


@dataclass(frozen=True)
class Times:
    """Seconds that the first encoder layer's self-attention and feed-forward network take, projections included."""

    attention: float
    feed_forward: float


def times(model: Transformer, lengths: Sequence[int] = LENGTHS) -> Mapping[int, Times]:
    """Measure both on random vectors of each length: the fastest of some runs, all weights computed one by one."""
    import torch

    from core.model.attention import Mask
    from core.model.hooks import NO_TAP, Hooks, tap

    layer = model.encoder_layers[0]
    at = tap(
        Hooks(("*.weights",)), "encoder", 0, "self"
    )  # asks for the weights, so that no fused kernel skips them
    parameter = next(model.parameters())
    measured = {}
    with torch.inference_mode():
        for tokens in lengths:
            turns = model.turns(0, tokens)
            x = torch.randn(1, tokens, model.config.d_model, device=parameter.device, dtype=parameter.dtype)

            def attend(x: Tensor = x, turns: Tensor | None = turns) -> Tensor:
                q, keys_values = layer.self_attention.queries_keys_values(x, NO_TAP, turns)  # type: ignore[union-attr, operator]
                mixed: Tensor = layer.self_attention(q, keys_values, Mask(), None, at)  # type: ignore[operator]
                return mixed

            def feed(x: Tensor = x) -> Tensor:
                output: Tensor = layer.feed_forward(x)  # type: ignore[operator]
                return output

            measured[tokens] = Times(_fastest(attend), _fastest(feed))
    return measured


def _fastest(run: Callable[[], Tensor]) -> float:
    """The least time of some runs, which others on the machine disturb least; a GPU is waited for."""
    import torch

    seconds = []
    for _ in range(_RUNS):
        begun = time.perf_counter()
        made = run()
        if made.is_cuda:
            torch.cuda.synchronize(made.device)
        seconds.append(time.perf_counter() - begun)
    return min(seconds)
