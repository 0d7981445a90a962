"""The five public tutorials, the paper and T5: the choices of each, in words to compare. Imports no torch.

A preset is correct Transformer mathematics with that write-up's choices; its mistakes are pitfalls of their own
(`core.learning.mistakes`); what keeps its code from running is listed here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from core.language import message, numeral, tr
from core.model.config import ModelConfig


@dataclass(frozen=True)
class Tutorial:
    """A write-up: its preset's name, what it is called here, what it covers, and what is wrong with it."""

    name: str
    label: str
    title: str
    scope: str
    pitfalls: tuple[str, ...] = ()
    stops: tuple[str, ...] = ()
    small: str = ""  # how its trained small version differs from it
    overrides: Mapping[str, str] = field(
        default_factory=dict
    )  # choices that a configuration does not say, or says of the small version alone
    decoder: bool = True  # whether it builds one


TUTORIALS: Final[Mapping[str, Tutorial]] = {
    each.name: each
    for each in (
        Tutorial(
            "paper",
            message("the paper"),
            message("Attention Is All You Need, the base model"),
            message("Encoder, decoder and training, as published in 2017."),
            small=message(
                "one layer a side, 32 wide, 4 heads; its attention has biases, the paper’s has none"
            ),
            overrides={
                message("mask"): message("−∞ on what may not be seen"),
                message("weights start at"): message("not said"),
                "longest": message("no limit: sinusoids"),
            },
        ),
        Tutorial(
            "tutorial-a",
            "A",
            message("A, a step-by-step notebook"),
            message(
                "Encoder and decoder block, one pass, the next token by the argmax of the last position."
            ),
            ("head-split-view", "dropout-after-norm", "masked-row-nan"),
            (message("Nothing pads a batch, and there is no padding mask at all."),),
            message("its own size, with a longer table of positions"),
            overrides={
                "mask": message("lower triangle, −inf, before the scale"),
                "weights start at": message("the framework’s default"),
                "longest": message("the sentence in hand"),
            },
        ),
        Tutorial(
            "tutorial-b",
            "B",
            message("B, annotated classes"),
            message("A full encoder-decoder with a function that builds it."),
            ("heads-attend-heads", "scale-by-d-model", "cross-qkv-swapped", "std-plus-eps"),
            (
                message(
                    "The heads are never merged, so the output projection meets (N, T, H, d_h) and fails for more than one head."
                ),
                message("Both blocks call a multi-head class that is never defined."),
                message("The module math is used and not imported."),
            ),
            message("one layer a side, 32 wide, 4 heads"),
            overrides={
                "mask": message("0 and 1, −1e9"),
                "weights start at": message("Xavier-uniform"),
                "longest": message("set when it is built"),
            },
        ),
        Tutorial(
            "tutorial-c",
            "C",
            message("C, an article on the encoder, part 2"),
            message("The encoder alone: it takes vectors and gives vectors."),
            ("merge-without-transpose", "pe-exponent-doubled", "pe-in-feed-forward", "mask-truth-value"),
            (
                message(
                    "The encoder builds itself in place of its layer, without end, and misspells its parent’s initialiser."
                ),
                message(
                    "The feed-forward part receives the dropout rate where it expects the length of the sequence."
                ),
                message("The line of the softmax uses a name that does not exist."),
                message("Nothing pads a batch, and there is no padding mask at all."),
            ),
            message(
                "one layer a side, 32 wide, 4 heads; tables, a decoder and an output are added, so that it can translate"
            ),
            overrides={
                "layers": "3 + 0",
                "embedding": message("none: vectors are given"),
                "output": message("none"),
                "mask": message("added"),
                "weights start at": message("the framework’s default"),
                "Q, K, V": message("one d × 3d, cut head by head, with bias"),
            },
            decoder=False,
        ),
        Tutorial(
            "tutorial-d",
            "D",
            message("D, a blog post, “from scratch”"),
            message("Encoder, decoder and output probabilities of a model small enough to print."),
            ("cross-qkv-swapped", "masked-row-nan"),
            (
                message("The feed-forward part ignores its dropout argument and always drops half."),
                message("The input layer reads width and positions from globals in place of its arguments."),
            ),
            message("32 wide: at its own width of 6 it learns nothing"),
            overrides={
                "mask": message("added, upper triangle of −inf"),
                "weights start at": message("the framework’s default"),
            },
        ),
        Tutorial(
            "tutorial-e",
            "E",
            message("E, a video’s notebook"),
            message("A full encoder-decoder with learned positions."),
            ("scale-by-d-model", "target-padding-unmasked", "dropout-after-norm"),
            small=message("2 + 2 layers, 32 wide, 4 heads"),
            overrides={
                "mask": message("0 and 1, −1e20; target: causal alone"),
                "weights start at": message("the framework’s default"),
            },
        ),
        Tutorial(
            "t5",
            "T5",
            message("T5 1.1 small (2020): what changed since 2017"),
            message("An encoder-decoder with the changes that later models kept."),
            small=message("one layer a side, 32 wide, 4 heads"),
            overrides={
                "mask": message("added, the least number there is"),
                "weights start at": message("normal, by the width"),
                "longest": message("no limit: positions are distances"),
            },
        ),
    )
}


