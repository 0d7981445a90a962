"""The stage of the Translate page: lines, next word and map of one decode, and the whole tree of a beam search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, InitVar, dataclass, field, replace
from typing import Final

import numpy as np
import numpy.typing as npt
import streamlit as st
from numpy.typing import NDArray

from core.analysis import wording
from core.analysis.glossary import MEASURES
from core.analysis.readout import subject
from core.language import message, tr
from core.model.hooks import ATTENTION
from ui.app import frame
from ui.export import menu
from ui.session import state
from ui.session.selection import MEAN, Selection
from ui.shared import cards, maps
from ui.shared.context import CheckpointView, DecodeView
from ui.shared.decode import BeamNode, Decode, StepData
from ui.shared.head_views import NO_PINS, Pins
from ui.shared.make_decode import options
from ui.shared.mount import View, mount, quantise
from ui.style.theme import Kind
from ui.translate import sentence_box
from ui.web.contract import derive

MAX_NUMBERS = 600_000
"""Above this many weights (1.2 MB) only the chosen layer and head are sent; the pickers then ask the server."""

_METRICS = ("weight", "probability", "rank")


@dataclass(frozen=True)
class StageLook:
    """Where the reader came to rest: tokens written, layer and head (None = mean)."""

    position: int
    layer: int | None = None
    head: int | None = None

    def fitted(self, drawn: StageData) -> StageLook:
        """The same within this decode: a number out of range becomes the end, or the mean."""
        return StageLook(
            min(self.position, len(drawn.target)),
            self.layer if self.layer is not None and self.layer < drawn.layers else None,
            self.head if self.head is not None and self.head < drawn.heads else None,
        )


@dataclass(frozen=True)
class Forced:
    """A candidate clicked: write token `id` at target position `position`, dropping what followed."""

    position: int
    id: int
    label: str = ""


@dataclass(frozen=True)
class OpensHead:
    """The head that opens where none was chosen, and why."""

    layer: int
    head: int
    why: str


@dataclass(frozen=True)
class StageData:
    """A whole decode: every step of every head. Raises ValueError when shapes and labels disagree.

    The browser keeps its own position, layer and head, and follows these again when the decode changes.
    """

    _: KW_ONLY
    # The labels of the tokens: S of the source, T that were written, and those read before each (none: not known).
    source: Sequence[str]
    target: Sequence[str]
    reads: Sequence[str] = ()
    # The cross-attention (L, H, T, S): row t is what was looked at while `target[t]` was written.
    full: InitVar[npt.NDArray[np.floating]]
    # What each token was chosen from: T of them, or one for the first token when T is 0.
    distributions: InitVar[Sequence[StepData]]
    position: int  # how many tokens are shown at first, as a link says
    layer: int | None = None  # the map shown; None: the mean
    head: int | None = None
    ended: bool = False  # the last token is the end token: the finished sentence rests with no row lit
    forced: Sequence[int] = ()  # indices of the forced tokens
    notes: Sequence[str] = ()  # facts that were checked
    # Names the decode, the same for all paths of one search: what is hidden of it stays hidden.
    id: str = ""
    # The decode writes itself, within about two seconds, where the browser shows it for the first time after another one.
    writes: bool = False
    # For each token, how many characters of the text before it stay, and the text it adds; empty: no sentence is shown.
    grown: Sequence[tuple[int, str]] = ()
    # Sentences about the whole. Like the tokens to come they are hidden until the end was reached, and after “to the start”.
    remarks: Sequence[str] = ()
    opens: OpensHead | None = None
    kind: Kind = "cross"
    kind_name: str = ATTENTION["cross"].title
    forcible: bool = True  # another word may be forced; a report has no model to go on with
    pins: Pins = NO_PINS  # rows and columns of the map
    weights: NDArray[np.uint16] = field(init=False)  # w · 65535, of this `shape`
    shape: tuple[int, int, int, int] = field(init=False)
    layers: int = field(init=False)
    heads: int = field(init=False)
    steps: tuple[StepData, ...] = field(init=False)
    # The name of the map [l][h]: 0 is the mean over layers or heads, n + 1 is layer or head n.
    subjects: tuple[tuple[str, ...], ...] = field(init=False)
    metrics: tuple[tuple[str, str], ...] = field(init=False)

    @property
    def rows(self) -> Sequence[str]:
        """The words of the map's rows."""
        return self.target

    @property
    def cols(self) -> Sequence[str]:
        """The words of the map's columns."""
        return self.source

    def __post_init__(self, full: npt.NDArray[np.floating], distributions: Sequence[StepData]) -> None:
        if full.ndim != 4 or full.shape[2:] != (len(self.target), len(self.source)):
            raise ValueError(
                f"weights have shape {full.shape}; expected (layers, heads, {len(self.target)} target tokens,"
                f" {len(self.source)} source tokens)"
            )
        if len(distributions) < len(self.target):
            raise ValueError(
                f"got {len(distributions)} distributions for {len(self.target)} written tokens; give one per token"
            )
        layers, heads = full.shape[:2]
        for name, value, count in (("layer", self.layer, layers), ("head", self.head, heads)):
            if value is not None and not 0 <= value < count:
                raise ValueError(
                    f"{name} {value} does not exist; choose 0 to {count - 1}, or None for the mean"
                )
        sent = _choose(full, self.layer, self.head)
        derive(
            self,
            position=max(0, min(self.position, len(self.target))),
            weights=quantise(sent),
            shape=sent.shape,
            layers=layers,
            heads=heads,
            steps=tuple(step.rounded() for step in distributions),
            subjects=tuple(
                tuple(subject(layer, one, heads=heads, layers=layers) for one in (None, *range(heads)))
                for layer in (None, *range(layers))
            ),
            metrics=tuple(
                (tr(MEASURES[name].label).lower(), tr(MEASURES[name].definition)) for name in _METRICS
            ),
        )


