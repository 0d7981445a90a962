"""The cards of the residual stream: what goes in, what each sub-layer adds, the norms, and how it goes on beside the head.

A tensor here is one vector of d_model numbers for each token.

The cards after the attention: the feed-forward network of the layer, and from the last vector to the next token.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from core.analysis.readout import how_many
from core.learning.card import (
    BLOCKS,
    SIDE,
    Axis,
    Card,
    Run,
    Why,
    adding,
    chain,
    dimensions,
    product,
    quoted,
    softmax,
)
from core.model.position_tables import Denominator, denominators

EMBEDDING: Final = "embedding"
NORMS: Final = {
    "layer": "(x − μ) ÷ √(σ² + ε) · γ + β",
    "layer_unbiased_std": "(x − μ) ÷ (σ + ε) · γ + β",
    "rms": "x ÷ √(mean x² + ε) · γ",
}
Sublayer = tuple[int, str]
_NAMES: Final = {"self": "self-attention", "cross": "cross-attention", "ffn": "feed-forward"}


class StreamCards:
    """Cards of the stream of the sequence that asks, or of the encoder's, as `stack` says."""

    def __init__(self, run: Run, stack: str) -> None:
        self.run, self.stack = run, stack
        own = stack == run.spot.attention.stack
        self.focus = run.spot.token if own else None
        labels = run.trace.tokens.source if stack == "encoder" else run.trace.tokens.target
        self.tokens = Axis("tokens", labels)
        self.ids = run.trace.source_ids if stack == "encoder" else run.trace.target_ids

    def card(
        self,
        key: str,
        part: str,
        values: NDArray[np.floating],
        explain: Callable[[int, int], Why],
        *,
        title: str,
        formula: str,
        says: str,
        reads: Sequence[str] = (),
        width: str = "d_model",
    ) -> Card:
        """A card of one vector a token."""
        shape = f"(tokens, {width}) = ({len(values)}, {values.shape[1]})"
        columns = Axis(width, dimensions(values.shape[1]))
        return Card(
            *(key, part, title, formula, says, shape, self.tokens, columns, values, explain),
            focus=self.focus,
            reads=tuple(reads),
        )

    # -- what goes in ---------------------------------------------------------------------------------------

    def embedding(self) -> Iterator[Card]:
        """Token embedding, position, their sum, its norm: those that this model has."""
        seen = self.run.trace.has
        yield self._tokens()
        last = "tokens"
        if seen(f"{self.stack}.embed.position_encoding"):
            yield self._positions()
            yield self._sum()
            last = "embedded"
        if self.run.config.embedding_norm:
            values = self.run.seen(self.stack, 0, "embed", "norm_output")
            why = self.run.norm(self.stack, 0, "embed", "norm of the embedding")
            yield self.card(
                *("embedding_norm", EMBEDDING, values, why),
                title="Norm of the embedding",
                formula=NORMS[self.run.config.norm_formula],
                says="This model normalises the sum before its first layer.",
                reads=(last,),
            )

    def _tokens(self) -> Card:
        config, values = self.run.config, self.run.seen(self.stack, 0, "embed", "token_embedding")
        table, scale = f"{SIDE[self.stack]}_embedding.table", math.sqrt(config.d_model)

        def why(row: int, column: int) -> Why:
            token = self.ids[row]
            stored = self.run.number(table, token, column)
            assert stored is not None
            done: list[tuple[str, str, float | None]] = (
                [("×", f"√d_model = √{config.d_model}", scale)] if config.embedding_scale else []
            )
            name = f"row {token} ({quoted(self.tokens.labels[row])}), column {column} of the table"
            return chain(
                f"x[{row}, {column}] = E[{token}, {column}]" + " · √d_model" * bool(done), name, stored, done
            )

        return self.card(
            *("tokens", EMBEDDING, values, why),
            title="Token embedding",
            formula="E[token]"
            + (f" · √d_model = E[token] · √{config.d_model}" if config.embedding_scale else ""),
            says="Each token is looked up in a table of learned vectors"
            + (", made longer so that positions do not drown it." if config.embedding_scale else "."),
        )

    def _positions(self) -> Card:
        config, values = self.run.config, self.run.seen(self.stack, 0, "embed", "position_encoding")
        learned = config.positions == "learned"

        def why(row: int, column: int) -> Why:
            place = row + config.position_offset
            if learned:
                stored = self.run.number(f"{SIDE[self.stack]}_embedding.positions.table", place, column)
                assert stored is not None
                return chain(f"PE[{place}, {column}]", f"learned, row {place} of the table", stored)
            return self._wave(place, column)

        return self.card(
            *("positions", EMBEDDING, values, why),
            title="Position",
            formula="PE[position], learned" if learned else "sin and cos of position ÷ 10000^(2i ÷ d_model)",
            says="Where the token stands, as a vector: without it, attention would not know order.",
        )

    def _wave(self, place: int, column: int) -> Why:
        config = self.run.config
        half = config.d_model // 2
        if config.positions == "sinusoidal":
            pair, cosine = divmod(column, 2)
        else:
            cosine, pair = divmod(column, half)
        how: Denominator = "half" if config.sinusoid_denominator == "half" else "half_minus_one"
        divisor = float(denominators(config.d_model, how)[pair])
        wave = "cos" if cosine else "sin"
        steps = half if how == "half" else max(half - 1, 1)
        return chain(
            f"PE[{place}, {column}] = {wave}({place} ÷ {divisor:.4g})",
            "the position",
            place,
            [("÷", f"10000^({pair} ÷ {steps})", divisor), (wave, wave, None)],
        )

    def _sum(self) -> Card:
        token, place, total = (
            self.run.seen(self.stack, 0, "embed", kind)
            for kind in ("token_embedding", "position_encoding", "sum")
        )

        def why(row: int, column: int) -> Why:
            parts = [("token embedding", float(token[row, column])), ("position", float(place[row, column]))]
            return adding(f"x[{row}, {column}] = token + position", parts)

        return self.card(
            *("embedded", EMBEDDING, total, why),
            title="Token + position",
            formula="x = E[token] + PE[position]",
            says="What a token is and where it stands, added into one vector: the start of the residual stream.",
            reads=("tokens", "positions"),
        )

    # -- how it goes on -------------------------------------------------------------------------------------

    @property
    def start(self) -> NDArray[np.floating]:
        """The stream before the first layer."""
        return self.run.seen(self.stack, 0, "embed", self.run.config.embedded(self.stack))

    def sublayers(self) -> list[Sublayer]:
        """Every sub-layer of the stack, in the order of the data."""
        return [
            (layer, block)
            for layer in range(self.run.config.layers(self.stack))
            for block in BLOCKS[self.stack]
        ]

    def after(self, layer: int, block: str) -> NDArray[np.floating]:
        """The stream after a sub-layer."""
        kind = "residual_after" if self.run.config.norm_placement == "pre" else "norm_output"
        return self.run.seen(self.stack, layer, block, kind)

    def passed(
        self,
        key: str,
        part: str,
        title: str,
        says: str,
        begin: NDArray[np.floating],
        through: Sequence[Sublayer],
    ) -> Card:
        """The stream after it ran from `begin` through further sub-layers, which this page does not open.

        Pre-norm: a sum of what each has added. Post-norm: the norm of the last one, which takes the sum apart no further.
        """
        layer, block = through[-1]
        if self.run.config.norm_placement == "pre":
            why = self._sum_of(begin, through)
            formula = f"x + {how_many(len(through), 'sub-layer')}"
        else:
            why = self.run.norm(self.stack, layer, block, f"norm after layer {layer}, {_NAMES[block]}")
            formula = f"… → norm(x + {_NAMES[block]}) of layer {layer}"
        values = self.after(layer, block)
        return self.card(key, part, values, why, title=title, formula=formula, says=says)

    def _sum_of(self, begin: NDArray[np.floating], through: Sequence[Sublayer]) -> Callable[[int, int], Why]:
        added = [
            (f"layer {one}, {_NAMES[each]}", self.run.seen(self.stack, one, each, "output"))
            for one, each in through
        ]

        def why(row: int, column: int) -> Why:
            parts = [("the stream before", float(begin[row, column]))]
            parts += [(name, float(output[row, column])) for name, output in added]
            return adding(f"x[{row}, {column}] = the stream before + what each sub-layer adds", parts)

        return why

    def residual(self, layer: int, block: str, key: str, part: str, reads: Sequence[str]) -> Iterator[Card]:
        """The sum of the stream and a sub-layer's output, and in a post-norm model its norm."""
        before, output, after = (
            self.run.seen(self.stack, layer, block, kind)
            for kind in ("residual_before", "output", "residual_after")
        )
        name = _NAMES[block]

        def why(row: int, column: int) -> Why:
            parts = [
                ("the stream before", float(before[row, column])),
                (f"what {name} adds", float(output[row, column])),
            ]
            return adding(f"x[{row}, {column}] = x + {name}", parts)

        yield self.card(
            *(key, part, after, why),
            title="Residual sum",
            formula=f"x + {name}(x)",
            says=f"The {name}’s result is added to the stream it was made from, so nothing is lost.",
            reads=reads,
        )
        if self.run.config.norm_placement == "post":
            yield self.norm(layer, block, f"{key}_norm", part, (key,))

    def norm(self, layer: int, block: str, key: str, part: str, reads: Sequence[str]) -> Card:
        """The norm of a sub-layer, or of the end of the stack ("final")."""
        values = self.run.seen(self.stack, layer, block, "norm_output")
        gain = (
            "γ and β are learned, one of each"
            if self.run.config.norm_formula != "rms"
            else "γ is learned, one"
        )
        return self.card(
            *(key, part, values, self.run.norm(self.stack, layer, block, "norm of the row")),
            title="Final norm" if block == "final" else "Norm",
            formula=NORMS[self.run.config.norm_formula],
            says=f"Each row is brought to one size by its own numbers; {gain} for a dimension.",
            reads=reads,
        )


