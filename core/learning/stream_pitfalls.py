"""Studies of mistakes in the residual stream: positions, dropout and norms."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from core.language import message, tr
from core.learning import study
from core.learning.study import Array, Edits, Kind, Number, Pitfall, Seen, Sentence, Shape, Study
from core.model.attention import Mask
from core.model.config import ModelConfig
from core.model.hooks import NO_TAP, STACKS, Hooks, Tap, tap
from core.model.layers import EncoderLayer, Norm, Residual
from core.model.positions import Denominator, Layout, denominators, pair_columns
from core.model.transformer import Transformer

if TYPE_CHECKING:
    from torch import Tensor

CONSTANT = 0.01  # a dimension that moves less than this over FAR positions is as good as constant
FAR = 50
RANDOM_SENTENCES = 8
SEED = 1
RATE = 0.3  # the rate of the write-up that shows the fault
WIDTHS = (6, 64, 512)
STD_EPS = 1e-6


def no_sinusoids(config: ModelConfig) -> str:
    """Why a model without sinusoids cannot show a mistake in them, or nothing."""
    if config.positions.startswith("sinusoidal"):
        return ""
    return tr("This checkpoint’s positions are not sinusoids.")


# -- no-embedding-scale -------------------------------------------------------------------------------------


def unscaled(config: ModelConfig) -> Edits:
    """Token embeddings added to positions without √d_model."""
    factor = 1 / math.sqrt(config.d_model)
    return {"*.embed.token_embedding": lambda x: x * factor}


def no_scaled_embedding(config: ModelConfig) -> str:
    if not config.embedding_scale:
        return tr(
            "This checkpoint was trained without the scale, so its embeddings are large enough without it."
        )
    return no_added_positions(config)


def no_added_positions(config: ModelConfig) -> str:
    if config.positions not in ("sinusoidal", "sinusoidal_halves", "learned"):
        return tr("This checkpoint adds no positions to its embeddings.")
    return ""


def _sameness(model: Transformer, sentence: Sentence, edit: Edits | None) -> float:
    """How far two sentences of equal length differ in the first layer's maps: half the absolute change of a row."""
    size = model.config.source_vocab_size
    other = [study.other_word(model.config, token, size) for token in sentence.source_ids[:-1]]
    one = study.run_sentence(model, sentence, edit).maps("encoder")[0]
    two = study.run_ids(model, [*other, sentence.source_ids[-1]], sentence.target_ids, edit).maps("encoder")[
        0
    ]
    return float(0.5 * np.abs(one - two).sum(-1).mean())


def no_embedding_scale(model: Transformer, sentence: Sentence) -> Study:
    c, length = model.config, len(sentence.source_ids)
    record = ("encoder.embed.token_embedding", "encoder.embed.position_encoding")
    right, wrong = study.compared(model, sentence, unscaled(c), record)
    ratios = []
    for run in (right, wrong):
        token, position = (run.embedded(name) for name in ("token_embedding", "position_encoding"))
        ratios.append(float(np.linalg.norm(token, axis=-1).mean() / np.linalg.norm(position, axis=-1).mean()))
    embedded = study.shaped("N, T, d", 1, length, c.d_model)
    return Study(
        *study.pair(right, wrong, sentence, "encoder"),
        shapes=(
            Shape(message("token embedding"), embedded, embedded),
            Shape(message("multiplied by"), f"√d_model = {math.sqrt(c.d_model):.4g}", "1"),
        ),
        numbers=(
            Number.both(message("length of a token’s embedding, in lengths of its position"), ratios),
            Number(
                message("how far the first layer’s maps of two sentences differ"),
                _sameness(model, sentence, None),
                _sameness(model, sentence, unscaled(c)),
                "share",
            ),
            study.logit_change(right, wrong),
        ),
    )


# -- pe-exponent-doubled ------------------------------------------------------------------------------------


def doubled_sinusoids(
    length: int, width: int, layout: Layout, denominator: Denominator, offset: int
) -> Array:
    """Sinusoids (length, width) whose exponent doubles an index that is even already."""
    angles = (np.arange(length) + offset)[:, None] / denominators(width, denominator)[None, :] ** 2
    table = np.empty((length, width), dtype=np.float32)
    sines, cosines = pair_columns(width, layout)
    table[:, sines], table[:, cosines] = np.sin(angles), np.cos(angles)
    return table


