"""The edits a reader can make: heads as switches, masks, positions, a weight that can be moved; and undoing them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import streamlit as st

from core.experiments.edits import (
    PADDING,
    DragWeight,
    Edits,
    HeadsStep,
    HideSource,
    How,
    NoCausalMask,
    OpenPadding,
    ShufflePositions,
    Side,
    Step,
    SwapPositions,
)
from core.language import message, numeral, plural, tr
from core.model.hooks import attention_of
from ui.app import navigation
from ui.export import menu
from ui.session import state
from ui.shared import ablations, cards, what_if
from ui.shared import maps as view
from ui.shared.context import DecodeView
from ui.shared.head_views import TILES, Choice, Group, OneGroup, OneHead, Option, Tile, TilesData, kind_maps
from ui.shared.mount import mount
from ui.shared.two_maps import COMPARE, CompareData, Moved, keep, looked_at
from ui.shared.two_maps import Side as MapSide
from ui.shared.what_if import HOWS, Outcome
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
            nothing = not edits or shown.selection.edits is None  # the first view is no edit of the reader
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
    best = ablations.best(shown, kind)
    if best and len(best) < len(every):
        label = plural("Top head for the pair", "Top {count} heads for the pair", len(best))
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

    names = {layer: tr("Layer {layer}", layer=layer) for layer in range(shape[0])}
    held = state.hold(f"one_layer_{kind}", layers.index(now) if now in layers else None, take)
    cards.listing(tr("One layer"), names, held, cards.pick_width(shown.selection, 140), tr("One layer"))


def _mask(shown: DecodeView) -> None:
    edits, labels = what_if.edits_in_force(shown), shown.decode.trace.tokens.source

    def causal(on: bool) -> None:
        what_if.attempt(shown, lambda now: now.without(NoCausalMask()) if on else now.then(NoCausalMask()))

    if shown.entry.config.causal:
        st.toggle(
            tr("Causal mask in the decoder"), **state.hold("causal_mask", not edits.opens_future, causal)
        )
        cards.quiet(tr("Without it, each row also sees the words after it, including the answer."))
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
    side = st.pills(
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


def switches(shown: DecodeView, outcome: Outcome, kind: Kind, known: bool = True) -> None:
    """Every head after the edits, crossed out where it is ablated; a click ablates or restores it.

    `known`: whether the outcome is that of the edits, and not of the run before them.
    """
    weights = outcome.pair(kind)[1]
    shape = (weights.shape[0], weights.shape[1])
    off = what_if.off_heads(outcome.edits, kind, shape)
    ablated = frozenset((n, k) for n in range(shape[0]) for k in range(shape[1]) if off[n][k] is not None)
    moved = outcome.moved(kind)

    def picked(one: OneHead) -> None:
        ablate(shown, kind, ablated ^ {(one.layer, one.head)}, shape)

    def pressed(one: OneGroup) -> None:
        layer = frozenset((one.number, head) for head in range(shape[1]))
        ablate(shown, kind, ablated - layer if layer <= ablated else ablated | layer, shape)

    def chosen(how: str) -> None:
        if how not in HOWS:
            return
        state.update(off=how)
        if how != "frozen" and ablated:
            what_if.attempt(shown, lambda edits: replaced(edits, kind, how))  # type: ignore[arg-type]

    groups = [
        Group(
            tr("layer {layer}", layer=layer),
            kind,
            tuple(
                Tile(
                    kind,
                    layer,
                    head,
                    _hint(layer, head, off[layer][head], float(moved[layer, head]) if known else None),
                    off=off[layer][head] not in (None, "frozen"),
                    held=off[layer][head] == "frozen",
                )
                for head in range(shape[1])
            ),
            look="rows",
            presses=tr("Ablate or restore layer {layer}", layer=layer),
        )
        for layer in range(shape[0])
    ]
    maps = kind_maps(weights, kind, ablations.cell_of(shown, kind), outcome.edits.opens_future)
    mount(
        TILES,
        TilesData(
            groups,
            {kind: maps},
            title=_title(
                len(ablated), shape[0] * shape[1], tr(attention_of(shown.entry.config, kind).phrase)
            ),
            subtitle=tr("Choose a head to ablate or restore it, a layer for all its heads"),
            switches=True,
            choice=_choice(shown, outcome.edits, kind),
            name=f"what-if-{kind}",
        ),
        key=f"switches_{kind}",
        picked=picked,
        pressed=pressed,
        chosen=chosen,
    )


def _title(count: int, total: int, name: str) -> str:
    if count == total and count > 1:
        return plural(
            "The one head of {kind} is ablated", "All {count} heads of {kind} are ablated", count, kind=name
        )
    if not count:
        return tr("No head of {kind} is ablated", kind=name)
    return plural(
        "{count} of {total} heads of {kind} is ablated",
        "{count} of {total} heads of {kind} are ablated",
        count,
        total=total,
        kind=name,
    )


_STATES = {
    "zero": message("ablated: zero"),
    "mean": message("ablated: mean"),
    "uniform": message("ablated: uniform"),
    "frozen": message("frozen"),
}


def _hint(layer: int, head: int, how: str | None, moved: float | None) -> str:
    name = f"{layer}.{head}"
    if moved is None:
        return tr("Head {head}", head=name)
    share = f"{numeral(100 * moved, '.0f')} %"
    if how is None:
        return tr("Head {head}; {share} of its weight moved", head=name, share=share)
    return tr(
        "Head {head}, {state}; {share} of its weight moved", head=name, state=tr(_STATES[how]), share=share
    )


def _choice(shown: DecodeView, edits: Edits, kind: Kind) -> Choice:
    """What takes the place of an ablated head; freezing needs another edit to have an effect."""
    hows = [step.how for step in edits.steps if isinstance(step, HeadsStep) and step.kind == kind]
    now = shown.selection.off
    alike = {how for how in hows if how != "frozen"}
    if now != "frozen" and len(alike) == 1:
        now = next(iter(alike))
    can_freeze = any(not isinstance(step, HeadsStep) or step.how != "frozen" for step in edits.steps)
    hints = {
        "zero": tr("The head’s output is 0"),
        "mean": tr("The mean output of the head over the example sentences"),
        "uniform": tr("The same weight on every token that the head may look at"),
        "frozen": tr("The weights of the run without edits; choose a head to freeze it")
        if can_freeze
        else tr("Freeze has an effect only with another edit"),
    }
    options = tuple(Option(how, tr(HOWS[how]), how != "frozen" or can_freeze, hints[how]) for how in HOWS)
    return Choice(tr("Replace by"), options, now)


def replaced(edits: Edits, kind: Kind, how: How) -> Edits:
    """The edits with another replacement of the ablated heads of a kind; frozen heads stay frozen."""
    steps = (
        step._replace(how=how)
        if isinstance(step, HeadsStep) and step.kind == kind and step.how != "frozen"
        else step
        for step in edits.steps
    )
    return Edits(tuple(steps))


def _padding(outcome: Outcome, kind: Kind) -> int:
    before, after = outcome.maps_before[kind], outcome.maps_after[kind]
    return int(after.shape[-1] - before.shape[-1])


def most_changed_head(shown: DecodeView, outcome: Outcome, kind: Kind) -> tuple[int, int] | None:
    """The head to compare: the link's; of a pinned cell or a slide that name none, the one whose map changed most."""
    layers, heads = outcome.maps_before[kind].shape[:2]
    if chosen := shown.selection.head_of(layers, heads):
        return chosen
    if shown.selection.cell is None and shown.selection.full != "what_if":
        return None
    moved = outcome.moved(kind)
    if moved.max(initial=0) > 1e-6:
        index = np.unravel_index(int(moved.argmax()), moved.shape)
        return int(index[0]), int(index[1])
    maps = view.maps_of(shown.decode, kind, shown.entry.tokenizers)
    return view.chosen(shown.selection.changed(layer=None, head=None), maps)


