"""The cards of the residual stream: embedding, residual sums, norms, the feed-forward network, and the next token.

A tensor here is one vector for each token.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from core.analysis.norms import sublayers
from core.analysis.readout import how_many
from core.language import message, numeral, plural, tr
from core.learning.card import (
    SIDE,
    Axis,
    Card,
    Explain,
    Run,
    Why,
    chain,
    dimension,
    dimensions,
    product,
    quoted,
    softmax,
    summing,
)
from core.model.positions import Denominator, denominators

EMBEDDING: Final = message("embedding")
NORMS: Final = {
    "layer": "(x − μ) ÷ √(σ² + ε) · γ + β",
    "layer_unbiased_std": "(x − μ) ÷ (σ + ε) · γ + β",
    "rms": message("x ÷ √(mean x² + ε) · γ"),
}
Sublayer = tuple[int, str]
_NAMES: Final = {
    "self": message("self-attention"),
    "cross": message("cross-attention"),
    "ffn": message("feed-forward"),
}


def _cell(formula: str) -> str:
    """The formula of one number of the stream, with gaps for its row and column."""
    return f"x[{{}}, {{}}] = {formula}"


class StreamCards:
    """The cards of one stack's residual stream."""

    def __init__(self, run: Run, stack: str) -> None:
        self.run, self.stack, self.config = run, stack, run.config.of(stack)
        own = stack == run.spot.attention.stack
        self.focus = run.spot.token if own else None
        labels = run.trace.tokens.source if stack == "encoder" else run.trace.tokens.target
        self.tokens = Axis(tr("tokens"), labels)
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
        shape = tr(
            "(tokens, {axis}) = ({count}, {size})", axis=width, count=len(values), size=values.shape[1]
        )
        columns = Axis(width, dimensions(values.shape[1]))
        return Card(
            key,
            part,
            title,
            formula,
            says,
            shape,
            self.tokens,
            columns,
            values,
            explain,
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
            why = self.run.norm(self.stack, 0, "embed", tr("norm of the embedding"))
            yield self.card(
                "embedding_norm",
                EMBEDDING,
                values,
                why,
                title=tr("Norm of the embedding"),
                formula=tr(NORMS[self.config.norm_formula]),
                says=tr("This model normalises the sum before its first layer."),
                reads=(last,),
            )

    def _tokens(self) -> Card:
        config, values = self.run.config, self.run.seen(self.stack, 0, "embed", "token_embedding")
        table = f"{SIDE[self.stack]}_embedding.table"
        scaled = config.of(self.stack).embedding_scale

        def why(row: int, column: int) -> Why:
            token = self.ids[row]
            stored = self.run.number(table, token, column)
            assert stored is not None
            name = tr(
                "row {row} ({token}), column {column} of the table",
                row=token,
                token=quoted(self.tokens.labels[row]),
                column=column,
            )
            formula = f"x[{row}, {column}] = E[{token}, {column}]"
            if not scaled:
                return chain(formula, name, stored)
            times = ("×", f"√d_model = √{config.d_model}", math.sqrt(config.d_model))
            return chain(f"{formula} · √d_model", name, stored, [times])

        return self.card(
            "tokens",
            EMBEDDING,
            values,
            why,
            title=tr("Token embedding"),
            formula="E[token]" + (f" · √d_model = E[token] · √{config.d_model}" if scaled else ""),
            says=tr(
                "Each token is looked up in a table of learned vectors, scaled up so that the positions do not dominate."
            )
            if scaled
            else tr("Each token is looked up in a table of learned vectors."),
        )

    def _positions(self) -> Card:
        config, values = self.run.config, self.run.seen(self.stack, 0, "embed", "position_encoding")
        learned = config.positions == "learned"

        def why(row: int, column: int) -> Why:
            position = row + config.position_offset
            if learned:
                stored = self.run.number(f"{SIDE[self.stack]}_embedding.positions.table", position, column)
                assert stored is not None
                return chain(
                    f"PE[{position}, {column}]", tr("learned, row {row} of the table", row=position), stored
                )
            return self._wave(position, column)

        return self.card(
            "positions",
            EMBEDDING,
            values,
            why,
            title=tr("Position"),
            formula=tr("PE[position], learned")
            if learned
            else tr("sin and cos of position ÷ 10000^(2i ÷ d_model)"),
            says=tr("The token’s position as a vector: without it, attention would not know the order."),
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
            tr("the position"),
            position,
            [("÷", f"10000^({pair} ÷ {steps})", divisor), (wave, wave, None)],
        )

    def _sum(self) -> Card:
        token, position, total = (
            self.run.seen(self.stack, 0, "embed", kind)
            for kind in ("token_embedding", "position_encoding", "sum")
        )

        parts = [(tr("token embedding"), token), (tr("position"), position)]
        return self.card(
            "embedded",
            EMBEDDING,
            total,
            summing(_cell(tr("token + position")), parts),
            title=tr("Token + position"),
            formula="x = E[token] + PE[position]",
            says=tr("A token and its position, added into one vector: the start of the residual stream."),
            reads=("tokens", "positions"),
        )

    # -- how it goes on -------------------------------------------------------------------------------------

    @property
    def start(self) -> NDArray[np.floating]:
        """The stream before the first layer."""
        return self.run.seen(self.stack, 0, "embed", self.run.config.embedded(self.stack))

    def sublayers(self) -> list[Sublayer]:
        """Every sub-layer of the stack, in the order of the data."""
        listed = sublayers(self.run.config)
        return [(each.layer, each.block) for each in listed if each.stack == self.stack]

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
            parts = [(tr("the stream before"), begin)]
            parts += [
                (
                    tr("layer {layer}, {part}", layer=one, part=tr(_NAMES[each])),
                    self.run.seen(self.stack, one, each, "output"),
                )
                for one, each in through
            ]
            why = summing(_cell(tr("the stream before + what each sub-layer adds")), parts)
            formula = f"x + {how_many(len(through), 'sub-layer')}"
        else:
            name = tr(_NAMES[block])
            after = tr("norm after layer {layer}, {part}", layer=layer, part=name)
            why = self.run.norm(self.stack, layer, block, after)
            formula = tr("… → norm(x + {part}) of layer {layer}", part=name, layer=layer)
        values = self.after(layer, block)
        return self.card(key, part, values, why, title=title, formula=formula, says=says)

    def residual(self, layer: int, block: str, key: str, part: str, reads: Sequence[str]) -> Iterator[Card]:
        """The sum of the stream and a sub-layer's output, and in a post-norm model its norm."""
        before, output, after = (
            self.run.seen(self.stack, layer, block, kind)
            for kind in ("residual_before", "output", "residual_after")
        )
        name = tr(_NAMES[block])

        parts = [(tr("the stream before"), before), (tr("what {part} adds", part=name), output)]
        yield self.card(
            key,
            part,
            after,
            summing(_cell(f"x + {name}"), parts),
            title=tr("Residual sum"),
            formula=f"x + {name}(x)",
            says=tr(
                "The result of {part} is added to the stream that it was made from, so nothing is lost.",
                part=name,
            ),
            reads=reads,
        )
        if self.config.norm_placement == "post":
            yield self.norm(layer, block, f"{key}_norm", part, (key,))

    def norm(self, layer: int, block: str, key: str, part: str, reads: Sequence[str]) -> Card:
        """The norm of a sub-layer, or of the end of the stack ("final")."""
        values = self.run.seen(self.stack, layer, block, "norm_output")
        says = (
            tr(
                "Each row is normalised by its own mean and deviation; γ and β are learned, one of each per dimension."
            )
            if self.config.norm_formula != "rms"
            else tr("Each row is divided by its own root mean square; γ is learned, one per dimension.")
        )
        return self.card(
            key,
            part,
            values,
            self.run.norm(self.stack, layer, block, tr("norm of the row")),
            title=tr("Final norm") if block == "final" else tr("Norm"),
            formula=tr(NORMS[self.config.norm_formula]),
            says=says,
            reads=reads,
        )


FORWARD: Final = message("feed-forward")
OUTPUT: Final = message("output")
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
        return run.linear(
            f"{prefix}.{name}_proj", ("", "x", letter), (tr("input"), values), stream.tokens.labels
        )

    yield stream.card(
        "up",
        FORWARD,
        up,
        linear("up", "W₁", read),
        title=tr("Feed-forward, wider"),
        formula=f"x W₁{plus}",
        says=tr(
            "Each token by itself: {width} numbers become {inner}.", width=config.d_model, inner=config.d_ff
        ),
        reads=(key,),
        width="d_ff",
    )
    if gate is not None:
        yield stream.card(
            "gate",
            FORWARD,
            gate,
            linear("gate", "W_gate", read),
            title=tr("Gate"),
            formula=f"x W_gate{plus}",
            says=tr("A second projection, whose activation decides how much of each number passes."),
            reads=(key,),
            width="d_ff",
        )
    name = _ACTIVATIONS.get(config.activation, config.activation)

    def activated(row: int, column: int) -> Why:
        before = float(up[row, column] if gate is None else gate[row, column])
        done: list[tuple[str, str, float | None]] = [(config.activation, name, None)]
        if gate is not None:
            done.append(("×", tr("the number beside it"), float(up[row, column])))
        return chain(f"h[{row}, {column}]", tr("the gate") if gate is not None else "x W₁", before, done)

    zero = float((hidden[run.spot.token] == 0).mean())
    yield stream.card(
        "hidden",
        FORWARD,
        hidden,
        activated,
        title=tr("Activation"),
        formula=f"{name}(x W_gate{plus}) · (x W₁{plus})" if gate is not None else f"{name}(x W₁{plus})",
        says=tr(
            "Negative numbers are cut off: {share} % of this token’s are 0.", share=numeral(100 * zero, ".0f")
        )
        if config.activation == "relu" and gate is None
        else tr("The one step that is not linear: without it, the two matrices would amount to one."),
        reads=("up", "gate") if gate is not None else ("up",),
        width="d_ff",
    )
    output = run.seen(stack, layer, "ffn", "output")
    yield stream.card(
        "down",
        FORWARD,
        output,
        linear("down", "W₂", hidden),
        title=tr("Feed-forward, back"),
        formula=f"h W₂{plus}",
        says=tr(
            "The {inner} numbers become {width} again, to be added to the stream.",
            inner=config.d_ff,
            width=config.d_model,
        ),
        reads=("hidden",),
    )


def _projected(run: Run, name: str, x: NDArray[np.floating]) -> NDArray[np.float64]:
    """x W + b, which the model does not record."""
    values = x.astype(np.float64) @ run.numbers(f"{name}.weight").T
    return values + run.numbers(f"{name}.bias") if f"{name}.bias" in run.state else values


def ending(run: Run, stream: StreamCards, rest: list[tuple[int, str]]) -> Iterator[Card]:
    """The layers that follow, the final norm and, in the decoder, the next token."""
    stack, layer, _ = run.spot.site
    key = "forward_added" if run.own.norm_placement == "pre" else "forward_added_norm"
    if rest:
        count = run.config.layers(stack) - 1 - layer
        says = plural(
            "The layer after this one adds to it in the same way.",
            "The {count} layers after this one add to it in the same way.",
            count,
        )
        begin = stream.after(layer, "ffn")
        yield stream.passed("rest", OUTPUT, tr("The stream leaves the last layer"), says, begin, rest)
        key = "rest"
    if run.own.final_norm:
        yield stream.norm(0, "final", "final_norm", OUTPUT, (key,))
        key = "final_norm"
    if stack == "decoder":
        yield from next_token_cards(run, (key, run.seen("decoder", 0, "final", "output")))


def next_token_cards(run: Run, states: tuple[str, NDArray[np.floating]]) -> Iterator[Card]:
    """Logits and probabilities: `states` is the key and the numbers (T, d_model) of what the decoder ends with."""
    key, vectors = states
    config, token = run.config, run.spot.token
    logits = run.seen("decoder", 0, "final", "logits")
    shown = _shown(logits[token], run.trace.written_ids[token])
    names = tuple(run.label(each) for each in shown)
    table = "target_embedding.table" if config.tie_output else "output_proj"
    scaled = config.output_scale == "inverse_sqrt_d_model"
    rows, columns = Axis(tr("tokens"), run.queries), Axis(tr("vocabulary"), names)
    size = numeral(logits.shape[1], ",")
    shape = tr(
        "(tokens, vocabulary) = ({count}, {size}), of which {shown} columns",
        count=len(logits),
        size=size,
        shown=len(shown),
    )

    def logit(row: int, column: int) -> Why:
        done = [("÷", f"√d_model = √{config.d_model}", config.d_model**0.5)] if scaled else []
        return product(
            f"{tr('logit of {token}', token=quoted(names[column]))} = Σᵢ x[{row}, i] · E[{shown[column]}, i]",
            (tr("last vector of {token}", token=quoted(rows.labels[row])), vectors[row]),
            (tr("output row of {token}", token=quoted(names[column])), run.numbers(table, shown[column])),
            dimension,
            [*done, *run.bias("output_bias", shown[column])],
        )

    tied = tr("Eᵀ, the token table again") if config.tie_output else "W_out"
    yield Card(
        key="logits",
        part=OUTPUT,
        title=tr("Logits"),
        formula=f"x {tied}" + (" ÷ √d_model" if scaled else "") + " + b" * config.output_bias,
        says=tr(
            "One score for each of the {size} tokens of the vocabulary; the {count} highest for {token} are shown.",
            size=size,
            count=len(shown),
            token=quoted(rows.labels[token]),
        ),
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
            tr("P({token}) = e^logit ÷ Σ e^logit over {size} tokens", token=quoted(names[column]), size=size),
            logits[row],
            shown[column],
            lambda i: quoted(run.label(i)),
        )

    values = _probabilities(logits)[:, shown]
    written = run.trace.written_ids[token]
    says = (
        tr(
            "After {token} the model wrote {word}, to which it gave {share} %.",
            token=quoted(rows.labels[token]),
            word=quoted(run.label(written)),
            share=numeral(100 * values[token, shown.index(written)], ".1f"),
        )
        if written >= 0
        else tr("The model has not written this token yet.")
    )
    yield Card(
        "probabilities",
        OUTPUT,
        tr("Next token"),
        "softmax(logits)",
        says,
        shape,
        rows,
        columns,
        values,
        probability,
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
