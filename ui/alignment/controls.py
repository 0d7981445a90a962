"""The line above the pair: which head or layer, which step, by what, joined with the other direction, and what leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import streamlit as st

from ui.alignment.leaving import save
from ui.alignment.pair import opens
from ui.data.alignment import Plate
from ui.data.decode import Decode
from ui.data.gold import InForce
from ui.data.reverse import Joined
from ui.session import state
from ui.session.selection import MEAN
from ui.shell import cards
from ui.shell.frame import Shown
from ui.style import screen_text
from ui.style.theme import PRESENTER_SCALE

READINGS: Final = {"writing": "at the step that writes", "reading": "at the step that reads"}
BY: Final = {"weight": "weight", "contribution": "contribution"}
Take = Callable[[int], None]


def row(
    shown: Shown, decode: Decode, plate: Plate, joined: Joined | None, in_force: InForce, back: str
) -> None:
    """The controls; `back` says why there is nothing to join with."""
    layers, heads = plate.maps.shape
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="view_options"):
        head = MEAN if plate.head is None else plate.head
        _pick("layer", plate.layer, layers, "all layers", shown, lambda place: opens(place, head))
        if (layer := plate.layer) is not None:
            _pick("head", plate.head, heads, "all heads", shown, lambda place: opens(layer, place))
        cards.choice("reading", READINGS, state.bind("reading", plate.reading))
        cards.choice("by", BY, state.bind("by"))
        hint = screen_text.label(back) or _ABOUT_JOINED
        st.toggle("joined", disabled=bool(back), help=hint, **state.bind("joined"))
        save(shown, decode, plate, joined, in_force)
    if joined is not None:
        cards.quiet(said(joined))
    elif back and shown.selection.joined:
        cards.quiet(back)


_ABOUT_JOINED: Final = "Joined with the links of the checkpoint that translates back, by grow-diag."


def said(joined: Joined) -> list[cards.Words]:
    """Whose links were joined, and how far they agree."""
    layer, head = joined.head
    step = "writes" if joined.reading == "writing" else "reads"
    return [
        "Joined with ", (joined.checkpoint, "b"), f", head {layer}.{head} at the step that {step} the word: of its "
        f"heads the one that agrees most, on {joined.agreeing} of its {len(joined.backward)} links.",
    ]  # fmt: skip


def _pick(field: str, value: int | None, count: int, every: str, shown: Shown, take: Take) -> None:
    # In a hall the whole row is one line, down to 1280 pixels.
    width = round(100 * PRESENTER_SCALE) if shown.selection.presenter else 118
    st.selectbox(
        field,
        [MEAN, *range(count)],
        format_func=lambda place: every if place == MEAN else f"{field} {place}",
        label_visibility="collapsed",
        width=width,
        **state.hold(f"alignment_{field}", MEAN if value is None else value, take),
    )
