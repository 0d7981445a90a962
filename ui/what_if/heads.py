"""The wall of switches, and one head before and after with a weight that can be moved."""

from __future__ import annotations

import numpy as np
import streamlit as st

from core.experiments.edits import DragWeight
from ui.session import state
from ui.shared import cards, what_if
from ui.shared import maps as view
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.head_wall import WALL, Switched
from ui.shared.map_pairs import Side
from ui.shared.mount import mount
from ui.shared.two_maps import COMPARE, CompareData, Moved, keep, looked_at
from ui.shared.wall_data import WallData
from ui.shared.what_if import Outcome
from ui.style import screen_text
from ui.style.theme import Kind
from ui.what_if import changes

WALL_HEIGHT = 520


def wall(shown: DecodeView, outcome: Outcome, kind: Kind) -> None:
    """Every head after the edits; a click switches it."""
    weights = outcome.pair(kind)[1]
    shape = (weights.shape[0], weights.shape[1])
    queries, keys = what_if.axes(shown.decode, kind, _padding(outcome, kind))

    def switched(now: Switched) -> None:
        how = state.selection().off
        changes.attempt(lambda edits: what_if.reconciled(edits, kind, now.off, how, shape))

    mount(
        WALL,
        WallData(
            weights,
            queries,
            keys,
            kind=kind,
            scores_of={"change": outcome.moved(kind)},
            title="Choose a head to switch it off",
            subtitle="a layer’s name switches its heads · the number is how far a head’s map moved",
            tall=WALL_HEIGHT,
            file=f"what-if-{kind}",
            off=[state for row in what_if.off_heads(outcome.edits, kind, shape) for state in row],
            how=shown.selection.off,
            open_future=outcome.edits.opens_future,
        ),
        key=f"switches_{kind}",
        switched=switched,
    )


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
            f"head {layer}.{head} {name}",
            open_future=opens,
            reads=what_if.reads(shown.decode, kind),
        )
        for values, name, opens in ((before, "before", open_future), (after, "after", open_future))
    ]

    def moved(to: Moved) -> None:
        columns = outcome.maps_before[kind].shape[-1]
        if what_if.movable(outcome.edits, kind, to.row, to.column, columns):
            changes.then(DragWeight(kind, layer, head, to.row, to.column, to.thousandths))

    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="what_if_head"):
        _pick(outcome, kind, (layer, head))
        _weight(shown, outcome, kind, (layer, head), after, (queries, keys))
    mount(
        COMPARE,
        CompareData(
            (sides[0], sides[1]),
            kind=kind,
            title=f"Head {layer}.{head}, before and after",
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
        return "no head of this kind has moved; a map moves when what the head reads has changed, or its own weights"
    rank = int((moved > moved[head]).sum()) + 1
    which = "more than any other head of its kind" if rank == 1 else f"number {rank} of {moved.size}"
    return f"its rows moved {100 * moved[head]:.0f} % of their weight, {which}"


def _pick(outcome: Outcome, kind: Kind, chosen: tuple[int, int]) -> None:
    layers, heads = outcome.maps_before[kind].shape[:2]

    def take(pair: tuple[int, int]) -> None:
        state.update(layer=pair[0], head=pair[1])

    st.selectbox(
        "head",
        [(layer, head) for layer in range(layers) for head in range(heads)],
        format_func=lambda pair: f"head {pair[0]}.{pair[1]}",
        label_visibility="collapsed",
        width=150,
        **state.hold(f"what_if_head_{kind}", chosen, take),
    )


def _weight(
    shown: CheckpointView,
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
            "Pull a cell of “after” up or right to raise its weight, down or left to lower it, or choose one for a slider.",
            width="content",
        )
        return
    if row >= after.shape[0] or column >= outcome.maps_before[kind].shape[-1]:
        return
    if not what_if.movable(outcome.edits, kind, row, column, outcome.maps_before[kind].shape[-1]):
        cards.quiet(
            "This cell lies behind a mask, or its row sees nothing else that could take the weight.",
            width="content",
        )
        return

    def moved(percent: int) -> None:
        changes.then(DragWeight(kind, *head, row, column, 10 * int(percent)))

    queries, keys = words
    st.slider(
        f"weight from “{screen_text.label(queries[row])}” to “{screen_text.label(keys[column])}”, %",
        0,
        100,
        width=360,
        **state.hold("moved_weight", round(100 * float(after[row, column])), moved),
    )
