"""The card that opens Positions: two words swap positions, and the model writes again."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.analysis.readout import Rewriting, quoted, rewriting
from core.errors import AtlasError
from core.experiments.edits import Edits, SwapPositions
from core.language import plural, tr
from ui.inside.position_numbers import chosen_token
from ui.session import state
from ui.shared import cards, two_lines, what_if
from ui.shared.context import DecodeView
from ui.shared.pickers import distinct, pick_width
from ui.style import screen_text, theme

_STRIP: Final = 24  # numbers of a position that are drawn above it
_STRIPS: Final = 40  # tokens up to which they are drawn
_UNCHANGED: Final = 0.05  # nats


@dataclass(frozen=True)
class Swap:
    """Two source tokens that swap positions, and the translation before and after."""

    labels: tuple[str, ...]
    first: int
    second: int
    change: Rewriting
    nats: float

    @property
    def positions(self) -> list[int]:
        """The position that each token has after the swap."""
        order = list(range(len(self.labels)))
        order[self.first], order[self.second] = self.second, self.first
        return order

    @property
    def title(self) -> str:
        """What the swap does to the translation."""
        names = {
            "first": quoted(self.labels[min(self.first, self.second)]),
            "second": quoted(self.labels[max(self.first, self.second)]),
        }
        before, after = (
            sorted(word.text.casefold() for word in words)
            for words in (self.change.before, self.change.after)
        )
        if not (self.change.lost or self.change.new):
            return tr("Swap the positions of {first} and {second}: the translation stays the same", **names)
        if before == after:
            return tr(
                "Swap the positions of {first} and {second}: the model writes the same words in another order",
                **names,
            )
        return plural(
            "Swap the positions of {first} and {second}: {count} of {total} words changes",
            "Swap the positions of {first} and {second}: {count} of {total} words change",
            max(len(self.change.lost), len(self.change.new)),
            total=max(len(before), len(after)),
            **names,
        )

    @property
    def sentence(self) -> str:
        """How much less likely the swap makes the translation."""
        if abs(self.nats) < _UNCHANGED:
            return tr("The first translation stays as likely as before.")
        times = _times(np.exp(min(abs(self.nats), 700.0)))
        if self.nats < 0:
            return tr("With the swap, the first translation is {times} times less likely.", times=times)
        return tr("With the swap, the first translation is {times} times more likely.", times=times)


def _times(factor: float) -> str:
    """Two digits: “1.4”, “27”, “3,300,000”; from a million million on as a power of ten."""
    if factor >= 1e12:
        return f"10^{round(float(np.log10(factor)))}"
    if factor < 10:
        return f"{factor:.1f}"
    size = 10 ** (len(str(int(factor))) - 2)
    return f"{int(round(factor / size) * size):,}"


def partner(shown: DecodeView, token: int) -> int | None:
    """The token that swaps positions with `token`: the link's, the pinned one, else the one whose swap costs most."""
    selection, count = shown.selection, len(shown.decode.trace.source_ids)
    if selection.swap is not None and selection.swap < count and selection.swap != token:
        return selection.swap
    pin = selection.pin
    if pin is not None and pin.kind == "encoder" and token in pin[1:] and pin.query != pin.key:
        other = pin.key if token == pin.query else pin.query
        if other < count:
            return other

    costs = costs_of(shown, token)
    return min(costs, key=costs.__getitem__, default=None)


def costs_of(shown: DecodeView, token: int) -> dict[int, float]:
    """The log-probability of the translation by the token that swaps positions with `token`, kept. Raises `AtlasError`."""
    trace = shown.decode.trace

    def make() -> dict[int, float]:
        from core.experiments.what_if import swap_costs

        return swap_costs(shown.load(), trace.source_ids, trace.written_ids, token)

    return shown.memo(("position swaps", token), make, heavy=True)


def swapped(shown: DecodeView) -> Swap | None:
    """The swap of the view; None where the source has one token or nothing was written. Raises `AtlasError`."""
    trace = shown.decode.trace
    labels = trace.tokens.source
    token = chosen_token(shown.selection, len(labels))
    other = partner(shown, token) if trace.written_ids else None
    if other is None:
        return None
    edits = Edits((SwapPositions("source", *sorted((token, other))),))
    outcome = what_if.outcome(shown, edits)
    return Swap(tuple(labels), token, other, rewriting(outcome.unedited, outcome.rewritten), outcome.change)


def card(shown: DecodeView, table: NDArray[np.float64]) -> None:
    """The words with the positions they get, and the translation before and after. `table` (P, n): what is drawn of them."""
    try:
        with st.spinner(tr("Computing …"), show_time=False):
            swap = swapped(shown)
    except AtlasError as error:
        cards.mistake(str(error))
        return
    if swap is None:
        return
    inject()
    with cards.card("swap", fill=False):
        cards.title(
            swap.title,
            tr(
                "Each word keeps its embedding; only the {count} numbers added for its position change places.",
                count=shown.entry.config.d_model,
            ),
        )
        st.html(tokens_html(swap, table[:, :_STRIP]))
        st.html(two_lines.two_lines(swap.change))
        _controls(shown, swap)


def inject() -> None:
    """Put the card's CSS into the page."""
    two_lines.style()
    st.html(f"<style>{Path(__file__).with_suffix('.css').read_text('utf-8')}</style>")


def tokens_html(swap: Swap, table: NDArray[np.float64]) -> str:
    """The source's tokens in a row, each with the position it gets; the two that swap show their own struck out."""
    mode = theme.current_mode()
    reach = float(np.abs(table).max(initial=1e-9))
    cells = []
    for token, (label, position) in enumerate(zip(swap.labels, swap.positions, strict=True)):
        moved = position != token
        strip = ""
        if len(swap.labels) <= _STRIPS and position < len(table):
            colours = [theme.diverging(float(value) / reach, mode) for value in table[position]]
            strip = f'<i style="background:{_stripes(colours)}"></i>'
        number = f"<s>{token}</s> <b>{position}</b>" if moved else str(position)
        cells.append(
            f"<li{' class=moved' if moved else ''}><bdi>{html.escape(label)}</bdi>{strip}<span>{number}</span></li>"
        )
    head = html.escape(tr("position"))
    return f'<div class="atlas-swap"><p>{head}</p><ol>{"".join(cells)}</ol></div>'


def _stripes(colours: Sequence[str]) -> str:
    share = 100 / len(colours)
    stops = (f"{colour} {n * share:.1f}% {(n + 1) * share:.1f}%" for n, colour in enumerate(colours))
    return f"linear-gradient(90deg,{','.join(stops)})"


def _controls(shown: DecodeView, swap: Swap) -> None:
    labels = distinct(
        [f"{screen_text.plain(label)}  {position}" for position, label in enumerate(swap.labels)]
    )
    tokens = range(len(labels))
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="swap_options"):
        _pick(
            tr("Swap"),
            "swap_first",
            tokens,
            labels,
            swap.first,
            lambda value: state.update(token=f"s{value}"),
        )
        others = [token for token in tokens if token != swap.first]
        cards.quiet(tr("swaps positions with"), width="content")
        _pick(tr("With"), "swap", others, labels, swap.second, lambda value: state.update(swap=value))
        cards.quiet(swap.sentence)


def _pick(
    label: str,
    name: str,
    tokens: Sequence[int],
    labels: Sequence[str],
    chosen: int,
    take: Callable[[int], None],
) -> None:
    st.selectbox(
        label,
        list(tokens),
        format_func=labels.__getitem__,
        label_visibility="collapsed",
        width=pick_width(state.selection(), 150),
        **state.hold(name, chosen, take),
    )