# -- choices in words ---------------------------------------------------------------------------------------

_POSITIONS: Final = {
    "sinusoidal": message("sinusoids, sine and cosine in turn"),
    "sinusoidal_halves": message("sinusoids, sines then cosines"),
    "learned": message("a learned table"),
    "relative_buckets": message("a number for each distance, added to the scores"),
    "rotary": message("queries and keys turned by their position"),
    "none": message("none"),
}
_NORM: Final = {
    "layer": message("layer norm"),
    "layer_unbiased_std": message("(x − μ) / (unbiased std + ε)"),
    "rms": "RMS norm",
}
_ACTIVATION: Final = {"relu": "ReLU", "gelu": "GELU", "gelu_tanh": "GELU", "silu": "SiLU"}
_SCALE: Final = {"head": "√d_h", "model": "√d_model", "none": message("nothing")}


def _embedding(c: ModelConfig) -> str:
    if c.embedding_scale:
        return tr("one table, × √d_model") if c.tie_embeddings else tr("two tables, × √d_model")
    return tr("one table, unscaled") if c.tie_embeddings else tr("two tables, unscaled")


def _projections(c: ModelConfig) -> str:
    if c.shared_head_projection:
        return tr("one d_h × d_h for all heads, no bias")
    return tr("d × d, with bias") if c.projection_bias else tr("d × d, no bias")


def _attention_output(c: ModelConfig) -> str:
    return tr("W_O with bias") if c.attention_output_bias else tr("W_O without bias")


def _dropout(c: ModelConfig) -> str:
    if not c.dropout:
        return tr("none")
    if c.dropout_placement == "after_norm":
        return tr("{rate}, on the norm’s output", rate=numeral(c.dropout, "g"))
    return tr("{rate}, on the sub-layer’s output", rate=numeral(c.dropout, "g"))


def _norm_place(c: ModelConfig) -> str:
    if c.norm_placement == "post":
        return tr("after the sum (post-norm)")
    if c.final_norm:
        return tr("before the sub-layer (pre-norm), and once at the end")
    return tr("before the sub-layer (pre-norm)")


def _output(c: ModelConfig) -> str:
    if c.tie_output:
        return tr("the embedding table, with bias") if c.output_bias else tr("the embedding table, no bias")
    return tr("a matrix of its own, with bias") if c.output_bias else tr("a matrix of its own, no bias")


def _feed_forward(c: ModelConfig) -> str:
    name = _ACTIVATION[c.activation]
    return (
        tr("{width}, {activation} with a gate", width=c.d_ff, activation=name)
        if c.gated
        else f"{c.d_ff}, {name}"
    )


CHOICES: Final[Mapping[str, Callable[[ModelConfig], str]]] = {
    message("width"): lambda c: str(c.d_model),
    message("layers"): lambda c: f"{c.encoder_layers} + {c.decoder_layers}",
    message("heads"): lambda c: tr("{heads} of {size}", heads=c.heads, size=c.d_head),
    message("feed-forward"): _feed_forward,
    message("embedding"): _embedding,
    message("positions"): lambda c: tr(_POSITIONS[c.positions]),
    message("Q, K, V"): _projections,
    message("head outputs"): _attention_output,
    message("scores over"): lambda c: tr(_SCALE[c.score_scale]),
    message("norm stands"): _norm_place,
    message("norm"): lambda c: tr(_NORM[c.norm_formula]),
    message("dropout"): _dropout,
    message("output"): _output,
    message("longest"): lambda c: tr("{length} tokens", length=c.max_length),
}


