"""A training as Watch it learn shows it: curves over its steps, the maps of its heads, where to look first; a stored one played again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.analysis.glossary import SCORES
from core.analysis.readout import capitalised, isolated
from core.errors import AtlasError, CheckpointError, InputError
from core.language import message, tr
from core.model.hooks import ATTENTION, Attention, attention_of
from core.training.dynamics import SUDDEN, Dynamics, date_intervals, stored_dynamics, sudden_drops
from ui.session import state
from ui.session.selection import Selection
from ui.shared import cards, checkpoints, context
from ui.shared.checkpoints import FROM_NOTHING, Entry, in_words
from ui.shared.context import CheckpointView
from ui.shared.mount import View, mount
from ui.style import screen_text
from ui.style.theme import Kind
from ui.web.contract import Between, file_stem, kind_name

_LONGEST_NAME = 40  # characters
_MOST_SEEN = 10**15  # tokens; a card may hold a number of 400 digits, which is no float


def stored(entry: Entry) -> Dynamics:
    """The training of a checkpoint, read and checked once. Raises `AtlasError` with one sentence where there is none."""
    if not entry.usable.has_dynamics:
        raise CheckpointError.tr(
            "{name} has no record of its training; checkpoints of `python -m core train` have one.",
            name=entry.name,
        )
    return context.kept(entry, "dynamics", lambda: stored_dynamics(entry.path, entry.config))


def went_on_from(entry: Entry) -> str:
    """What the card says of the checkpoint that the training began at, as one sentence; empty where it began from nothing."""
    figures = entry.usable.card.get("figures")
    start = figures.get("started_from") if isinstance(figures, dict) else None
    if not isinstance(start, dict):
        return ""
    name, seen = screen_text.plain(start.get("name"), _LONGEST_NAME), start.get("target_tokens_seen")
    seen_words = (
        tr(", which had read {tokens} target tokens", tokens=in_words(seen))
        if type(seen) is int and 0 <= seen <= _MOST_SEEN
        else ""
    )
    return tr(
        "This record begins late: the training went on from the weights of {name}{seen}. The heads of that model had already formed.",
        name=tr("“{word}”", word=name) if name else tr("another checkpoint"),
        seen=seen_words,
    )


def warmup_of(entry: Entry) -> int:
    """The steps over which the learning rate rose, as the card's recipe says; 0 where it does not."""
    recipe = entry.usable.card.get("recipe")
    training = recipe.get("training") if isinstance(recipe, dict) else None
    steps = training.get("warmup_steps") if isinstance(training, dict) else None
    return steps if type(steps) is int and 0 < steps <= _MOST_SEEN else 0


def head_of(dynamics: Dynamics, kind: Kind, selection: Selection) -> tuple[int, int]:
    """The head to open: the link's where the model has it, else the one that fell the most, else the first."""
    name = ATTENTION[kind].name
    layers, heads = dynamics.scores[name].shape[2:]
    if chosen := selection.head_of(layers, heads):
        return chosen
    drops = sudden_drops(dynamics.steps, dynamics.score(name, "normalised_entropy"))
    if not drops:
        return 0, 0
    most = max(drops, key=lambda drop: drop.fall)
    return most.layer, most.head


def probe_of(dynamics: Dynamics, selection: Selection) -> int:
    """The sentence to show: the link's where there is one of that number, else the last, which is the longest."""
    last = len(dynamics.probes) - 1
    return last if selection.sentence is None else min(selection.sentence, last)


FIRST_SCORE = "normalised_entropy"
_TALL = 230  # pixels of the design that the heads' panel aims at


@dataclass(frozen=True)
class TrainingLook:
    """Where the reader came to rest: a step (None: the newest), a head, the score under it."""

    step: Annotated[int, Between(0, 10**9)] | None
    layer: int
    head: int
    score: str

    def fitted(self, drawn: DynamicsData) -> TrainingLook | None:
        """The same, or None where this training has no such head or score."""
        there = self.layer < drawn.layers and self.head < drawn.heads
        return self if there and self.score in [each.name for each in drawn.scores] else None


Point = tuple[float, float]
"""A step and a value."""


@dataclass(frozen=True)
class Curve:
    """A number that was measured at some of the steps; `column` names it in files."""

    name: str
    points: tuple[Point, ...]
    column: str = ""


@dataclass(frozen=True)
class TrainingScore:
    """A score of heads, in words, and the ends of its scale."""

    name: str
    label: str
    units: str
    low: float
    high: float | None
    definition: str


