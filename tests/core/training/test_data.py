"""Pairs are read whole, and no sentence of a test is ever trained on."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import TrainingError
from core.training.config import DataConfig, SourceConfig
from core.training.data import (
    Pair,
    hold_back,
    load_corpus,
    read_column,
    read_pairs,
    sentence_key,
    split_key,
)


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
