"""The cards of the residual stream: embedding, residual sums, norms, the feed-forward network, and the next token.

A tensor here is one vector for each token.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from core.analysis.readout import how_many
from core.learning.card import (
    BLOCKS,
    SIDE,
    Axis,
    Card,
    Explain,
    Run,
    Why,
    chain,
    dimensions,
    product,
    quoted,
    softmax,
    summing,
)
from core.model.positions import Denominator, denominators

EMBEDDING: Final = "embedding"
NORMS: Final = {
    "layer": "(x − μ) ÷ √(σ² + ε) · γ + β",
    "layer_unbiased_std": "(x − μ) ÷ (σ + ε) · γ + β",
    "rms": "x ÷ √(mean x² + ε) · γ",
}
Sublayer = tuple[int, str]
_NAMES: Final = {"self": "self-attention", "cross": "cross-attention", "ffn": "feed-forward"}


class StreamCards:
    """The cards of one stack's residual stream."""

    def __init__(self, run: Run, stack: str) -> None:
        self.run, self.stack, self.config = run, stack, run.config.of(stack)
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
        explain: Explain,
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
        if self.config.embedding_norm:
            values = self.run.seen(self.stack, 0, "embed", "norm_output")
            why = self.run.norm(self.stack, 0, "embed", "norm of the embedding")
            yield self.card(
                *("embedding_norm", EMBEDDING, values, why),
                title="Norm of the embedding",
                formula=NORMS[self.config.norm_formula],
                says="This model normalises the sum before its first layer.",
                reads=(last,),
            )

    def _tokens(self) -> Card:
        config, values = self.run.config, self.run.seen(self.stack, 0, "embed", "token_embedding")
        table = f"{SIDE[self.stack]}_embedding.table"

        def why(row: int, column: int) -> Why:
            token = self.ids[row]
            stored = self.run.number(table, token, column)
            assert stored is not None
            name = f"row {token} ({quoted(self.tokens.labels[row])}), column {column} of the table"
            formula = f"x[{row}, {column}] = E[{token}, {column}]"
            if not config.embedding_scale:
                return chain(formula, name, stored)
            times = ("×", f"√d_model = √{config.d_model}", math.sqrt(config.d_model))
            return chain(f"{formula} · √d_model", name, stored, [times])

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
            position = row + config.position_offset
            if learned:
                stored = self.run.number(f"{SIDE[self.stack]}_embedding.positions.table", position, column)
                assert stored is not None
                return chain(f"PE[{position}, {column}]", f"learned, row {position} of the table", stored)
            return self._wave(position, column)

        return self.card(
            *("positions", EMBEDDING, values, why),
            title="Position",
            formula="PE[position], learned" if learned else "sin and cos of position ÷ 10000^(2i ÷ d_model)",
            says="Where the token stands, as a vector: without it, attention would not know order.",
        )

    def _wave(self, position: int, column: int) -> Why:
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
            f"PE[{position}, {column}] = {wave}({position} ÷ {divisor:.4g})",
            "the position",
            position,
            [("÷", f"10000^({pair} ÷ {steps})", divisor), (wave, wave, None)],
        )

    def _sum(self) -> Card:
        token, position, total = (
            self.run.seen(self.stack, 0, "embed", kind)
            for kind in ("token_embedding", "position_encoding", "sum")
        )

        parts = [("token embedding", token), ("position", position)]
        return self.card(
            *("embedded", EMBEDDING, total, summing("x[{}, {}] = token + position", parts)),
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
        kind = "residual_after" if self.config.norm_placement == "pre" else "norm_output"
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
        if self.config.norm_placement == "pre":
            parts = [("the stream before", begin)]
            parts += [
                (f"layer {one}, {_NAMES[each]}", self.run.seen(self.stack, one, each, "output"))
                for one, each in through
            ]
            why = summing("x[{}, {}] = the stream before + what each sub-layer adds", parts)
            formula = f"x + {how_many(len(through), 'sub-layer')}"
        else:
            why = self.run.norm(self.stack, layer, block, f"norm after layer {layer}, {_NAMES[block]}")
            formula = f"… → norm(x + {_NAMES[block]}) of layer {layer}"
        values = self.after(layer, block)
        return self.card(key, part, values, why, title=title, formula=formula, says=says)

    def residual(self, layer: int, block: str, key: str, part: str, reads: Sequence[str]) -> Iterator[Card]:
        """The sum of the stream and a sub-layer's output, and in a post-norm model its norm."""
        before, output, after = (
            self.run.seen(self.stack, layer, block, kind)
            for kind in ("residual_before", "output", "residual_after")
        )
        name = _NAMES[block]

        parts = [("the stream before", before), (f"what {name} adds", output)]
        yield self.card(
            *(key, part, after, summing(f"x[{{}}, {{}}] = x + {name}", parts)),
            title="Residual sum",
            formula=f"x + {name}(x)",
            says=f"The {name}’s result is added to the stream it was made from, so nothing is lost.",
            reads=reads,
        )
        if self.config.norm_placement == "post":
            yield self.norm(layer, block, f"{key}_norm", part, (key,))

    def norm(self, layer: int, block: str, key: str, part: str, reads: Sequence[str]) -> Card:
        """The norm of a sub-layer, or of the end of the stack ("final")."""
        values = self.run.seen(self.stack, layer, block, "norm_output")
        gain = (
            "γ and β are learned, one of each" if self.config.norm_formula != "rms" else "γ is learned, one"
        )
        return self.card(
            *(key, part, values, self.run.norm(self.stack, layer, block, "norm of the row")),
            title="Final norm" if block == "final" else "Norm",
            formula=NORMS[self.config.norm_formula],
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
    config, (stack, layer, _) = run.own, run.spot.site
    prefix = f"{stack}_layers.{layer}.feed_forward"
    key, read = x
    up, hidden = _projected(run, f"{prefix}.up_proj", read), run.seen(stack, layer, "ffn", "hidden")
    gate = _projected(run, f"{prefix}.gate_proj", read) if config.gated else None
    plus = " + b" if config.ffn_bias else ""

    def linear(name: str, letter: str, values: NDArray[np.floating]) -> Explain:
        return run.linear(f"{prefix}.{name}_proj", ("", "x", letter), ("input", values), stream.tokens.labels)

    yield stream.card(
        *("up", FORWARD, up, linear("up", "W₁", read)),
        title="Feed-forward, wider",
        formula=f"x W₁{plus}",
        says=f"Each token by itself: {config.d_model} numbers become {config.d_ff}.",
        reads=(key,),
        width="d_ff",
    )
    if gate is not None:
        yield stream.card(
            *("gate", FORWARD, gate, linear("gate", "W_gate", read)),
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
        *("down", FORWARD, output, linear("down", "W₂", hidden)),
        title="Feed-forward, back",
        formula=f"h W₂{plus}",
        says=f"The {config.d_ff} numbers become {config.d_model} again, to be added to the stream.",
        reads=("hidden",),
    )


def _projected(run: Run, name: str, x: NDArray[np.floating]) -> NDArray[np.float64]:
    """x W + b, which the model does not record."""
    values = x.astype(np.float64) @ run.numbers(f"{name}.weight").T
    return values + run.numbers(f"{name}.bias") if f"{name}.bias" in run.state else values


def next_token_cards(run: Run, states: tuple[str, NDArray[np.floating]]) -> Iterator[Card]:
    """Logits and probabilities: `states` is the key and the numbers (T, d_model) of what the decoder ends with."""
    key, vectors = states
    config, token = run.config, run.spot.token
    logits = run.seen("decoder", 0, "final", "logits")
    shown = _shown(logits[token], run.trace.written_ids[token])
    names = tuple(run.label(each) for each in shown)
    table = "target_embedding.table" if config.tie_output else "output_proj"
    scaled = config.output_scale == "inverse_sqrt_d_model"
    rows, columns = Axis("tokens", run.queries), Axis("vocabulary", names)
    shape = f"(tokens, vocabulary) = ({len(logits)}, {logits.shape[1]:,}), {len(shown)} columns of them"

    def logit(row: int, column: int) -> Why:
        done = [("÷", f"√d_model = √{config.d_model}", config.d_model**0.5)] if scaled else []
        return product(
            f"logit of {quoted(names[column])} = Σᵢ x[{row}, i] · E[{shown[column]}, i]",
            (f"last vector of {quoted(rows.labels[row])}", vectors[row]),
            (f"output row of {quoted(names[column])}", run.numbers(table, shown[column])),
            "dimension {}".format,
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
    says = (
        f"After {quoted(rows.labels[token])} the model wrote {quoted(run.label(written))}, which it gave "
        f"{values[token, shown.index(written)]:.1%}.".replace("%", " %")
        if written >= 0
        else "The model has not written this token yet."
    )
    yield Card(
        *("probabilities", OUTPUT, "Next token", "softmax(logits)", says),
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
