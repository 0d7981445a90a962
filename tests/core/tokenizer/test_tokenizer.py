"""Text to ids and back: nothing is lost, nothing typed becomes a special, nothing is shared between requests."""

from __future__ import annotations

import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import AtlasError, InputError
from core.tokenizer import Specials, Tokenizer

SENTENCES = [
    "L'homme a-t-il peur ? Il n'y a pas d'eau aujourd'hui.",
    "The man's dog isn't 3 km away; it's here.",
    "Un garçon noël où l'été à côté, 1979 !",
    "A man in a red shirt is riding a bike.",
] * 3
BPE = Tokenizer.train_bpe(SENTENCES, 320)
SPECIAL_NAMES = ["<pad>", "<s>", "</s>", "<unk>"]
CHARS = Tokenizer.from_vocabulary([*SPECIAL_NAMES, *" abcdefghijklmnopqrstuvwxyz0123456789/,-é"])
WORDS = Tokenizer.from_vocabulary([*SPECIAL_NAMES, "the", "man", ".", "dog"], split="whitespace")
PATTERN = Tokenizer.from_vocabulary(
    [*SPECIAL_NAMES, "the", "man", ".", "dog"], split="regex", pattern=r"\w+|[^\w\s]"
)
# Every character here is in the BPE alphabet, whatever the training text.
KNOWN = st.text(alphabet=[*"abcdefgLMN' ’ÀÉéèçœ«»—…?!.,;-()<>/_0123456789€\u00a0\u202f\t\n"], max_size=60)


def test_specials_are_the_first_four() -> None:
    assert BPE.specials == Specials(pad=0, bos=1, eos=2, unk=3)
    assert BPE.vocab_size <= 320
    assert (BPE.pad_id, BPE.bos_id, BPE.eos_id, BPE.unk_id) == (0, 1, 2, 3)


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("l’homme", "l'homme"),
        ("a-t-il", "a-t-il"),
        ("peur ?", "peur ?"),
        ("peur\u202f? \u00ab\u00a0oui\u00a0\u00bb", "peur ? « oui »"),
        ("3 km", "3 km"),
        ("  spaces \t around \n", "spaces around"),
        ("Hello.", "Hello."),
        ("e\u0301te\u0301", "été"),
        ("soft\u00adhyphen\u200b\ufeff", "softhyphen"),
        ("don't, I'd, we'll, 'quoted'", "don't, I'd, we'll, 'quoted'"),
        ("", ""),
        (" \u200b \u00a0 ", ""),
        ("a▁b", "a_b"),
    ],
)
def test_encoding_and_decoding_gives_the_normal_spelling(text: str, normal: str) -> None:
    assert BPE.normalize(text) == normal
    assert BPE.decode(BPE.encode(text)) == normal


@settings(max_examples=300)
@given(KNOWN)
def test_known_characters_come_back_exactly(text: str) -> None:
    ids = BPE.encode(text)
    assert ids[-1] == BPE.eos_id
    assert BPE.unk_id not in ids
    assert BPE.decode(ids) == BPE.normalize(text)
    assert BPE.encode(text, eos=False) == ids[:-1]


@settings(max_examples=300)
@given(st.text(max_size=80))
def test_any_text_at_all_is_taken(text: str) -> None:
    for tokenizer in (BPE, CHARS, WORDS, PATTERN):
        ids = tokenizer.encode(text)
        assert all(0 <= place < tokenizer.vocab_size for place in ids)
        assert not {tokenizer.pad_id, tokenizer.bos_id, tokenizer.eos_id} & set(ids[:-1])
        assert all(tokenizer.labels(ids))
        assert (tokenizer.unk_id in ids) == bool(tokenizer.unknown(text))
        words = [word for word in tokenizer.words(ids) if word >= 0]
        assert words == sorted(words)
        assert set(words) == set(range(len(set(words))))  # no number is left out
        tokenizer.decode(ids)


@settings(max_examples=200)
@given(st.text(max_size=60))
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = BPE.normalize(text)
    assert BPE.normalize(once) == once
    assert unicodedata.is_normalized("NFC", once)


@pytest.mark.parametrize(
    "typed", ["<s>", "<pad>", "</s>", "a <s> b", "<unk>", "[PAD]", "<script>alert(1)</script>"]
)
def test_typed_specials_are_text(typed: str) -> None:
    ids = BPE.encode(typed, eos=False)
    assert not set(ids) & {0, 1, 2, 3}
    assert BPE.decode(ids) == typed
    for tokenizer in (CHARS, WORDS, PATTERN):
        assert not set(tokenizer.encode(typed, eos=False)) & {0, 1, 2}