def doubled_table(config: ModelConfig, length: int) -> Array:
    """The doubled sinusoids of a configuration, (length, d_model)."""
    choices = cast(Layout, config.positions), cast(Denominator, config.sinusoid_denominator)
    return doubled_sinusoids(length, config.d_model, *choices, config.position_offset)


def doubled(config: ModelConfig) -> Edits:
    """Every position encoding (1, T, d_model) from that table."""

    def edit(encoding: Tensor) -> Tensor:
        table = doubled_table(config, encoding.shape[1])
        return torch.from_numpy(table).to(encoding)[None]

    return {"*.embed.position_encoding": edit}


def by_position_alone(table: Array) -> Array:
    """Attention if queries and keys were the positions themselves: softmax(P Pᵀ / √d), (T, T)."""
    scores = torch.from_numpy(table @ table.T / math.sqrt(table.shape[1]))
    return torch.softmax(scores, dim=-1).numpy()


def cosine(table: Array, offset: int) -> float:
    """Similarity of the first position to the one `offset` further on."""
    one, two = table[0], table[offset]
    return float(one @ two / (np.linalg.norm(one) * np.linalg.norm(two)))


def constant_share(table: Array) -> float:
    """Share of dimensions that stay within CONSTANT over all rows."""
    return float((np.ptp(table, axis=0) < CONSTANT).mean())


def pe_exponent_doubled(model: Transformer, sentence: Sentence) -> Study:
    c, length = model.config, len(sentence.source_ids)
    right, wrong = study.compared(model, sentence, doubled(c), ("encoder.embed.position_encoding",))
    tables = [run.embedded("position_encoding")[:length] for run in (right, wrong)]
    positions = model.source_embedding.positions
    assert positions is not None
    reach = min(FAR, c.max_length)
    long = [positions(0, reach).float().cpu().numpy(), doubled_table(c, reach)]
    where = message("Attention by position alone, softmax(P Pᵀ / √d)")
    table = study.shaped("T, d", length, c.d_model)
    last = denominators(c.d_model, cast(Any, c.sinusoid_denominator))[-1]
    return Study(
        *(study.pictured(by_position_alone(each), sentence, "encoder", where) for each in tables),
        shapes=(
            Shape(message("table of positions"), table, table),
            Shape(message("largest denominator"), f"{last:.4g}", f"{last**2:.4g}"),
        ),
        numbers=(
            Number.both(
                (message("dimensions that are constant over {count} positions"), {"count": str(reach)}),
                map(constant_share, long),
                unit="share",
            ),
            Number.both(
                (message("similarity of positions {count} apart"), {"count": str(reach - 1)}),
                (cosine(each, reach - 1) for each in long),
            ),
            study.logit_change(right, wrong),
        ),
    )


# -- pe-in-feed-forward -------------------------------------------------------------------------------------


class PositionsInFeedForward(EncoderLayer):
    """An encoder layer that adds the positions to what its feed-forward network reads, and to nothing else.

    The same network runs twice: before attention, which reads its output, and after it.
    """

    positions: Tensor  # (1, S, d_model), of this pass

    def forward(
        self,
        x: Tensor,
        mask: Mask,
        bias: Tensor | None = None,
        hooks: Hooks | None = None,
        turns: Tensor | None = None,
    ) -> Tensor:
        """x (B, S, d_model), mask over S keys → (B, S, d_model)."""
        at = tap(hooks, "encoder", self.layer, "self")
        x, h = self.self_residual.enter(x, at)
        h = self.feed_forward(h + self.positions)
        q, keys_values = self.self_attention.queries_keys_values(h, at, turns)
        x = self.self_residual.leave(x, self.self_attention(q, keys_values, mask, bias, at), at)

        at = tap(hooks, "encoder", self.layer, "ffn")
        x, h = self.ffn_residual.enter(x, at)
        return self.ffn_residual.leave(x, self.feed_forward(h + self.positions, at), at)


def in_the_branch(model: Transformer, length: int) -> Transformer:
    """The model with positions in every encoder layer's feed-forward branch, for sources of `length` tokens.

    Run it with `NOT_AT_THE_INPUT`: its stream never gets positions.
    """
    table = model.source_embedding.positions
    assert table is not None
    with torch.inference_mode():
        positions = table(0, length)[None].clone()

    return study.with_layers(
        model, lambda layer: study.replaced(layer, PositionsInFeedForward, positions=positions), "encoder"
    )


NOT_AT_THE_INPUT: Final[Edits] = {"encoder.embed.position_encoding": torch.zeros_like}


