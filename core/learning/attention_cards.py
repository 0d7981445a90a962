"""The cards of an attention's projections: into queries, keys and values, into heads, and back into one vector.

The cards of one head's attention: scores, mask, weights, and what it gathers by them.

Everything is the trace's own number, but QKᵀ before it is scaled, which the model never holds: it is computed from q and k.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from core.analysis.readout import decimal
from core.learning.card import (
    PART,
    Axis,
    Card,
    Head,
    Why,
    adding,
    chain,
    dimensions,
    product,
    quoted,
    softmax,
)
from core.model.position_tables import relative_buckets

_ROLES: Final = {
    "q": ("Queries", "Q", "what each token asks for"),
    "k": ("Keys", "K", "what each token can be found by"),
    "v": ("Values", "V", "what each token hands over"),
}


class ProjectionCards(Head):
    """The cards before the scores and after the mixing."""

    def _rows(self, name: str) -> tuple[Axis, int | None]:
        """The axis of q, k or v, and the row of the token in hand where that is a query."""
        return (self.asking, self.token) if name == "q" else (self.asked, None)

    def projected(self, name: str) -> Card:
        """Queries, keys or values (`name` q, k or v) of all heads, beside one another."""
        title, letter, role = _ROLES[name]
        key, x = self.x if name == "q" else self.memory
        config, shared = self.run.config, self.run.config.shared_head_projection
        matrix, bias = f"{self.prefix}.{name}_proj.weight", f"{self.prefix}.{name}_proj.bias"
        rows, focus = self._rows(name)

        def why(row: int, column: int) -> Why:
            place, start, end = (column, 0, config.d_model)
            if shared:  # one d_h × d_h matrix reads each head's own part of x
                place = column % self.size
                start = column - place
                end = start + self.size
            return product(
                f"{letter}[{row}, {column}] = Σᵢ x[{row}, i] · W_{letter}[i, {place}]"
                + (" + b" if bias in self.run.state else ""),
                (f"x of {quoted(rows.labels[row])}", x[row][start:end]),
                (f"column {place} of W_{letter}", self.run.numbers(matrix, place)),
                lambda i: f"dimension {start + i}",
                self.run.bias(bias, place),
            )

        values = self.side_by_side(name)
        plus = f" + b_{letter}" if config.projection_bias else ""
        each = " (the same W for every head)" if shared else ""
        return Card(
            name,
            PART,
            title,
            f"{letter} = x W_{letter}{plus}{each}",
            f"{role[0].upper()}{role[1:]}, for all {config.heads} heads side by side; head {self.head} owns the columns "
            f"{self.band[0]} to {self.band[1] - 1}.",
            f"(tokens, heads · d_head) = ({len(values)}, {config.heads} · {self.size})",
            rows,
            Axis("heads · d_head", dimensions(values.shape[1])),
            values,
            why,
            focus=focus,
            band=self.band,
            reads=(key,),
        )

    def split(self, name: str) -> Card:
        """The head's own columns of them."""
        _, letter, role = _ROLES[name]
        rows, focus = self._rows(name)
        first, whole = self.band[0], self.side_by_side(name)

        def why(row: int, column: int) -> Why:
            where = f"{letter}[{row}, {first + column}], column {column} of head {self.head}"
            return chain(
                f"{letter}_{self.head}[{row}, {column}] = {letter}[{row}, {first + column}]",
                where,
                float(whole[row, first + column]),
            )

        values = self.one(name)
        return Card(
            f"{name}_head",
            PART,
            f"{letter} of head {self.head}",
            f"{letter}_{self.head} = columns {first} … {self.band[1] - 1} of {letter}",
            f"Split into heads: head {self.head} goes on with its own {self.size} columns, {role}. Nothing is computed.",
            f"(heads, tokens, d_head) = ({self.run.config.heads}, {len(values)}, {self.size}), head {self.head} of them",
            rows,
            Axis("d_head", dimensions(self.size)),
            values,
            why,
            focus=focus,
            reads=(name,),
        )

    def joined(self) -> Card:
        """What all heads have gathered, beside one another."""
        heads, values = self.seen("head_output"), self.side_by_side("head_output")

        def why(row: int, column: int) -> Why:
            head, place = divmod(column, self.size)
            name = f"column {place} of head {head}"
            return chain(f"[{row}, {column}] = {name}", name, float(heads[head, row, place]))

        return Card(
            "joined",
            PART,
            "Heads side by side",
            f"concat(head 0, …, head {self.run.config.heads - 1})",
            f"All heads’ results stand beside each other again; head {self.head} owns the marked columns.",
            f"(tokens, heads · d_head) = ({len(values)}, {self.run.config.heads} · {self.size})",
            self.asking,
            Axis("heads · d_head", dimensions(values.shape[1])),
            values,
            why,
            focus=self.token,
            band=self.band,
            reads=("mixed",),
        )

    def output(self) -> Card:
        """What the heads together add to the stream."""
        joined, values = self.side_by_side("head_output"), self.seen("output")
        matrix, bias = f"{self.prefix}.output_proj.weight", f"{self.prefix}.output_proj.bias"

        def why(row: int, column: int) -> Why:
            return product(
                f"out[{row}, {column}] = Σᵢ heads[{row}, i] · W_O[i, {column}]"
                + (" + b" if bias in self.run.state else ""),
                (f"heads of {quoted(self.asking.labels[row])}", joined[row]),
                (f"column {column} of W_O", self.run.numbers(matrix, column)),
                lambda i: f"head {i // self.size}, column {i % self.size}",
                self.run.bias(bias, column),
            )

        return Card(
            "output",
            PART,
            "Output projection",
            "heads · W_O" + (" + b_O" if self.run.config.attention_output_bias else ""),
            "The heads’ results are mixed into one vector a token, as wide as the stream.",
            f"(tokens, d_model) = ({len(values)}, {self.run.config.d_model})",
            self.asking,
            Axis("d_model", dimensions(values.shape[1])),
            values,
            why,
            focus=self.token,
            reads=("joined",),
        )


