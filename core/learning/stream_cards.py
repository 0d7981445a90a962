"""The cards of the residual stream: what goes in, what each sub-layer adds, the norms, and how it goes on beside the head.

A tensor here is one vector of d_model numbers for each token.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from core.analysis.readout import how_many
from core.learning.card import Axis, Card
from core.learning.head import dimensions, quoted
from core.learning.run import BLOCKS, SIDE, Run
from core.learning.why import Why, adding, chain
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
        kind = "norm_output" if self.run.config.embedding_norm else "sum"
        return self.run.seen(self.stack, 0, "embed", kind)

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
