"""One pass, link by link: every recorded number recomputed from the one before it; and what a pass must not depend on.

All in float64, from the records and the parameters; of `core.model` only the fast kernel and whole passes are run, to
be compared. Heads are cut out one at a time, in the order of their rows in the parameters.

    stream ─ projections ─ q, k ─ scores ─ softmax ─ weights ─┐
                           v ─────────────────────────────── mixing ─ head output ─ heads ─ output ─ stream
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from core.analysis.norms import SUBLAYERS, norm_parameters, norm_sites, rebuild_errors
from core.errors import AtlasError
from core.model.attention import Mask, MultiHeadAttention, attend
from core.model.config import ModelConfig
from core.model.hooks import ATTENTION_MAPS, Hooks, Site
from core.model.layers import FeedForward
from core.model.trace import Tokens, Trace
from core.model.transformer import Transformer
from core.verify.expected import expected_bias, expected_table, turning_angles
from core.verify.runs import Edits, Run, Stepped, per_term, relative_gap, worst

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle


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
    gaps = []
    for block in attention_blocks(model.config):
        config, attention = model.config.of(block.stack), _attention(model, block)
        queries = _read(config, run, block)
        keys = run.seen("encoder", 0, "final", "output") if block.block == "cross" else queries
        for kind, x in (("q", queries), ("k", keys), ("v", keys)):
            projection = attention.get_submodule(f"{kind}_proj")
            assert isinstance(projection, nn.Linear)
            recorded = run.seen(*block, kind)
            for head in range(config.heads):
                value, terms = _project(config, projection, x, head)
                if config.positions == "rotary" and block.block == "self" and kind != "v":
                    value, terms = _turned(value, terms)
                gaps.append(per_term(recorded[:, head], value, terms))
        lengths = run.seen(*block, "v").square().sum(dim=-1).sqrt()
        gaps.append(per_term(run.seen(*block, "value_norm"), lengths, lengths))
    return worst(gaps)


def _turned(value: Tensor, terms: Tensor) -> tuple[Tensor, Tensor]:
    """Queries or keys (B, T, d_h) of rotary positions and Σ|terms|: each pair of columns, as a complex number, times e^(iθ)."""
    angles = torch.from_numpy(turning_angles(*value.shape[-2:]))
    pairs = torch.view_as_complex(value.unflatten(-1, (-1, 2)).contiguous())
    both = terms.unflatten(-1, (-1, 2)).sum(dim=-1, keepdim=True).expand(*terms.shape[:-1], -1, 2)
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2), both.flatten(
        -2
    )


def scores_gap(model: Transformer, run: Run) -> float:
    """The scores against the configuration's scale times q·k, with the bias of relative positions."""
    gaps = []
    for block in attention_blocks(model.config):
        config = model.config.of(block.stack)
        scale = {"head": config.d_head**-0.5, "model": config.d_model**-0.5, "none": 1.0}[config.score_scale]
        q, k = run.seen(*block, "q"), run.seen(*block, "k")
        product = torch.einsum("bhtd,bhsd->bhts", q, k) * scale
        terms = torch.einsum("bhtd,bhsd->bhts", q.abs(), k.abs()) * scale
        recorded = run.seen(*block, "scores")
        table = _bias_table(model, block)
        if table is None:
            gaps.append(per_term(recorded, product, terms))
            continue
        either = expected_bias(config, table, q.shape[2], k.shape[2], config.sees_ahead(block.stack))
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
        # At most 0, and never NaN where attending is allowed.
        below = (scores - largest).masked_fill(~allowed, -math.inf)
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
    gaps = []
    for block in attention_blocks(model.config):
        config, projection = model.config.of(block.stack), _attention(model, block).output_proj
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


_SIDE: Final = {"encoder": "source", "decoder": "target"}
_ROWS: Final = 2048  # positions of a table that are compared, at most
_DISTANCES: Final = 512
_ACTIVATIONS: Final[dict[str, Callable[[Tensor], Tensor]]] = {
    "relu": lambda x: x.clamp(min=0.0),
    "gelu": lambda x: 0.5 * x * (1.0 + torch.erf(x / math.sqrt(2.0))),
    "gelu_tanh": lambda x: 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3))),
    "silu": lambda x: x / (1.0 + torch.exp(-x)),
    "gelu_10": lambda x: (0.5 * x * (1.0 + torch.erf(x / math.sqrt(2.0)))).clamp(-10.0, 10.0),
    "quick_gelu": lambda x: x / (1.0 + torch.exp(-1.702 * x)),
    "mish": lambda x: x * torch.tanh(torch.logaddexp(x, torch.zeros_like(x))),
    "hardswish": lambda x: x * (x + 3.0).clamp(0.0, 6.0) / 6.0,
    "leaky_relu": lambda x: torch.where(x < 0.0, 0.01 * x, x),
    "relu2": lambda x: x.clamp(min=0.0) ** 2,
    "relu6": lambda x: x.clamp(0.0, 6.0),
    "sigmoid": lambda x: 1.0 / (1.0 + torch.exp(-x)),
    "tanh": torch.tanh,
    "laplace": lambda x: 0.5 * torch.erfc((0.707107 - x) / (0.282095 * math.sqrt(2.0))),
    "sqrtsoftplus": lambda x: torch.logaddexp(x, torch.zeros_like(x)) ** 0.5,
    "linear": lambda x: x,
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
        if model.config.positions == "rotary":
            turns = model.turns(stack, 0, rows)
            angles = torch.from_numpy(turning_angles(rows, model.config.of(stack).d_head))
            wanted = torch.stack((angles.cos(), angles.sin()))
            gaps.append(math.inf if turns is None else per_term(turns.cpu().double(), wanted, torch.ones(())))
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
        either = expected_bias(config, table, size, size, config.sees_ahead(stack))
        gaps.append(float((added[0].cpu().double() - either).abs().amin(dim=0).max()))
    return worst(gaps)


