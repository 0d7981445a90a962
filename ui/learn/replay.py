"""Recorded trainings: that of the selected checkpoint played again, and two side by side, with and without the causal mask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.errors import AtlasError
from core.language import message, plural, tr
from core.learning import trials
from core.learning.trials import SHOWN_STEPS, Training, TwoTrainings
from core.model.hooks import attention_of
from core.training.dynamics import Dynamics
from ui.learn import dynamics_view as data
from ui.learn.dynamics_view import DYNAMICS, FIRST_SCORE, DynamicsData, TrainingLook
from ui.session import state
from ui.session.selection import Selection
from ui.shared import cards, checkpoints
from ui.shared.context import CheckpointView
from ui.shared.mount import View, mount
from ui.style import screen_text

# -- a stored training ----------------------------------------------------------------------------------------

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
    "**Maps** are of one sentence with its reference translation, kept in one byte a weight: a percentage can be off by 0.4 points.\n\n"
    "**Losses** are in nats a target token; the one of training holds label smoothing and R-Drop where the recipe has them. "
    "**BLEU**, from 0 to 100, counts the sequences of up to four words that translations share with references (Papineni et al. 2002)."
)
FROM_NOTHING = "dates"
"""The checkpoint whose record begins with random weights; it is replayed where none was chosen."""
_LONGEST = 70  # characters of a sentence in the chooser


def replay(shown: CheckpointView) -> None:
    """The recorded training of the selected checkpoint, or one sentence why there is none."""
    try:
        dynamics = data.stored(shown.entry)
    except AtlasError as error:
        cards.notice(screen_text.sentence(error, shown.entry.path))
        _offer(shown)
        return
    kind, began = cards.kind_of(shown.selection.kind), data.went_on_from(shown.entry)
    selection = shown.selection
    if began:
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="began"):
            cards.quiet(began, width="content")
            _offer(shown)
    mount(
        DYNAMICS,
        DynamicsData(
            dynamics,
            kind=kind,
            attention=attention_of(shown.entry.config, kind),
            probe=data.probe_of(dynamics, selection),
            looked=looked(dynamics, selection),
            trained=bool(began),
            warmup=data.warmup_of(shown.entry),
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
    layer, head = data.head_of(dynamics, cards.kind_of(selection.kind), selection)
    return TrainingLook(selection.at, layer, head, selection.badge or FIRST_SCORE)


def rest(new: TrainingLook) -> None:
    """Keep where the reader came to rest."""
    state.update(
        at=new.step, layer=new.layer, head=new.head, badge="" if new.score == FIRST_SCORE else new.score
    )


def sentences(dynamics: Dynamics, selection: Selection) -> None:
    """A picker of the recorded sentences."""
    names = [screen_text.plain(probe.source, _LONGEST) for probe in dynamics.probes]
    st.selectbox(
        tr("Sentence"),
        range(len(names)),
        format_func=names.__getitem__,
        label_visibility="collapsed",
        **state.bind("sentence", shown=data.probe_of(dynamics, selection)),
    )


# -- two trainings side by side -------------------------------------------------------------------------------


@dataclass(frozen=True)
class TrainingData:
    """One of the two: its name, losses, and at each shown step both maps, step by step, `(steps · T · S)` flat.

    Without the mask, the cells of self-attention that hold the letter to write are outlined.
    """

    title: str
    subtitle: str
    outcome: str
    losses: Sequence[float]
    causal: NDArray[np.float32]
    cross: NDArray[np.float32]
    written: Sequence[str]
    masked: bool


@dataclass(frozen=True)
class TwoTrainingsData:
    """Both trainings on one held-out word. `reads` and `writes` are the labels of rows; `steps` those of the maps."""

    title: str
    subtitle: str
    readout: str
    source: Sequence[str]
    reads: Sequence[str]
    writes: Sequence[str]
    loss_steps: Sequence[int]
    steps: Sequence[int]
    trainings: Sequence[TrainingData]
    about: str


TWO_TRAININGS = View("two_trainings", TwoTrainingsData)
MASK_WHAT: Final = message("Two small models learn to write 4 to 7 letters backwards. Only the mask differs.")
MASK_WHY: Final = message("A low training loss shows nothing if the model sees the answer while it trains.")
MASK_MORE: Final = message(
    "Both begin with the same weights and see the same {batches} batches of 64 words. The maps are of a word that neither was "
    "trained on, with its answer as the decoder's input, as in training. To write by itself, the model gets only what it has "
    "written: the letters that the unmasked model learned to copy are not there yet. Measured again by "
    "`python -m core.learning.trials`; seed {seed}."
)


def two_trainings() -> None:
    """The card, and what it means."""
    both = trials.stored()
    mount(TWO_TRAININGS, mask_data(both), key="two_trainings")
    cards.explain(
        tr(MASK_WHAT),
        tr(MASK_WHY),
        tr(MASK_MORE, batches=SHOWN_STEPS[-1] + 1, seed=both.seed),
        name="two_trainings",
    )


def mask_data(both: TwoTrainings) -> TwoTrainingsData:
    """What the view draws, with its sentences."""
    end = "⟨end⟩"
    return TwoTrainingsData(
        title=title(both),
        subtitle=tr(
            "Same data, same first weights, {steps} steps. One has the causal mask.", steps=SHOWN_STEPS[-1]
        ),
        readout=readout(both),
        source=[*both.word, end],
        reads=["⟨start⟩", *both.answer],
        writes=[*both.answer, end],
        loss_steps=both.trainings[0].steps,
        steps=[moment.step for moment in both.trainings[0].moments],
        trainings=[_training(each, both.tested) for each in both.trainings],
        about=tr("reverse, {count} letters", count=len(both.word)),
    )


def title(both: TwoTrainings) -> str:
    """What the two trainings show, from their figures."""
    useless = both.trainings[1].right <= 0.1 * both.trainings[0].right
    if useless and both.faster > 0:
        return tr("Without the mask the loss falls faster, and the output is useless")
    if useless:
        return tr("Without the mask the output is useless")
    return tr("Here both models can write")


def readout(both: TwoTrainings) -> str:
    """How much faster, and why it does not help."""
    if both.faster <= 0:
        return tr("Without the mask, a position also sees the letter that it has to write.")
    return tr(
        "Without the mask the loss is below {bound} nats per token {steps} steps earlier. The outlined cells hold the letter to "
        "write: this model copies it. When it writes by itself, they are empty.",
        bound=trials.ALMOST,
        steps=both.faster,
    )


def _training(each: Training, tested: int) -> TrainingData:
    def flat(maps: Sequence[trials.Rows]) -> NDArray[np.float32]:
        return np.asarray(maps, dtype=np.float32).ravel()

    with_mask = tr("Each position sees only the letters already written.")
    without = tr("Each position also sees the letter it has to write.")
    right = plural(
        "{count} of {tested} new words right",
        "{count} of {tested} new words right",
        each.right,
        tested=tested,
    )
    at_once = tr("{right}: it stops at once", right=right)
    return TrainingData(
        title=tr("With the mask") if each.masked else tr("Without the mask"),
        subtitle=with_mask if each.masked else without,
        outcome=at_once if each.written[:1] == ["⟨end⟩"] else right,
        losses=each.losses,
        causal=flat([moment.causal for moment in each.moments]),
        cross=flat([moment.cross for moment in each.moments]),
        written=each.written,
        masked=each.masked,
    )