def _choose(
    weights: npt.NDArray[np.floating], layer: int | None, head: int | None
) -> npt.NDArray[np.floating]:
    """All of (L, H, T, S) when small enough; else the chosen slice or mean as (1, 1, T, S)."""
    if weights.size <= MAX_NUMBERS:
        return weights
    layers = weights if layer is None else weights[layer : layer + 1]
    chosen = layers if head is None else layers[:, head : head + 1]
    mean: npt.NDArray[np.floating] = chosen.mean(axis=(0, 1), keepdims=True)
    return mean


STAGE = View("stage", StageData, forced=Forced, view=StageLook, pinned=Pins)
"""The data are sent once, the browser does the rest."""


@dataclass(frozen=True)
class PickedNode:
    """The hypothesis that ends with this node."""

    id: int

    def fitted(self, drawn: TreeData) -> PickedNode | None:
        """The same, or None where there is no such node."""
        return self if any(self.id == node.id for node in drawn.nodes) else None


@dataclass(frozen=True)
class TreeData:
    """A search in full. The node `selected` is outlined; a score is the log-probability divided by the length.

    While a stage with the same `id` hides the tokens to come, the browser draws no step beyond the stage's. Raises
    ValueError when ids repeat or a parent is missing.
    """

    nodes: Sequence[BeamNode]
    beam: int
    selected: int | None = None
    id: str = ""

    def __post_init__(self) -> None:
        ids = {node.id for node in self.nodes}
        if len(ids) != len(self.nodes):
            raise ValueError("two nodes of the beam tree share an id; give every node its own")
        orphan = next(
            (node for node in self.nodes if node.parent is not None and node.parent not in ids), None
        )
        if orphan:
            raise ValueError(f"node {orphan.id} names parent {orphan.parent}, which is not in the tree")
        derive(self, selected=self.selected if self.selected in ids else None)


TREE = View("tree", TreeData, picked=PickedNode)


RESTS: Final = message(
    "Small weights are drawn a little stronger so that they stay visible. A new translation plays once by itself. Home "
    "returns to its start and hides the words to come, so that you can step by hand. A link with a step opens at that "
    "step; others open the finished translation."
)


