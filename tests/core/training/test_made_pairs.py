"""Pairs that no file holds: filled templates, typing mistakes, joined sentences."""

from __future__ import annotations

import random
import re

import pytest

from core.errors import TrainingError
from core.training.cli import RECIPES
from core.training.data import Item, Pair, Substitution, Templates, read_items
from core.training.evaluate import read_required
from core.training.prepared import with_typo
from core.training.tasks import Spelling

ITEMS = [
    Item("man", "Paul", "Paul"),
    Item("woman", "Mary", "Marie"),
    Item("surname", "Smith", "Smith"),
    Item("city", "London", "Londres"),
]
NAMES = Substitution(ITEMS, share=1, invented=0)


def draw(line: tuple[str, str], draws: int = 40, invented: float = 0.0) -> set[Pair]:
    templates, rng = Templates([line], NAMES, ("en", "fr")), random.Random(1)
    return {templates.draw(rng, invented) for _ in range(draws)}


def test_a_slot_takes_the_form_of_its_language() -> None:
    line = ("{woman} {surname} lives in {city}.", "{woman} {surname} vit à {city}.")
    assert draw(line) == {Pair("Mary Smith lives in London.", "Marie Smith vit à Londres.")}


def test_both_sides_have_the_same_time_and_price_each_in_its_way() -> None:
    for pair in draw(("At {time} for {price}.", "À {time} pour {price}.")):
        english = re.fullmatch(r"At (\d+):(\d\d) for (\d+)(?:\.(\d\d))?\.", pair.source)
        french = re.fullmatch(r"À (\d+) h (\d\d) pour (\d+)(?:,(\d\d))?\.", pair.target)
        assert english
        assert french
        assert english.groups() == french.groups()


def test_an_invented_name_is_the_same_on_both_sides_and_on_no_list() -> None:
    names = {(pair.source, pair.target) for pair in draw(("{man}!", "{man} !"), invented=1.0)}
    assert len(names) > 20
    assert all(target == source.replace("!", " !") for source, target in names)
    assert ("Paul!", "Paul !") not in names


def test_french_elides_before_a_vowel() -> None:
    pairs = draw(
        ("I think {man} has the book of {woman}.", "Je crois que {man} a le livre de {woman}."), 300, 1.0
    )
    vowel = 0
    for pair in pairs:
        man, woman = re.fullmatch(r"I think (.+) has the book of (.+)\.", pair.source).groups()  # type: ignore[union-attr]
        said = [
            f"{kept}'{name}" if name[0] in "AEIOU" else f"{kept}e {name}"
            for kept, name in (("qu", man), ("d", woman))
        ]
        assert pair.target == f"Je crois {said[0]} a le livre {said[1]}."
        vowel += man[0] in "AEIOU"
    assert 0.15 < vowel / len(pairs) < 0.35


def test_a_first_name_may_have_two_parts_the_second_with_a_capital_or_without() -> None:
    parts = [pair.source[:-1].split("-") for pair in draw(("{man}!", "{man} !"), 800, 1.0)]
    seconds = [second for _, second in filter(lambda found: len(found) == 2, parts)]
    assert 0.04 < len(seconds) / len(parts) < 0.13
    assert any(second.islower() for second in seconds) and any(second.istitle() for second in seconds)
    assert all("-" not in pair.source for pair in draw(("{surname}!", "{surname} !"), 100, 1.0))


@pytest.mark.parametrize(
    "line", [("{man} left.", "Il est parti."), ("{star} shines.", "{star} brille."), ("{man}.", "{man2}.")]
)
def test_slots_that_differ_or_are_unknown_are_refused(line: tuple[str, str]) -> None:
    with pytest.raises(TrainingError, match="same slots"):
        Templates([line], NAMES, ("en", "fr"))


@pytest.mark.parametrize("languages", [("en", "fr"), ("de", "en")])
def test_every_shipped_template_can_be_filled(languages: tuple[str, str]) -> None:
    names = Substitution(read_items(RECIPES / "substitutions.tsv", *languages), share=1, invented=0)
    templates = Templates.read(RECIPES / "templates.tsv", names, *languages)
    rng = random.Random(2)
    for line in templates.lines:
        pair = Templates([line], names, languages).draw(rng, 0.5)
        assert "{" not in pair.source + pair.target
        assert sorted(re.findall(r"\d{3,}", pair.source)) == sorted(re.findall(r"\d{3,}", pair.target))


def test_an_invented_spelling_is_new_and_made_of_the_list_s_letter_triples() -> None:
    names = {
        item.source
        for item in read_items(RECIPES / "substitutions.tsv", "en", "fr")
        if item.kind == "surname"
    }
    triples = {f"^^{name.lower()}$"[i : i + 3] for name in names for i in range(len(name) + 1)}
    spelling, rng = Spelling(names), random.Random(3)
    for vowel in (False, True):
        drawn = {spelling.draw(rng, vowel=vowel) for _ in range(40)}
        assert len(drawn) > 30
        assert not drawn & names
        own = [
            name
            for name in drawn
            if {f"^^{name.lower()}$"[i : i + 3] for i in range(len(name) + 1)} <= triples
        ]
        assert len(own) > 0.9 * len(drawn)
        assert all((name[0] in "AEIOUÀÉÖ") == vowel for name in drawn)


def test_a_typo_changes_one_lower_case_word_that_is_not_copied() -> None:
    text, target = "Paul bought chocolate in London", "Paul a acheté chocolate"
    drawn = {with_typo(text, random.Random(seed), keep=target) for seed in range(60)}
    assert text not in drawn or len(drawn) > 1
    for changed in drawn:
        words = changed.split()
        assert [w for i, w in enumerate(words) if i != 1] == ["Paul", "chocolate", "in", "London"]
        assert words[1][0] == "b"
        assert abs(len(words[1]) - len("bought")) <= 1
    assert with_typo("I am 12.", random.Random(0)) == "I am 12."


@pytest.mark.parametrize("name", ["unseen_names.tsv", "unseen_names.de.tsv"])
def test_what_a_translation_must_keep_stands_in_no_training_list(name: str) -> None:
    listed = set()
    for line in (RECIPES / "substitutions.tsv").read_text(encoding="utf-8").splitlines():
        listed |= set(line.split("\t")[1:])
    required = read_required(str(RECIPES / name))
    assert len(required) == 60
    for sentence, items in required:
        for ways in items:
            assert ways[0] in sentence or ways[0].isdigit()
            assert ways[0] not in listed
