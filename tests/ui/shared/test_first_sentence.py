"""A model whose card names no example is shown a sentence in the language that it reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors import CheckpointError
from core.tokenizer import Tokenizer
from ui.shared import checkpoints as listing
from ui.shared import context
from ui.shared.checkpoints import ENGLISH, SENTENCES, first_sentence

LETTERS = ["<pad>", "<s>", "</s>", "<unk>"]


def of_letters(text: str) -> Tokenizer:
    return Tokenizer.from_vocabulary([*LETTERS, *sorted(set(text))])


@pytest.mark.parametrize("code", ["en", "ru", "ar", "he", "hi", "zh", "ja"])
def test_letters_tell_the_language(code: str) -> None:
    assert first_sentence(of_letters(SENTENCES[code])) == SENTENCES[code]


@pytest.mark.parametrize("code", ["en", "de", "fr", "pl", "tr"])
def test_so_do_the_words_of_a_vocabulary(code: str) -> None:
    tokenizer = Tokenizer.from_vocabulary(
        [*LETTERS, *dict.fromkeys(SENTENCES[code].split())], split="whitespace"
    )
    assert first_sentence(tokenizer) == SENTENCES[code]


def test_pieces_learnt_from_one_language_cut_its_sentence_best() -> None:
    german = [
        SENTENCES["de"],
        "Ein Mann fährt Fahrrad in einem roten Hemd.",
        "Ein Hund in einem roten Haus.",
    ] * 9
    assert first_sentence(Tokenizer.train_bpe(german, 400)) == SENTENCES["de"]


def test_a_language_of_which_half_is_known_goes_before_english() -> None:
    words = [*LETTERS, "رجل", "كلب", "أحمر", "دراجة", "يركب"]
    tokenizer = Tokenizer.from_vocabulary(words, split="whitespace")
    assert first_sentence(tokenizer) == SENTENCES["ar"]
    assert first_sentence(Tokenizer.from_vocabulary(words[:-2], split="whitespace")) == ENGLISH, "two of six"


def test_pieces_learnt_from_two_languages_open_in_english() -> None:
    tokenizer = Tokenizer.train_bpe([SENTENCES["en"], SENTENCES["fr"]] * 9, 400)
    assert len(tokenizer.encode(SENTENCES["fr"])) < len(tokenizer.encode(ENGLISH))
    assert first_sentence(tokenizer) == ENGLISH


@pytest.mark.parametrize(
    "letters", ["0123456789", "0123456789-/. ", "abcdefghij", "abcdefghijklmnopqrstuvwxyz .", "абвгд", ""]
)
@pytest.mark.parametrize("unknown", [True, False])
def test_a_vocabulary_that_reads_none_of_them_opens_in_english_or_its_own_letters(
    letters: str, unknown: bool
) -> None:
    special = LETTERS if unknown else LETTERS[:3]
    text = first_sentence(Tokenizer.from_vocabulary([*special, *letters]))
    if unknown or not letters:
        assert text == ENGLISH
    else:  # English would be an error there
        assert text and set(text) <= set(letters)


@pytest.mark.parametrize("name", ["en-fr", "de-en"])
def test_a_vocabulary_of_two_languages_opens_in_english(name: str) -> None:
    assert first_sentence(Tokenizer.load(listing.FOLDER / name / "tokenizer.json")) == ENGLISH


@pytest.mark.parametrize("language", ["de", "de_DE", "DE-at", " de "])
def test_what_the_card_says_comes_first(language: str) -> None:
    assert first_sentence(of_letters(ENGLISH), language) == SENTENCES["de"]


@pytest.mark.parametrize("language", ["", "xx", "dexter", "en-"])
def test_another_word_says_nothing(language: str) -> None:
    assert first_sentence(of_letters(ENGLISH), language) == ENGLISH


def test_the_page_opens_with_it(checkpoints: Path) -> None:
    folder = checkpoints / "tiny"
    (folder / "example.npz").unlink(missing_ok=True)
    card = json.loads((folder / "card.json").read_text())
    del card["examples"]
    for language, opens in (("de", SENTENCES["de"]), (["de"], ENGLISH)):
        (folder / "card.json").write_text(json.dumps({**card, "source_language": language}))
        assert context.example_text(listing.find("tiny")[0]) == opens


def test_a_tokenizer_that_cannot_be_read_is_told_elsewhere(
    checkpoints: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = checkpoints / "tiny"
    (folder / "example.npz").unlink(missing_ok=True)
    (folder / "card.json").write_text("{}")

    def damaged(*_: object) -> Tokenizer:
        raise CheckpointError("tokenizer.json cannot be read.")

    entry, _ = listing.find("tiny")
    monkeypatch.setattr("ui.shared.cache.TOKENIZERS.get", damaged)
    assert context.example_text(entry) == ENGLISH


@pytest.mark.parametrize("language", ["", "de"])
def test_a_vocabulary_without_an_unknown_token_opens_with_what_it_spells(language: str) -> None:
    tokenizer = Tokenizer.from_vocabulary(["<pad>", "<s>", "</s>", "un", "deux", "trois"], split="whitespace")
    text = first_sentence(tokenizer, language)
    assert tokenizer.encode(text, eos=False) and set(text.split()) <= {"un", "deux", "trois"}
    spelled = Tokenizer.from_vocabulary(["<pad>", "<s>", "</s>", *sorted(set(ENGLISH))])
    assert first_sentence(spelled) == ENGLISH
