"""The card of the two trainings, with the mask and without, says what was measured."""

from __future__ import annotations

from core.language import speaking
from core.learning.trials import stored
from ui.learn.watch import mask_data


def test_the_card_says_what_was_measured() -> None:
    both = stored()
    drawn = mask_data(both)
    assert drawn.title == "Without the mask the loss falls faster, and the output is useless"
    assert f" {both.faster} steps earlier" in drawn.readout
    assert [each.outcome for each in drawn.trainings] == [
        f"{both.trainings[0].right} of 100 new words right",
        f"{both.trainings[1].right} of 100 new words right: it stops at once",
    ]
    assert (list(drawn.reads), list(drawn.writes)) == (["⟨start⟩", *both.answer], [*both.answer, "⟨end⟩"])
    with speaking("fr"):
        assert mask_data(both).title != drawn.title