@dataclass(frozen=True)
class DynamicsData:
    """One kind of attention of one probe sentence, over all records of a training; `dynamics_data` makes it."""

    kind: Kind
    looked: TrainingLook
    total: int  # steps that there will be
    live: bool
    trained: bool  # whether it began with the weights of another
    warmup: int  # steps over which the learning rate rises; 0 where that is unknown
    plays: bool  # whether it plays as soon as it is there
    about: str  # whose training it is
    tall: int
    sudden: float
    file: str
    kind_name: str  # in files
    kind_words: str
    steps: tuple[int, ...]
    layers: int
    heads: int
    rows: tuple[str, ...]
    reads: tuple[str, ...]
    cols: tuple[str, ...]
    losses: tuple[Curve, ...]
    quality: Curve
    scores: tuple[TrainingScore, ...]
    # Layer, head, start, end, before, after, low, high: records but for the two entropies; low and high are the ends of the
    # 95 % interval of `end` over `dated` sentences (0: too few for one).
    drops: tuple[tuple[int, int, int, int, float, float, int, int], ...]
    dated: int
    sentences: int
    source: str
    target: str
    packed: NDArray[np.uint8]  # a byte a weight: records × layers × heads × queries × keys
    numbers: NDArray[np.float32]  # records × scores × layers × heads


def dynamics_data(
    dynamics: Dynamics,
    *,
    kind: Kind,
    probe: int,
    looked: TrainingLook,
    curve: Sequence[Point] = (),
    exact: Sequence[Point] = (),
    attention: Attention | None = None,
    total: int = 0,
    live: bool = False,
    trained: bool = False,
    warmup: int = 0,
    plays: bool = False,
    about: str = "",
    tall: int = _TALL,
    file: str = "training",
) -> DynamicsData:
    """What the browser draws of a training; what is not explained here is in `DynamicsData`.

    `curve` is the training loss (step, nats a target token) where more is known of it than at the records; `exact` the
    percent of pairs written exactly, which stands in place of BLEU; `attention` the kind as that model has it (None: with
    the causal mask). Raises `InputError` for a sentence that is not there, or a head that the model does not have.
    """
    attention = attention or ATTENTION[kind_name(kind)]
    name = attention.name
    layers, heads = dynamics.scores[name].shape[2:]
    if not 0 <= probe < len(dynamics.probes):
        raise InputError(
            f"There is no sentence {probe}; {len(dynamics.probes)} were followed, counted from 0."
        )
    if not (0 <= looked.layer < layers and 0 <= looked.head < heads):
        raise InputError(
            f"There is no head {looked.layer}.{looked.head}; there are {layers} layers of {heads}."
        )
    sentence = dynamics.probes[probe]
    queries, keys = sentence.sides(name)
    names = scores_of(dynamics, kind)
    steps = tuple(int(step) for step in dynamics.steps)
    drops = sudden_drops(dynamics.steps, dynamics.score(name, FIRST_SCORE))
    dates = date_intervals(dynamics, name, drops)
    quality = ("exact, %", "exact_percent") if exact else ("BLEU", "bleu")
    return DynamicsData(
        kind=kind_name(kind),
        looked=looked if looked.score in names else replace(looked, score=names[0]),
        total=total or steps[-1],
        live=live,
        trained=trained,
        warmup=warmup,
        plays=plays,
        about=about,
        tall=tall,
        sudden=SUDDEN,
        file=file_stem(f"{file}-{kind}"),
        kind_name=attention.title,
        kind_words=capitalised(tr(attention.title)),
        steps=steps,
        layers=layers,
        heads=heads,
        rows=tuple(queries if kind == "encoder" else sentence.written_tokens),
        reads=() if kind == "encoder" else tuple(queries),
        cols=tuple(keys),
        losses=(
            Curve("training", tuple(curve) or _points(steps, dynamics.train_loss)),
            Curve("validation", _points(steps, dynamics.valid_loss)),
        ),
        quality=Curve(quality[0], tuple(exact) or _points(steps, dynamics.bleu), quality[1]),
        scores=tuple(_score(each) for each in names),
        drops=tuple(
            (drop.layer, drop.head, drop.start, drop.end, drop.before, drop.after, *ends)
            for drop, ends in zip(drops, dates or [(drop.end, drop.end) for drop in drops], strict=True)
        ),
        dated=len(dynamics.probes) if dates else 0,
        sentences=dynamics.scored_sentences,
        source=sentence.source,
        target=sentence.target,
        packed=_packed(dynamics, name, probe),
        numbers=np.stack([dynamics.score(name, each) for each in names], axis=1).astype(np.float32),
    )


DYNAMICS = View("dynamics", DynamicsData, looked=TrainingLook)


def scores_of(dynamics: Dynamics, kind: Kind) -> list[str]:
    """The scores that were recorded and say something of heads of this kind; what moments are told by comes first."""
    name = ATTENTION[kind].name
    known = [
        score
        for score in dynamics.score_names
        if name in SCORES[score].kinds and np.isfinite(dynamics.score(name, score)).any()
    ]
    known = known or [FIRST_SCORE]
    return sorted(known, key=lambda score: (score != FIRST_SCORE, score != "entropy"))


