"""Pitfalls around the residual stream: dropout after the norm, and a norm with another formula."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import torch
import torch.nn.functional as F

from core.learning import passes
from core.learning.passes import Array, Seen
from core.learning.study import Kind, Number, Pitfall, Sentence, Shape, Study
from core.model.config import ModelConfig
from core.model.hooks import NO_TAP, Tap
from core.model.layers import Norm, Residual
from core.model.transformer import Transformer

if TYPE_CHECKING:
    from torch import Tensor, nn

RATE = 0.3  # the rate of the write-up that shows the fault
SEED = 1
WIDTHS = (6, 64, 512)
STD_EPS = 1e-6


# -- dropout-after-norm -------------------------------------------------------------------------------------


class DroppedBeforeNorm(Residual):
    """The residual sum in training mode as it should be: dropout on the sub-layer's output."""

    def leave(self, x: Tensor, output: Tensor, tap: Tap = NO_TAP) -> Tensor:
        """The stream and the sub-layer's output, (B, T, d_model) each → the stream after it."""
        return tap("residual_after", self.norm(x + F.dropout(output, RATE), tap))


class DroppedAfterNorm(Residual):
    """The same with dropout on what the norm gives, which is the stream itself."""

    def leave(self, x: Tensor, output: Tensor, tap: Tap = NO_TAP) -> Tensor:
        """The stream and the sub-layer's output, (B, T, d_model) each → the stream after it."""
        return tap("residual_after", F.dropout(self.norm(x + output, tap), RATE))


def in_training(model: Transformer, kind: type[Residual]) -> Transformer:
    """The model with every residual sum of this kind."""

    def changed(residual: nn.Module) -> nn.Module:
        twin = passes.replaced(residual)
        twin.__class__ = kind
        return twin

    def change(layer: nn.Module) -> nn.Module:
        sums = {name: changed(part) for name, part in layer.named_children() if isinstance(part, Residual)}
        return passes.replaced(layer, **sums)

    return passes.with_layers(model, change, "encoder", "decoder")


