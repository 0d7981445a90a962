"""BPE-dropout: without dropout the ordinary segmentation, with it the published distribution, and repeatable."""

from __future__ import annotations

import random
from collections import Counter

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InputError
from core.tokenizer import Tokenizer

TEXTS = [
    "The man is riding a bike in the street.",
    "L'homme n'a pas mangé aujourd'hui.",
    "A woman rides the lowest of the bikes at 10:45.",
    "The lower, the newer, the widest; Qu'est-ce que c'est ?",
] * 5


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train_bpe(TEXTS, 260)


@pytest.mark.parametrize("text", [*TEXTS[:4], "", "Żółw ☃ 3 <pad> ▁ x", "rides  riding\u00a0ridden"])
def test_without_dropout_it_is_the_encoding(tokenizer: Tokenizer, text: str) -> None:
    assert tokenizer.bpe_dropout(0.0)(text, random.Random(1)) == tokenizer.encode(text)


@settings(max_examples=80)
@given(st.text(alphabet="thelowrnsimaug' é.-1☃▁", max_size=40))
def test_without_dropout_any_text(text: str) -> None:
    trained = Tokenizer.train_bpe(TEXTS, 260)
    assert trained.bpe_dropout(0.0)(text, random.Random(1)) == trained.encode(text)


def test_with_dropout_the_text_is_the_same(tokenizer: Tokenizer) -> None:
    encode, rng = tokenizer.bpe_dropout(0.5), random.Random(3)
    drawn = {tuple(encode(TEXTS[0], rng)) for _ in range(20)}
    assert len(drawn) > 10
    assert {tokenizer.decode(ids) for ids in drawn} == {TEXTS[0]}


def test_the_same_seed_draws_the_same(tokenizer: Tokenizer) -> None:
    encode = tokenizer.bpe_dropout(0.3)
    assert encode(TEXTS[2], random.Random("1/2/3")) == encode(TEXTS[2], random.Random("1/2/3"))


def test_the_distribution_is_that_of_the_library(tokenizer: Tokenizer) -> None:
    """`tokenizers` has BPE-dropout without a seed; the two may differ only by chance."""
    backend = tokenizers.Tokenizer.from_str(tokenizer._backend.to_str())
    backend.model.dropout = 0.3
    encode, rng, draws = tokenizer.bpe_dropout(0.3), random.Random(5), 6000
    ours = Counter(tuple(encode("riding", rng)[:-1]) for _ in range(draws))
    theirs = Counter(tuple(backend.encode("riding").ids) for _ in range(draws))
    frequent = [ids for ids, count in (ours + theirs).items() if count > 200]
    assert len(frequent) >= 3
    for ids in frequent:
        # Five standard deviations of a difference of two counts.
        assert abs(ours[ids] - theirs[ids]) < 5 * (ours[ids] + theirs[ids]) ** 0.5, ids


def test_only_a_bpe_can_drop_merges() -> None:
    letters = Tokenizer.from_vocabulary(["<pad>", "<s>", "</s>", "<unk>", "a"])
    with pytest.raises(InputError, match="needs a BPE vocabulary"):
        letters.bpe_dropout(0.1)
    with pytest.raises(InputError, match="from 0 to below 1"):
        Tokenizer.train_bpe(TEXTS, 260).bpe_dropout(1.0)