@pytest.mark.parametrize(
    "text", ["😀👨‍👩‍👧", "مرحبا بالعالم", "\u202egnp", "\x00\x07", "日本語", "\ud83d", "x" * 20_000]
)
def test_odd_text_is_encoded_and_labelled(text: str) -> None:
    ids = BPE.encode(text)
    assert ids[-1] == BPE.eos_id
    assert len(BPE.labels(ids)) == len(BPE.words(ids)) == len(ids)


def test_unknown_characters_are_named_once_in_order() -> None:
    assert BPE.unknown("a 日 b 本 日") == ["日", "本"]
    assert BPE.unknown("plain") == []
    assert WORDS.unknown("the cat dog cat") == ["cat"]
    assert CHARS.unknown("a~b") == ["~"]


@pytest.mark.parametrize(
    ("tokenizer", "text", "names"),
    [
        (CHARS, "a\u0301b a", ["a\u0301"]),  # one letter to a reader and to the model, two in what was typed
        (CHARS, "\u00e1b", ["\u00e1"]),
        (CHARS, "a\tb", ["\t"]),
        (CHARS, "a \tb", ["\t"]),
        (CHARS, "b\u0351", ["b\u0351"]),  # the model knows b, but it stands for another letter here
        (BPE, "3 ma\u0301\u0351rs", ["a\u0301\u0351"]),
        (BPE, "\U0001f469\u200d\U0001f467 x \U0001f469", ["\U0001f469\u200d\U0001f467", "\U0001f469"]),
        (WORDS, "the ma\u0301rs\tthe", ["ma\u0301rs"]),
    ],
)
def test_the_unknown_is_named_as_a_reader_sees_it(tokenizer: Tokenizer, text: str, names: list[str]) -> None:
    assert tokenizer.unknown(text) == names
    assert tokenizer.read(text).unknown == tuple(names)
    bare = Tokenizer.from_vocabulary(["<pad>", "<s>", "</s>", "a", "b", " "], split="chars")
    if tokenizer is CHARS:  # a vocabulary without an unknown token says the same
        assert bare.unknown(text) == [unicodedata.normalize("NFC", name) for name in names]


def test_reading_a_text_is_encoding_it_once() -> None:
    for tokenizer in (BPE, CHARS, WORDS):
        for text in ("the cat ~", "", "a\u0301 b", "日本"):
            reading = tokenizer.read(text)
            assert list(reading.ids) == tokenizer.encode(text)
            assert list(reading.unknown) == tokenizer.unknown(text)
            assert reading.readable == bool(tokenizer.encode(text, eos=False))


def test_the_unknown_token_is_left_out_of_text_or_shown() -> None:
    ids = BPE.encode("a 日 b")
    assert BPE.decode(ids) == "a b"
    assert BPE.decode(ids, unknown="⟨unk⟩") == "a ⟨unk⟩ b"


def test_a_vocabulary_without_unknown_token_says_what_it_lacks() -> None:
    bare = Tokenizer.from_vocabulary(["<pad>", "<s>", "</s>", *"abc"])
    assert bare.unk_id is None
    assert bare.decode(bare.encode("abba")) == "abba"
    assert bare.unknown("abx") == ["x"]
    with pytest.raises(InputError, match="'x'"):
        bare.encode("abx")


def test_characters_words_and_patterns() -> None:
    assert CHARS.decode(CHARS.encode("3 may, 1979")) == "3 may, 1979"
    assert CHARS.decode(CHARS.encode("  two  spaces ")) == "  two  spaces "
    assert WORDS.decode(WORDS.encode("the man")) == "the man"
    assert PATTERN.decode(PATTERN.encode("the man.")) == "the man ."
    lower = Tokenizer.from_vocabulary([*SPECIAL_NAMES, "a"], lowercase=True)
    assert lower.encode("A", eos=False) == [4]