class ScoreCards(Head):
    """The cards between the head's queries, keys and values and what it gathers."""

    def cards(self) -> Iterator[Card]:
        """All of them in the order of the data."""
        yield from (scores := list(self._scores()))
        yield self._mask(scores[-1].key)
        yield self._weights()
        yield self.mixed()

    def _map(
        self, key: str, values: NDArray[np.floating], explain: Callable[[int, int], Why], **rest: str
    ) -> Card:
        heads, (rows, columns) = self.run.config.heads, values.shape
        return Card(
            key,
            PART,
            rest["title"],
            rest["formula"],
            rest["says"],
            f"(heads, asking, attended) = ({heads}, {rows}, {columns}), head {self.head} of them",
            self.asking,
            self.asked,
            values,
            explain,
            focus=self.token,
            reads=tuple(rest["reads"].split()),
            look="share" if key == "weights" else "signed",
        )

    def _scores(self) -> Iterator[Card]:
        from core.model.attention import (
            attention_scale,  # torch comes with it: a page is drawn before that is there
        )

        q, k = (self.one(name).astype(np.float64) for name in "qk")
        raw, scale = q @ k.T, attention_scale(self.run.config)
        under = {"head": f"√d_head = √{self.size}", "model": f"√d_model = √{self.run.config.d_model}"}.get(
            self.run.config.score_scale
        )
        relative = self._bias_table()

        def dot(row: int, column: int) -> Why:
            return product(
                f"score[{row}, {column}] = Σᵢ q[{row}, i] · k[{column}, i]",
                (f"q of {quoted(self.asking.labels[row])}", q[row]),
                (f"k of {quoted(self.asked.labels[column])}", k[column]),
                lambda i: f"dimension {i}",
            )

        def scaled(row: int, column: int) -> Why:
            return chain(
                f"score[{row}, {column}] = q · k ÷ {under}",
                "q · k",
                raw[row, column],
                [("÷", f"{under}", 1 / scale)],
            )

        last = self.one("scores")
        yield self._map(
            *("products", raw if under or relative is not None else last, dot),
            title="Scores",
            formula="Q Kᵀ",
            says=f"Every query of head {self.head} against every key: large where they point the same way.",
            reads="q_head k_head",
        )
        if under:
            yield self._map(
                *("scaled", raw * scale if relative is not None else last, scaled),
                title="Scaled scores",
                formula=f"Q Kᵀ ÷ {under}",
                says="Longer vectors have larger products; this keeps the softmax from looking at one token alone.",
                reads="products",
            )
        if relative is not None:
            yield self._biased("scaled" if under else "products", raw * scale, relative, last)

    def _bias_table(self) -> NDArray[np.float64] | None:
        """What this head adds for relative positions, (buckets,); None where nothing is added."""
        stack, _, block = self.run.spot.place
        name = f"{stack}_bias.table"
        return self.run.numbers(name)[:, self.head] if block == "self" and name in self.run.state else None

    def _biased(
        self, key: str, scores: NDArray[np.float64], table: NDArray[np.float64], values: NDArray[np.floating]
    ) -> Card:
        config, both_ways = self.run.config, self.run.spot.kind == "encoder"
        far = config.relative_buckets, config.relative_max_distance

        def why(row: int, column: int) -> Why:
            bucket = int(relative_buckets(column - row, both_ways, *far))
            return adding(
                f"score[{row}, {column}] + bias of the distance {decimal(column - row, 0, plus=True)}",
                [
                    ("the score", float(scores[row, column])),
                    (f"bias of bucket {bucket}", float(table[bucket])),
                ],
            )

        return self._map(
            *("biased", values, why),
            title="With relative positions",
            formula=f"scores + bias of the distance, head {self.head}",
            says="How far apart two tokens stand adds a learned number to their score.",
            reads=key,
        )

    def _mask(self, scores_key: str) -> Card:
        scores, masked = self.one("scores"), self.one("masked_scores")

        def why(row: int, column: int) -> Why:
            gone = np.isneginf(masked[row, column])
            added = (
                ("+", "masked: comes later, or is padding", -math.inf)
                if gone
                else ("+", "may be attended", 0.0)
            )
            return chain(f"score[{row}, {column}] + mask", "the score", float(scores[row, column]), [added])

        causal = self.run.spot.kind == "causal"
        told = (
            "No token may look at a later one: those scores become −∞."
            if causal
            else ("Only padding is masked; here nothing is padded, so every score stays.")
        )
        return self._map(
            "masked",
            masked,
            why,
            title="Masked scores",
            formula="scores + mask, 0 or −∞",
            says=told,
            reads=scores_key,
        )

    def _weights(self) -> Card:
        masked, values = self.one("masked_scores"), self.one("weights")
        keys = self.asked.labels
        best = int(values[self.token].argmax())

        def why(row: int, column: int) -> Why:
            return softmax(
                f"weight[{row}, {column}] = e^score ÷ Σ e^score over row {row}",
                masked[row],
                column,
                lambda i: quoted(keys[i]),
            )

        share = float(values[self.token, best])
        return self._map(
            *("weights", values, why),
            title="Attention weights",
            formula="softmax(scores), row by row",
            says=f"{quoted(self.asking.labels[self.token])} looks most at {quoted(keys[best])}, with {share:.0%} of its "
            "attention; each row sums to 1.".replace("%", " %"),
            reads="masked",
        )

    def mixed(self) -> Card:
        """What the head takes from all values by its weights."""
        weights, v, values = self.one("weights"), self.one("v"), self.one("head_output")
        keys = self.asked.labels

        def why(row: int, column: int) -> Why:
            return product(
                f"out[{row}, {column}] = Σₛ weight[{row}, s] · v[s, {column}]",
                (f"weights of {quoted(self.asking.labels[row])}", weights[row]),
                (f"column {column} of V", v[:, column]),
                lambda i: quoted(keys[i]),
            )

        return Card(
            "mixed",
            PART,
            f"What head {self.head} gathers",
            "weights · V",
            "The values of all tokens, mixed by the weights of each row.",
            f"(heads, tokens, d_head) = ({self.run.config.heads}, {len(values)}, {self.size}), head {self.head} of them",
            self.asking,
            Axis("d_head", dimensions(self.size)),
            values,
            why,
            focus=self.token,
            reads=("weights", "v_head"),
        )