def before_and_after(shown: DecodeView, outcome: Outcome, kind: Kind) -> None:
    """The choice of a head; its map before and after, and their difference; the weight of a cell can be changed."""
    chosen = most_changed_head(shown, outcome, kind)
    if chosen is None:
        with st.container(key="what_if_head"):
            _pick(outcome, kind, None)
        return
    layer, head = chosen
    before, after = (maps[layer, head] for maps in outcome.pair(kind))
    queries, keys = what_if.axes(shown.decode, kind, _padding(outcome, kind))
    open_future = not what_if.masks_later(outcome.edits, shown.entry.config)
    sides = [
        MapSide(
            values,
            queries,
            keys,
            name,
            tr("head {head}, {when}", head=f"{layer}.{head}", when=name),
            open_future=open_future,
            reads=what_if.reads(shown.decode, kind),
        )
        for values, name in ((before, tr("before")), (after, tr("after")))
    ]

    def moved(to: Moved) -> None:
        columns = outcome.maps_before[kind].shape[-1]
        if what_if.movable(outcome.edits, shown.entry.config, kind, to.row, to.column, columns):
            then(shown, DragWeight(kind, layer, head, to.row, to.column, to.thousandths))

    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="what_if_head"):
        _pick(outcome, kind, (layer, head))
        _weight(shown, outcome, kind, (layer, head), after, (queries, keys))
    mount(
        COMPARE,
        CompareData(
            (sides[0], sides[1]),
            kind=kind,
            title=_moved(outcome, kind, (layer, head)),
            subtitle=_rank(outcome, kind, (layer, head)),
            looked=looked_at(shown.selection),
            report=True,
            file=f"what-if-{kind}-{layer}.{head}",
            moves=what_if.movable_columns(outcome.edits, kind, outcome.maps_before[kind].shape[-1]),
        ),
        key=f"what_if_{kind}",
        viewed=keep,
        moved=moved,
    )


