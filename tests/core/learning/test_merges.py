"""Merges of ten words, against counts of strings and against the `tokenizers` library."""

from __future__ import annotations

from tokenizers import Tokenizer
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.trainers import BpeTrainer

from core.learning import merges
from core.learning.merges import MERGES, NEW_WORD, WORDS, join, learn, segment


def test_the_first_pair_is_the_most_frequent_one() -> None:
    letters = set("".join(WORDS))
    counted = {a + b: sum(word.count(a + b) for word in WORDS) for a in letters for b in letters if a != b}
    first = learn()[0]
    assert len(set(WORDS)) == 10 and len(letters) == 10
    assert (first.piece, first.times, first.example) == ("we", 5, ("l", "o", "we", "r"))
    assert sorted(counted.values())[-2:] == [4, 5] and counted["we"] == 5  # no other pair occurs as often
    assert counted["lo"] == counted["es"] == 4 == learn()[1].times and learn()[1].piece == "lo"


def test_the_merges_are_those_of_the_library() -> None:
    """It breaks ties otherwise, so the first three are compared; a word is cut alike by all of them."""
    trained = Tokenizer(BPE())
    trained.pre_tokenizer = WhitespaceSplit()
    letters = sorted(set("".join(WORDS)))
    trained.train_from_iterator(
        [" ".join(WORDS)], BpeTrainer(vocab_size=len(letters) + 3, show_progress=False)
    )
    made = learn()
    assert set(trained.get_vocab()) == {*letters, *(each.piece for each in made[:3])}
    vocabulary = {piece: number for number, piece in enumerate([*letters, *(each.piece for each in made)])}
    own = Tokenizer(BPE(vocabulary, [(each.left, each.right) for each in made]))
    for word in (*WORDS, NEW_WORD, "worst"):
        assert tuple(own.encode(word).tokens) == segment(word, made), word


def test_a_merge_joins_from_the_first_letter_on_and_ends_where_no_pair_is_left() -> None:
    assert join(tuple("aaab"), "a", "a") == ("aa", "a", "b")
    assert [each.piece for each in learn(("ab", "ab"))] == ["ab"] and learn(("a",)) == ()
    made = learn()
    assert len(made) == MERGES and [each.times for each in made] == sorted(
        (each.times for each in made), reverse=True
    )
    assert NEW_WORD not in WORDS and segment(NEW_WORD, made) == ("s", "lowe", "r")
    assert merges.count_pairs([("a", "b"), ("a", "b")])["a", "b"] == 2
