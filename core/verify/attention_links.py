"""Each attention of each layer, link by link: every number that the maps show is recomputed from the one before it.

All in float64, from the records and the parameters; of `core.model.attention` only the fast kernel is run, to be
compared. Heads are cut out one at a time, in the order of their rows in the parameters.

    stream ─ projections ─ q, k ─ scores ─ softmax ─ weights ─┐
                           v ─────────────────────────────── mixing ─ head output ─ heads ─ output
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor, nn

from core.model.attention import Mask, MultiHeadAttention, attend
from core.model.config import ModelConfig
from core.model.hooks import ATTENTION_MAPS, Site
from core.model.transformer import Transformer
from core.verify.expected import expected_bias
from core.verify.gaps import per_term, worst
from core.verify.runs import Run


class AttentionBlock(NamedTuple):
    """One attention of the model: its stack, layer and block."""

    stack: str
    layer: int
    block: str


def attention_blocks(config: ModelConfig) -> Iterator[AttentionBlock]:
    """Every attention of the model."""
    for stack, block in ATTENTION_MAPS:
        yield from (AttentionBlock(stack, layer, block) for layer in range(config.layers(stack)))


def projections_gap(model: Transformer, run: Run) -> float:
    """q, k and v against the stream times each head's rows of the projections; ‖v‖ against v."""
    config, gaps = model.config, []
    for block in attention_blocks(config):
        attention = _attention(model, block)
        queries = _read(config, run, block)
        keys = run.seen("encoder", 0, "final", "output") if block.block == "cross" else queries
        for kind, x in (("q", queries), ("k", keys), ("v", keys)):
            projection = attention.get_submodule(f"{kind}_proj")
            assert isinstance(projection, nn.Linear)
            recorded = run.seen(*block, kind)
            for head in range(config.heads):
                value, terms = _project(config, projection, x, head)
                gaps.append(per_term(recorded[:, head], value, terms))
        lengths = run.seen(*block, "v").square().sum(dim=-1).sqrt()
        gaps.append(per_term(run.seen(*block, "value_norm"), lengths, lengths))
    return worst(gaps)


def scores_gap(model: Transformer, run: Run) -> float:
    """The scores against the configuration's scale times q·k, with the bias of relative positions."""
    config, gaps = model.config, []
    scale = {"head": config.d_head**-0.5, "model": config.d_model**-0.5, "none": 1.0}[config.score_scale]
    for block in attention_blocks(config):
        q, k = run.seen(*block, "q"), run.seen(*block, "k")
        product = torch.einsum("bhtd,bhsd->bhts", q, k) * scale
        terms = torch.einsum("bhtd,bhsd->bhts", q.abs(), k.abs()) * scale
        recorded = run.seen(*block, "scores")
        table = _bias_table(model, block)
        if table is None:
            gaps.append(per_term(recorded, product, terms))
            continue
        either = expected_bias(config, table, q.shape[2], k.shape[2], block.stack == "encoder")
        added = recorded - product
        bias = torch.where((added - either[0]).abs() <= (added - either[1]).abs(), either[0], either[1])
        gaps.append(per_term(recorded, product + bias, terms + bias.abs()))
    return worst(gaps)


def softmax_gap(model: Transformer, run: Run) -> float:
    """The weights against the softmax of the scores over what may be attended; the masked scores against both."""
    gaps = []
    for block in attention_blocks(model.config):
        scores, weights = run.seen(*block, "scores"), run.seen(*block, "weights")
        allowed = run.allowed[block.stack, block.block].cpu().expand_as(scores)
        masked = run.seen(*block, "masked_scores")
        if not torch.equal(masked.isneginf(), ~allowed):
            gaps.append(math.inf)
        kept, behind = scores.masked_fill(~allowed, 0.0), masked.masked_fill(~allowed, 0.0)
        gaps.append(per_term(behind, kept, kept.abs()))
        largest = scores.masked_fill(~allowed, -math.inf).amax(dim=-1, keepdim=True)
        below = (scores - largest).masked_fill(
            ~allowed, -math.inf
        )  # at most 0, and never NaN where attending is allowed
        shares = below.exp()
        # The largest share is 1, except in empty rows.
        expected = shares / shares.sum(dim=-1, keepdim=True).clamp(min=1.0)
        # The absolute error of exp's argument becomes the relative error of its value.
        terms = expected * (1.0 + below.masked_fill(~allowed, 0.0).abs())
        gaps.append(per_term(weights, expected, terms))
    return worst(gaps)


