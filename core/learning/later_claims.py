"""What changed since 2017, recomputed: each change as a claim with its source, on core's own layers or on plain vectors.

The numbers are functions of their own, so that lessons name them too.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

import torch

from core.analysis.readout import decimal
from core.language import message
from core.learning.printed import Claim, seeded, small
from core.learning.tutorials import preset
from core.model.config import ModelConfig
from core.model.hooks import Hooks, Site
from core.model.layers import FeedForward, Norm
from core.model.transformer import Transformer

if TYPE_CHECKING:
    from core.api import Checkpoint

SHIFT: Final = 5
LENGTH: Final = 12
_WORDS: Final = 100


def _small(**options: Any) -> Transformer:
    """A model of the paper's depth and formulas but for `options`, narrow, with the same random weights each time."""
    config = {
        **preset("paper").to_json(),
        **{"source_vocab_size": _WORDS, "target_vocab_size": _WORDS, "d_model": 64, "heads": 4, "d_ff": 256},
        **{"dropout": 0.0, "max_length": 64},
        **options,
    }
    model = Transformer(ModelConfig.from_json(config))
    draw = seeded()  # a generator of its own: others on the server draw from torch's at the same time
    for name, values in model.named_parameters():
        if name.endswith("_bias.table"):
            torch.nn.init.normal_(values, generator=draw)
        elif "embedding" in name:
            torch.nn.init.normal_(values, std=values.shape[1] ** -0.5, generator=draw)
        elif values.dim() > 1:
            torch.nn.init.xavier_uniform_(values, generator=draw)
        else:
            torch.nn.init.constant_(values, 1.0 if "norm" in name and name.endswith("weight") else 0.0)
    return model


@cache
def gradients(placement: str) -> tuple[float, ...]:
    """The length of the loss's gradient at the feed-forward output matrix of each decoder layer, before any training."""
    model = _small(norm_placement=placement, final_norm=placement == "pre")
    draw = seeded()
    source, target, wanted = (torch.randint(4, _WORDS, (8, LENGTH), generator=draw) for _ in range(3))
    with torch.enable_grad():
        logits = model(source, target)
        torch.nn.functional.cross_entropy(logits.flatten(0, 1), wanted.flatten()).backward()
    matrices = [layer.feed_forward.down_proj.weight for layer in model.decoder_layers]  # type: ignore[union-attr]
    return tuple(float(each.grad.norm()) for each in matrices)  # type: ignore[union-attr, operator]


def gradient_ratio(placement: str) -> float:
    """The last decoder layer's gradient divided by the first one's."""
    first, *_, last = gradients(placement)
    return last / first


def _pre_norm(trained: Checkpoint | None) -> Claim:
    post, pre = gradient_ratio("post"), gradient_ratio("pre")
    return Claim(
        "pre-norm",
        (
            message(
                "Before training, the last decoder layer’s gradient is {post} times the first’s with post-norm, {pre} times with "
                "pre-norm"
            ),
            {"post": decimal(post, 1), "pre": decimal(pre, 1)},
        ),
        message(
            "Post-norm needs a warm-up because gradients near the output are large at the start; pre-norm can do without "
            "(Xiong et al. 2020)."
        ),
        (
            (message("last layer ÷ first layer, post-norm"), "> 1", decimal(post)),
            (message("last layer ÷ first layer, pre-norm"), "≈ 1", decimal(pre)),
        ),
        post > 2 and 0.5 < pre < 2,
    )


@cache
def shift_change(positions: str) -> float:
    """How far, at most, a score between two words of the first layer moves when other words are put before both."""
    model = _small(positions=positions).eval()
    draw = seeded()
    words = torch.randint(4, _WORDS, (1, LENGTH), generator=draw)
    before = torch.randint(4, _WORDS, (1, SHIFT), generator=draw)
    scores = []
    for source in (words, torch.cat([before, words], dim=1)):
        hooks = Hooks(("encoder.0.self.scores",))
        with torch.inference_mode():
            model.encode(source, hooks)
        scores.append(hooks.records[Site("encoder", 0, "self", "scores")][0, :, -LENGTH:, -LENGTH:])
    return float((scores[0] - scores[1]).abs().max())


def _relative(trained: Checkpoint | None) -> Claim:
    absolute, relative = shift_change("sinusoidal"), shift_change("relative_buckets")
    return Claim(
        "relative",
        (
            message(
                "{shift} words before a sentence change its scores by up to {absolute} with sinusoids, {relative} with relative "
                "positions"
            ),
            {"shift": str(SHIFT), "absolute": decimal(absolute), "relative": small(relative)},
        ),
        message(
            "A learned number for each distance is added to the scores, so only the distance counts (Shaw et al. 2018; "
            "Raffel et al. 2020)."
        ),
        (
            (message("largest change of a score, sinusoids"), "> 0", decimal(absolute)),
            (message("the same, relative positions"), "0", small(relative)),
        ),
        relative < 1e-4 < absolute,
    )


