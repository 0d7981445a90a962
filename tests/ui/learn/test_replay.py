"""The card of the two trainings, with the mask and without, says what was measured."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from core.language import speaking
from core.learning.trials import stored
from tests.serving import ROOT
from ui.learn.dynamics_view import warmup_of
from ui.learn.replay import mask_data
from ui.shared import checkpoints


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


@pytest.mark.parametrize("name", ["en-fr", "dates"])
def test_the_warm_up_is_that_of_the_recipe_on_the_card(name: str) -> None:
    entry, problem = checkpoints.find(name)
    assert not problem
    card = json.loads((ROOT / "checkpoints" / name / "card.json").read_text("utf-8"))
    assert warmup_of(entry) == card["recipe"]["training"]["warmup_steps"] > 0


@pytest.mark.parametrize(
    "recipe",
    [
        None,
        [],
        {"training": 3},
        *({"training": {"warmup_steps": steps}} for steps in (-1, True, "9", 10**400)),
    ],
)
def test_a_card_without_a_usable_warm_up_marks_none(recipe: object) -> None:
    entry = SimpleNamespace(usable=SimpleNamespace(card={"recipe": recipe}))
    assert warmup_of(entry) == 0  # type: ignore[arg-type]