def choices(config: ModelConfig) -> dict[str, str]:
    """Every choice of a configuration in words, by aspect."""
    return {aspect: words(config) for aspect, words in CHOICES.items()}


def preset(name: str) -> ModelConfig:
    """The configuration that a write-up describes, at its own size."""
    return ModelConfig.preset(name)


def described(name: str) -> dict[str, str]:
    """Every choice of a write-up in words: its configuration's, and what it writes otherwise."""
    return {
        **choices(preset(name)),
        **{aspect: tr(words) for aspect, words in TUTORIALS[name].overrides.items()},
    }


# -- the drawing --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Block:
    """One box of the drawing: its name, its choices and whether each differs from the paper's; `kind` gives its colour."""

    name: str
    kind: str
    lines: tuple[tuple[str, bool], ...] = ()


@dataclass(frozen=True)
class Column:
    """A stack from the bottom up: what comes before its layers, one layer, how many there are, what comes after."""

    title: str
    kind: str
    before: tuple[Block, ...]
    layer: tuple[Block, ...]
    times: int
    times_differ: bool
    after: tuple[Block, ...]


def drawing(name: str) -> tuple[Column, ...]:
    """Encoder and, where the write-up builds one, decoder as boxes in the order of the data.

    Each choice is marked where it is not the paper's.
    """
    config, paper = preset(name), preset("paper")
    own, theirs = described(name), described("paper")

    def line(aspect: str, words: str = "{choice}") -> tuple[str, bool]:
        return tr(words, choice=own[aspect]), own[aspect] != theirs[aspect]

    def layer(*names: tuple[str, str]) -> tuple[Block, ...]:
        norm = Block(tr("norm"), "norm", (line("norm"), line("dropout", message("dropout {choice}"))))
        stream = Block(tr("+ the stream"), "sum")
        blocks: list[Block] = []
        for name, kind in names:
            inner = _sub_layer(name, kind, line, on_scores=_on_scores(config) and kind != "cross")
            blocks += [norm, inner, stream] if config.norm_placement == "pre" else [inner, stream, norm]
        return tuple(blocks)

    embedding = Block(tr("embedding"), "source", (line("embedding"), line("width", "d_model {choice}")))
    positions = () if _on_scores(config) else (Block(tr("+ positions"), "source", (line("positions"),)),)
    last = (
        (Block(tr("final norm"), "norm", ((tr("after the last layer"), not paper.final_norm),)),)
        if config.final_norm
        else ()
    )
    output = Block(tr("linear, softmax"), "next", (line("output"),))
    columns = (
        Column(
            tr("encoder"), "encoder", (embedding, *positions), layer((tr("self-attention"), "encoder"), (tr("feed-forward"), "ffn")),
            config.encoder_layers, config.encoder_layers != paper.encoder_layers, last,
        ),
        Column(
            tr("decoder"), "causal", (embedding, *positions),
            layer((tr("self-attention, causal"), "causal"), (tr("cross-attention"), "cross"), (tr("feed-forward"), "ffn")),
            config.decoder_layers, config.decoder_layers != paper.decoder_layers, (*last, output),
        ),
    )  # fmt: skip
    return columns if TUTORIALS[name].decoder else columns[:1]


def _on_scores(config: ModelConfig) -> bool:
    """Whether positions act on the scores of self-attention, not on the embedding."""
    return config.positions in ("relative_buckets", "rotary")


def _sub_layer(name: str, kind: str, line: Callable[..., tuple[str, bool]], on_scores: bool) -> Block:
    if kind == "ffn":
        return Block(name, kind, (line("feed-forward"),))
    lines = (
        line("heads", message("heads {choice}")),
        line("Q, K, V"),
        line("scores over", message("scores over {choice}")),
        line("head outputs"),
    )
    return Block(name, kind, (*lines, line("positions")) if on_scores else lines)