def _packed(dynamics: Dynamics, name: str, probe: int) -> NDArray[np.uint8]:
    """The stored bytes of one sentence, records × layers × heads × queries × keys."""
    layers, heads = dynamics.scores[name].shape[2:]
    sizes = [layers * heads * len(q) * len(k) for q, k in (each.sides(name) for each in dynamics.probes)]
    begin = sum(sizes[:probe])
    return np.ascontiguousarray(dynamics.packed[name][:, begin : begin + sizes[probe]]).ravel()


def _points(steps: Sequence[int], values: NDArray[np.float32]) -> tuple[Point, ...]:
    """(step, value) where it was measured."""
    pairs = zip(steps, values, strict=True)
    return tuple((step, float(value)) for step, value in pairs if np.isfinite(value))


def _score(name: str) -> TrainingScore:
    score = SCORES[name]
    units = tr(score.units.split(" (")[0])
    return TrainingScore(name, tr(score.label), units, score.low, score.high, tr(score.definition))


# -- a stored training, played again ----------------------------------------------------------------------------------------

WHAT = message(
    "Each line is a head, from the first step to the last; the small maps are the same heads at the chosen step."
)
WHY = message(
    "Heads often specialise abruptly: from diffuse to focused within a few steps; others change gradually."
)
MORE = message(
    "**Took shape**: the normalised entropy of a head, $H / \\log(\\text{allowed keys})$, is 1 where it looks everywhere and 0 "
    "where it looks at one token. A head is marked where it loses 0.15 or more within one doubling of the steps; the thick part "
    "of its line is that fall (sudden drops of attention entropy: Zhai et al. 2023, *Stabilizing Transformer Training by "
    "Preventing Attention Entropy Collapse*, who read a collapse of all heads as a sign of trouble).\n\n"
    "**Scores** are means over held-out sentences, measured at the recorded steps, which are spaced logarithmically as the axis is. "
    "**Maps** are of one sentence with its reference translation, kept in one byte per weight: a percentage can be off by 0.4 points.\n\n"
    "**Losses** are in nats per target token, as means; the training loss includes label smoothing and R-Drop where the recipe has them. "
    "**BLEU**, from 0 to 100, is the geometric mean of the shares of one- to four-word sequences that translations share with references "
    "(Papineni et al. 2002)."
)
_LONGEST = 70  # characters of a sentence in the chooser


def replay(shown: CheckpointView) -> None:
    """The recorded training of the selected checkpoint, or a card that says why there is none."""
    if not shown.entry.usable.has_dynamics:
        with cards.card("no_record", fill=False):
            cards.title(
                tr("{name} has no record of its training", name=isolated(shown.entry.name)),
                tr("Checkpoints of python -m core train have one"),
            )
            _offer(shown)
        return
    try:
        dynamics = stored(shown.entry)
    except AtlasError as error:
        cards.mistake(screen_text.sentence(error, shown.entry.path))
        _offer(shown)
        return
    kind, began = cards.kind_of(shown.selection.kind), went_on_from(shown.entry)
    selection = shown.selection
    if began:
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="began"):
            cards.quiet(began, width="content")
            _offer(shown)
    mount(
        DYNAMICS,
        dynamics_data(
            dynamics,
            kind=kind,
            attention=attention_of(shown.entry.config, kind),
            probe=probe_of(dynamics, selection),
            looked=looked(dynamics, selection),
            trained=bool(began),
            warmup=warmup_of(shown.entry),
            plays=not selection.checkpoint and selection.at is None and not selection.lesson,
            about=shown.entry.name,
            file=f"learning-{shown.entry.name}",
        ),
        key="dynamics",
        looked=rest,
    )
    cards.explain(tr(WHAT), tr(WHY), tr(MORE), name="learning")


def _offer(shown: CheckpointView) -> None:
    """A link to the record that begins with random weights."""
    if shown.entry.name != FROM_NOTHING and FROM_NOTHING in {each.name for each in checkpoints.entries()}:
        label = tr("Replay “{name}”, which begins with random weights", name=FROM_NOTHING)
        st.button(label, on_click=state.update, kwargs={"checkpoint": FROM_NOTHING, "watch": "replay"})


def looked(dynamics: Dynamics, selection: Selection) -> TrainingLook:
    """The step, head and score the link selects in this training."""
    layer, head = head_of(dynamics, cards.kind_of(selection.kind), selection)
    return TrainingLook(selection.at, layer, head, selection.badge or FIRST_SCORE)


def rest(new: TrainingLook) -> None:
    """Keep where the reader came to rest."""
    state.update(
        at=new.step, layer=new.layer, head=new.head, badge="" if new.score == FIRST_SCORE else new.score
    )


def sentences(dynamics: Dynamics, selection: Selection) -> None:
    """A picker of the recorded sentences."""
    names = {n: screen_text.plain(probe.source, _LONGEST) for n, probe in enumerate(dynamics.probes)}
    cards.listing(tr("Sentence"), names, state.bind("sentence", shown=probe_of(dynamics, selection)))
