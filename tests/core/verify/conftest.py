"""What lets a test of one check leave out the others that take long."""

from __future__ import annotations

import pytest

import core.verify.beams
import core.verify.decodes


@pytest.fixture
def without_decodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """`verify` writes no translation again, which is two thirds of its time: beams, batches, steps back, what is drawn.

    For faults that the checks of the recorded pass see.
    """
    for module, name in (
        (core.verify.beams, "batch_gap"),
        (core.verify.beams, "beam_gap"),
        (core.verify.decodes, "back_gap"),
        (core.verify.decodes, "drawn_gap"),
    ):
        monkeypatch.setattr(module, name, lambda *args: 0.0)
