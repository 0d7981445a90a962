"""The cards of an attention's projections: into queries, keys and values, into heads, and back into one vector."""

from __future__ import annotations

from typing import Final

from core.learning.card import Axis, Card
from core.learning.head import PART, Head, dimensions, quoted
from core.learning.why import Why, chain, product

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
