"""Pitfalls of positions: their share in the sum, their wavelengths, and adding them more than once."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import torch
from torch import nn

from core.learning import passes
from core.learning.passes import Array, Edits
from core.learning.study import Kind, Number, Pitfall, Sentence, Shape, Study
from core.model.attention import Mask
from core.model.config import ModelConfig
from core.model.hooks import Hooks, tap
from core.model.layers import EncoderLayer
from core.model.position_tables import BASE, denominators, pair_columns
from core.model.transformer import Transformer

if TYPE_CHECKING:
    from torch import Tensor

CONSTANT = 0.01  # a dimension that moves less than this over FAR positions is as good as constant
FAR = 50
RANDOM_SENTENCES = 8
SEED = 1


def no_sinusoids(config: ModelConfig) -> str:
    """Why a model cannot show what sinusoids get wrong."""
    if config.positions.startswith("sinusoidal"):
        return ""
    return f"This checkpoint’s positions are {config.positions.replace('_', ' ')}, not sinusoids."


# -- no-embedding-scale -------------------------------------------------------------------------------------


def unscaled(config: ModelConfig) -> Edits:
    """Token embeddings added to positions without √d_model."""
    factor = 1 / math.sqrt(config.d_model)
    return {"*.embed.token_embedding": lambda x: x * factor}


def _scale_unfit(config: ModelConfig) -> str:
    if not config.embedding_scale:
        return "This checkpoint was trained without the scale, so its embeddings have grown to do without it."
    if config.positions not in ("sinusoidal", "sinusoidal_halves", "learned"):
        return "This checkpoint adds no positions to its embeddings."
    return ""


def _sameness(model: Transformer, sentence: Sentence, edit: Edits | None) -> float:
    """How far two sentences of equal length differ in the first layer's maps: half the absolute change of a row."""
    size = model.config.source_vocab_size
    other = [passes.other_word(model.config, token, size) for token in sentence.source_ids[:-1]]
    one = passes.of(model, sentence, edit).maps("encoder")[0]
    two = passes.seen(model, [*other, sentence.source_ids[-1]], sentence.target_ids, edit).maps("encoder")[0]
    return float(0.5 * np.abs(one - two).sum(-1).mean())


def _no_scale(model: Transformer, sentence: Sentence) -> Study:
    c, length = model.config, len(sentence.source_ids)
    record = ("encoder.embed.token_embedding", "encoder.embed.position_encoding")
    right, wrong = passes.of(model, sentence, None, record), passes.of(model, sentence, unscaled(c), record)
    ratios = []
    for run in (right, wrong):
        token, place = (run.embedded(name) for name in ("token_embedding", "position_encoding"))
        ratios.append(float(np.linalg.norm(token, axis=-1).mean() / np.linalg.norm(place, axis=-1).mean()))
    embedded = passes.shaped("N, T, d", 1, length, c.d_model)
    return Study(
        *passes.pair(right, wrong, sentence, "encoder"),
        shapes=(
            Shape("token embedding", embedded, embedded),
            Shape("multiplied by", f"√d_model = {math.sqrt(c.d_model):.4g}", "1"),
        ),
        numbers=(
            Number.both("length of a token’s embedding, in lengths of its position", ratios),
            Number(
                "how far the first layer’s maps of two sentences differ",
                _sameness(model, sentence, None),
                _sameness(model, sentence, unscaled(c)),
                "share",
            ),
            Number("largest change of a logit", 0.0, passes.far(right.logits, wrong.logits)),
        ),
    )


NO_EMBEDDING_SCALE = Pitfall(
    "no-embedding-scale",
    "Embeddings without √d_model",
    "in general",
    "An embedding table that also serves as the output projection is initialised with entries of about 1/√d_model, so that "
    "logits start near one. A row then has length 1, while a sinusoidal position has length √(d/2). The factor √d_model "
    "brings the word up to its position; without it the sum is nearly the position alone. A table that is used only here "
    "usually starts with entries of about 1, and then nothing is wrong without the factor.",
    "Positions outweigh words: from one sentence to another, the first layer’s maps change less than they should.",
    "x = self.embed(tokens)            # rows of length about 1\n"
    "# x = x * math.sqrt(self.d_model)  is missing\n"
    "x = x + self.positions[: x.size(1)]   # rows of length sqrt(d / 2)\n"
    "return self.dropout(x)",
    "assert 0.3 < (embed(tokens).norm(dim=-1) / positions.norm(dim=-1)).mean() < 3",
    _no_scale,
    _scale_unfit,
)