def _along(stream: Array, positions: Array) -> float:
    """Mean cosine of each token's stream with the encoding of its own position; both (S, d), less their mean rows."""
    a, b = stream - stream.mean(0), positions - positions.mean(0)
    lengths = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    return float((np.einsum("td,td->t", a, b) / np.maximum(lengths, 1e-12)).mean())


def _untrained(config: ModelConfig) -> tuple[float, float]:
    """The cosine after the last layer of a model of this configuration with random weights, correct and as written.

    The mean over RANDOM_SENTENCES sentences of random tokens.
    """
    length = min(FAR, config.max_length)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        model = Transformer(config).eval()
        rows = torch.randint(config.source_vocab_size, (RANDOM_SENTENCES, length)).tolist()
    record = ("encoder.embed.position_encoding", "encoder.*.ffn.residual_after", "encoder.*.ffn.norm_output")
    faulty, last = in_the_branch(model, length), config.encoder_layers - 1
    cosines = []
    for row in rows:
        right = study.run_ids(model, row, [config.bos_id], record=record)
        wrong = study.run_ids(faulty, row, [config.bos_id], NOT_AT_THE_INPUT, record)
        positions = right.embedded("position_encoding")
        cosines.append([_along(run.stream(last), positions) for run in (right, wrong)])
    correct, as_written = np.mean(cosines, axis=0)
    return float(correct), float(as_written)


def pe_in_feed_forward(model: Transformer, sentence: Sentence) -> Study:
    c, length = model.config, len(sentence.source_ids)
    record = (
        "encoder.embed.position_encoding",
        "encoder.0.self.residual_before",
        "encoder.*.ffn.residual_after",
        "encoder.*.ffn.norm_output",
    )
    right = study.run_sentence(model, sentence, record=record)
    wrong = study.run_sentence(in_the_branch(model, length), sentence, NOT_AT_THE_INPUT, record)
    kind: Kind = "encoder" if c.encoder_layers > 1 else "cross"
    positions, last = right.embedded("position_encoding")[:length], c.encoder_layers - 1
    runs = (right, wrong)
    stream = study.shaped("N, T, d", 1, length, c.d_model)
    return Study(
        *study.pair(right, wrong, sentence, kind),
        shapes=(
            Shape(message("layer 0 reads"), (message("{shape} + positions"), {"shape": stream}), stream),
            Shape(
                message("the feed-forward network reads"),
                stream,
                (message("{shape} + positions"), {"shape": stream}),
            ),
            Shape(message("times it runs in a layer"), "1", message("2: before attention and after it")),
        ),
        numbers=(
            Number.both(
                message("cosine of the stream with its own position, where layer 0 reads it"),
                (_along(run.first("encoder", "residual_before"), positions) for run in runs),
            ),
            Number.both(
                (message("the same after the last layer, {layer}"), {"layer": str(last)}),
                (_along(run.stream(last), positions) for run in runs),
            ),
            Number.both(message("the same there with random weights"), _untrained(c)),
            study.logit_change(right, wrong),
        ),
    )


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

    def change(layer: nn.Module) -> nn.Module:
        sums = {name: part for name, part in layer.named_children() if isinstance(part, Residual)}
        return study.replaced(
            layer, None, **{name: study.replaced(part, kind) for name, part in sums.items()}
        )

    return study.with_layers(model, change, "encoder", "decoder")


