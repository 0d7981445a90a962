"""Inside one head: every operation from the token table to the next token as a card, each number with its terms.

Built from what was recorded (`sites` names it) and from the parameters. Every number is the trace's own, except QKᵀ before
it is scaled, which the model never holds: it is computed from q and k. Rotary positions are another exception: queries and
keys are recorded turned, and turned back here to show them before.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from core.analysis.norms import sublayers
from core.analysis.readout import decimal
from core.language import message, numeral, tr
from core.learning.card import (
    PART,
    Axis,
    Card,
    Explain,
    Run,
    Spot,
    Why,
    adding,
    chain,
    dimension,
    dimensions,
    divisor,
    product,
    quoted,
    softmax,
)
from core.learning.stream_cards import (
    EMBEDDING,
    FORWARD,
    StreamCards,
    ending,
    forward_cards,
)
from core.model.hooks import KINDS, LOGITS, Site
from core.model.positions import relative_buckets, rotated, rotation_angles
from core.model.trace import Trace

if TYPE_CHECKING:
    from torch import Tensor

    from core.model.config import ModelConfig

_STREAM: Final = ("residual_before", "residual_after", "output", "norm_input", "norm_output")
_ROLES: Final = {
    "q": (message("Queries"), "Q", message("Queries: what each token looks for.")),
    "k": (message("Keys"), "K", message("Keys: what each token can be found by.")),
    "v": (message("Values"), "V", message("Values: what each token passes on.")),
}
_SHAPES: Final = {
    "d_head": message("(heads, tokens, d_head) = ({heads}, {count}, {width}), of which head {head}"),
    "heads · d_head": message("(tokens, heads · d_head) = ({count}, {heads} · {width})"),
    "d_model": message("(tokens, d_model) = ({count}, {size})"),
    "": message("(heads, queries, keys) = ({heads}, {count}, {size}), of which head {head}"),
}
Step = tuple[str, NDArray[np.floating]]
"""The key of a card and its numbers."""


def sites(config: ModelConfig, kind: str, layer: int) -> tuple[str, ...]:
    """What has to be recorded for `cards`: all of the layer, and the stream of the others."""
    stack, _, block = Spot(kind, layer, 0, 0).site
    stacks = ("encoder", "decoder") if kind == "cross" else (stack,)
    names = [Site(each, 0, "embed", one) for each in stacks for one in KINDS["embed"]]
    names += [
        Site(each, 0, "final", one) for each in stacks for one in ("output", "norm_input", "norm_output")
    ]
    names += [Site(*each, one) for each in sublayers(config) if each.stack in stacks for one in _STREAM]
    names += [Site(stack, layer, block, one) for one in KINDS[block]]
    names += [Site(stack, layer, "ffn", "hidden")]
    names += [LOGITS] * (stack == "decoder")
    return tuple(dict.fromkeys(map(str, names)))


def cards(
    trace: Trace, state: Mapping[str, Tensor], spot: Spot, label: Callable[[int], str] = str
) -> tuple[Card, ...]:
    """The cards of one head and token, in the order of the data.

    `trace` holds what `sites` names, `state` is the model's `state_dict()`, `label` spells a target token. Raises `InputError` for
    a layer, head or token that is not there, and for a trace that lacks a site.
    """
    run = Run(trace, state, spot, label)
    run.check()
    return tuple(_cards(run))


def _cards(run: Run) -> Iterator[Card]:
    stack, layer, block = run.spot.site
    stream = StreamCards(run, stack)
    *embedding, last = stream.embedding()
    yield from (*embedding, last)
    order = stream.sublayers()
    here = order.index((layer, block))
    entered: Step = (last.key, run.seen(stack, layer, block, "residual_before"))
    if here:
        yield stream.passed(
            "entering",
            EMBEDDING,
            tr("The stream reaches this layer"),
            tr(
                "What the sub-layers before this attention have made of it. Each of them can be opened by itself."
            ),
            stream.start,
            order[:here],
        )
        entered = ("entering", entered[1])
    pre = run.own.norm_placement == "pre"
    if pre:
        yield (normed := stream.norm(layer, block, "norm", PART, (entered[0],)))
        read: Step = (normed.key, normed.values)
    else:
        read = entered
    memory = read
    if run.spot.kind == "cross":
        yield (remembered := _memory(run))
        memory = (remembered.key, remembered.values)
    yield from HeadCards(run, read, memory).cards()
    yield from stream.residual(layer, block, "added", PART, ("output", entered[0]))
    yield from _forward(run, stream, order[here + 1 : order.index((layer, "ffn"))])
    yield from ending(run, stream, order[order.index((layer, "ffn")) + 1 :])


def _forward(run: Run, stream: StreamCards, between: list[tuple[int, str]]) -> Iterator[Card]:
    stack, layer, block = run.spot.site
    pre = run.own.norm_placement == "pre"
    entered: Step = ("added" if pre else "added_norm", run.seen(stack, layer, "ffn", "residual_before"))
    if between:
        yield stream.passed(
            "between",
            FORWARD,
            tr("The stream passes cross-attention"),
            tr(
                "Between this attention and the feed-forward network, the decoder looks at the source as well."
            ),
            stream.after(layer, block),
            between,
        )
        entered = ("between", entered[1])
    read = entered
    if pre:
        yield (normed := stream.norm(layer, "ffn", "forward_norm", FORWARD, (entered[0],)))
        read = (normed.key, normed.values)
    yield from forward_cards(run, stream, read)
    yield from stream.residual(layer, "ffn", "forward_added", FORWARD, ("down", entered[0]))


def _memory(run: Run) -> Card:
    """The encoder's output, which keys and values of cross-attention are made of."""
    encoder = StreamCards(run, "encoder")
    says = tr(
        "The encoder’s last vectors, one for each source token. Every decoder layer makes its keys and values of them."
    )
    if run.config.of("encoder").final_norm:
        last = encoder.norm(0, "final", "memory", PART, ())
    elif through := encoder.sublayers():
        last = encoder.passed("memory", PART, "", says, encoder.start, through)
    else:
        last = [*encoder.embedding()][-1]
    return replace(last, key="memory", part=PART, title=tr("Encoder output"), says=says, focus=None, reads=())