# -- pe-exponent-doubled ------------------------------------------------------------------------------------


def doubled_table(config: ModelConfig, length: int) -> Array:
    """Sinusoids whose exponent doubles an index that is even already, (length, d_model)."""
    squared = denominators(config.d_model, cast(Any, config.sinusoid_denominator)) ** 2
    angles = (np.arange(length) + config.position_offset)[:, None] / squared[None, :]
    table = np.empty((length, config.d_model), dtype=np.float32)
    sines, cosines = pair_columns(config.d_model, cast(Any, config.positions))
    table[:, sines], table[:, cosines] = np.sin(angles), np.cos(angles)
    return table


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


def _doubled(model: Transformer, sentence: Sentence) -> Study:
    c, length = model.config, len(sentence.source_ids)
    record = ("encoder.embed.position_encoding",)
    right, wrong = (passes.of(model, sentence, edit, record) for edit in (None, doubled(c)))
    tables = [run.embedded("position_encoding")[:length] for run in (right, wrong)]
    positions = model.source_embedding.positions
    assert positions is not None
    reach = min(FAR, c.max_length)
    long = [positions(0, reach).float().cpu().numpy(), doubled_table(c, reach)]
    where = "attention by position alone, softmax(P Pᵀ / √d)"
    table = passes.shaped("T, d", length, c.d_model)
    last = denominators(c.d_model, cast(Any, c.sinusoid_denominator))[-1]
    return Study.of(
        (passes.pictured(by_position_alone(each), sentence, "encoder", where) for each in tables),
        shapes=(
            Shape("table", table, table),
            Shape("largest denominator", f"{last:.4g}", f"{last**2:.4g} (beyond {BASE:.0f})"),
        ),
        numbers=(
            Number.both(
                f"dimensions that are constant over {reach} positions",
                map(constant_share, long),
                unit="share",
            ),
            Number.both(
                f"similarity of positions {reach - 1} apart", (cosine(each, reach - 1) for each in long)
            ),
            Number("largest change of a logit", 0.0, passes.far(right.logits, wrong.logits)),
        ),
    )


PE_EXPONENT_DOUBLED = Pitfall(
    "pe-exponent-doubled",
    "The even index doubled once more",
    "C",
    "The formula divides a position by 10000^(2i/d), where i counts the pairs of a sine and a cosine. Code that walks over "
    "the even columns already has 2i in its hand; writing 2 * i then doubles the exponent. The wavelengths run up to "
    "10000² in place of 10000, and half of the dimensions never move in any sentence.",
    "Most dimensions are constant, and the similarity of positions decays less with their distance.",
    "even = torch.arange(0, d_model, 2)              # 0, 2, 4, …: this is 2i\n"
    "denominator = 10000 ** (2 * even / d_model)     # should be even / d_model\n"
    "angle = position[:, None] / denominator\n"
    "table[:, 0::2], table[:, 1::2] = angle.sin(), angle.cos()",
    "assert abs(denominator[-1] - 10000 ** ((d_model - 2) / d_model)) < 1e-3",
    _doubled,
    no_sinusoids,
)


# -- pe-in-feed-forward -------------------------------------------------------------------------------------


class PositionsInFeedForward(EncoderLayer):
    """An encoder layer that adds the positions to what its feed-forward network reads, and to nothing else.

    The same network runs twice: before attention, which reads its output, and after it.
    """

    positions: Tensor  # (1, S, d_model), of this pass

    def forward(
        self, x: Tensor, mask: Mask, bias: Tensor | None = None, hooks: Hooks | None = None
    ) -> Tensor:
        """x (B, S, d_model), mask over S keys → (B, S, d_model)."""
        at = tap(hooks, "encoder", self.layer, "self")
        x, h = self.self_residual.enter(x, at)
        h = self.feed_forward(h + self.positions)
        q, keys_values = self.self_attention.queries_keys_values(h, at)
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

    def change(layer: nn.Module) -> nn.Module:
        twin = passes.replaced(layer)
        twin.__class__ = PositionsInFeedForward
        twin.positions = positions
        return twin

    return passes.with_layers(model, change, "encoder")


