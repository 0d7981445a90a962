"""Names and numbers are put into both sides of a pair alike, or not at all."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from core.errors import TrainingError
from core.training.cli import RECIPES
from core.training.data import Item, Pair, Substitution, read_items

ITEMS = [
    Item("man", "Tom", "Tom"),
    Item("man", "Paul", "Paul"),
    Item("man", "Adam", "Adam"),
    Item("man", "Eric", "Eric"),
    Item("woman", "Mary", "Mary"),
    Item("woman", "Julia", "Julia"),
    Item("city", "London", "Londres"),
    Item("city", "Vienna", "Vienne"),
]


def drawn(pair: Pair, *, share: float = 1.0, invented: float = 0.0, draws: int = 60) -> set[Pair]:
    substitution, rng = Substitution(ITEMS, share=share, invented=invented), random.Random(1)
    return {substitution(pair, rng) for _ in range(draws)}


def test_a_name_gives_way_to_one_of_its_class_on_both_sides() -> None:
    pair = Pair("Tom's house is in London.", "La maison de Tom est à Londres.")
    assert drawn(pair) == {
        Pair(f"{name}'s house is in {en}.", f"La maison de {name} est à {fr}.")
        for name in ("Tom", "Paul")
        for en, fr in (("London", "Londres"), ("Vienna", "Vienne"))
    }


def test_elision_stays_right() -> None:
    assert {pair.target for pair in drawn(Pair("Adam's book", "Le livre d'Adam"))} == {
        "Le livre d'Adam",
        "Le livre d'Eric",
    }


@pytest.mark.parametrize(
    "pair",
    [
        Pair("Tom left.", "Il est parti."),  # only one side has it
        Pair("Tom saw Tom.", "Tom a vu Tom."),  # which is which?
        Pair("Tomorrow London-Paris.", "Demain Londres-Paris."),  # part of another word
        Pair("I ate 1 apple in 0 days.", "J'ai mangé 1 pomme en 0 jour."),  # one and none are no plural
        Pair("It costs 2.50 or 1,000.", "Ça coûte 2.50 ou 1,000."),
        Pair("The 3rd of 5.", "Le 3e des cinq."),
        Pair("At 14:30", "À 14:30"),  # a time of 24 hours is written otherwise in English
        Pair("No item.", "Rien."),
    ],
)
def test_what_stays(pair: Pair) -> None:
    assert drawn(pair) == {pair}


def test_numbers_stay_in_their_range() -> None:
    seen = drawn(Pair("In 1999 he was 7 and had 15 cats.", "En 1999 il avait 7 ans et 15 chats."), draws=300)
    assert len(seen) > 200
    for pair in seen:
        left, right = (list(map(int, re.findall(r"\d+", text))) for text in pair)
        assert left == right
        assert 1500 <= left[0] <= 2099
        assert 2 <= left[1] <= 12
        assert 13 <= left[2] <= 24


def test_times_keep_each_language_s_spelling() -> None:
    seen = drawn(Pair("It is 7:30.", "Il est 7 h 30."), draws=200)
    assert len(seen) > 50
    for pair in seen:
        hour, minute = re.fullmatch(r"It is (\d+):(\d\d)\.", pair.source).groups()  # type: ignore[union-attr]
        assert pair.target == f"Il est {hour} h {minute}."
        assert 1 <= int(hour) <= 12
        assert int(minute) % 5 == 0


def test_share_and_invented_names() -> None:
    pair = Pair("Julia sleeps.", "Julia dort.")
    assert drawn(pair, share=0.0) == {pair}
    names = [p.source.split()[0] for p in drawn(pair, invented=1.0, draws=50)]
    assert len(names) > 40
    assert not {"Mary", "Julia"} & set(names)
    assert all(p.target == p.source.replace("sleeps", "dort") for p in drawn(pair, invented=1.0))


def test_a_list_without_the_language_is_named(tmp_path: Path) -> None:
    file = tmp_path / "list.tsv"
    file.write_text("# names\nclass\ten\tfr\nman\tTom\tTom\n")
    assert read_items(file, "en", "fr") == [Item("man", "Tom", "Tom")]
    with pytest.raises(TrainingError, match="has no column 'de'; it has class, en, fr"):
        read_items(file, "en", "de")
    file.write_text("class\ten\tfr\nman\tTom\n")
    with pytest.raises(TrainingError, match="Row 2 of .* has 2 cells, not 3"):
        read_items(file, "en", "fr")


@pytest.mark.parametrize("target", ["fr", "de"])
def test_the_packaged_list(target: str) -> None:
    items = read_items(RECIPES / "substitutions.tsv", "en", target)
    assert len(items) > 500
    assert len({(item.kind, item.source) for item in items}) == len(items)
    for item in items:
        # A word the substitution can find, and a beginning before which elision is certain.
        assert re.fullmatch(r"[^\W\d_]+(-[^\W\d_]+)*", item.source), item
        assert re.fullmatch(r"[^\W\d_]+(-[^\W\d_]+)*", item.target), item
        assert item.target[0] not in "HYhy", item
    # In a large enough group, nothing always comes out the same.
    groups = [item.group for item in items]
    assert min(groups.count(group) for group in set(groups)) >= 3