class HeadCards:
    """The cards of one attention, from its projections to its output.

    `x` is the key of the card that the queries are made from, with its numbers; `memory` that of keys and values.
    """

    def __init__(self, run: Run, x: Step, memory: Step) -> None:
        self.run, self.x, self.memory = run, x, memory
        config, spot = run.own, run.spot
        self.head, self.token, self.size = spot.head, spot.token, config.d_head
        self.band = (spot.head * self.size, (spot.head + 1) * self.size)
        stack, layer, block = spot.site
        self.prefix = f"{stack}_layers.{layer}.{block}_attention"
        self.rotary = config.positions == "rotary" and block == "self"
        self.queries, self.keys = Axis(tr("queries"), run.queries), Axis(tr("keys"), run.keys)

    def cards(self) -> Iterator[Card]:
        """All of them in the order of the data."""
        yield from (self._projected(name) for name in "qkv")
        yield from (self._split(name) for name in "qkv")
        if self.rotary:
            yield from (self._turned(name) for name in "qk")
        yield from (scores := list(self._scores()))
        yield self._masked(scores[-1].key)
        yield self._weights()
        yield self._gathered()
        yield self._joined()
        yield self._output()

    def _seen(self, kind: str) -> NDArray[np.floating]:
        """What was recorded of all heads."""
        return self.run.seen(*self.run.spot.site, kind)

    def _own(self, kind: str) -> NDArray[np.floating]:
        """What was recorded of the selected head."""
        values: NDArray[np.floating] = self._seen(kind)[self.head]
        return values

    def _before(self, kind: str) -> NDArray[np.floating]:
        """Queries, keys or values of all heads as they were projected: not turned yet."""
        heads = self._seen(kind)
        if not self.rotary or kind == "v":
            return heads
        return np.stack([rotated(head, -np.arange(len(head))) for head in heads])

    def _side_by_side(self, kind: str) -> NDArray[np.floating]:
        """What was recorded of all heads beside one another, (H, T, d_h) → (T, H·d_h)."""
        heads = self._before(kind) if kind in "qk" else self._seen(kind)
        return heads.transpose(1, 0, 2).reshape(heads.shape[1], -1)

    def _rows(self, name: str) -> tuple[Axis, int | None]:
        """The axis of q, k or v, and the row of the selected token where that is a query."""
        return (self.queries, self.token) if name == "q" else (self.keys, None)

    def _card(
        self,
        key: str,
        words: tuple[str, str, str],
        values: NDArray[np.floating],
        why: Explain,
        reads: str,
        rows: tuple[Axis, int | None] | None = None,
        width: str = "d_head",
        **rest: Any,
    ) -> Card:
        """A card of `words` (title, formula, what it says); `width` is the axis of its columns, "" for the keys."""
        heads, (count, size) = self.run.own.heads, values.shape
        sizes = {"heads": heads, "count": count, "size": size, "width": self.size, "head": self.head}
        shape = tr(_SHAPES[width], **sizes)
        axis, focus = rows or self._rows("q")
        name = tr("heads · d_head") if width == "heads · d_head" else width
        columns = Axis(name, dimensions(size)) if width else self.keys
        return Card(
            key,
            PART,
            *words,
            shape,
            axis,
            columns,
            values,
            why,
            focus=focus,
            reads=tuple(reads.split()),
            **rest,
        )

    def _projected(self, name: str) -> Card:
        """Queries, keys or values (`name` q, k or v) of all heads, beside one another."""
        title, letter, role = _ROLES[name]
        key, x = self.x if name == "q" else self.memory
        config, shared = self.run.own, self.run.own.shared_head_projection
        rows, cut = self._rows(name), self.size if shared else None
        letters = (letter, "x", f"W_{letter}")
        why = self.run.linear(f"{self.prefix}.{name}_proj", letters, ("x", x), rows[0].labels, cut=cut)
        formula = f"{letter} = x W_{letter}" + (f" + b_{letter}" if config.projection_bias else "")
        owns = tr(
            "All {heads} heads are side by side; head {head} has the columns {first} to {last}.",
            heads=config.heads,
            head=self.head,
            first=self.band[0],
            last=self.band[1] - 1,
        )
        if shared:
            formula = tr("{formula} (the same W for every head)", formula=formula)
        words = (tr(title), formula, f"{tr(role)} {owns}")
        values = self._side_by_side(name)
        return self._card(name, words, values, why, key, rows, width="heads · d_head", band=self.band)

    def _split(self, name: str) -> Card:
        """The selected head's own columns of them."""
        letter = _ROLES[name][1]
        first, values = self.band[0], self._before(name)[self.head]

        def why(row: int, column: int) -> Why:
            source = f"{letter}[{row}, {first + column}]"
            term = tr(
                "{number}, column {column} of head {head}", number=source, column=column, head=self.head
            )
            return chain(
                f"{letter}_{self.head}[{row}, {column}] = {source}", term, float(values[row, column])
            )

        words = (
            tr("{letter} of head {head}", letter=letter, head=self.head),
            tr(
                "{part} = columns {first} … {last} of {letter}",
                part=f"{letter}_{self.head}",
                first=first,
                last=self.band[1] - 1,
                letter=letter,
            ),
            tr(
                "Split into heads: head {head} goes on with its own {size} columns. Nothing is computed.",
                head=self.head,
                size=self.size,
            ),
        )
        return self._card(f"{name}_head", words, values, why, name, self._rows(name))

    def _turned(self, name: str) -> Card:
        """The selected head's queries or keys turned by the position of each token."""
        _, letter, _ = _ROLES[name]
        values, plain = self._own(name), self._before(name)[self.head]
        angles = rotation_angles(len(plain), self.size)

        def why(row: int, column: int) -> Why:
            pair, second = divmod(column, 2)
            cos, sin = float(np.cos(angles[row, pair])), float(np.sin(angles[row, pair]))
            parts = (sin, cos) if second else (cos, -sin)
            return product(
                tr(
                    "{number}, turned by {angle} radians",
                    number=f"{letter}_{self.head}[{row}, {column}]",
                    angle=decimal(angles[row, pair], 3),
                ),
                (
                    tr("columns {one} and {two} of {letter}", one=2 * pair, two=2 * pair + 1, letter=letter),
                    plain[row, 2 * pair : 2 * pair + 2],
                ),
                (tr("sine and cosine") if second else tr("cosine and −sine"), np.array(parts)),
                lambda i: tr("column {column}", column=2 * pair + i),
            )

        words = (
            tr("{letter} of head {head}, turned", letter=letter, head=self.head),
            tr("each pair of columns turned by position ÷ 10000^(2i ÷ {size})", size=self.size),
            tr(
                "Each token’s numbers turn with its position, so a score depends only on the distance of two tokens."
            ),
        )
        return self._card(f"{name}_turned", words, values, why, f"{name}_head", self._rows(name))

    def _scores(self) -> Iterator[Card]:
        q, k = (self._own(name).astype(np.float64) for name in "qk")
        raw, (number, under), last = q @ k.T, divisor(self.run.own), self._own("scores")
        relative = self.run.bias_table()

        def dot(row: int, column: int) -> Why:
            return product(
                f"score[{row}, {column}] = Σᵢ q[{row}, i] · k[{column}, i]",
                (tr("{vector} of {token}", vector="q", token=quoted(self.queries.labels[row])), q[row]),
                (tr("{vector} of {token}", vector="k", token=quoted(self.keys.labels[column])), k[column]),
                dimension,
            )

        def scaled(row: int, column: int) -> Why:
            formula = f"score[{row}, {column}] = q · k ÷ {under}"
            return chain(formula, "q · k", raw[row, column], [("÷", under, number)])

        says = tr(
            "Every query of head {head} against every key: large where they point the same way.",
            head=self.head,
        )
        values = raw if under or relative is not None else last
        reads = "q_turned k_turned" if self.rotary else "q_head k_head"
        yield self._card("products", (tr("Scores"), "Q Kᵀ", says), values, dot, reads, width="")
        if under:
            says = tr(
                "Longer vectors have larger products; this keeps the softmax from looking at one token alone."
            )
            values = raw / number if relative is not None else last
            words = (tr("Scaled scores"), f"Q Kᵀ ÷ {under}", says)
            yield self._card("scaled", words, values, scaled, "products", width="")
        if relative is not None:
            yield self._biased("scaled" if under else "products", raw / number, relative, last)

    def _biased(
        self, key: str, scores: NDArray[np.float64], table: NDArray[np.float64], values: NDArray[np.floating]
    ) -> Card:
        config, both_ways = self.run.config, self.run.config.sees_ahead(self.run.spot.site[0])

        def why(row: int, column: int) -> Why:
            limits = config.relative_buckets, config.relative_max_distance
            bucket = int(relative_buckets(column - row, both_ways, *limits))
            distance = decimal(column - row, 0, plus=True)
            parts = [
                (tr("the score"), float(scores[row, column])),
                (tr("bias of bucket {bucket}", bucket=bucket), float(table[bucket])),
            ]
            formula = tr(
                "{score} + bias of the distance {distance}",
                score=f"score[{row}, {column}]",
                distance=distance,
            )
            return adding(formula, parts)

        words = (
            tr("With relative positions"),
            tr("scores + bias of the distance, head {head}", head=self.head),
            tr("A learned number for the distance of two tokens is added to their score."),
        )
        return self._card("biased", words, values, why, key, width="")

    def _masked(self, scores_key: str) -> Card:
        scores, masked = self._own("scores"), self._own("masked_scores")

        def why(row: int, column: int) -> Why:
            hidden = np.isneginf(masked[row, column])
            added = (
                (tr("masked: comes later, or is padding"), -math.inf) if hidden else (tr("not masked"), 0.0)
            )
            return chain(
                tr("{score} + mask", score=f"score[{row}, {column}]"),
                tr("the score"),
                float(scores[row, column]),
                [("+", *added)],
            )

        says = (
            tr("No token may look at a later one: those scores become −∞.")
            if self.run.spot.kind == "causal" and self.run.config.causal
            else tr("Only padding is masked; here nothing is padded, so every score stays.")
        )
        words = (tr("Masked scores"), tr("scores + mask, 0 or −∞"), says)
        return self._card("masked", words, masked, why, scores_key, width="")

    def _weights(self) -> Card:
        masked, values, keys = self._own("masked_scores"), self._own("weights"), self.keys.labels
        best = int(values[self.token].argmax())

        def why(row: int, column: int) -> Why:
            formula = tr(
                "{weight} = e^score ÷ Σ e^score over row {row}", weight=f"weight[{row}, {column}]", row=row
            )
            return softmax(formula, masked[row], column, lambda i: quoted(keys[i]))

        says = tr(
            "{query} looks most at {key}, with {share} % of its attention; each row sums to 1.",
            query=quoted(self.queries.labels[self.token]),
            key=quoted(keys[best]),
            share=numeral(100 * float(values[self.token, best]), ".0f"),
        )
        words = (tr("Attention weights"), tr("softmax(scores), row by row"), says)
        return self._card("weights", words, values, why, "masked", width="", look="share")

    def _gathered(self) -> Card:
        """What the head takes from all values by its weights."""
        weights, v = self._own("weights"), self._own("v")

        def why(row: int, column: int) -> Why:
            return product(
                f"out[{row}, {column}] = Σₛ weight[{row}, s] · v[s, {column}]",
                (tr("weights of {token}", token=quoted(self.queries.labels[row])), weights[row]),
                (tr("column {column} of {matrix}", column=column, matrix="V"), v[:, column]),
                lambda i: quoted(self.keys.labels[i]),
            )

        says = tr("The values of all tokens, mixed by the weights of each row.")
        words = (tr("What head {head} gathers", head=self.head), tr("weights · V"), says)
        return self._card("mixed", words, self._own("head_output"), why, "weights v_head")

    def _joined(self) -> Card:
        """What all heads have gathered, beside one another."""
        values = self._side_by_side("head_output")

        def why(row: int, column: int) -> Why:
            head, index = divmod(column, self.size)
            name = tr("column {column} of head {head}", column=index, head=head)
            return chain(f"[{row}, {column}] = {name}", name, float(values[row, column]))

        words = (
            tr("Heads side by side"),
            tr("concat(head 0, …, head {last})", last=self.run.own.heads - 1),
            tr(
                "The results of all heads are side by side again; the marked columns are those of head {head}.",
                head=self.head,
            ),
        )
        return self._card("joined", words, values, why, "mixed", width="heads · d_head", band=self.band)

    def _output(self) -> Card:
        """What the heads together add to the stream."""
        why = self.run.linear(
            f"{self.prefix}.output_proj",
            ("out", "heads", "W_O"),
            (tr("heads"), self._side_by_side("head_output")),
            self.queries.labels,
            lambda i: tr("head {head}, column {column}", head=i // self.size, column=i % self.size),
        )
        formula = tr("heads · W_O") + (" + b_O" if self.run.config.attention_output_bias else "")
        says = tr("The results of the heads are mixed into one vector per token, as wide as the stream.")
        words = (tr("Output projection"), formula, says)
        return self._card("output", words, self._seen("output"), why, "joined", width="d_model")
