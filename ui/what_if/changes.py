"""The edits a reader can make: which heads are ablated and by what, masks, positions; and undoing them."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from core.experiments.edits import (
    PADDING,
    Edits,
    HeadsStep,
    HideSource,
    NoCausalMask,
    OpenPadding,
    ShufflePositions,
    Side,
    Step,
    SwapPositions,
)
from core.language import message, plural, tr
from ui.app import navigation
from ui.export import menu
from ui.session import state
from ui.shared import cards, pin_heads, what_if
from ui.shared.context import DecodeView
from ui.style import screen_text
from ui.style.theme import Kind

_PILLS: Final = 40  # words that are offered as pills; more would fill the screen
_LISTED: Final = 8  # edits that are listed one by one


def then(shown: DecodeView, step: Step) -> None:
    """One more edit."""
    what_if.attempt(shown, lambda edits: edits.then(step))


def ablate(shown: DecodeView, kind: Kind, wanted: frozenset[tuple[int, int]], shape: tuple[int, int]) -> None:
    """Ablate exactly these heads of a kind."""
    how = state.selection().off
    what_if.attempt(shown, lambda edits: what_if.reconciled(edits, kind, wanted, how, shape))


def row(shown: DecodeView, kind: Kind, shape: tuple[int, int]) -> None:
    """The one row of controls."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="what_if_options"):
        navigation.kind_pills(shown.selection)
        _groups_of_heads(shown, kind, shape)
        _one_layer(shown, kind, shape)
        with st.popover(tr("Mask"), width="content"):
            _mask(shown)
        with st.popover(tr("Positions"), width="content"):
            _positions(shown)
        with st.container(horizontal=True, gap="small", key="what_if_undo", width="content"):
            edits = what_if.edits_in_force(shown)
            nothing = not edits
            st.button(
                tr("Undo"), on_click=what_if.put, args=(edits.undone(),), key="undo_step", disabled=nothing
            )
            if len(edits.steps) > 1:
                st.button(tr("Undo all"), on_click=what_if.put, args=(Edits(),), key="undo_all")
            menu.whole(shown)


def _ablated(shown: DecodeView, kind: Kind, shape: tuple[int, int]) -> frozenset[tuple[int, int]]:
    off = what_if.off_heads(what_if.edits_in_force(shown), kind, shape)
    return frozenset((layer, head) for layer, line in enumerate(off) for head, how in enumerate(line) if how)


def _groups_of_heads(shown: DecodeView, kind: Kind, shape: tuple[int, int]) -> None:
    """All heads of the kind, or those that link the pinned pair; pressing what is chosen restores them."""
    every = frozenset((layer, head) for layer in range(shape[0]) for head in range(shape[1]))
    groups: dict[str, tuple[str, frozenset[tuple[int, int]]]] = {
        "all": (plural("The only head", "All {count} heads", len(every)), every)
    }
    best = pin_heads.best(shown, kind)
    if best and len(best) < len(every):
        label = plural("The head of the pin", "The {count} heads of the pin", len(best))
        groups["pin"] = label, frozenset((layer, head) for _, layer, head in best)
    now = _ablated(shown, kind, shape)
    chosen = next((name for name, (_, heads) in groups.items() if heads == now), None)

    def take(name: str | None) -> None:
        ablate(shown, kind, groups[name][1] if name else frozenset(), shape)

    st.pills(
        tr("Heads to ablate"),
        list(groups),
        format_func=lambda name: groups[name][0],
        label_visibility="collapsed",
        **state.hold("heads_to_ablate", chosen, take),
    )


def _one_layer(shown: DecodeView, kind: Kind, shape: tuple[int, int]) -> None:
    if shape[0] < 2:
        return
    layers = [frozenset((layer, head) for head in range(shape[1])) for layer in range(shape[0])]
    now = _ablated(shown, kind, shape)

    def take(layer: int | None) -> None:
        ablate(shown, kind, frozenset() if layer is None else layers[layer], shape)

    st.selectbox(
        tr("One layer"),
        list(range(shape[0])),
        format_func=lambda layer: tr("Layer {layer}", layer=layer),
        placeholder=tr("One layer"),
        label_visibility="collapsed",
        width=140,
        **state.hold(f"one_layer_{kind}", layers.index(now) if now in layers else None, take),
    )