FORWARD: Final = "feed-forward"
OUTPUT: Final = "output"
WORDS: Final = 12
"""Tokens of the vocabulary that are shown: the most probable ones for the token in hand."""
_ACTIVATIONS: Final = {"relu": "ReLU", "gelu": "GELU", "gelu_tanh": "GELU (tanh)", "silu": "SiLU"}


def forward_cards(run: Run, stream: StreamCards, x: tuple[str, NDArray[np.floating]]) -> Iterator[Card]:
    """The feed-forward network of the layer: `x` is the key and the numbers of what it reads."""
    config, (stack, layer, _) = run.config, run.spot.place
    prefix = f"{stack}_layers.{layer}.feed_forward"
    key, read = x
    up, hidden = _projected(run, f"{prefix}.up_proj", read), run.seen(stack, layer, "ffn", "hidden")
    gate = _projected(run, f"{prefix}.gate_proj", read) if config.gated else None
    plus = " + b" if config.ffn_bias else ""
    yield stream.card(
        *("up", FORWARD, up, _linear(run, stream, f"{prefix}.up_proj", "W₁", read)),
        title="Feed-forward, wider",
        formula=f"x W₁{plus}",
        says=f"Each token by itself: {config.d_model} numbers become {config.d_ff}.",
        reads=(key,),
        width="d_ff",
    )
    if gate is not None:
        yield stream.card(
            *("gate", FORWARD, gate, _linear(run, stream, f"{prefix}.gate_proj", "W_gate", read)),
            title="Gate",
            formula=f"x W_gate{plus}",
            says="A second projection, whose activation decides how much of each number passes.",
            reads=(key,),
            width="d_ff",
        )
    name = _ACTIVATIONS[config.activation]

    def activated(row: int, column: int) -> Why:
        before = float(up[row, column] if gate is None else gate[row, column])
        done: list[tuple[str, str, float | None]] = [(config.activation, name, None)]
        if gate is not None:
            done.append(("×", "the number beside it", float(up[row, column])))
        return chain(f"h[{row}, {column}]", "the gate" if gate is not None else "x W₁", before, done)

    zero = float((hidden[run.spot.token] == 0).mean())
    yield stream.card(
        *("hidden", FORWARD, hidden, activated),
        title="Activation",
        formula=f"{name}(x W_gate{plus}) · (x W₁{plus})" if gate is not None else f"{name}(x W₁{plus})",
        says=f"Negative numbers are cut off: {zero:.0%} of this token’s are 0.".replace("%", " %")
        if config.activation == "relu" and gate is None
        else "A bend in a straight line: without it the two matrices would be one.",
        reads=("up", "gate") if gate is not None else ("up",),
        width="d_ff",
    )
    output = run.seen(stack, layer, "ffn", "output")
    yield stream.card(
        *("down", FORWARD, output, _linear(run, stream, f"{prefix}.down_proj", "W₂", hidden)),
        title="Feed-forward, back",
        formula=f"h W₂{plus}",
        says=f"The {config.d_ff} numbers become {config.d_model} again, to be added to the stream.",
        reads=("hidden",),
    )


