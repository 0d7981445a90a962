"""The heads of a kind as switches, and one head before and after with a weight that can be moved."""

from __future__ import annotations

import numpy as np
import streamlit as st

from core.experiments.edits import DragWeight, Edits, HeadsStep, How
from core.language import message, plural, tr
from ui.session import state
from ui.shared import cards, pin_heads, what_if
from ui.shared import maps as view
from ui.shared.context import DecodeView
from ui.shared.map_pairs import Side
from ui.shared.mount import mount
from ui.shared.tiles import TILES, Choice, Group, OneGroup, OneHead, Option, Tile, TilesData, kind_maps
from ui.shared.two_maps import COMPARE, CompareData, Moved, keep, looked_at
from ui.shared.what_if import HOWS, KIND_NAMES, Outcome
from ui.style import screen_text
from ui.style.theme import Kind
from ui.what_if import changes


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
        changes.ablate(shown, kind, ablated ^ {(one.layer, one.head)}, shape)

    def pressed(one: OneGroup) -> None:
        layer = frozenset((one.number, head) for head in range(shape[1]))
        changes.ablate(shown, kind, ablated - layer if layer <= ablated else ablated | layer, shape)

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
    maps = kind_maps(weights, kind, pin_heads.cell_of(shown, kind), outcome.edits.opens_future)
    mount(
        TILES,
        TilesData(
            groups,
            {kind: maps},
            title=_title(len(ablated), shape[0] * shape[1], kind),
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


def _title(count: int, total: int, kind: Kind) -> str:
    name = tr(KIND_NAMES[kind])
    if count == total and count > 1:
        return plural(
            "The one head of {kind} is ablated", "All {count} heads of {kind} are ablated", count, kind=name
        )
    if not count:
        return tr("No head of {kind} is ablated", kind=name)
    return plural("{count} of {total} heads of {kind} is ablated", "{count} of {total} heads of {kind} are ablated", count, total=total, kind=name)  # fmt: skip


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
    share = f"{100 * moved:.0f} %"
    if how is None:
        return tr("Head {head}; {share} of its weights moved", head=name, share=share)
    return tr(
        "Head {head}, {state}; {share} of its weights moved", head=name, state=tr(_STATES[how]), share=share
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
        "zero": tr("The head's output is 0"),
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


def opened(shown: DecodeView, outcome: Outcome, kind: Kind) -> tuple[int, int]:
    """The head to compare: the link's, else the one whose map changed most, else the default head."""
    layers, heads = outcome.maps_before[kind].shape[:2]
    layer, head = shown.selection.layer, shown.selection.head
    if layer is not None and head is not None and 0 <= layer < layers and 0 <= head < heads:
        return layer, head
    moved = outcome.moved(kind)
    if moved.max(initial=0) > 1e-6:
        index = np.unravel_index(int(moved.argmax()), moved.shape)
        return int(index[0]), int(index[1])
    maps = view.maps_of(shown.decode, kind, shown.entry.tokenizers)
    return view.chosen(shown.selection.changed(layer=None, head=None), maps)


def before_and_after(shown: DecodeView, outcome: Outcome, kind: Kind) -> None:
    """One head's map before and after, and their difference; the weight of a cell can be changed."""
    layer, head = opened(shown, outcome, kind)
    before, after = (maps[layer, head] for maps in outcome.pair(kind))
    queries, keys = what_if.axes(shown.decode, kind, _padding(outcome, kind))
    open_future = outcome.edits.opens_future
    sides = [
        Side(
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
        if what_if.movable(outcome.edits, kind, to.row, to.column, columns):
            changes.then(shown, DragWeight(kind, layer, head, to.row, to.column, to.thousandths))

    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="what_if_head"):
        _pick(outcome, kind, (layer, head))
        _weight(shown, outcome, kind, (layer, head), after, (queries, keys))
    mount(
        COMPARE,
        CompareData(
            (sides[0], sides[1]),
            kind=kind,
            title=tr("Head {head}, before and after", head=f"{layer}.{head}"),
            subtitle=_moved(outcome, kind, (layer, head)),
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
    """How far this head's map changed, and its rank among the heads of its kind."""
    moved = outcome.moved(kind)
    if moved.max(initial=0) < 5e-4:
        return tr("No map of this kind has changed")
    rank, share = int((moved > moved[head]).sum()) + 1, f"{100 * moved[head]:.0f} %"
    if rank == 1:
        return tr("{share} of its weights moved, more than in any other head of its kind", share=share)
    return tr(
        "{share} of its weights moved: number {rank} of {count}", share=share, rank=rank, count=moved.size
    )


def _pick(outcome: Outcome, kind: Kind, chosen: tuple[int, int]) -> None:
    layers, heads = outcome.maps_before[kind].shape[:2]

    def take(pair: tuple[int, int]) -> None:
        state.update(layer=pair[0], head=pair[1])

    st.selectbox(
        tr("Head"),
        [(layer, head) for layer in range(layers) for head in range(heads)],
        format_func=lambda pair: tr("Head {head}", head=f"{pair[0]}.{pair[1]}"),
        label_visibility="collapsed",
        width=150,
        **state.hold(f"what_if_head_{kind}", chosen, take),
    )


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
            tr("Drag a cell of “after” up to raise its weight or down to lower it; choose one for a slider"),
            width="content",
        )
        return
    if row >= after.shape[0] or column >= outcome.maps_before[kind].shape[-1]:
        return
    if not what_if.movable(outcome.edits, kind, row, column, outcome.maps_before[kind].shape[-1]):
        cards.quiet(
            tr("This weight cannot be moved: the cell is masked, or its row has no other cell."),
            width="content",
        )
        return

    def moved(percent: int) -> None:
        changes.then(shown, DragWeight(kind, *head, row, column, 10 * int(percent)))

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