def drawn(model: Transformer, sentence: Sentence, kind: type[Residual]) -> Seen:
    """A seeded pass in training mode."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        return study.run_sentence(
            in_training(model, kind), sentence, record=("encoder.*.ffn.residual_after",)
        )


def standard(stream: Array, norm: Norm) -> tuple[float, float]:
    """Mean and mean distance from 1 of the standard deviation of a stream's rows, the norm's own γ and β taken out."""
    gain = norm.weight.detach().float().cpu().numpy()
    shift = 0.0 if norm.bias is None else norm.bias.detach().float().cpu().numpy()
    z = (stream - shift) / np.where(np.abs(gain) < 1e-6, 1.0, gain)
    return float(np.abs(z.mean(-1)).mean()), float(np.abs(z.std(-1) - 1).mean())


def no_post_norm(config: ModelConfig) -> str:
    if any(config.of(stack).norm_placement != "post" for stack in STACKS):
        return tr("This checkpoint’s norms come before its sub-layers, so no norm’s output is the stream.")
    if any(config.of(stack).norm_formula == "rms" for stack in STACKS):
        return tr("This checkpoint’s norms subtract no mean, so there is no mean of 0 to miss.")
    return ""


def dropout_after_norm(model: Transformer, sentence: Sentence) -> Study:
    c = model.config
    right, wrong = drawn(model, sentence, DroppedBeforeNorm), drawn(model, sentence, DroppedAfterNorm)
    kind: Kind = "encoder" if c.encoder_layers > 1 else "cross"
    norm = model.encoder_layers[0].ffn_residual.norm
    assert isinstance(norm, Norm)
    streams = [run.after_ffn(0) for run in (right, wrong)]
    moments = [standard(stream, norm) for stream in streams]
    stream_shape = study.shaped("N, T, d", 1, len(sentence.source_ids), c.d_model)
    return Study(
        *study.pair(right, wrong, sentence, kind),
        shapes=(
            Shape(message("the next layer reads"), stream_shape, stream_shape),
            Shape(message("dropout is on"), message("the sub-layer’s output"), message("the norm’s output")),
        ),
        numbers=(
            Number.both(
                (message("zeros in what the next layer reads, at dropout {rate}"), {"rate": str(RATE)}),
                (float((stream == 0).mean()) for stream in streams),
                unit="share",
            ),
            Number(message("distance of a token’s standard deviation from 1"), moments[0][1], moments[1][1]),
            Number(message("distance of a token’s mean from 0"), moments[0][0], moments[1][0]),
        ),
    )


# -- std-plus-eps -------------------------------------------------------------------------------------------


def unbiased(norm: Norm) -> Norm:
    """The norm with its γ and β and the formula (x − μ) / (unbiased σ + ε)."""
    twin = study.replaced(norm, formula="layer_unbiased_std", eps=STD_EPS)
    assert isinstance(twin, Norm)
    return twin


def with_norms(model: Transformer, change: Callable[[Norm], Norm]) -> Transformer:
    """The model with every norm changed, at any depth."""

    def walk(module: nn.Module) -> nn.Module:
        if isinstance(module, Norm):
            return change(module)
        parts = {name: walk(part) for name, part in module.named_children()}
        return study.replaced(module, None, **parts) if parts else module

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


def no_layer_norm(config: ModelConfig) -> str:
    if any(config.of(stack).norm_formula != "layer" for stack in STACKS):
        return tr("This checkpoint’s norms do not use the formula of the standard layer norm.")
    return ""


def std_plus_eps(model: Transformer, sentence: Sentence) -> Study:
    c = model.config
    right, wrong = (
        study.run_sentence(model, sentence),
        study.run_sentence(with_norms(model, unbiased), sentence),
    )
    widths = sorted({*WIDTHS, c.d_model})
    kind: Kind = "encoder"
    maps = max(study.far(right.maps(each), wrong.maps(each)) for each in ("encoder", "causal", "cross"))
    stream = study.shaped("N, T, d", 1, len(sentence.source_ids), c.d_model)
    return Study(
        *study.pair(right, wrong, sentence, kind),
        shapes=(
            Shape(message("norm"), stream, stream),
            Shape(
                message("divided by"),
                f"√(Σ(x − μ)²/{c.d_model} + {c.norm_eps:g})",
                f"√(Σ(x − μ)²/{c.d_model - 1}) + {STD_EPS:g}",
            ),
        ),
        numbers=(
            *(
                Number(
                    (message("output too small at d = {width}"), {"width": str(width)}),
                    0.0,
                    shortfall(width),
                    "share",
                )
                for width in widths
            ),
            Number(message("largest change of a weight"), 0.0, maps, "share"),
            study.logit_change(right, wrong),
        ),
    )


STREAM: Final[Mapping[str, Pitfall]] = {
    "no-embedding-scale": Pitfall(
        no_embedding_scale, no_scaled_embedding, study.edited_logits(lambda model: unscaled(model.config))
    ),
    "pe-exponent-doubled": Pitfall(
        pe_exponent_doubled, no_sinusoids, study.edited_logits(lambda model: doubled(model.config))
    ),
    "pe-in-feed-forward": Pitfall(
        pe_in_feed_forward,
        no_added_positions,
        study.twin_logits(
            lambda model, sentence: in_the_branch(model, len(sentence.source_ids)), NOT_AT_THE_INPUT
        ),
    ),
    "dropout-after-norm": Pitfall(dropout_after_norm, no_post_norm),
    "std-plus-eps": Pitfall(
        std_plus_eps, no_layer_norm, study.twin_logits(lambda model, sentence: with_norms(model, unbiased))
    ),
}
