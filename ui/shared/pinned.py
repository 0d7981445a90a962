"""The pinned pair in words: the row that looks, and the token it looks at."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.analysis.alignment import crossing_pair
from core.analysis.readout import isolated, row_name
from ui.session.codec import UNPINNED, Pin
from ui.session.selection import Selection
from ui.shared.decode import Decode


@dataclass(frozen=True)
class PinnedPair:
    """A pin on a decode, as labels: the token that the row reads, the one it writes (encoder: none), and the key."""

    pin: Pin
    read: str
    written: str
    key: str

    @property
    def query(self) -> str:
        """The row by one word: what a decoder row writes, what an encoder row reads."""
        return self.written or self.read

    @property
    def short(self) -> str:
        """“canapé · sofa”."""
        return f"{isolated(self.query)} · {isolated(self.key)}"

    @property
    def long(self) -> str:
        """“reads le → writes canapé · sofa”."""
        row = row_name(self.read, self.written) if self.written else isolated(self.read)
        return f"{row} · {isolated(self.key)}"


def with_pin(selection: Selection, decode: Decode) -> Selection:
    """The selection with the pin in force: where it says nothing of one, the example has its own pair pinned."""
    pin = selection.pin
    if pin is None and selection.text is None and not selection.pins and not selection.token:
        pair = crossing_pair(decode.trace.stacked("decoder", "cross", "weights")[decode.first_head])
        return replace(selection, pin=None if pair is None else Pin("cross", *pair))
    return replace(selection, pin=None) if pin == UNPINNED else selection


def pinned_pair(decode: Decode, selection: Selection) -> PinnedPair | None:
    """The selection's pin on this decode; None without one, or where the sentence has no such tokens."""
    pin, tokens = selection.pin, decode.trace.tokens
    if pin is None:
        return None
    queries = tokens.source if pin.kind == "encoder" else tokens.target
    keys = tokens.target if pin.kind == "causal" else tokens.source
    written = () if pin.kind == "encoder" else tokens.written
    if pin.query >= len(queries) or pin.key >= len(keys) or (written and pin.query >= len(written)):
        return None
    return PinnedPair(pin, queries[pin.query], written[pin.query] if written else "", keys[pin.key])