def mixing_gap(model: Transformer, run: Run) -> float:
    """Each head's output against its weights times its values."""
    gaps = []
    for block in attention_blocks(model.config):
        weights, v = run.seen(*block, "weights"), run.seen(*block, "v")
        expected = torch.einsum("bhts,bhsd->bhtd", weights, v)
        terms = torch.einsum("bhts,bhsd->bhtd", weights.abs(), v.abs())
        gaps.append(per_term(run.seen(*block, "head_output"), expected, terms))
    return worst(gaps)


def heads_gap(model: Transformer, run: Run) -> float:
    """Each attention's output against the sum of its heads, each through its columns of the output projection."""
    config, gaps = model.config, []
    for block in attention_blocks(config):
        projection = _attention(model, block).output_proj
        matrix, heads = projection.weight.detach().cpu().double(), run.seen(*block, "head_output")
        recorded = run.seen(*block, "output")
        value, terms = torch.zeros_like(recorded), torch.zeros_like(recorded)
        for head in range(config.heads):
            columns = matrix[:, head * config.d_head : (head + 1) * config.d_head]  # (d_model, d_h)
            value = value + heads[:, head] @ columns.T
            terms = terms + heads[:, head].abs() @ columns.T.abs()
        if projection.bias is not None:
            bias = projection.bias.detach().cpu().double()
            value, terms = value + bias, terms + bias.abs()
        gaps.append(per_term(recorded, value, terms))
    return worst(gaps)


def fast_gap(model: Transformer, run: Run) -> float:
    """The fast kernel's output against the recorded weights times the values, relative to the effect of rounding.

    Rounding a score s = Σ q·k changes it by a share of Σ|q·k|, and a shift δ of the scores changes weight w by at most
    2 δ w (1 − w): nothing where one key has all the weight, much where two wide scores are nearly equal.
    """
    gaps = []
    for block in attention_blocks(model.config):
        attention = _attention(model, block)
        q, k, v, recorded = (run.records[Site(*block, kind)] for kind in ("q", "k", "v", "scores"))
        bias = None
        if _bias_table(model, block) is not None:
            bias = model.biases(block.stack, 0, q.shape[2], k.shape[2])[block.layer]
        fast = attend(
            q, k, v, Mask.of(run.allowed[block.stack, block.block]), scale=attention.scale, bias=bias
        )
        weights, values = run.seen(*block, "weights"), v.cpu().double()
        terms = torch.einsum("bhtd,bhsd->bhts", q.cpu().double().abs(), k.cpu().double().abs())
        shift = (terms * attention.scale + recorded.cpu().double().abs()).amax(dim=-1, keepdim=True)
        moved = weights * (1.0 + 2.0 * shift * (1.0 - weights).clamp(min=0.0))
        expected = torch.einsum("bhts,bhsd->bhtd", weights, values)
        gaps.append(
            per_term(fast.cpu().double(), expected, torch.einsum("bhts,bhsd->bhtd", moved, values.abs()))
        )
    return worst(gaps)


def _read(config: ModelConfig, run: Run, block: AttentionBlock) -> Tensor:
    """The stream as an attention reads it: normalised first in a pre-norm model, unchanged in a post-norm one."""
    return run.seen(*block, "norm_output" if config.norm_placement == "pre" else "residual_before")


def _project(config: ModelConfig, projection: nn.Linear, x: Tensor, head: int) -> tuple[Tensor, Tensor]:
    """One head's part of a projection of x (B, T, d_model) → value and Σ|terms|, (B, T, d_h) each."""
    own = slice(head * config.d_head, (head + 1) * config.d_head)
    rows = slice(None) if config.shared_head_projection else own
    read = x[..., own] if config.shared_head_projection else x
    matrix = projection.weight.detach().cpu().double()[rows]
    value, terms = read @ matrix.T, read.abs() @ matrix.T.abs()
    if projection.bias is None:
        return value, terms
    bias = projection.bias.detach().cpu().double()[rows]
    return value + bias, terms + bias.abs()


def _attention(model: Transformer, block: AttentionBlock) -> MultiHeadAttention:
    module = model.get_submodule(f"{block.stack}_layers.{block.layer}.{block.block}_attention")
    assert isinstance(module, MultiHeadAttention)
    return module


def _bias_table(model: Transformer, block: AttentionBlock) -> Tensor | None:
    """The relative-position table of this attention by the configuration; cross-attention has none."""
    if model.config.positions != "relative_buckets" or block.block == "cross":
        return None
    table = model.bias_table(block.stack, block.layer)
    if table is None:
        raise AttributeError(f"the {block.stack} has no table of relative positions")
    return table