KIND_NAME: Final = message("cross-attention")


@st.fragment
def stage(shown: CheckpointView) -> None:
    """Lines, next word and map; stepping happens in the browser, only a forced word comes back here."""
    view = frame.decoded(shown.now(), say=False)
    if view is None:
        return
    decode, selection = view.decode, view.selection
    if decode.strategy == "given":
        sentence_box.own_strip(view)
    search = repr((shown.entry.name, decode.source_text, options(replace(selection, node=None))))
    if decode.tree:
        tree(decode, selection, search)
    reader = sentence_box.other_reader(view)
    sentence_box.notes(view, reader)
    layer, head = sentence_box.stage_view(decode, selection)
    axes = maps.axes(decode, "cross", False, str, str)
    # The pair that other places open with is their choice; the stage shows what the reader or a link has pinned.
    chosen = replace(selection, pin=state.selection().pin and selection.pin)
    rows, columns = maps.pinned("cross", *axes, chosen)
    stated = decode.default_heads.get(ATTENTION["cross"].name)
    mount(
        STAGE,
        StageData(
            reads=decode.trace.tokens.target,
            source=decode.trace.tokens.source,
            target=decode.trace.tokens.written,
            full=decode.trace.stacked("decoder", "cross", "weights"),
            distributions=decode.steps,
            pins=Pins(tuple(rows), tuple(columns)),
            position=sentence_box.position(decode, selection),
            layer=layer,
            head=head,
            ended=decode.finished,
            forced=decode.forced,
            kind_name=tr(KIND_NAME),
            notes=[str(fact) for fact in decode.facts],
            id=search,
            writes=selection.step is None and selection.strategy != "given",
            grown=decode.grown,
            remarks=sentence_box.remarks(view, reader),
            opens=OpensHead(stated.layer, stated.head, stated.because) if stated else None,
        ),
        key="decode_stage",
        forced=force,
        pinned=lambda pins: maps.pin("cross", *axes, pins.rows, pins.columns),
        view=lambda looked: rest(looked, (layer, head)),
    )
    what, why, formula = wording.translate(shown.entry.config)
    with cards.explain(what, why, f"{formula} {tr(RESTS)}\n\n{explained()}"):
        open_map(view, layer, head)


def open_map(shown: DecodeView, layer: int | None, head: int | None) -> None:
    """The files of the map on the stage; layer or head None is the mean over them."""
    decode = shown.decode
    axes = maps.axes(decode, "cross", False, str, str)
    weights = decode.trace.stacked("decoder", "cross", "weights")
    values = maps.one_map(
        weights, MEAN if layer is None else layer, MEAN if head is None else head, how="mean"
    )
    name = "-".join("mean" if each is None else str(each) for each in (layer, head))
    csv = menu.csv_source(values, *axes)
    menu.buttons(shown, csv, f"cross-{name}-weights")


def explained() -> str:
    """What the numbers of the stage are, as Markdown."""
    return "\n\n".join(MEASURES[name].markdown for name in ("weight", "probability", "rank"))


def tree(decode: Decode, selection: Selection, search: str) -> None:
    """Every hypothesis of the beam; a click shows the path to that word above."""

    def picked(node: PickedNode) -> None:
        state.put(state.selection().followed(node.id, decode.tree[node.id].step))

    mount(TREE, TreeData(decode.tree, selection.beam, decode.node, id=search), key="beam_tree", picked=picked)


def force(choice: Forced) -> None:
    """Write another word here and let the decoder go on from it."""
    state.put(state.selection().forced(choice.position, choice.id))


def rest(looked: StageLook, shown: tuple[int | None, int | None]) -> None:
    """The reader came to rest: keep the step in the URL, and layer and head once they were chosen by hand."""
    if (looked.layer, looked.head) == shown:
        state.put(state.selection().at_step(looked.position))
    else:
        state.put(state.selection().viewed(looked.position, looked.layer, looked.head))
