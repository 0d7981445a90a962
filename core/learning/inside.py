"""Inside one head: every operation from the token table to the next token as a card, each number with its terms.

Built from what was recorded (`sites` says what that must be) and from the parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from core.learning.attention_cards import ProjectionCards, ScoreCards
from core.learning.card import BLOCKS, PART, Card, Run, Spot
from core.learning.stream_cards import (
    EMBEDDING,
    FORWARD,
    OUTPUT,
    StreamCards,
    forward_cards,
    next_token_cards,
)
from core.model.hooks import KINDS, Site
from core.model.trace import Trace

if TYPE_CHECKING:
    from torch import Tensor

    from core.model.config import ModelConfig

PARTS: Final = (EMBEDDING, PART, FORWARD, OUTPUT)
_STREAM: Final = ("residual_before", "residual_after", "output", "norm_input", "norm_output")
Step = tuple[str, NDArray[np.floating]]
"""The key of a card and its numbers."""


def sites(config: ModelConfig, kind: str, layer: int) -> tuple[str, ...]:
    """What has to be recorded for `cards`: the layer whole, of the others only the stream."""
    stack, place, block = Spot(kind, layer, 0, 0).place
    stacks = ("encoder", "decoder") if kind == "cross" else (stack,)
    names = [Site(each, 0, "embed", one) for each in stacks for one in KINDS["embed"]]
    names += [
        Site(each, 0, "final", one) for each in stacks for one in ("output", "norm_input", "norm_output")
    ]
    names += [
        Site(each, number, part, one)
        for each in stacks
        for number in range(config.layers(each))
        for part in BLOCKS[each]
        for one in _STREAM
    ]
    names += [Site(stack, place, block, one) for one in KINDS[block]]
    names += [Site(stack, place, "ffn", "hidden")]
    names += [Site("decoder", 0, "final", "logits")] * (stack == "decoder")
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
    stack, layer, block = run.spot.place
    stream = StreamCards(run, stack)
    *embedding, last = stream.embedding()
    yield from (*embedding, last)
    order = stream.sublayers()
    here = order.index((layer, block))
    entered: Step = (last.key, run.seen(stack, layer, block, "residual_before"))
    if here:
        yield stream.passed(
            *("entering", EMBEDDING, "The stream reaches this layer"),
            "What the sub-layers before this attention have made of it; each of them can be opened by itself.",
            *(stream.start, order[:here]),
        )
        entered = ("entering", entered[1])
    pre = run.config.norm_placement == "pre"
    if pre:
        yield (normed := stream.norm(layer, block, "norm", PART, (entered[0],)))
        read: Step = (normed.key, normed.values)
    else:
        read = entered
    memory = read
    if run.spot.kind == "cross":
        yield (remembered := _memory(run))
        memory = (remembered.key, remembered.values)
    projections = ProjectionCards(run, read, memory)
    yield from (projections.projected(name) for name in "qkv")
    yield from (projections.split(name) for name in "qkv")
    yield from ScoreCards(run, read, memory).cards()
    yield projections.joined()
    yield projections.output()
    yield from stream.residual(layer, block, "added", PART, ("output", entered[0]))
    yield from _forward(run, stream, order[here + 1 : order.index((layer, "ffn"))])
    yield from _ending(run, stream, order[order.index((layer, "ffn")) + 1 :])


def _forward(run: Run, stream: StreamCards, between: list[tuple[int, str]]) -> Iterator[Card]:
    stack, layer, block = run.spot.place
    pre = run.config.norm_placement == "pre"
    entered: Step = ("added" if pre else "added_norm", run.seen(stack, layer, "ffn", "residual_before"))
    if between:
        yield stream.passed(
            *("between", FORWARD, "The stream passes cross-attention"),
            "Between this attention and the feed-forward network, the decoder looks at the source as well.",
            *(stream.after(layer, block), between),
        )
        entered = ("between", entered[1])
    read = entered
    if pre:
        yield (normed := stream.norm(layer, "ffn", "forward_norm", FORWARD, (entered[0],)))
        read = (normed.key, normed.values)
    yield from forward_cards(run, stream, read)
    yield from stream.residual(layer, "ffn", "forward_added", FORWARD, ("down", entered[0]))


def _ending(run: Run, stream: StreamCards, rest: list[tuple[int, str]]) -> Iterator[Card]:
    """The layers that follow, the final norm and, in the decoder, the next token."""
    stack, layer, _ = run.spot.place
    key = "forward_added" if run.config.norm_placement == "pre" else "forward_added_norm"
    if rest:
        count = run.config.layers(stack) - 1 - layer
        says = (
            f"The {count} layers after this one add to it in the same way."
            if count > 1
            else ("The layer after this one adds to it in the same way.")
        )
        begin = stream.after(layer, "ffn")
        yield stream.passed("rest", OUTPUT, "The stream leaves the last layer", says, begin, rest)
        key = "rest"
    if run.config.final_norm:
        yield stream.norm(0, "final", "final_norm", OUTPUT, (key,))
        key = "final_norm"
    if stack == "decoder":
        yield from next_token_cards(run, (key, run.seen("decoder", 0, "final", "output")))


def _memory(run: Run) -> Card:
    """What the encoder made of the source, which keys and values of cross-attention are made of."""
    encoder = StreamCards(run, "encoder")
    says = "The encoder’s last vectors, one for each source token: every decoder layer makes its keys and values of them."
    if run.config.final_norm:
        found = encoder.norm(0, "final", "memory", PART, ())
    elif through := encoder.sublayers():
        found = encoder.passed("memory", PART, "", says, encoder.start, through)
    else:
        found = [*encoder.embedding()][-1]
    return Card(
        *(
            "memory",
            PART,
            "Memory",
            found.formula,
            says,
            found.shape,
            found.rows,
            found.columns,
            found.values,
        ),
        found.explain,
    )