def test_specials_are_found_by_their_usual_names_or_given() -> None:
    assert Tokenizer.from_vocabulary(["[UNK]", "[PAD]", "[SOS]", "[EOS]", "a"]).specials == Specials(
        1, 2, 3, 0
    )
    assert Tokenizer.from_vocabulary(["<SOS>", "<EOS>", "<PAD>"]).specials == Specials(2, 0, 1, None)
    given_ids = {"pad": 0, "bos": 1, "eos": 2, "unk": None}
    assert Tokenizer.from_vocabulary(["_", "^", "$", "a"], specials=given_ids).specials == Specials(
        0, 1, 2, None
    )
    assert Tokenizer.from_vocabulary(["<pad>", "</s>", "a"]).bos_id == 0  # T5 and Marian start with padding


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Tokenizer.from_vocabulary(["a", "b"]), "no pad token"),
        (lambda: Tokenizer.from_vocabulary(["<pad>", "a"]), "no eos token"),
        (lambda: Tokenizer.from_vocabulary([]), "no pad token"),
        (lambda: Tokenizer.from_vocabulary([*SPECIAL_NAMES, "a", "a"]), "'a' more than once"),
        (
            lambda: Tokenizer.from_vocabulary(SPECIAL_NAMES, split="syllables"),
            "'chars', 'whitespace' or 'regex'",
        ),
        (lambda: Tokenizer.from_vocabulary(SPECIAL_NAMES, split="regex"), "needs a pattern"),
        (
            lambda: Tokenizer.from_vocabulary(SPECIAL_NAMES, split="regex", pattern="("),
            "not a regular expression",
        ),
        (lambda: Tokenizer.from_vocabulary(SPECIAL_NAMES, specials={"pad": 99}), "from 0 to 3"),
        (lambda: Tokenizer.from_vocabulary(SPECIAL_NAMES, specials={"mask": 0}), "'mask'"),
        (lambda: Tokenizer.train_bpe(["a"], 50), "at least"),
        (lambda: BPE.encode(3), "int was given"),  # type: ignore[arg-type]
        (lambda: Tokenizer(BPE._backend, "metaspace", BPE.specials, counts=[1]), "1 counts"),
    ],
)
def test_mistakes_are_told_in_one_sentence(make: object, says: str) -> None:
    with pytest.raises(AtlasError) as caught:
        make()  # type: ignore[operator]
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_counts_are_of_the_training_text() -> None:
    assert BPE.frequency(BPE.id_of(".")) == sum(text.count(".") for text in SENTENCES)
    assert BPE.frequency(-1) is None
    assert BPE.frequency(BPE.vocab_size) is None
    assert CHARS.frequency(5) is None
    counted = CHARS.counted(["abba", "a"])
    assert (counted.frequency(counted.id_of("a")), counted.frequency(counted.id_of("z"))) == (3, 0)
    assert counted == CHARS


def test_training_twice_gives_the_same_vocabulary() -> None:
    again = Tokenizer.train_bpe(iter(SENTENCES), 320)
    assert again == BPE
    assert hash(again) == hash(BPE)
    assert again != Tokenizer.train_bpe(SENTENCES, 200)
    assert BPE != "a tokenizer"


def test_lower_case_training() -> None:
    lower = Tokenizer.train_bpe(SENTENCES, 250, lowercase=True)
    assert lower.decode(lower.encode("A MAN")) == "a man"


def test_a_batch_is_encoded_like_its_texts() -> None:
    assert BPE.encode_batch(SENTENCES) == [BPE.encode(text) for text in SENTENCES]
    assert BPE.encode_batch(["a <s>"], eos=False) == [BPE.encode("a <s>", eos=False)]
    assert BPE.encode_batch([]) == []


def test_threads_get_what_one_caller_gets() -> None:
    texts = [f"{text} {number}" for number in range(50) for text in SENTENCES[:4]]
    alone = [(BPE.encode(text), BPE.labels(BPE.encode(text))) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda text: (BPE.encode(text), BPE.labels(BPE.encode(text))), texts))
    assert together == alone


def test_a_token_is_found_by_what_a_person_types() -> None:
    assert BPE.label(BPE.id_of("man")) == "man"
    assert BPE.id_of("⟨end⟩") == BPE.eos_id
    assert CHARS.id_of(" ") == CHARS.id_of("␣")
    for place in range(BPE.vocab_size):
        assert BPE.id_of(BPE.label(place)) == place
    with pytest.raises(InputError, match="one at a time"):
        BPE.id_of("anticonstitutionnellement")
    for typed in ("日", "", " "):
        with pytest.raises(InputError, match="not in the vocabulary"):
            BPE.id_of(typed)
    with pytest.raises(InputError):
        BPE.id_of("</s>")  # typed text, not the special
