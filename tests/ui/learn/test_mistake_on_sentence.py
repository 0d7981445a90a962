"""The game's rounds: a deal is one game for everybody, each of its ten rounds has one right name of four, none gives itself away."""

from __future__ import annotations

import pytest

from core.learning.mistakes import IDS
from ui.learn import mistake_on_sentence as game


@pytest.mark.parametrize("number", range(12))
def test_a_deal(number: int) -> None:
    played = game.deal(number, IDS)
    assert played == game.deal(number, IDS) and len(played) == game.ROUNDS
    assert len({each.answer for each in played}) == game.ROUNDS
    for each in played:
        assert len(set(each.names)) == game.CHOICES and each.names[each.right - 1] == each.answer
        assert set(each.names) - {each.answer} <= set(game.OTHERS[each.answer])


def test_the_right_name_stands_everywhere_and_deals_differ() -> None:
    dealt = [game.deal(number, IDS) for number in range(20)]
    assert len({tuple(each.answer for each in played) for played in dealt}) == 20
    places = [each.right for played in dealt for each in played]
    assert all(places.count(place) > 25 for place in (1, 2, 3, 4))


def test_a_model_that_can_show_less_plays_fewer_rounds_and_still_four_names() -> None:
    fit = [name for name in IDS if "head" not in name and "merge" not in name and "scale" not in name]
    played = game.deal(0, fit)
    assert len(played) == len([name for name in game.OTHERS if name in fit])
    assert all(len(set(each.names)) == 4 and set(each.names) <= set(fit) for each in played)


def test_the_score() -> None:
    played = game.deal(1, IDS)
    right = [each.right for each in played]
    assert game.score(played, right) == 10 and game.score(played, right[:3]) == 3
    assert game.score(played, [1 + right[0] % 4, *right[1:]]) == 9
