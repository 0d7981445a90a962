"""Training dynamics of an untrusted checkpoint, checked before a page draws them; and sudden drops of attention entropy.

Entropy drops: Zhai et al. 2023. Numpy only, no torch.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.analysis.glossary import SCORES
from core.checkpoints import files
from core.errors import CheckpointError, InputError
from core.files import damage_as
from core.model.config import ModelConfig
from core.training.dynamics import KINDS, Dynamics, load_dynamics

SUDDEN: Final = 0.15
"""The share of the largest possible entropy that a head must lose, within one doubling of the steps, to be marked."""


@dataclass(frozen=True)
class Drop:
    """The steepest fall of one head: from record `start` to record `end`, normalised entropy `before` → `after`."""

    layer: int
    head: int
    start: int
    end: int
    before: float
    after: float

    @property
    def fall(self) -> float:
        """The loss of entropy, 0 to 1."""
        return self.before - self.after


def sudden_drops(steps: ArrayLike, entropy: ArrayLike, least: float = SUDDEN) -> tuple[Drop, ...]:
    """For each head its largest fall of normalised entropy within one doubling of the steps, where that is at least `least`.

    `steps (K,)` rise from 0; `entropy (K, L, H)` is H / log(keys) in 0..1, NaN where unknown. Training is recorded at
    logarithmically spaced steps, so "sudden" is measured on that axis: between step t and step 2t, and between
    the untrained model and step 1. Of equal falls the first, and of those the shortest. Earliest end first.
    Raises `InputError` for shapes that do not fit.
    """
    at, values = np.asarray(steps, dtype=np.int64), np.asarray(entropy, dtype=np.float64)
    if values.ndim != 3 or values.shape[0] != len(at) or (np.diff(at) <= 0).any():
        raise InputError(
            f"Entropies {values.shape} need as many rising steps, one a record; these are {at.shape}."
        )
    drops = [
        drop
        for layer, head in np.ndindex(values.shape[1:])
        if (drop := _steepest(at, values[:, layer, head], layer, head)) is not None and drop.fall >= least
    ]
    return tuple(sorted(drops, key=lambda drop: (drop.end, drop.start, drop.layer, drop.head)))


def _steepest(at: NDArray[np.int64], values: NDArray[np.float64], layer: int, head: int) -> Drop | None:
    best: Drop | None = None
    for start in range(len(at) - 1):
        for end in range(start + 1, len(at)):
            if at[end] > max(1, 2 * at[start]) or not np.isfinite(values[[start, end]]).all():
                continue
            drop = Drop(layer, head, start, end, float(values[start]), float(values[end]))
            if best is None or drop.fall > best.fall + 1e-12:
                best = drop
    return best


MAX_BYTES: Final = 2**25  # unpacked
MOST_RECORDS: Final = 500
MOST_PROBES: Final = 64
LONGEST_TEXT: Final = 20_000  # characters
LONGEST_LABEL: Final = 400
LAST_STEP: Final = 10**9
_SLACK: Final = 2e-2  # scores are kept in half precision


def stored_dynamics(folder: Path, config: ModelConfig) -> Dynamics:
    """The training dynamics in a checkpoint's folder. Raises `CheckpointError` with one sentence where there are none, or
    they are not of this model, or have impossible values.
    """
    path = files.file_in(folder, files.DYNAMICS)
    dynamics = load_dynamics(path, MAX_BYTES)
    with damage_as(
        CheckpointError,
        lambda reason: f"{path} is not the training of this model ({reason}); copy the file again.",
    ):
        _check_steps(dynamics)
        _check_probes(dynamics, config)
        _check_scores(dynamics, config)
        _check_maps(dynamics)
    return dynamics


def _check_steps(dynamics: Dynamics) -> None:
    steps = dynamics.steps
    if steps.dtype.kind != "i" or not 0 < len(steps) <= MOST_RECORDS:
        raise ValueError(f"it has {len(steps)} records, or steps that are no whole numbers")
    if (np.diff(steps) <= 0).any() or steps[0] < 0 or steps[-1] > LAST_STEP:
        raise ValueError("its steps do not rise")
    for name, high in (("train_loss", np.inf), ("valid_loss", np.inf), ("bleu", 100.0)):
        values = getattr(dynamics, name).astype(np.float64)
        if np.isinf(values).any() or (values < 0).any() or (values > high + 1e-3).any():
            raise ValueError(f"its {name} cannot be")
    if not 0 <= dynamics.scored_sentences < 10**9:
        raise ValueError("its number of sentences cannot be")


def _check_probes(dynamics: Dynamics, config: ModelConfig) -> None:
    if not 0 < len(dynamics.probes) <= MOST_PROBES:
        raise ValueError(f"it follows {len(dynamics.probes)} sentences")
    for probe in dynamics.probes:
        if len(probe.target_tokens) != len(probe.written_tokens):
            raise ValueError("not every row of a sentence wrote a token")
        for row in (probe.source_tokens, probe.target_tokens):
            if not 0 < len(row) <= config.max_length + 1:
                raise ValueError(f"a sentence has {len(row)} tokens")
        for text in (probe.source, probe.target):
            if len(text) > LONGEST_TEXT:
                raise ValueError("a sentence is too long")
        labels = (*probe.source_tokens, *probe.target_tokens, *probe.written_tokens)
        if max(map(len, labels)) > LONGEST_LABEL:
            raise ValueError("a token is too long")
        "".join((probe.source, probe.target, *labels)).encode("utf-8")  # half a character is a ValueError


def _check_scores(dynamics: Dynamics, config: ModelConfig) -> None:
    names = dynamics.score_names
    if len(set(names)) != len(names) or not set(names) <= set(SCORES) or "normalised_entropy" not in names:
        raise ValueError("its scores are not known here")
    for kind in KINDS:
        layers = config.layers("encoder" if kind == "encoder-self" else "decoder")
        if dynamics.scores[kind].shape[2:] != (layers, config.heads):
            raise ValueError(f"the heads of {kind} are {dynamics.scores[kind].shape[2:]}")
        for name in names:
            values, score = dynamics.score(kind, name), SCORES[name]
            high = np.inf if score.high is None else score.high
            if (
                np.isinf(values).any()
                or (values < score.low - _SLACK).any()
                or (values > high + _SLACK).any()
            ):
                raise ValueError(f"{kind} {name} lies outside its range")


def _check_maps(dynamics: Dynamics) -> None:
    for number in range(len(dynamics.probes)):
        for kind in KINDS:
            maps = dynamics.maps(kind, number)
            if not (maps.sum(axis=-1) > 0).all():
                raise ValueError(f"a row of {kind} looks at nothing")
            if kind == "decoder-self" and np.triu(maps, 1).any():
                raise ValueError("a decoder row looks ahead")
