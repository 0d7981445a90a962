"""The five public tutorials, the paper and T5: the choices of each, in words to compare. Imports no torch.

A preset is correct Transformer mathematics with that write-up's choices; what it says, right or wrong, is in
`core.learning.claims`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from core.language import message, numeral, tr
from core.model.config import ModelConfig
from core.schema import build


@dataclass(frozen=True)
class Tutorial:
    """A write-up: its preset's name, its letter, what it is, and what it covers.

    `small`: how its trained small version differs from it. `overrides`: choices that a configuration does not say, or
    says of the small version alone. `decoder`: whether it builds one.
    """

    name: str
    label: str
    title: str
    scope: str
    small: str = ""
    overrides: Mapping[str, str] = field(default_factory=dict)
    decoder: bool = True


_FILE: Final[Mapping[str, Any]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
TUTORIALS: Final[Mapping[str, Tutorial]] = {
    each["name"]: build(Tutorial, each, "a write-up") for each in _FILE["tutorials"]
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
    name = _ACTIVATION.get(c.activation, c.activation)
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
    message("scores divided by"): lambda c: tr(_SCALE[c.score_scale]),
    message("place of the norm"): _norm_place,
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
            tr("encoder"),
            "encoder",
            (embedding, *positions),
            layer((tr("self-attention"), "encoder"), (tr("feed-forward"), "ffn")),
            config.encoder_layers,
            config.encoder_layers != paper.encoder_layers,
            last,
        ),
        Column(
            tr("decoder"),
            "causal",
            (embedding, *positions),
            layer(
                (tr("self-attention, causal"), "causal"),
                (tr("cross-attention"), "cross"),
                (tr("feed-forward"), "ffn"),
            ),
            config.decoder_layers,
            config.decoder_layers != paper.decoder_layers,
            (*last, output),
        ),
    )
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
        line("scores divided by", message("scores divided by {choice}")),
        line("head outputs"),
    )
    return Block(name, kind, (*lines, line("positions")) if on_scores else lines)
