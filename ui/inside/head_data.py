"""What One head shows of a decode: which head, row and key, the answer about them, and every operation as a card."""

from __future__ import annotations

from core.learning.card import Card, Spot
from core.learning.head_row import HeadRow, head_row, row_sites
from core.learning.inside import cards, sites
from core.model.hooks import Site
from ui.session.selection import MEAN, Selection
from ui.shared import maps as view
from ui.shared.context import DecodeView
from ui.shared.decode import Decode, most_confident_head
from ui.style.theme import Kind


def spot(shown: DecodeView, kind: Kind) -> Spot:
    """The head and the row: the link's where they exist, else the head that opens and a word in the middle."""
    decode, selection = shown.decode, shown.selection
    maps = view.maps_of(decode, kind, shown.entry.tokenizers)
    layer, head = view.chosen(selection, maps)
    opens = maps.first or most_confident_head(maps.weights, maps.keys.labels)
    if MEAN in (layer, head):
        layer, head = (own if each == MEAN else each for each, own in zip((layer, head), opens, strict=True))
    return Spot(kind, layer, head, _token(decode, selection, kind))


def _token(decode: Decode, selection: Selection, kind: Kind) -> int:
    """The row of the pinned pair, else the link's token, else that of the step shown, else one in the middle."""
    side = "s" if kind == "encoder" else "t"
    count = len(decode.trace.source_ids if kind == "encoder" else decode.trace.target_ids)
    if selection.pin is not None and selection.pin.kind == kind and selection.pin.query < count:
        return selection.pin.query
    if selection.token.startswith(side) and int(selection.token[1:]) < count:
        return int(selection.token[1:])
    if side == "t" and selection.step:
        return min(selection.step, count) - 1
    return min(count - 1, count // 2)


def answer(shown: DecodeView, where: Spot) -> HeadRow:
    """How the row's attention to the pinned key comes about, or without such a pin that to its strongest key."""
    trace = shown.recorded(row_sites(where.kind, where.layer))
    pin = shown.selection.pin
    key = pin.key if pin is not None and pin.kind == where.kind else None
    return head_row(trace, shown.load().model.state_dict(), where, key)


def labels(decode: Decode, where: Spot) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """What each row reads, what it writes ("" in the encoder), and the keys."""
    tokens = decode.trace.tokens
    if where.kind == "encoder":
        return tokens.source, ("",) * len(tokens.source), tokens.source
    return tokens.target, tokens.written, tokens.target if where.kind == "causal" else tokens.source


def strongest(decode: Decode, where: Spot, row: int) -> int:
    """The key that a row of the head looks at most."""
    weights = decode.trace.array(Site(*where.site, "weights"))
    return int(weights[where.head][row].argmax())


def opened(shown: DecodeView, where: Spot) -> tuple[Card, ...]:
    """Every card of a head and token; the model runs once more for a layer that was not opened yet."""
    loaded = shown.load()
    trace = shown.recorded(sites(shown.entry.config, where.kind, where.layer))
    return cards(trace, loaded.model.state_dict(), where, shown.entry.tokenizers[1].label)
