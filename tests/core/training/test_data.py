"""Pairs are read whole, and no sentence of a test is ever trained on.

Names and numbers are put into both sides of a pair alike, or not at all.

Pairs that no file holds: filled templates, typing mistakes, joined sentences.
"""

from __future__ import annotations

import gzip
import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import TrainingError
from core.training.cli import RECIPES
from core.training.config import DataConfig, SourceConfig
from core.training.data import (
    Item,
    Pair,
    Substitution,
    Templates,
    hold_back,
    load_corpus,
    read_column,
    read_items,
    read_pairs,
    sentence_key,
    split_key,
)
from core.training.evaluate import read_required
from core.training.prepared import with_typo
from core.training.tasks import Spelling


def words(number: int) -> str:
    """A sentence of its own for each number, and without digits, which do not tell near duplicates apart."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


def tsv(path: Path, rows: list[tuple[str, ...]]) -> str:
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def test_same_sentence_whatever_case_and_punctuation() -> None:
    assert sentence_key("Run!") == sentence_key("run .") == "run"
    assert sentence_key("Où es-tu ?") != sentence_key("Ou es-tu ?")
    assert sentence_key("?!") == "?!"  # nothing but punctuation still has a key


def test_near_duplicates_differ_in_digits_alone() -> None:
    assert split_key("I am 21 years old.") == split_key("i am 34 years old") == "iamyearsold"
    assert sentence_key("I am 21 years old.") != sentence_key("I am 34 years old.")
    assert split_key("It is 7:30.") != split_key("It was 7:30.")
    assert split_key("3/5/79") != split_key("3/6/79")  # nothing but digits: they are the sentence


def test_columns_of_a_compressed_table(tmp_path: Path) -> None:
    file = tmp_path / "x.tsv.gz"
    file.write_bytes(gzip.compress("a\tb\tc\nd\te\tf\u2028g\n".encode()))
    assert read_column(file, 2) == ["c", "f\u2028g"]
    assert read_pairs(SourceConfig(path=str(file), columns=(2, 0))) == [Pair("c", "a"), Pair("f\u2028g", "d")]


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    file = tsv(tmp_path / "x.tsv", [("a", "b"), ("c",)])
    with pytest.raises(TrainingError, match=r"Line 2 .* has 1 columns; column 1"):
        read_pairs(SourceConfig(path=file))


def test_parallel_files_must_match(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x\ny\n")
    (tmp_path / "b").write_text("1\n\n")
    both = SourceConfig(source_path=str(tmp_path / "a"), target_path=str(tmp_path / "b"))
    assert read_pairs(both) == [Pair("x", "1")]  # the empty line is dropped with its partner
    (tmp_path / "b").write_text("1\n")
    with pytest.raises(TrainingError, match=r"has 2 lines and .* has 1"):
        read_pairs(both)


def test_bad_bytes_are_reported(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_bytes(b"\xff\xfe\t\n")
    with pytest.raises(TrainingError, match="not UTF-8"):
        read_pairs(SourceConfig(path=str(tmp_path / "a.tsv")))
    (tmp_path / "a.gz").write_bytes(b"plain")
    with pytest.raises(TrainingError, match="cannot be read"):
        read_pairs(SourceConfig(path=str(tmp_path / "a.gz")))


WORDS = st.lists(
    st.sampled_from(["Run!", "run", "Go.", "Go 2.", "Stay", "Hi 7", "hi!", "Yes."]), min_size=1, max_size=30
)


@settings(max_examples=50)
@given(WORDS, st.integers(0, 20))
def test_holding_back_never_splits_a_sentence(sources: list[str], count: int) -> None:
    pairs = [Pair(text, str(i)) for i, text in enumerate(sources)]
    kept, held = hold_back(pairs, count, seed=3)
    assert sorted(kept + held) == sorted(pairs)
    assert len(held) <= count
    assert not {split_key(p.source) for p in kept} & {split_key(p.source) for p in held}


def test_holding_back_does_not_depend_on_the_order() -> None:
    pairs = [Pair(words(i), "t") for i in range(50)]
    assert set(hold_back(pairs, 10, 1)[1]) == set(hold_back(pairs[::-1], 10, 1)[1])
    assert set(hold_back(pairs, 10, 1)[1]) != set(hold_back(pairs, 10, 2)[1])
    assert len(hold_back(pairs, 10, 1)[1]) == 10


def test_another_seed_of_training_holds_back_the_same(tmp_path: Path) -> None:
    """A run that goes on from another with another seed must not be measured on what the other has read."""
    sources = (
        SourceConfig(path=tsv(tmp_path / "a.tsv", [(words(i), "x") for i in range(60)]), held_back=20),
    )
    first, second = (load_corpus(DataConfig(sources=sources), seed=seed) for seed in (1, 2))
    assert first.held_back == second.held_back
    assert first.held_back != load_corpus(DataConfig(sources=sources, split_seed=2), seed=1).held_back


def test_no_test_sentence_in_any_training_source(tmp_path: Path) -> None:
    first = tsv(
        tmp_path / "a.tsv", [(f"S {words(i)}.", f"t{i}") for i in range(20)] + [("V!", "x"), ("T", "x")]
    )
    second = tsv(
        tmp_path / "b.tsv",
        [(f"s {words(i)} {i}", f"u{i}") for i in range(20)] + [("v", "y"), ("t", "y"), ("ok", "y")],
    )
    data = DataConfig(
        sources=(SourceConfig(path=first, held_back=5), SourceConfig(path=second, repeat=3)),
        valid=SourceConfig(path=tsv(tmp_path / "v.tsv", [("v", "z")])),
        test=(SourceConfig(path=tsv(tmp_path / "t.tsv", [("t?", "z")])),),
    )
    corpus = load_corpus(data, seed=1)
    trained = {split_key(pair.source) for pair in corpus.train}
    held = {split_key(pair.source) for pair in corpus.held_back["a"]}
    assert len(held) == 5
    assert not trained & (held | {"v", "t"})
    # a: 22 sentences less 5 held back, and less v and t unless these were among the 5.
    left = 22 - len(held | {"v", "t"})
    assert corpus.counts == {"a": left, "b": 23 - len(held | {"v", "t"})}
    assert len(corpus.train) == corpus.counts["a"] + 3 * corpus.counts["b"]
    assert corpus.train.count(Pair("ok", "y")) == 3


def test_generated_splits_share_no_answer() -> None:
    data = DataConfig(
        sources=(SourceConfig(task="dates", pairs=500),),
        valid=SourceConfig(task="dates", split="valid", pairs=200),
    )
    corpus = load_corpus(data, seed=1)
    assert len(corpus.train) == 500
    assert len(corpus.valid) == 200
    assert not {pair.target for pair in corpus.train} & {pair.target for pair in corpus.valid}
    assert load_corpus(data, seed=1) == corpus
    assert load_corpus(data, seed=2).train != corpus.train


def test_classroom_sentences_are_never_held_back(tmp_path: Path) -> None:
    large = tsv(tmp_path / "large.tsv", [(words(i), "x") for i in range(40)])
    kept = tsv(tmp_path / "kept.tsv", [(words(i).upper() + " 3!", "y") for i in range(25)])
    data = DataConfig(
        sources=(SourceConfig(path=large, held_back=15), SourceConfig(path=kept, never_held_back=True))
    )
    corpus = load_corpus(data, seed=1)
    assert {pair.source for pair in corpus.held_back["large"]} == {words(i) for i in range(25, 40)}
    assert corpus.counts == {"large": 25, "kept": 25}


@pytest.mark.parametrize("by", ["source", "both"])
def test_held_back_by_both_sentences(tmp_path: Path, by: str) -> None:
    """All pairs have one target, so that whichever source is held back, `both` leaves none of them."""
    pairs = [("a", "Same."), ("b", "same 2")]
    other = tsv(tmp_path / "other.tsv", [("other", "else")])
    path = tsv(tmp_path / "pairs.tsv", pairs)
    corpus = load_corpus(
        DataConfig(sources=(SourceConfig(path=path, held_back=1, held_back_by=by), SourceConfig(path=other))),
        seed=1,
    )
    (held,) = corpus.held_back["pairs"]
    rest = {pair.source for pair in corpus.train} - {"other"}
    assert rest == ({"a", "b"} - {held.source} if by == "source" else set())


def test_a_classroom_translation_is_never_held_back_either(tmp_path: Path) -> None:
    """Held back by both sentences, "Wie heißen Sie?" would take the classroom's "What is your name?" with it."""
    large = tsv(tmp_path / "large.tsv", [(words(i), words(i // 10) + "!") for i in range(40)])
    kept = tsv(tmp_path / "kept.tsv", [("mine", words(2))])
    data = DataConfig(
        sources=(
            SourceConfig(path=large, held_back=29, held_back_by="both"),
            SourceConfig(path=kept, never_held_back=True),
        )
    )
    corpus = load_corpus(data, seed=1)
    assert len(corpus.held_back["large"]) == 29
    assert words(2) not in {split_key(pair.target) for pair in corpus.held_back["large"]}
    assert Pair("mine", words(2)) in corpus.train


@pytest.mark.parametrize("by", ["source", "both"])
def test_test_pairs_are_unseen_by_both_sentences(tmp_path: Path, by: str) -> None:
    train = tsv(
        tmp_path / "train.tsv", [("Ein Hund.", "A dog."), ("Der Hund.", "The dog."), ("Die Katze", "A cat")]
    )
    data = DataConfig(
        sources=(SourceConfig(path=train),),
        valid=SourceConfig(path=tsv(tmp_path / "v.tsv", [("Hunde", "the dog")]), held_back_by=by),
        test=(SourceConfig(path=tsv(tmp_path / "t.tsv", [("ein Hund", "One dog")]), held_back_by=by),),
    )
    left = {pair.source for pair in load_corpus(data, seed=1).train}
    assert left == ({"Der Hund.", "Die Katze"} if by == "source" else {"Die Katze"})


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


NAMES = [
    Item("man", "Paul", "Paul"),
    Item("woman", "Mary", "Marie"),
    Item("surname", "Smith", "Smith"),
    Item("city", "London", "Londres"),
]
NAMES = Substitution(NAMES, share=1, invented=0)


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
