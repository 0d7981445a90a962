"""The residual stream link by link, from the token table to the logits, each recomputed in float64.

From the records and the parameters; the computing functions of `core.model` are not used.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn

from core.analysis.norms import norm_parameters, norm_sites, rebuild_errors
from core.model.layers import FeedForward
from core.model.trace import Tokens, Trace
from core.model.transformer import Transformer
from core.verify.expected import expected_bias, expected_table
from core.verify.gaps import per_term, worst
from core.verify.runs import Run

_SIDE: Final = {"encoder": "source", "decoder": "target"}
_BLOCKS: Final = {"encoder": ("self", "ffn"), "decoder": ("self", "cross", "ffn")}
_ROWS: Final = 2048  # positions of a table that are compared, at most
_DISTANCES: Final = 512
_ACTIVATIONS: Final[dict[str, Callable[[Tensor], Tensor]]] = {
    "relu": lambda x: x.clamp(min=0.0),
    "gelu": lambda x: 0.5 * x * (1.0 + torch.erf(x / math.sqrt(2.0))),
    "gelu_tanh": lambda x: 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3))),
    "silu": lambda x: x / (1.0 + torch.exp(-x)),
}


def positions_gap(model: Transformer, run: Run) -> float:
    """The position vectors added in this run, and the whole table they come from, against the configuration."""
    gaps = []
    for stack, side in _SIDE.items():
        name = f"{side}_embedding.positions.table"
        stored = dict(model.named_parameters()).get(name)
        embedding = model.get_submodule(f"{side}_embedding")
        rows = min(model.config.max_length, _ROWS)
        expected = expected_table(model.config, stored, rows)
        if expected is None:
            gaps.append(math.inf if run.has(stack, 0, "embed", "position_encoding") else 0.0)
        else:
            # A wave is exact to the rounding of 1, a learned row is the parameter itself.
            terms = expected.abs() if stored is not None else torch.ones(())
            table = embedding.get_submodule("positions")(0, rows).cpu().double()
            seen = run.seen(stack, 0, "embed", "position_encoding")[0]
            gaps.append(per_term(table, expected, terms))
            gaps.append(per_term(seen, expected[: len(seen)], terms[: len(seen)] if terms.dim() else terms))
        if model.config.positions == "relative_buckets":
            gaps.append(_bias_gap(model, stack))
    return worst(gaps)


def _bias_gap(model: Transformer, stack: str) -> float:
    """The relative-position biases of a stack, over all distances of a long text, against the buckets' formula."""
    config = model.config
    size = min(config.max_length, 2 * config.relative_max_distance, _DISTANCES)
    gaps = []
    for layer, added in enumerate(model.biases(stack, 0, size, size)):
        table = model.bias_table(stack, layer)
        if added is None or table is None:
            return math.inf
        either = expected_bias(config, table, size, size, stack == "encoder")
        gaps.append(float((added[0].cpu().double() - either).abs().amin(dim=0).max()))
    return worst(gaps)


def embedding_gap(model: Transformer, run: Run) -> float:
    """Token embedding against its row of the table times the scale; the sum against token and position."""
    gaps = []
    for stack, tokens in (("encoder", run.source), ("decoder", run.target)):
        scale = math.sqrt(model.config.d_model) if model.config.embedding_scale else 1.0
        table: Tensor = model.get_parameter(f"{_SIDE[stack]}_embedding.table")
        looked_up = table[tokens].cpu().double() * scale
        embedded, total = (run.seen(stack, 0, "embed", kind) for kind in ("token_embedding", "sum"))
        gaps.append(per_term(embedded, looked_up, looked_up.abs()))
        first = embedded
        if model.config.embedding_norm and model.config.embedded(stack) == "sum":
            gaps.append(_same(run.seen(stack, 0, "embed", "norm_input"), embedded))
            first = run.seen(stack, 0, "embed", "norm_output")
        added = torch.zeros(())
        if run.has(stack, 0, "embed", "position_encoding"):
            added = run.seen(stack, 0, "embed", "position_encoding")
        gaps.append(per_term(total, first + added, first.abs() + added.abs()))
    return worst(gaps)


