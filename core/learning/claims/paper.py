"""Claims of the paper, and what changed since 2017."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

import torch

from core.analysis.readout import exact
from core.learning import trials
from core.learning.claims.claim import Outcome, outcome, seeded, small
from core.learning.study import far
from core.learning.tutorials import preset
from core.model.config import ModelConfig
from core.model.layers import Norm
from core.model.positions import rotation_error, sinusoid_table

DRAWS: Final = 8000


def spread(width: int) -> tuple[float, float]:
    """The variance of q · k of this width before and after ÷ √width, over many pairs of random vectors."""
    q, k = (torch.randn(2, DRAWS, width, generator=seeded(), dtype=torch.float32)).unbind(0)
    scores = (q * k).sum(-1).double()
    return float(scores.var()), float((scores / math.sqrt(width)).var())


def rotation() -> Outcome:
    width, offset, length = 512, 7, 60
    error = rotation_error(sinusoid_table(length + offset, width), offset)
    return outcome(error < 1e-4, offset=offset, count=length, error=small(error), exactly=exact(error, 6))


def root() -> Outcome:
    width = preset("paper").d_head
    before, after = spread(width)
    holds = abs(before / width - 1) < 0.05 and abs(after - 1) < 0.05
    return outcome(holds, width=width, before=exact(before, 1), after=exact(after))


def pre_norm() -> Outcome:
    post, pre = trials.gradient_ratio("post"), trials.gradient_ratio("pre")
    exactly = {"exactly_post": exact(post), "exactly_pre": exact(pre)}
    return outcome(pre <= 1 < post, post=exact(post, 1), pre=exact(pre, 1), **exactly)


def _unmoved(by: str, positions: str) -> Outcome:
    """How far a shift moves a score with sinusoids, and with other positions: the field `by`."""
    absolute, moved = trials.shift_change("sinusoidal"), trials.shift_change(positions)
    fields = {"shift": trials.SHIFT, "absolute": exact(absolute), by: small(moved)}
    return outcome(moved < 1e-4 < absolute, **fields)


def gated() -> Outcome:
    wide, narrow = 2048, 2048 * 2 // 3
    plain, made = trials.feed_forward_parameters(wide, False), trials.feed_forward_parameters(narrow, True)
    counts = {"plain": f"{plain:,}", "gated": f"{made:,}"}
    rows = ({"width": f"{width:,}", **counts} for width in (wide, narrow))
    return outcome(abs(made / plain - 1) < 0.01, *rows, ratio=exact(trials.gate_cost(), 1))


def rms() -> Outcome:
    x = torch.randn(64, 512, generator=seeded())
    moved = {}
    for formula in ("layer", "rms"):
        norm = Norm(ModelConfig.preset("t5", norm_formula=formula))
        with torch.inference_mode():
            moved[formula] = far(norm(x + 3), norm(x))
    fields = {"rms": exact(moved["rms"], 1), "layer": small(moved["layer"]), "exactly": exact(moved["rms"])}
    return outcome(moved["layer"] < 1e-4 < moved["rms"], **fields)


def decoder_only() -> Outcome:
    share = trials.decoder_only_share(preset("paper"))
    return outcome(share < 0.5, share=f"{100 * share:.0f}", exactly=f"{100 * share:.1f}")


OUTCOMES: Final[Mapping[str, Callable[[], Outcome]]] = {
    "rotation": rotation,
    "root": root,
    "pre-norm": pre_norm,
    "relative": partial(_unmoved, "relative", "relative_buckets"),
    "rotary": partial(_unmoved, "rotary", "rotary"),
    "gated": gated,
    "rms": rms,
    "decoder-only": decoder_only,
}
