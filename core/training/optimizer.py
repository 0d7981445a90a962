"""The optimiser and its learning rate: Adam, or Muon for the matrices of the layers and Adam for the rest."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import nn

from core.training.config import LoopConfig


def learning_rate(
    step: int, *, peak: float, warmup_steps: int, max_steps: int, cooldown: float = 0.0
) -> float:
    """The rate of update `step` (1-based). A pure function, so a resumed run needs no scheduler state.

    It rises linearly to `peak` at `warmup_steps`, then falls as 1/√step (Vaswani et al. 2017, section 5.3);
    over the last `cooldown` fraction of `max_steps` it is multiplied by a line that reaches 0 just after the
    last update.
    """
    rate = peak * min(step / warmup_steps, math.sqrt(warmup_steps / step))
    start = max_steps * (1 - cooldown)
    if cooldown > 0 and step > start:
        rate *= max(0.0, (max_steps + 1 - step) / (max_steps + 1 - start))
    return rate


def log_spaced_steps(count: int, max_steps: int) -> list[int]:
    """At least `count` distinct steps from 0 to `max_steps`, logarithmically spaced (all of them when few)."""
    if count <= 0:
        return []
    if max_steps + 1 <= count:
        return list(range(max_steps + 1))
    points = count - 1
    while True:
        ratio = math.log(max_steps) / max(1, points - 1)
        steps = sorted({0, *(round(math.exp(i * ratio)) for i in range(points)), max_steps})
        if len(steps) >= count:
            return steps
        points += 1


class Optimizer:
    """One or two of torch's optimisers as one.

    "adam": Adam for every parameter (Vaswani et al. 2017, section 5.3). "muon": Muon (Jordan 2024) for the matrices of the
    encoder and decoder layers, whose momentum is orthogonalised before it is applied; its update has Adam's size (Liu et al.
    2025, equation 4), so one learning rate serves both. Tables, norms and biases stay with Adam.
    """

    def __init__(self, model: nn.Module, settings: LoopConfig, device: torch.device) -> None:
        named = dict(model.named_parameters())
        matrices = [name for name in named if settings.optimizer == "muon" and is_layer_matrix(name, named)]
        others = [parameter for name, parameter in named.items() if name not in set(matrices)]
        adam = torch.optim.Adam(
            others,
            lr=0.0,
            betas=settings.betas,
            eps=settings.adam_eps,
            fused=device.type in ("cpu", "cuda"),
        )
        self.parts: list[torch.optim.Optimizer] = [adam]
        if matrices:
            self.parts.append(
                torch.optim.Muon(
                    [named[name] for name in matrices],
                    lr=0.0,
                    weight_decay=0.0,
                    adjust_lr_fn="match_rms_adamw",
                )
            )

    @property
    def learning_rate(self) -> float:
        """The learning rate of the last step."""
        return float(self.parts[0].param_groups[0]["lr"])

    def step(self, learning_rate: float) -> None:
        """Update the weights along their gradients, and reset these."""
        for optimizer in self.parts:
            for group in optimizer.param_groups:
                group["lr"] = learning_rate
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)

    def state_dict(self) -> dict[str, Any]:
        """The state that a resumed run needs."""
        return {"parts": [optimizer.state_dict() for optimizer in self.parts]}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore `state_dict()` of a run of the same recipe, or that of a lone Adam from older runs."""
        for optimizer, saved in zip(self.parts, state.get("parts", [state]), strict=True):
            optimizer.load_state_dict(saved)


def is_layer_matrix(name: str, named: Mapping[str, torch.Tensor]) -> bool:
    """Whether a parameter is a matrix of a layer, and neither a table nor a gain nor a shift."""
    return named[name].ndim == 2 and name.startswith(("encoder_layers.", "decoder_layers."))