def stream_gap(model: Transformer, run: Run) -> float:
    """Every sum of the residual stream and every feed-forward sub-layer; nothing else may change the stream."""
    config, gaps = model.config, []
    pre = config.norm_placement == "pre"
    for stack, blocks in _BLOCKS.items():
        stream = run.seen(stack, 0, "embed", config.embedded(stack))
        for layer in range(config.layers(stack)):
            for block in blocks:
                kinds = ("residual_before", "output", "residual_after", "norm_input", "norm_output")
                before, output, after, normed, norm = (run.seen(stack, layer, block, kind) for kind in kinds)
                gaps.append(_same(before, stream))
                gaps.append(per_term(after, before + output, before.abs() + output.abs()))
                gaps.append(_same(normed, before if pre else after))
                if block == "ffn":
                    gaps.append(_feed_forward_gap(model, run, stack, layer, norm if pre else before))
                stream = after if pre else norm
        if config.final_norm:
            gaps.append(_same(run.seen(stack, 0, "final", "norm_input"), stream))
            stream = run.seen(stack, 0, "final", "norm_output")
        gaps.append(_same(run.seen(stack, 0, "final", "output"), stream))
    return worst(gaps)


def _same(values: Tensor, expected: Tensor) -> float:
    return per_term(values, expected, expected.abs())


def _feed_forward_gap(model: Transformer, run: Run, stack: str, layer: int, x: Tensor) -> float:
    module = model.get_submodule(f"{stack}_layers.{layer}.feed_forward")
    assert isinstance(module, FeedForward)
    activation = _ACTIVATIONS[model.config.activation]
    up, up_terms = _linear(module.up_proj, x)
    if module.gate_proj is None:
        expected, terms = activation(up), up_terms
    else:
        gate, gate_terms = _linear(module.gate_proj, x)
        expected = activation(gate) * up
        terms = gate_terms * up.abs() + activation(gate).abs() * up_terms
    hidden = run.seen(stack, layer, "ffn", "hidden")
    down, down_terms = _linear(module.down_proj, hidden)
    output = run.seen(stack, layer, "ffn", "output")
    return worst([per_term(hidden, expected, terms), per_term(output, down, down_terms)])


def norms_gap(model: Transformer, run: Run) -> float:
    """Every norm's statistics against its input, and its output rebuilt from them against the recorded one."""
    config, gaps = model.config, []
    for norm in norm_sites(config):
        x, mean, var = (run.seen(*norm, kind) for kind in ("norm_input", "norm_mean", "norm_var"))
        square = x.square().mean(dim=-1)
        if config.norm_formula == "rms":
            gaps += [float(mean.abs().max()), per_term(var, square, square)]
            continue
        gaps.append(per_term(mean, x.mean(dim=-1), x.abs().mean(dim=-1)))
        freedom = config.d_model - (config.norm_formula == "layer_unbiased_std")
        expected = (x - x.mean(dim=-1, keepdim=True)).square().sum(dim=-1) / freedom
        gaps.append(per_term(var, expected, square))
    parameters = norm_parameters(model.state_dict(), config)
    for row in range(len(run.source)):
        records = {
            site: np.asarray(tensor[row].float().cpu())
            for site, tensor in run.records.items()
            if site.kind.startswith("norm_")
        }
        trace = Trace(config, Tokens((), (), ()), (), (), (), records)
        gaps += rebuild_errors(trace, parameters)["error"].tolist()
    return worst(gaps)


def logits_gap(model: Transformer, run: Run) -> float:
    """The logits against the decoder's last states times the output table."""
    config = model.config
    tied: Tensor = model.get_parameter("target_embedding.table" if config.tie_output else "output_proj")
    states = run.seen("decoder", 0, "final", "output")
    if config.output_scale == "inverse_sqrt_d_model":
        states = states / math.sqrt(config.d_model)
    table = tied.detach().cpu().double()
    value, terms = states @ table.T, states.abs() @ table.T.abs()
    if config.output_bias:
        bias = model.get_parameter("output_bias").detach().cpu().double()
        value, terms = value + bias, terms + bias.abs()
    return per_term(run.seen("decoder", 0, "final", "logits"), value, terms)


def _linear(projection: nn.Linear, x: Tensor) -> tuple[Tensor, Tensor]:
    """A projection of x and Σ|terms| of every element."""
    matrix = projection.weight.detach().cpu().double()
    value, terms = x @ matrix.T, x.abs() @ matrix.T.abs()
    if projection.bias is None:
        return value, terms
    bias = projection.bias.detach().cpu().double()
    return value + bias, terms + bias.abs()