def _projected(run: Run, name: str, x: NDArray[np.floating]) -> NDArray[np.float64]:
    """What the model computes there and nobody records: x W + b."""
    values = x.astype(np.float64) @ run.numbers(f"{name}.weight").T
    return values + run.numbers(f"{name}.bias") if f"{name}.bias" in run.state else values


def _linear(
    run: Run, stream: StreamCards, name: str, letter: str, x: NDArray[np.floating]
) -> Callable[[int, int], Why]:
    def why(row: int, column: int) -> Why:
        return product(
            f"[{row}, {column}] = Σᵢ x[{row}, i] · {letter}[i, {column}]"
            + (" + b" if f"{name}.bias" in run.state else ""),
            (f"input of {quoted(stream.tokens.labels[row])}", x[row]),
            (f"column {column} of {letter}", run.numbers(f"{name}.weight", column)),
            lambda i: f"dimension {i}",
            run.bias(f"{name}.bias", column),
        )

    return why


def next_token_cards(run: Run, states: tuple[str, NDArray[np.floating]]) -> Iterator[Card]:
    """Logits and probabilities: `states` is the key and the numbers (T, d_model) of what the decoder ends with."""
    key, vectors = states
    config, token = run.config, run.spot.token
    logits = run.seen("decoder", 0, "final", "logits")
    shown = _shown(logits[token], run.trace.written_ids[token])
    names = tuple(run.label(each) for each in shown)
    table = "target_embedding.table" if config.tie_output else "output_proj"
    scaled = config.output_scale == "inverse_sqrt_d_model"
    rows, columns = Axis("tokens", run.asking), Axis("vocabulary", names)
    shape = f"(tokens, vocabulary) = ({len(logits)}, {logits.shape[1]:,}), {len(shown)} columns of them"

    def logit(row: int, column: int) -> Why:
        done = [("÷", f"√d_model = √{config.d_model}", config.d_model**0.5)] if scaled else []
        return product(
            f"logit of {quoted(names[column])} = Σᵢ x[{row}, i] · E[{shown[column]}, i]",
            (f"last vector of {quoted(rows.labels[row])}", vectors[row]),
            (f"output row of {quoted(names[column])}", run.numbers(table, shown[column])),
            lambda i: f"dimension {i}",
            [*done, *run.bias("output_bias", shown[column])],
        )

    tied = "Eᵀ, the token table again" if config.tie_output else "W_out"
    yield Card(
        key="logits",
        part=OUTPUT,
        title="Logits",
        formula=f"x {tied}" + (" ÷ √d_model" if scaled else "") + " + b" * config.output_bias,
        says=f"One score for each of the {logits.shape[1]:,} tokens of the vocabulary; shown are the {len(shown)} highest for "
        f"{quoted(rows.labels[token])}.",
        shape=shape,
        rows=rows,
        columns=columns,
        values=logits[:, shown],
        explain=logit,
        focus=token,
        reads=(key,),
    )

    def probability(row: int, column: int) -> Why:
        return softmax(
            f"P({quoted(names[column])}) = e^logit ÷ Σ e^logit over {logits.shape[1]:,} tokens",
            logits[row],
            shown[column],
            lambda i: quoted(run.label(i)),
        )

    values = _probabilities(logits)[:, shown]
    written = run.trace.written_ids[token]
    said = (
        f"After {quoted(rows.labels[token])} the model wrote {quoted(run.label(written))}, which it gave "
        f"{values[token, shown.index(written)]:.1%}.".replace("%", " %")
        if written >= 0
        else "The model has not written this token yet."
    )
    yield Card(
        *("probabilities", OUTPUT, "Next token", "softmax(logits)", said),
        *(shape, rows, columns, values, probability),
        focus=token,
        look="share",
        reads=("logits",),
    )


def _shown(logits: NDArray[np.floating], written: int) -> list[int]:
    """The tokens with the largest logits, and the one that was written."""
    best = [int(each) for each in np.argsort(-logits, kind="stable")[:WORDS]]
    return best if written < 0 or written in best else [*best[:-1], written]


def _probabilities(logits: NDArray[np.floating]) -> NDArray[np.float64]:
    shifted = np.exp(logits.astype(np.float64) - logits.max(axis=1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=1, keepdims=True))
