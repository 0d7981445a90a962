"""The cards of one head on one decode: which head and token they are of, and the cards themselves."""

from __future__ import annotations

from core.learning.card import Card, Spot
from core.learning.inside import cards, sites
from ui.session.selection import MEAN, Selection
from ui.shared import maps as view
from ui.shared.context import DecodeView
from ui.shared.decode import Decode, most_confident_head
from ui.style.theme import Kind


def spot(shown: DecodeView, kind: Kind) -> Spot:
    """The head and the token in hand: the link's where they exist, else the head that opens and a word in the middle."""
    decode, selection = shown.decode, shown.selection
    maps = view.maps_of(decode, kind, shown.entry.tokenizers)
    layer, head = view.chosen(selection, maps)
    opens = maps.first or most_confident_head(maps.weights, maps.keys.labels)
    if MEAN in (layer, head):
        layer, head = (own if each == MEAN else each for each, own in zip((layer, head), opens, strict=True))
    return Spot(kind, layer, head, _token(decode, selection, kind))


def _token(decode: Decode, selection: Selection, kind: Kind) -> int:
    """The row in hand; without one in the link, that of the step shown, else one in the middle of the sentence."""
    side = "s" if kind == "encoder" else "t"
    count = len(decode.trace.source_ids if kind == "encoder" else decode.trace.target_ids)
    if selection.token.startswith(side) and int(selection.token[1:]) < count:
        return int(selection.token[1:])
    if side == "t" and selection.step:
        return min(selection.step, count) - 1
    return min(count - 1, count // 2)


def opened(shown: DecodeView, where: Spot) -> tuple[Card, ...]:
    """Every card of a head and token; the model runs once more for a layer that was not opened yet."""
    loaded = shown.load()
    trace = shown.recorded(sites(shown.entry.config, where.kind, where.layer))
    return cards(trace, loaded.model.state_dict(), where, shown.entry.tokenizers[1].label)