def _moved(outcome: Outcome, kind: Kind, head: tuple[int, int]) -> str:
    """How far this head's map changed."""
    name, moved = "{}.{}".format(*head), outcome.moved(kind)[head]
    if moved < 5e-4:
        return tr("The map of head {head} has not changed", head=name)
    return tr("Head {head} moved {share} of its weight", head=name, share=f"{numeral(100 * moved, '.0f')} %")


def _rank(outcome: Outcome, kind: Kind, head: tuple[int, int]) -> str:
    """Its rank among the heads of its kind by how far their maps changed."""
    moved = outcome.moved(kind)
    if moved.max(initial=0) < 5e-4:
        return tr("No map of this kind has changed")
    rank = int((moved > moved[head]).sum()) + 1
    if rank == 1:
        return tr("More than any other head of its kind")
    return tr("Number {rank} of {count} by moved weight", rank=rank, count=moved.size)


def _pick(outcome: Outcome, kind: Kind, chosen: tuple[int, int] | None) -> None:
    layers, heads = outcome.maps_before[kind].shape[:2]

    def take(pair: tuple[int, int] | None) -> None:
        layer, head = pair or (None, None)
        state.update(layer=layer, head=head)

    names = {pair: tr("Head {head}", head="{}.{}".format(*pair)) for pair in np.ndindex(layers, heads)}
    invites = tr("One head, before and after")
    held = state.hold(f"what_if_head_{kind}", chosen, take)
    cards.listing(tr("Head"), names, held, 150 if chosen else 260, invites)


def _weight(
    shown: DecodeView,
    outcome: Outcome,
    kind: Kind,
    head: tuple[int, int],
    after: np.ndarray,
    words: tuple[tuple[str, ...], tuple[str, ...]],
) -> None:
    """The slider for the pinned cell's weight."""
    _, row, column = shown.selection.cell or (0, None, None)
    if row is None or column is None:
        cards.quiet(
            tr("Drag a cell of “after” up or down to change its weight"),
            width="content",
        )
        return
    columns = outcome.maps_before[kind].shape[-1]
    if row >= after.shape[0] or column >= columns:
        return
    if not what_if.movable(outcome.edits, shown.entry.config, kind, row, column, columns):
        cards.quiet(
            tr("This weight cannot be moved: the cell is masked, or its row has no other cell."),
            width="content",
        )
        return

    def moved(percent: int) -> None:
        then(shown, DragWeight(kind, *head, row, column, 10 * int(percent)))

    queries, keys = words
    st.slider(
        tr(
            "Weight from “{query}” to “{key}”, %",
            query=screen_text.label(queries[row]),
            key=screen_text.label(keys[column]),
        ),
        0,
        100,
        width=360,
        **state.hold("moved_weight", round(100 * float(after[row, column])), moved),
    )
