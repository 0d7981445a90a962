"""The times of attention and feed-forward by length, measured in this session when the reader asks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ui.session import state
from ui.shared import models

if TYPE_CHECKING:
    from core.learning.cost import Times
    from ui.shared.context import CheckpointView


def known(shown: CheckpointView) -> Mapping[int, Times] | None:
    """What this session measured of the checkpoint on its device; None before it has."""
    return state.times().get((shown.entry.stamp, shown.device))


def measure(shown: CheckpointView) -> Mapping[int, Times]:
    """Measure now and keep it for this session. Raises `AtlasError`."""
    from core.learning import cost

    model, key = shown.load().model, shown.checkpoint.key("attention times")
    with models.turn(key, heavy=True):
        made = models.with_room(shown.entry, lambda: cost.times(model))
    state.times.set({**state.times(), (shown.entry.stamp, shown.device): made})
    return made