def drawn(model: Transformer, sentence: Sentence, kind: type[Residual]) -> Seen:
    """A pass in training mode; both kinds draw from the same seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        return passes.of(in_training(model, kind), sentence, record=("encoder.*.ffn.residual_after",))


def standard(stream: Array, norm: Norm) -> tuple[float, float]:
    """Mean and mean distance from 1 of the standard deviation of a stream's rows, the norm's own γ and β taken out."""
    gain = norm.weight.detach().float().cpu().numpy()
    shift = 0.0 if norm.bias is None else norm.bias.detach().float().cpu().numpy()
    z = (stream - shift) / np.where(np.abs(gain) < 1e-6, 1.0, gain)
    return float(np.abs(z.mean(-1)).mean()), float(np.abs(z.std(-1) - 1).mean())


def _post_only(config: ModelConfig) -> str:
    if config.norm_placement != "post":
        return "This checkpoint’s norms stand before its sub-layers, so no norm’s output is the stream."
    if config.norm_formula == "rms":
        return "This checkpoint’s norms take no mean out, so there is no mean of 0 to miss."
    return ""


def _dropped(model: Transformer, sentence: Sentence) -> Study:
    c = model.config
    right, wrong = drawn(model, sentence, DroppedBeforeNorm), drawn(model, sentence, DroppedAfterNorm)
    kind: Kind = "encoder" if c.encoder_layers > 1 else "cross"
    norm = model.encoder_layers[0].ffn_residual.norm
    assert isinstance(norm, Norm)
    streams = [run.after_ffn(0) for run in (right, wrong)]
    told = [standard(stream, norm) for stream in streams]
    stream_shape = passes.shaped("N, T, d", 1, len(sentence.source_ids), c.d_model)
    return Study(
        *passes.pair(right, wrong, sentence, kind),
        shapes=(
            Shape("the next layer reads", stream_shape, stream_shape),
            Shape("dropout is on", "the sub-layer’s output", "the norm’s output"),
        ),
        numbers=(
            Number.both(
                f"zeros in what the next layer reads, at dropout {RATE}",
                (float((stream == 0).mean()) for stream in streams),
                unit="share",
            ),
            Number("distance of a token’s standard deviation from 1", told[0][1], told[1][1]),
            Number("distance of a token’s mean from 0", told[0][0], told[1][0]),
        ),
    )


DROPOUT_AFTER_NORM = Pitfall(
    "dropout-after-norm",
    "Dropout on the norm’s output",
    "A, E",
    "The paper drops numbers of a sub-layer’s output before it is added to the stream, so the stream itself always arrives "
    "whole. Written the other way round, dropout(norm(x + sublayer(x))), the norm’s output is dropped, and in a post-norm "
    "model that is the stream: in every sub-layer a part of everything known so far is set to zero and the rest is "
    "enlarged. Evaluation hides it, since dropout is off there.",
    "In training mode, what the next layer reads has zeros, and its mean and deviation are no longer 0 and 1.",
    "def forward(self, x):\n"
    "    x = self.dropout(self.norm1(x + self.attention(x)))\n"
    "    x = self.dropout(self.norm2(x + self.ffn(x)))\n"
    "    # should be self.norm1(x + self.dropout(self.attention(x)))\n"
    "    return x",
    "layer.train(); assert (layer(x) == 0).float().mean() < 0.01",
    _dropped,
    _post_only,
)


# -- std-plus-eps -------------------------------------------------------------------------------------------


def unbiased(norm: Norm) -> Norm:
    """The norm with the same γ and β and the other formula: unbiased deviation, ε added to it."""
    twin = passes.replaced(norm)
    assert isinstance(twin, Norm)
    twin.formula, twin.eps = "layer_unbiased_std", STD_EPS
    return twin


def with_norms(model: Transformer, change: Callable[[Norm], Norm]) -> Transformer:
    """The model with every norm changed, at any depth."""

    def walk(module: nn.Module) -> nn.Module:
        if isinstance(module, Norm):
            return change(module)
        parts = {name: walk(part) for name, part in module.named_children()}
        return passes.replaced(module, **parts) if parts else module

    twin = walk(model)
    assert isinstance(twin, Transformer)
    return twin


def shortfall(width: int) -> float:
    """How much smaller a normalised vector of `width` numbers is with the other formula, measured on one."""
    x = torch.randn(1, 1, width, generator=torch.Generator().manual_seed(SEED)) * 3
    config = ModelConfig(source_vocab_size=8, target_vocab_size=8, d_model=width, heads=1)
    norm = Norm(config)
    with torch.inference_mode():
        return float(1 - (unbiased(norm)(x).norm() / norm(x).norm()))


def _formula_unfit(config: ModelConfig) -> str:
    if config.norm_formula != "layer":
        return "This checkpoint’s norms have another formula than the standard layer norm to begin with."
    return ""


def _std(model: Transformer, sentence: Sentence) -> Study:
    c = model.config
    right, wrong = passes.of(model, sentence), passes.of(with_norms(model, unbiased), sentence)
    widths = sorted({*WIDTHS, c.d_model})
    kind: Kind = "encoder"
    maps = max(passes.far(right.maps(each), wrong.maps(each)) for each in ("encoder", "causal", "cross"))
    stream = passes.shaped("N, T, d", 1, len(sentence.source_ids), c.d_model)
    return Study(
        *passes.pair(right, wrong, sentence, kind),
        shapes=(
            Shape("norm", stream, stream),
            Shape(
                "divided by",
                f"√(Σ(x − μ)²/{c.d_model} + {c.norm_eps:g})",
                f"√(Σ(x − μ)²/{c.d_model - 1}) + {STD_EPS:g}",
            ),
        ),
        numbers=(
            *(Number(f"output too small at d = {width}", 0.0, shortfall(width), "share") for width in widths),
            Number("largest change of a weight", 0.0, maps, "share"),
            Number("largest change of a logit", 0.0, passes.far(right.logits, wrong.logits)),
        ),
    )


STD_PLUS_EPS = Pitfall(
    "std-plus-eps",
    "A norm that divides by std + ε",
    "B",
    "Layer norm divides by √(variance + ε), and its variance is the mean of the squares. Tensor libraries offer x.std(), "
    "which divides by d − 1 and takes the root first; ε then stands outside of it. A model trained so works. Weights "
    "trained elsewhere give other outputs in it: every norm is too small by about 1/(2d), the more the narrower the model, "
    "and rows that hardly vary are blown up, since ε no longer holds them down.",
    "Small differences everywhere, on maps and logits alike; their size depends on d_model.",
    "mean = x.mean(-1, keepdim=True)\n"
    "std = x.std(-1, keepdim=True)                  # divides by d - 1\n"
    "return gamma * (x - mean) / (std + eps) + beta   # eps outside of the root\n"
    "# should be (x - mean) / torch.sqrt(x.var(-1, correction=0, keepdim=True) + eps)",
    "assert torch.allclose(my_norm(x), F.layer_norm(x, x.shape[-1:]), atol=1e-6)",
    _std,
    _formula_unfit,
)

PITFALLS = (DROPOUT_AFTER_NORM, STD_PLUS_EPS)
