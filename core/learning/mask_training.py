"""What two trainings showed that differ in one thing: with the decoder's causal mask and without it.

Both write short words backwards, from the same first weights and the same batches. Without the mask each position sees the
letter that it has to write, so the loss falls faster, and the model cannot write: by itself it has nothing to copy.
`python -m core.learning.mask_trainer` trains both again and writes `mask_training.json` beside this file.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from core.errors import CheckpointError

STORED: Final = Path(__file__).with_suffix(".json")
SHOWN_STEPS: Final = (0, 50, 200, 500)
EVERY: Final = 5  # batches of one loss
ALMOST: Final = 0.1  # nats per token: nearly everything is right

Rows = list[list[float]]


@dataclass(frozen=True)
class Moment:
    """Attention at one step of a training, on the word of the story with its answer as input.

    `causal` (T, T) and `cross` (T, S): rows are the tokens read, in order ⟨start⟩ and the answer's letters.
    """

    step: int
    causal: Rows
    cross: Rows


@dataclass(frozen=True)
class Training:
    """One training: its losses (nats per token, the mean of the EVERY batches before) at each of `steps`, its attention,
    and what it writes by itself.

    `written` are letters and at their end, where it ended, "⟨end⟩"; `right` counts the held-out words written right.
    """

    masked: bool
    steps: list[int]
    losses: list[float]
    moments: list[Moment]
    written: list[str]
    right: int


@dataclass(frozen=True)
class TwoTrainings:
    """Both trainings, with the mask and without, and the held-out word whose attention they show."""

    seed: int
    word: str
    tested: int
    trainings: list[Training]

    @property
    def faster(self) -> int:
        """How many steps earlier the loss without the mask falls below ALMOST; negative where it is later."""
        first = [
            next(
                (step for step, loss in zip(each.steps, each.losses, strict=True) if loss < ALMOST),
                each.steps[-1],
            )
            for each in self.trainings
        ]
        return first[0] - first[1]

    @property
    def answer(self) -> str:
        """The word backwards."""
        return self.word[::-1]


@cache
def stored() -> TwoTrainings:
    """What was measured for the app. Raises CheckpointError where the file is missing or damaged."""
    try:
        data = json.loads(STORED.read_text("utf-8"))
        trainings = [
            Training(**{**each, "moments": [Moment(**moment) for moment in each["moments"]]})
            for each in data["trainings"]
        ]
        return TwoTrainings(**{**data, "trainings": trainings})
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise CheckpointError(
            f"{STORED.name} cannot be read; run python -m core.learning.mask_trainer."
        ) from error