def _mask(shown: DecodeView) -> None:
    edits, labels = what_if.edits_in_force(shown), shown.decode.trace.tokens.source

    def causal(on: bool) -> None:
        what_if.attempt(shown, lambda now: now.without(NoCausalMask()) if on else now.then(NoCausalMask()))

    if shown.entry.config.causal:
        st.toggle(
            tr("Causal mask in the decoder"), **state.hold("causal_mask", not edits.opens_future, causal)
        )
        cards.quiet(tr("Without it each row also sees the words after it, the answer included."))
    else:
        cards.quiet(tr("This model has no causal mask: each row also sees the words after it."))

    def hide(chosen: Any) -> None:
        def hiding(new: Edits) -> Edits:
            for token in sorted(new.hidden ^ set(chosen)):
                new = new.then(HideSource(token)) if token in chosen else new.without(HideSource(token))
            return new

        what_if.attempt(shown, hiding)

    bound = state.hold("hidden_words", sorted(p for p in edits.hidden if p < len(labels)), hide)
    label, tokens = tr("Hide source words from all others"), list(range(len(labels)))
    if len(labels) <= _PILLS:
        st.pills(label, tokens, selection_mode="multi", format_func=labels.__getitem__, **bound)
    else:
        st.multiselect(label, tokens, format_func=labels.__getitem__, **bound)

    def pad(count: int) -> None:
        def padded(now: Edits) -> Edits:
            new = Edits(tuple(step for step in now.steps if not isinstance(step, OpenPadding)))
            return new.then(OpenPadding(int(count))) if count else new

        what_if.attempt(shown, padded)

    st.number_input(
        tr("Padding tokens that no mask hides"),
        0,
        PADDING,
        step=1,
        **state.hold("open_padding", edits.padding, pad),
    )


def _positions(shown: DecodeView) -> None:
    if shown.entry.config.positions in ("none", "relative_buckets", "rotary"):
        cards.quiet(tr("This model adds no positions to its embeddings, so there are none to swap."))
        return
    edits, tokens = what_if.edits_in_force(shown), shown.decode.trace.tokens
    side = st.segmented_control(
        tr("Whose positions"),
        list(_SIDES),
        format_func=lambda name: tr(_SIDES[name]),
        default="source",
        required=True,
        label_visibility="collapsed",
        key="swap_side",
    )
    labels = tokens.target if side == "target" else tokens.source
    positions = list(range(len(labels)))
    with st.form(f"swap_{side}", border=False):

        def named(token: int) -> str:
            return f"{token}  {labels[token]}"

        first = st.selectbox(tr("Give this token"), positions, format_func=named, key=f"swap_first_{side}")
        second = st.selectbox(
            tr("The position of this one"), positions, format_func=named, key=f"swap_second_{side}"
        )
        if st.form_submit_button(tr("Swap positions")):
            if first == second:
                cards.mistake(tr("Choose two different tokens."))
            else:
                then(shown, SwapPositions(side, int(first), int(second)))
                st.rerun(scope="fragment")
    drawn = [step.seed for step in edits.steps if isinstance(step, ShufflePositions) and step.side == side]
    step = ShufflePositions(drawn[-1] + 1 if drawn else 1, len(labels) if side == "target" else 0)
    if len(labels) > 1:
        st.button(tr("Shuffle all positions"), on_click=then, args=(shown, step), key=f"shuffle_{side}")
    if side == "target":
        cards.quiet(tr("The decoder reads the start token and the words written before."))


_SIDES: Final[dict[Side, str]] = {"source": message("Source"), "target": message("What the decoder reads")}


def made(shown: DecodeView) -> None:
    """Every edit of the link, each with a button to remove it."""
    edits = shown.selection.edits
    if not edits or (len(edits.steps) == 1 and isinstance(edits.steps[0], HeadsStep)):
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="what_if_steps"):
        for number, step in enumerate(edits.steps[-_LISTED:]):
            words = screen_text.label(what_if.step_words(step, shown.decode))
            st.button(
                f"{words} ✕",
                type="tertiary",
                on_click=what_if.put,
                args=(edits.without(step),),
                key=f"step_{number}",
                help=tr("Remove this edit"),
            )
        if len(edits.steps) > _LISTED:
            cards.quiet(tr("and {count} before", count=len(edits.steps) - _LISTED), width="content")