NOT_AT_THE_INPUT: Final[Edits] = {"encoder.embed.position_encoding": torch.zeros_like}


def _along(stream: Array, positions: Array) -> float:
    """Mean cosine of each token's stream with the encoding of its own position; both (S, d), less their mean rows."""
    a, b = stream - stream.mean(0), positions - positions.mean(0)
    lengths = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    return float((np.einsum("td,td->t", a, b) / np.maximum(lengths, 1e-12)).mean())


def _add_unfit(config: ModelConfig) -> str:
    if config.positions not in ("sinusoidal", "sinusoidal_halves", "learned"):
        return "This checkpoint adds no positions to its embeddings."
    return ""


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
    found = []
    for row in rows:
        right = passes.seen(model, row, [config.bos_id], record=record)
        wrong = passes.seen(faulty, row, [config.bos_id], NOT_AT_THE_INPUT, record)
        positions = right.embedded("position_encoding")
        found.append([_along(run.stream(last), positions) for run in (right, wrong)])
    correct, as_written = np.mean(found, axis=0)
    return float(correct), float(as_written)


def _added(model: Transformer, sentence: Sentence) -> Study:
    c, length = model.config, len(sentence.source_ids)
    record = (
        *("encoder.embed.position_encoding", "encoder.0.self.residual_before"),
        *("encoder.*.ffn.residual_after", "encoder.*.ffn.norm_output"),
    )
    right = passes.of(model, sentence, record=record)
    wrong = passes.of(in_the_branch(model, length), sentence, NOT_AT_THE_INPUT, record)
    kind: Kind = "encoder" if c.encoder_layers > 1 else "cross"
    positions, last = right.embedded("position_encoding")[:length], c.encoder_layers - 1
    runs = (right, wrong)
    stream = passes.shaped("N, T, d", 1, length, c.d_model)
    return Study(
        *passes.pair(right, wrong, sentence, kind),
        shapes=(
            Shape("layer 0 reads", f"{stream} + positions", stream),
            Shape("the feed-forward network reads", stream, f"{stream} + positions"),
            Shape("times it runs in a layer", "1", "2: before attention and after it"),
        ),
        numbers=(
            Number.both(
                "cosine of the stream with its own position, where layer 0 reads it",
                (_along(run.first("encoder", "residual_before"), positions) for run in runs),
            ),
            Number.both(
                f"the same after the last layer, {last}",
                (_along(run.stream(last), positions) for run in runs),
            ),
            Number.both("the same there with random weights", _untrained(c)),
            Number("largest change of a logit", 0.0, passes.far(right.logits, wrong.logits)),
        ),
    )


PE_IN_FEED_FORWARD = Pitfall(
    "pe-in-feed-forward",
    "Positions added in the feed-forward branch",
    "C",
    "Positions are added once, where the tokens enter, and the residual stream carries them on. This code adds them in the "
    "feed-forward branch instead: to what the network reads, not to the stream. The same network also runs before "
    "attention. Attention then reads what the network makes of word and position, and the residual path never gets a "
    "position.",
    "The stream that enters layer 0 holds no positions. With random weights that stays so after every layer; trained weights "
    "may write a part of them back.",
    "def feed_forward(self, x):\n"
    "    x = x + self.positions(x.size(1))      # a local sum: the stream never gets it\n"
    "    return self.w2(relu(self.w1(x)))\n"
    "x = self.norm1(x + self.attention(self.feed_forward(x)))   # the network runs before attention, too\n"
    "x = self.norm2(x + self.feed_forward(x))                   # the same weights again",
    "assert layer.feed_forward(x).allclose(layer.feed_forward(x[:, perm])[:, inverse])",
    _added,
    _add_unfit,
)

PITFALLS = (NO_EMBEDDING_SCALE, PE_EXPONENT_DOUBLED, PE_IN_FEED_FORWARD)