def rotary_change() -> float:
    """The same with rotary positions."""
    return shift_change("rotary")


def _rotary(trained: Checkpoint | None) -> Claim:
    absolute, moved = shift_change("sinusoidal"), rotary_change()
    return Claim(
        "rotary",
        (
            message(
                "{shift} words before a sentence change its scores by up to {absolute} with sinusoids, {rotary} with rotary "
                "positions"
            ),
            {"shift": str(SHIFT), "absolute": decimal(absolute), "rotary": small(moved)},
        ),
        message(
            "Each pair of numbers of a query or key is turned by its position, so products depend on the distance alone (Su et "
            "al. 2021); no number of it is learned. The small model dates-rotary was trained with them."
        ),
        (
            (message("largest change of a score, sinusoids"), "> 0", decimal(absolute)),
            (message("the same, rotary positions"), "0", small(moved)),
        ),
        moved < 1e-4 < absolute,
    )


def feed_forward_parameters(width: int, gated: bool) -> int:
    """The parameters of a feed-forward network of T5 1.1 with this inner width."""
    config = ModelConfig.preset("t5", d_ff=width, gated=gated)
    with torch.device("meta"):
        return sum(each.numel() for each in FeedForward(config).parameters())


def gate_cost() -> float:
    """How many times as many parameters a feed-forward network has with a gate, at the same inner width."""
    width = preset("t5").d_ff
    return feed_forward_parameters(width, True) / feed_forward_parameters(width, False)


def _gated(trained: Checkpoint | None) -> Claim:
    wide, narrow = 2048, 2048 * 2 // 3
    plain, gated = feed_forward_parameters(wide, False), feed_forward_parameters(narrow, True)
    return Claim(
        "gated",
        (
            message("A gate costs a third matrix: {ratio} times the parameters, or two thirds of the width"),
            {"ratio": decimal(gate_cost(), 1)},
        ),
        message(
            "One projection, through an activation, multiplies another; the inner width shrinks by a third to pay for it "
            "(Shazeer 2020)."
        ),
        (
            ((message("parameters, inner width {width}, no gate"), {"width": f"{wide:,}"}), "–", f"{plain:,}"),
            ((message("parameters, inner width {width}, gated"), {"width": f"{narrow:,}"}), f"{plain:,}", f"{gated:,}"),
        ),
        abs(gated / plain - 1) < 0.01,
    )  # fmt: skip


def _rms(trained: Checkpoint | None) -> Claim:
    x = torch.randn(64, 512, generator=seeded())
    moved = {}
    for formula in ("layer", "rms"):
        norm = Norm(ModelConfig.preset("t5", norm_formula=formula))
        with torch.inference_mode():
            moved[formula] = float((norm(x + 3) - norm(x)).abs().max())
    return Claim(
        "rms",
        (
            message("RMS norm keeps the mean: adding 3 to every number changes its output by {rms}, layer norm’s by {layer}"),
            {"rms": decimal(moved["rms"], 1), "layer": small(moved["layer"])},
        ),
        message("RMS norm divides by the root mean square and subtracts no mean (Zhang & Sennrich 2019)."),
        (
            (message("change of the output, layer norm"), "0", small(moved["layer"])),
            (message("change of the output, RMS norm"), "> 0", decimal(moved["rms"])),
        ),
        moved["layer"] < 1e-4 < moved["rms"],
    )  # fmt: skip


def decoder_only_share(config: ModelConfig) -> float:
    """The share of the layers' parameters that is left without encoder and cross-attention."""
    with torch.device("meta"):
        model = Transformer(config)
    whole = left = 0
    for name, values in model.named_parameters():
        if "_layers." in name:
            whole += values.numel()
            left += values.numel() * (name.startswith("decoder_layers.") and ".cross_" not in name)
    return left / whole


def _decoder_only(trained: Checkpoint | None) -> Claim:
    share = decoder_only_share(preset("paper"))
    return Claim(
        "decoder-only",
        (
            message("Without encoder and cross-attention, {share} % of the layers’ parameters are left"),
            {"share": f"{100 * share:.0f}"},
        ),
        message(
            "GPT keeps the decoder’s masked self-attention and feed-forward alone: source and target are one text (Radford et "
            "al. 2018). This project’s model always has an encoder; the share is counted on the paper’s base model."
        ),
        ((message("share of the layers’ parameters"), "< 50 %", f"{100 * share:.1f} %"),),
        share < 0.5,
    )


LATER: Final = (_pre_norm, _relative, _rotary, _gated, _rms, _decoder_only)