def embedding_gap(model: Transformer, run: Run) -> float:
    """Token embedding against its row of the table times the scale; the sum against token and position."""
    gaps = []
    for stack, tokens in (("encoder", run.source), ("decoder", run.target)):
        scale = math.sqrt(model.config.d_model) if model.config.of(stack).embedding_scale else 1.0
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
    gaps = []
    for stack, blocks in SUBLAYERS.items():
        config = model.config.of(stack)
        pre = config.norm_placement == "pre"
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
    activation = _ACTIVATIONS[model.config.of(stack).activation]
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
    gaps = []
    for norm in norm_sites(model.config):
        config = model.config.of(norm.stack)
        x, mean, var = (run.seen(*norm, kind) for kind in ("norm_input", "norm_mean", "norm_var"))
        square = x.square().mean(dim=-1)
        if config.norm_formula == "rms":
            gaps += [float(mean.abs().max()), per_term(var, square, square)]
            continue
        gaps.append(per_term(mean, x.mean(dim=-1), x.abs().mean(dim=-1)))
        freedom = config.d_model - (config.norm_formula == "layer_unbiased_std")
        expected = (x - x.mean(dim=-1, keepdim=True)).square().sum(dim=-1) / freedom
        gaps.append(per_term(var, expected, square))
    parameters = norm_parameters(model.state_dict(), model.config)
    for row in range(len(run.source)):
        records = {
            site: np.asarray(tensor[row].float().cpu())
            for site, tensor in run.records.items()
            if site.kind.startswith("norm_")
        }
        trace = Trace(model.config, Tokens((), (), ()), (), (), (), records)
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


def row_sums(run: Run) -> float:
    """Largest distance of a row's sum from 1, or from 0 where the row may attend to nothing."""
    deviations = []
    for attention, allowed in run.allowed.items():
        for weights in run.weights(*attention):
            expected = allowed.expand_as(weights).any(dim=-1).to(weights.dtype)
            deviations.append(float((weights.sum(dim=-1) - expected).abs().max()))
    return worst(deviations)


def causal_leak(run: Run) -> float:
    """Largest weight of a decoder position on a later one."""
    return worst([float(weights.triu(1).abs().max()) for weights in run.weights("decoder", "self")])


def hidden_ahead(run: Run) -> float:
    """The number of real later tokens that the decoder's self-attention hides, for a model that has no causal mask."""
    hidden = 0
    for site, scores in run.records.items():
        if (site.stack, site.block, site.kind) == ("decoder", "self", "masked_scores"):
            real = run.allowed["decoder", "self"].expand_as(scores)
            hidden += int((scores.isneginf() & real).triu(1).sum())
    return float(hidden)


def padding_leak(run: Run) -> float:
    """Largest weight on a padding key, in any map."""
    leaks = []
    for attention in ATTENTION_MAPS:
        # The last query may attend to every real key; the other keys are padding.
        padding = ~run.allowed[attention][..., -1:, :]
        leaks += [
            float(weights.masked_fill(~padding, 0.0).abs().max()) for weights in run.weights(*attention)
        ]
    return worst(leaks)


def future_leak(model: Transformer, run: Run, edit: Edits | None) -> float:
    """The change of earlier predictions when the second half of the target is replaced."""
    kept = run.target.shape[1] // 2
    changed = run.target.clone()
    changed[:, kept:] = (changed[:, kept:] + 1) % model.config.target_vocab_size
    # Recording a map selects the explicit computation here too, so that only the tokens differ.
    again = model(run.source, changed, Hooks(record=("*.weights",), edit=edit))
    return relative_gap(again[:, :kept], run.recorded[:, :kept])


def batch_gap(run: Run, alone: Sequence[Stepped]) -> float:
    """Difference between a sentence's predictions inside the padded batch and alone."""
    return worst(
        [relative_gap(run.fused[i, : step.full.shape[1]], step.full[0]) for i, step in enumerate(alone)]
    )


def round_trip(checkpoint: Bundle, run: Run) -> float:
    """The number of values and files that differ after saving and loading; infinite if it cannot be loaded."""
    from core.checkpoints.bundle import load_bundle, save

    model = checkpoint.model
    # In half precision where that loses nothing.
    half = all(torch.equal(p.half().to(p.dtype), p) for p in model.parameters())
    tokenizers = (checkpoint.source_tokenizer, checkpoint.target_tokenizer)
    with tempfile.TemporaryDirectory() as folder, torch.inference_mode():
        path = Path(folder) / "again"
        try:
            save(path, model, *tokenizers, checkpoint.card, dtype="float16" if half else "float32")
            again = load_bundle(path, device=run.source.device)
        except AtlasError:
            return float("inf")
        before, after = model.state_dict(), again.model.state_dict()
        if before.keys() != after.keys() or again.config != checkpoint.config:
            return float("inf")
        different = sum(int((before[name] != after[name]).sum()) for name in before)
        different += sum(
            a != b for a, b in zip(tokenizers, (again.source_tokenizer, again.target_tokenizer), strict=True)
        )
        if not model.weights_packed:  # loading packs them, which may change the rounding of a product
            for parameter in again.model.parameters():
                parameter.data = parameter.data.contiguous()
        different += int((again.model(run.source, run.target) != run.fused).sum())
    return float(different)


def largest_score(run: Run) -> float:
    """The largest absolute score, before the mask, anywhere in `run`."""
    return worst(float(t.abs().max()) for site, t in run.records.items() if site.kind == "scores")
