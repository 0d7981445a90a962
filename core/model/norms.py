"""Normalisation of the residual stream: layer norm (Ba et al. 2016), its tutorial variant, and RMS norm."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from core.model.config import ModelConfig
from core.model.hooks import NO_TAP, Tap
from core.model.linear import Part


class Norm(Part):
    """Normalise the last axis, then scale by γ and shift by β.

    | formula            | mean   | var                | divisor       | β |
    |--------------------|--------|--------------------|---------------|---|
    | layer              | mean x | mean (x − mean)²   | √(var + ε)    | yes |
    | layer_unbiased_std | mean x | Σ(x − mean)²/(d−1) | √var + ε      | yes |
    | rms                | 0      | mean x²            | √(var + ε)    | no |

    Recorded `norm_mean` and `norm_var` are these two columns, (B, T) each; they rebuild the output.
    """

    bias: nn.Parameter | None

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.formula, self.eps, self.shape = config.norm_formula, config.norm_eps, (config.d_model,)
        self.weight = nn.Parameter(torch.ones(config.d_model))
        if self.formula == "rms":
            self.register_parameter("bias", None)
        else:
            self.bias = nn.Parameter(torch.zeros(config.d_model))

    def forward(self, x: Tensor, tap: Tap = NO_TAP) -> Tensor:
        """x (B, T, d_model) → the same shape."""
        x = tap("norm_input", x)
        if self.formula == "layer" and not tap.wants("norm_mean", "norm_var"):
            parameters = (
                self._parameters
            )  # asked themselves, since this is called three times a layer and step
            output = torch.layer_norm(x, self.shape, parameters["weight"], parameters["bias"], self.eps)
        elif self.formula == "layer" and not tap.edits("norm_mean", "norm_var"):
            # The kernel computes its statistics anyway; 1/√(var + ε) gives the variance back.
            output, mean, deviation = torch.native_layer_norm(x, self.shape, self.weight, self.bias, self.eps)
            tap("norm_mean", mean[..., 0])
            tap("norm_var", (deviation[..., 0].pow(-2) - self.eps).clamp_min(0.0))
        else:
            output = self._explicit(x, tap)
        return tap("norm_output", output)

    def _explicit(self, x: Tensor, tap: Tap) -> Tensor:
        if self.formula == "rms":
            mean, var = torch.zeros_like(x[..., 0]), x.square().mean(dim=-1)
        else:
            mean = x.mean(dim=-1)
            var = x.var(dim=-1, correction=1 if self.formula == "layer_unbiased_std" else 0)
        mean, var = tap("norm_mean", mean)[..., None], tap("norm_var", var)[..., None]
        divisor = var.sqrt() + self.eps if self.formula == "layer_unbiased_std" else (var + self.eps).sqrt()
        scaled = (x - mean) / divisor * self.weight
        return scaled if self.bias is None else scaled + self.bias
