"""From a decode and a selection to the maps the Attention page draws: words, hidden specials, means. Pure numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from core.analysis import maps as analysis
from core.analysis.glossary import ON_THE_WALL
from core.analysis.heads import head_scores
from core.analysis.readout import subject
from core.analysis.scores import AxisTokens
from core.experiments.rankings import rank_for_pair
from core.language import tr
from core.model.config import ModelConfig
from core.model.hooks import ATTENTION
from core.model.trace import Trace
from core.tokenizer import Tokenizer
from ui.session import state
from ui.session.selection import MEAN, How, Selection
from ui.shared.decode import Decode, most_confident_head
from ui.style.theme import KINDS, Kind

PLACES: Final[dict[Kind, tuple[str, str]]] = {
    kind: (ATTENTION[kind].stack, ATTENTION[kind].block) for kind in KINDS
}
Joined = Callable[[Sequence[int]], str]


@dataclass(frozen=True)
class Axis:
    """Labels of one side of a map, and the token positions behind each.

    Rows of the decoder are labelled by the word they write; `reads` are the words they read, empty elsewhere.
    """

    labels: tuple[str, ...]
    groups: tuple[tuple[int, ...], ...]
    reads: tuple[str, ...] = ()

    @classmethod
    def of_tokens(cls, labels: Sequence[str]) -> Axis:
        """An axis with a label for each token."""
        return cls(tuple(labels), tuple((index,) for index in range(len(labels))))


@dataclass(frozen=True)
class Maps:
    """All heads of one kind as they are drawn: (L, H, T', S') after merging words and hiding specials.

    Where specials are `hidden`, `unhidden` are the same heads with all tokens, as the model computed them.
    """

    kind: Kind
    weights: NDArray[np.float64]
    queries: Axis
    keys: Axis
    hidden: bool
    unhidden: Maps | None = None
    first: tuple[int, int] | None = None  # the head that the checkpoint's card says to open
    open_future: bool = False  # the decoder has no causal mask

    @property
    def shape(self) -> tuple[int, int]:
        """Layers and heads."""
        return self.weights.shape[0], self.weights.shape[1]

    @property
    def computed(self) -> Maps:
        """The heads before anything was hidden: what scores, means and choices of a head are taken from."""
        return self.unhidden or self


@dataclass(frozen=True)
class Opened:
    """One map to draw: `values (T', S')`, rows of NaN where too little is left beside hidden tokens.

    `hidden (T',)` is what each row gave to hidden tokens; None when none are hidden.
    """

    values: NDArray[np.float64]
    hidden: NDArray[np.float64] | None = None


def layers(config: ModelConfig, kind: Kind) -> int:
    """How many layers attend in this way."""
    return config.layers(PLACES[kind][0])


def axes(decode: Decode, kind: Kind, words: bool, source: Joined, target: Joined) -> tuple[Axis, Axis]:
    """Query and key axis. Encoder: source, source. Causal and cross: what the decoder reads and writes, and its keys."""
    trace = decode.trace
    sides = {
        "source": (trace.tokens.source, trace.source_ids, decode.source_words, source),
        "target": (trace.tokens.target, trace.target_ids, decode.target_words, target),
        "written": (trace.tokens.written, trace.written_ids, decode.written_words, target),
    }

    def axis(side: str) -> Axis:
        labels, ids, numbers, joined = sides[side]
        if not words:
            return Axis.of_tokens(labels)
        groups = analysis.word_groups(numbers)
        names = tuple(
            labels[group[0]] if len(group) == 1 else joined([ids[index] for index in group])
            for group in groups
        )
        return Axis(names, tuple(map(tuple, groups)))

    if kind == "encoder":
        return axis("source"), axis("source")
    read, written = axis("target"), axis("written")
    reads, writes = _at_positions(read), _at_positions(written)
    # A row of several tokens begins by reading the word before its first, and ends by writing the word of its last.
    rows = read if kind == "causal" else written
    first, last = [group[0] for group in rows.groups], [group[-1] for group in rows.groups]
    labels = tuple(writes[position] for position in last)
    queries = Axis(labels, rows.groups, tuple(reads[position] for position in first))
    return queries, axis("source" if kind == "cross" else "target")


def _at_positions(axis: Axis) -> dict[int, str]:
    """The label at each token position."""
    return {
        position: label for label, group in zip(axis.labels, axis.groups, strict=True) for position in group
    }


def drawn(trace_maps: NDArray[np.floating], kind: Kind, queries: Axis, keys: Axis, hide: bool) -> Maps:
    """Weights (L, H, T, S) as drawn. Hiding drops special tokens from both sides and renormalises the rows.

    A side of special tokens alone leaves nothing to draw, so nothing is hidden then.
    """
    full = np.asarray(trace_maps)
    if any(len(group) > 1 for group in (*queries.groups, *keys.groups)):
        full = analysis.merge_words(full, queries.groups, keys.groups)
    maps = Maps(kind, full, queries, keys, False)
    special_queries, special_keys = _special_rows(maps), _special(keys)
    if not hide or special_keys.all() or special_queries.all():
        return maps
    return replace(
        maps,
        weights=analysis.hide_keys(full, special_keys)[..., ~special_queries, :][..., ~special_keys],
        queries=_without(queries, special_queries),
        keys=_without(keys, special_keys),
        hidden=True,
        unhidden=maps,
    )


def maps_of(
    decode: Decode,
    kind: Kind,
    tokenizers: tuple[Tokenizer, Tokenizer],
    *,
    words: bool = False,
    hide: bool = False,
) -> Maps:
    """All heads of one kind; `words` merges the pieces of a word, `hide` takes special tokens out."""
    source, target = tokenizers
    queries, keys = axes(decode, kind, words, source.joined, target.joined)
    maps = drawn(decode.trace.stacked(*PLACES[kind], "weights"), kind, queries, keys, hide)
    return replace(maps, first=decode.stated_head(kind), open_future=not decode.trace.config.causal)


def scored_by(maps: Maps) -> tuple[str, ...]:
    """The tokens of the rows that scores and hiding go by: in causal maps those read, as the keys are."""
    return maps.queries.reads if maps.kind == "causal" else maps.queries.labels


def _special_rows(maps: Maps) -> NDArray[np.bool_]:
    return AxisTokens.from_labels(scored_by(maps)).special


def _special(axis: Axis) -> NDArray[np.bool_]:
    return AxisTokens.from_labels(axis.labels).special


def _without(axis: Axis, dropped: NDArray[np.bool_]) -> Axis:
    kept = np.flatnonzero(~dropped)
    return Axis(
        tuple(axis.labels[i] for i in kept),
        tuple(axis.groups[i] for i in kept),
        tuple(axis.reads[i] for i in kept if axis.reads),
    )


def scores(maps: Maps) -> dict[str, NDArray[np.float64]]:
    """The scores under the heads on the wall: (L, H) for each score of this kind, with no token hidden."""
    full, kind = maps.computed, ATTENTION[maps.kind].name
    queries, keys = scored_by(full), full.keys.labels
    measured = head_scores(full.weights, kind, queries=queries, keys=keys, names=ON_THE_WALL[kind])
    return {name: values for name, values in measured.items() if np.isfinite(values).any()}


def chosen(selection: Selection, maps: Maps) -> tuple[int, int]:
    """Layer and head to open (MEAN for all): the link's, else the one with the most weight on the pinned pair.

    Without a pair it is the card's, else the most confident head here.
    """
    count_layers, count_heads = maps.shape
    layer, head = selection.layer, selection.head
    if layer is None and head is None:
        rows, columns = pinned(maps.kind, maps.queries, maps.keys, selection)
        if selection.pin is not None and len(rows) == len(columns) == 1:
            _, *best = rank_for_pair(maps.kind, maps.weights[:, :, rows[0], columns[0]])[0]
            return best[0], best[1]
        return maps.first or most_confident_head(maps.computed.weights, maps.computed.keys.labels)
    layer = MEAN if layer is None or layer >= count_layers else layer
    head = MEAN if head is None or head >= count_heads else head
    return layer, head


def one_map(values: NDArray[np.floating], layer: int, head: int, how: How) -> NDArray[np.float64]:
    """One (T, S) map of (L, H, T, S): a head, or the mean or maximum over heads, layers or both."""
    some = values if layer == MEAN else values[layer : layer + 1]
    some = some if head == MEAN else some[:, head : head + 1]
    reduced = some.mean(axis=(0, 1)) if how == "mean" else some.max(axis=(0, 1))
    return np.asarray(reduced, dtype=np.float64)


def open_head_of(maps: Maps, layer: int, head: int, how: How) -> Opened:
    """The map to draw for one head, or for the mean or maximum over heads, layers or both.

    A mean is taken over what the model computed and renormalised after that, so that each head counts by what
    it gave to the tokens shown. A maximum is not renormalised: its rows are no distributions.
    """
    full = one_map(maps.computed.weights, layer, head, how)
    if not maps.hidden:
        return Opened(full)
    rows, keys = ~_special_rows(maps.computed), _special(maps.computed.keys)
    if how == "mean" or MEAN not in (layer, head):
        share = analysis.hidden_share(full, keys)
        full = analysis.hide_keys(full, keys)
    else:
        of_heads = analysis.hidden_share(maps.computed.weights, keys)[..., None]
        share = one_map(of_heads, layer, head, "max")[:, 0]
    values = full[rows][:, ~keys]
    values[values.sum(axis=-1) == 0] = np.nan
    return Opened(values, share[rows])


def hiding(maps: Maps, layer: int, head: int, how: How) -> str:
    """What hiding special tokens did to the map drawn, in half a line; empty when none are hidden."""
    if not maps.hidden:
        return ""
    is_maximum = how == "max" and MEAN in (layer, head)
    return tr("special tokens hidden") if is_maximum else tr("special tokens hidden, rows rescaled to 1")


def who(layer: int, head: int, how: How, maps: Maps | None = None) -> str:
    """The subject of the readout: “head 2.5”, “the mean of 8 heads in layer 2”; without `maps` “of all heads in layer 2”."""
    count_layers, count_heads = (None, None) if maps is None else maps.shape
    return subject(
        None if layer == MEAN else layer, None if head == MEAN else head, how, count_heads, count_layers
    )


def raw_scores(trace: Trace, kind: Kind, masked: bool) -> NDArray[np.floating]:
    """Scores before the softmax, (L, H, T, S)."""
    return trace.stacked(*PLACES[kind], "masked_scores" if masked else "scores")


def score_sites(kind: Kind) -> tuple[str, ...]:
    """What to record for `raw_scores`."""
    stack, block = PLACES[kind]
    return (f"{stack}.*.{block}.scores", f"{stack}.*.{block}.masked_scores")


def missing(selection: Selection, maps: Maps) -> str:
    """One sentence about layers and heads of a link that this model does not have; empty when it has them all."""
    layers, heads = maps.shape
    lacking = [tr("layer {layer}", layer=selection.layer)] if (selection.layer or 0) >= layers else []
    lacking += [tr("head {name}", name=selection.head)] if (selection.head or 0) >= heads else []
    lacking += [
        tr("head {name}", name=f"{layer}.{head}")
        for layer, head in selection.overlay
        if layer >= layers or head >= heads
    ]
    if not lacking:
        return ""
    return tr(
        "This model does not have {lacking}: its layers go from 0 to {layers} and its heads from 0 to {heads}.",
        lacking=", ".join(lacking[:3]),
        layers=layers - 1,
        heads=heads - 1,
    )


def overlaid(selection: Selection, maps: Maps) -> tuple[tuple[int, int], ...]:
    """The heads laid over the open one: those of the selection that exist, when one head is open."""
    opened = chosen(selection, maps)
    if MEAN in opened:
        return ()
    layers, heads = maps.shape
    return tuple(
        pair for pair in selection.overlay if pair != opened and pair[0] < layers and pair[1] < heads
    )


def pinned(kind: Kind, queries: Axis, keys: Axis, selection: Selection) -> tuple[list[int], list[int]]:
    """Rows and columns of a map that the selection pins: its pair, else its pinned tokens."""
    pin = selection.pin
    if pin is not None and pin.kind == kind:
        row, column = _index_of(queries, pin.query), _index_of(keys, pin.key)
        return ([], []) if row is None or column is None else ([row], [column])
    of_row, of_column = selection.pinned_tokens(kind)
    rows = dict.fromkeys(_index_of(queries, token) for token in of_row)
    columns = dict.fromkeys(_index_of(keys, token) for token in of_column)
    return [row for row in rows if row is not None], [column for column in columns if column is not None]


def pin(kind: Kind, queries: Axis, keys: Axis, rows: Sequence[int], columns: Sequence[int]) -> None:
    """Pin these rows and columns of a map, in place of what is pinned; those outside the map are left out."""
    state.pin(kind, _tokens_at(queries, rows), _tokens_at(keys, columns))


def _tokens_at(axis: Axis, indices: Sequence[int]) -> list[int]:
    return [axis.groups[index][0] for index in indices if index < len(axis.groups)]


def _index_of(axis: Axis, token: int) -> int | None:
    return next((index for index, group in enumerate(axis.groups) if token in group), None)
