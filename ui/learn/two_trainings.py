"""Two trainings side by side, with and without the causal mask: what each learns, and what it writes by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from core.language import message, plural, tr
from core.learning import mask_training
from core.learning.mask_training import SHOWN_STEPS, Training, TwoTrainings
from ui.shared import cards
from ui.shared.mount import View, mount


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
WHAT: Final = message("Two small models learn to write 4 to 7 letters backwards. Only the mask differs.")
WHY: Final = message("A low training loss shows nothing if the model sees the answer while it trains.")
MORE: Final = message(
    "Both begin with the same weights and see the same {batches} batches of 64 words. The maps are of a word that neither was "
    "trained on, with its answer as the decoder's input, as in training. To write by itself, the model gets only what it has "
    "written: the letters that the unmasked model learned to copy are not there yet. Measured again by "
    "`python -m core.learning.mask_trainer`; seed {seed}."
)


def two_trainings() -> None:
    """The card, and what it means."""
    both = mask_training.stored()
    mount(TWO_TRAININGS, data(both), key="two_trainings")
    cards.explain(
        tr(WHAT), tr(WHY), tr(MORE, batches=SHOWN_STEPS[-1] + 1, seed=both.seed), name="two_trainings"
    )


def data(both: TwoTrainings) -> TwoTrainingsData:
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
        bound=mask_training.ALMOST,
        steps=both.faster,
    )


def _training(each: Training, tested: int) -> TrainingData:
    def flat(maps: Sequence[mask_training.Rows]) -> NDArray[np.float32]:
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
