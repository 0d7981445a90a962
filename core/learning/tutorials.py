"""The five public tutorials and the paper: the choices of each, in words to compare. Imports no torch.

A preset is correct Transformer mathematics with that write-up's choices; its mistakes are pitfalls of their own
(`core.learning.mistakes`); what keeps its code from running is listed here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

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
            "the paper",
            "Attention Is All You Need, the base model",
            "Encoder, decoder and training, as published in 2017.",
            small="one layer a side, 32 wide, 4 heads; its attention has biases, the paper’s has none",
            overrides={
                "mask": "−∞ on what may not be seen",
                "weights start at": "not said",
                "longest": "no limit: sinusoids",
            },
        ),
        Tutorial(
            "tutorial-a",
            "A",
            "A, a step-by-step notebook",
            "Encoder and decoder block, one pass, the next token by the argmax of the last position.",
            ("head-split-view", "dropout-after-norm", "masked-row-nan"),
            ("Nothing pads a batch, and there is no padding mask at all.",),
            "its own size, with a longer table of positions",
            overrides={
                "mask": "lower triangle, −inf, before the scale",
                "weights start at": "the framework’s default",
                "longest": "the sentence in hand",
            },
        ),
        Tutorial(
            "tutorial-b",
            "B",
            "B, annotated classes",
            "A full encoder-decoder with a function that builds it.",
            ("heads-attend-heads", "scale-by-d-model", "cross-qkv-swapped", "std-plus-eps"),
            (
                "The heads are never merged, so the output projection meets (N, T, H, d_h) and fails for more than one head.",
                "Both blocks call a multi-head class that is never defined.",
                "The module math is used and not imported.",
            ),
            "one layer a side, 32 wide, 4 heads",
            overrides={
                "mask": "0 and 1, −1e9",
                "weights start at": "Xavier-uniform",
                "longest": "set when it is built",
            },
        ),
        Tutorial(
            "tutorial-c",
            "C",
            "C, an article on the encoder, part 2",
            "The encoder alone: it takes vectors and gives vectors.",
            ("merge-without-transpose", "pe-exponent-doubled", "pe-in-feed-forward", "mask-truth-value"),
            (
                "The encoder builds itself in place of its layer, without end, and misspells its parent’s initialiser.",
                "The feed-forward part receives the dropout rate where it expects the length of the sequence.",
                "The line of the softmax uses a name that does not exist.",
                "Nothing pads a batch, and there is no padding mask at all.",
            ),
            "one layer a side, 32 wide, 4 heads; tables, a decoder and an output are added, so that it can translate",
            overrides={
                "layers": "3 + 0",
                "embedding": "none: vectors are given",
                "output": "none",
                "mask": "added",
                "weights start at": "the framework’s default",
                "Q, K, V": "one d × 3d, cut head by head, with bias",
            },
            decoder=False,
        ),
        Tutorial(
            "tutorial-d",
            "D",
            "D, a blog post, “from scratch”",
            "Encoder, decoder and output probabilities of a model small enough to print.",
            ("cross-qkv-swapped", "masked-row-nan"),
            (
                "The feed-forward part ignores its dropout argument and always drops half.",
                "The input layer reads width and positions from globals in place of its arguments.",
            ),
            "32 wide: at its own width of 6 it learns nothing",
            overrides={
                "mask": "added, upper triangle of −inf",
                "weights start at": "the framework’s default",
            },
        ),
        Tutorial(
            "tutorial-e",
            "E",
            "E, a video’s notebook",
            "A full encoder-decoder with learned positions.",
            ("scale-by-d-model", "target-padding-unmasked", "dropout-after-norm"),
            small="2 + 2 layers, 32 wide, 4 heads",
            overrides={
                "mask": "0 and 1, −1e20; target: causal alone",
                "weights start at": "the framework’s default",
            },
        ),
    )
}


# -- choices in words ---------------------------------------------------------------------------------------

_POSITIONS: Final = {
    "sinusoidal": "sinusoids, sine and cosine in turn",
    "sinusoidal_halves": "sinusoids, sines then cosines",
    "learned": "a learned table",
    "relative_buckets": "relative",
    "none": "none",
}
_NORM: Final = {
    "layer": "layer norm",
    "layer_unbiased_std": "(x − μ) / (unbiased std + ε)",
    "rms": "RMS norm",
}
_SCALE: Final = {"head": "√d_h", "model": "√d_model", "none": "nothing"}


def _embedding(c: ModelConfig) -> str:
    tables = "one table" if c.tie_embeddings else "two tables"
    return f"{tables}, {'× √d_model' if c.embedding_scale else 'unscaled'}"


def _projections(c: ModelConfig) -> str:
    if c.shared_head_projection:
        return "one d_h × d_h for all heads, no bias"
    return f"d × d, {'with' if c.projection_bias else 'no'} bias"


def _attention_output(c: ModelConfig) -> str:
    return f"W_O {'with' if c.attention_output_bias else 'without'} bias"


def _dropout(c: ModelConfig) -> str:
    where = "on the norm’s output" if c.dropout_placement == "after_norm" else "on the sub-layer’s output"
    return f"{c.dropout:g}, {where}" if c.dropout else "none"


def _norm_place(c: ModelConfig) -> str:
    if c.norm_placement == "post":
        return "after the sum (post-norm)"
    return "before the sub-layer (pre-norm)" + (", and once at the end" if c.final_norm else "")


def _output(c: ModelConfig) -> str:
    table = "the embedding table again" if c.tie_output else "a matrix of its own"
    return f"{table}, {'with' if c.output_bias else 'no'} bias"


CHOICES: Final[Mapping[str, Callable[[ModelConfig], str]]] = {
    "width": lambda c: str(c.d_model),
    "layers": lambda c: f"{c.encoder_layers} + {c.decoder_layers}",
    "heads": lambda c: f"{c.heads} of {c.d_head}",
    "feed-forward": lambda c: f"{c.d_ff}, {c.activation.upper().replace('RELU', 'ReLU')}",
    "embedding": _embedding,
    "positions": lambda c: _POSITIONS[c.positions],
    "Q, K, V": _projections,
    "head outputs": _attention_output,
    "scores over": lambda c: _SCALE[c.score_scale],
    "norm stands": _norm_place,
    "norm": lambda c: _NORM[c.norm_formula],
    "dropout": _dropout,
    "output": _output,
    "longest": lambda c: f"{c.max_length} tokens",
}


def choices(config: ModelConfig) -> dict[str, str]:
    """Every choice of a configuration in words, by aspect."""
    return {aspect: words(config) for aspect, words in CHOICES.items()}


def preset(name: str) -> ModelConfig:
    """The configuration that a write-up describes, at its own size."""
    return ModelConfig.preset(name)


def described(name: str) -> dict[str, str]:
    """Every choice of a write-up in words: its configuration's, and what it writes otherwise."""
    return {**choices(preset(name)), **TUTORIALS[name].overrides}


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

    def line(aspect: str, before: str = "") -> tuple[str, bool]:
        return f"{before}{own[aspect]}", own[aspect] != theirs[aspect]

    def layer(*names: tuple[str, str]) -> tuple[Block, ...]:
        norm = Block("norm", "norm", (line("norm"), line("dropout", "dropout ")))
        blocks: list[Block] = []
        for name, kind in names:
            inner = _sub_layer(name, kind, line)
            blocks += [norm, inner, _SUM] if config.norm_placement == "pre" else [inner, _SUM, norm]
        return tuple(blocks)

    embedding = Block("embedding", "source", (line("embedding"), line("width", "d_model ")))
    positions = Block("+ positions", "source", (line("positions"),))
    last = (
        (Block("final norm", "norm", (("after the last layer", not paper.final_norm),)),)
        if config.final_norm
        else ()
    )
    output = Block("linear, softmax", "next", (line("output"),))
    columns = (
        Column(
            "encoder", "encoder", (embedding, positions), layer(("self-attention", "encoder"), ("feed-forward", "ffn")),
            config.encoder_layers, config.encoder_layers != paper.encoder_layers, last,
        ),
        Column(
            "decoder", "causal", (embedding, positions),
            layer(("self-attention, causal", "causal"), ("cross-attention", "cross"), ("feed-forward", "ffn")),
            config.decoder_layers, config.decoder_layers != paper.decoder_layers, (*last, output),
        ),
    )  # fmt: skip
    return columns if TUTORIALS[name].decoder else columns[:1]


_SUM: Final = Block("+ the stream", "sum")


def _sub_layer(name: str, kind: str, line: Callable[..., tuple[str, bool]]) -> Block:
    if kind == "ffn":
        return Block(name, kind, (line("feed-forward"),))
    lines = (
        line("heads", "heads "),
        line("Q, K, V"),
        line("scores over", "scores over "),
        line("head outputs"),
    )
    return Block(name, kind, lines)
