"""Tokens as a reader sees them, and files: every family of vocabulary, ours and other people's."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import decoders, models, normalizers, pre_tokenizers, trainers

from core.errors import CheckpointError
from core.tokenizer import Specials, Tokenizer
from core.tokenizer.piece import Piece, begins_word, is_special, piece_label, read_piece, readable

TEXTS = ["the man's house — café déjà vu", "un été à la plage 😀 😀"] * 10
NAMES = ["<s>", "<pad>", "</s>", "<unk>"]
OURS = Tokenizer.train_bpe(TEXTS, 220)


def _trained(backend: tokenizers.Tokenizer, trainer: Any) -> tokenizers.Tokenizer:
    backend.train_from_iterator(TEXTS, trainer)
    return backend


def byte_level() -> tokenizers.Tokenizer:
    backend = tokenizers.Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    return _trained(
        backend,
        trainers.BpeTrainer(
            vocab_size=330, special_tokens=NAMES, initial_alphabet=alphabet, show_progress=False
        ),
    )


def word_piece() -> tokenizers.Tokenizer:
    backend = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    backend.normalizer = normalizers.BertNormalizer()
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.WordPiece()
    names = ["[PAD]", "[CLS]", "[SEP]", "[UNK]"]
    return _trained(
        backend, trainers.WordPieceTrainer(vocab_size=80, special_tokens=names, show_progress=False)
    )


def unigram() -> tokenizers.Tokenizer:
    backend = tokenizers.Tokenizer(models.Unigram())
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    backend.decoder = decoders.Metaspace()
    names = ["<pad>", "</s>", "<unk>"]
    trainer = trainers.UnigramTrainer(
        vocab_size=60, special_tokens=names, unk_token="<unk>", show_progress=False
    )
    return _trained(backend, trainer)


def word_end() -> tokenizers.Tokenizer:
    backend = tokenizers.Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    backend.decoder = decoders.BPEDecoder(suffix="</w>")
    names = ["<pad>", "</s>", "<unk>"]
    trainer = trainers.BpeTrainer(
        vocab_size=90, special_tokens=names, end_of_word_suffix="</w>", show_progress=False
    )
    return _trained(backend, trainer)


def wrapped(backend: tokenizers.Tokenizer, folder: Path) -> Tokenizer:
    backend.save(str(folder / "tokenizer.json"))
    return Tokenizer.load(folder / "tokenizer.json")


# -- labels -------------------------------------------------------------------------------------------------


def test_our_own_labels() -> None:
    assert OURS.labels(OURS.encode("the man's café vu.")) == ["the", "man", "'s", "café", "vu", ".", "⟨end⟩"]
    assert OURS.labels([0, 1, 2, 3, 99_999, -1]) == ["⟨pad⟩", "⟨start⟩", "⟨end⟩", "⟨unk⟩", "⟨99999⟩", "⟨-1⟩"]


@pytest.mark.parametrize(
    ("token", "family", "mark", "label"),
    [
        ("▁man", "metaspace", "▁", "man"),
        ("ing", "metaspace", "▁", "·ing"),
        (".", "metaspace", "▁", "."),
        ("▁?", "metaspace", "▁", "␣?"),
        ("▁", "metaspace", "▁", "␣"),
        ("▁of▁the", "metaspace", "▁", "of␣the"),
        ("<0xE2>", "metaspace", "▁", "·‹e2›"),
        ("Ġman", "byte-level", "Ġ", "man"),
        ("ing", "byte-level", "Ġ", "·ing"),
        ("ĠcafÃ©", "byte-level", "Ġ", "café"),
        ("Ã©tÃ©", "byte-level", "Ġ", "·été"),
        ("âĢ", "byte-level", "Ġ", "·‹e2 80›"),
        ("ĠaâĢ", "byte-level", "Ġ", "a‹e2 80›"),
        ("Ċ", "byte-level", "Ġ", "↵"),
        ("Ġ", "byte-level", "Ġ", "␣"),
        ("##ing", "wordpiece", "##", "·ing"),
        ("man", "wordpiece", "##", "man"),
        ("##", "wordpiece", "##", "##"),
        (".", "wordpiece", "##", "."),
        ("man</w>", "suffix", "</w>", "man"),
        ("hom", "suffix", "</w>", "hom·"),
        (" ", "chars", "", "␣"),
        ("é", "chars", "", "é"),
        ("\u0301", "chars", "", "◌\u0301"),
        ("\u202e", "chars", "", "‹U+202E›"),
        ("\x00", "chars", "", "‹U+0000›"),
        ("\u200d", "chars", "", "‹U+200D›"),
        ("\u00a0", "chars", "", "‹U+00A0›"),
        ("\t", "chars", "", "⇥"),
        ("", "words", "", "‹empty›"),
        ("<b>", "words", "", "<b>"),
        ("مرحبا", "words", "", "مرحبا"),
    ],
)
def test_labels_of_every_family(token: str, family: Any, mark: str, label: str) -> None:
    assert piece_label(read_piece(token, family, mark), family) == label


@settings(max_examples=300)
@given(
    st.text(max_size=12),
    st.sampled_from(["metaspace", "byte-level", "wordpiece", "suffix", "words", "chars", "plain"]),
)
def test_labels_are_never_empty_or_invisible(token: str, family: Any) -> None:
    mark = {"metaspace": "▁", "byte-level": "Ġ", "wordpiece": "##", "suffix": "</w>"}.get(family, "")
    label = piece_label(read_piece(token, family, mark), family)
    assert label.strip()
    assert not any(char in label for char in "\u202a\u202b\u202d\u202e\u2066\u2067\u200f\n\r\t\0")
    label.encode("utf-8")


def test_bytes_show_as_readable_text() -> None:
    assert readable("aé\udce2\udc80b") == "aé‹e2 80›b"
    assert read_piece("Ġé", "byte-level", "Ġ") == Piece(b"\xe9", spaced=True)


# -- words --------------------------------------------------------------------------------------------------


def test_words_of_our_own() -> None:
    text = "L'homme n'a pas 1979 km."
    ids = OURS.encode(text)
    words = OURS.words([OURS.bos_id, *ids])
    assert words[0] == words[-1] == -1
    merged: dict[int, list[int]] = {}
    for word, place in zip(OURS.words(ids), ids, strict=True):
        merged.setdefault(word, []).append(place)
    assert [OURS.joined(part) for word, part in merged.items() if word >= 0] == [
        "L'", "homme", "n'", "a", "pas", "1979", "km", ".",
    ]  # fmt: skip
    assert OURS.joined([OURS.eos_id]) == "⟨end⟩"
    assert OURS.joined([]) == "␣"


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        ([Piece(b"hom", spaced=True), Piece(b"me")], [0, 0]),
        ([Piece(b"l'", spaced=True), Piece(b"homme")], [0, 1]),
        ([Piece(b"l", spaced=True), Piece(b"'"), Piece(b"homme")], [0, 0, 1]),
        ([Piece(b"(", spaced=True), Piece(b"'"), Piece(b"a")], [0, 1, 2]),
        ([Piece(b"bike", spaced=True), Piece(b".")], [0, 1]),
        ([Piece(b"3"), Piece(b" "), Piece(b"m"), Piece(b"a")], [0, 1, 1, 1]),
        ([Piece(b"", spaced=True), Piece(b"x")], [0, 0]),
        ([Piece(b"\xf0\x9f"), Piece(b"\x98"), Piece(b"\x80"), Piece(b".")], [0, 0, 0, 0]),
        ([Piece(b"hom"), Piece(b"me", closes=True), Piece(b"x", closes=True)], [0, 0, 1]),
        ([Piece("我".encode(), spaced=True), Piece("爱".encode())], [0, 1]),
        ([Piece(b" "), Piece(b" "), Piece(b"a"), Piece(b" ")], [0, 0, 0, 1]),
    ],
)
def test_where_words_begin(pieces: list[Piece], words: list[int]) -> None:
    found, current = [], -1
    for before, piece in zip([None, *pieces], pieces, strict=False):
        current += begins_word(before, piece)
        found.append(current)
    assert found == words


def test_an_unknown_token_is_a_word_of_its_own() -> None:
    assert OURS.words(OURS.encode("日 本 a")) == [0, 0, 1, 1, 2, 2, -1]


# -- other people's files -----------------------------------------------------------------------------------


def test_byte_level_file(tmp_path: Path) -> None:
    tokenizer = wrapped(byte_level(), tmp_path)
    assert tokenizer.family == "byte-level"
    assert tokenizer.specials == Specials(pad=1, bos=0, eos=2, unk=3)
    text = "house café 😀 <s> (مرحبا) \u2028x"
    ids = tokenizer.encode(text, eos=False)
    assert tokenizer.decode(ids) == text  # and the typed <s> is text
    assert not set(ids) & {0, 1, 2, 3}
    labels = tokenizer.labels(ids)
    assert "café" in labels
    assert any(label.startswith("·‹d9") or label.startswith("·‹d8") for label in labels)
    assert labels[0] == "ho"  # nothing before the first piece: no joining dot
    assert tokenizer.label(ids[0]) == "·ho"
    assert tokenizer.joined(tokenizer.encode("مرحبا", eos=False)) == "مرحبا"
    words = tokenizer.words(ids)
    assert words == sorted(words)
    assert len({w for w, p in zip(words, labels, strict=True) if "‹d" in p}) == 1  # five letters in ten bytes


@settings(max_examples=100)
@given(st.text(max_size=40))
def test_byte_level_keeps_any_text(text: str) -> None:
    tokenizer = _BYTES
    assert tokenizer.decode(tokenizer.encode(text)) == text.encode("utf-16", "surrogatepass").decode(
        "utf-16", "replace"
    )
    assert tokenizer.unknown(text) == []


def test_word_piece_file(tmp_path: Path) -> None:
    tokenizer = wrapped(word_piece(), tmp_path)
    assert tokenizer.family == "wordpiece"
    assert tokenizer.specials == Specials(pad=0, bos=1, eos=2, unk=3)
    ids = tokenizer.encode("the mans, été [CLS]")
    assert tokenizer.labels(ids)[:3] == ["the", "man", "·s"]
    assert tokenizer.words(ids)[:3] == [0, 1, 1]
    assert not {0, 1} & set(ids)
    assert tokenizer.unknown("the , man") == [","]


def test_unigram_file_without_start_token(tmp_path: Path) -> None:
    tokenizer = wrapped(unigram(), tmp_path)
    assert tokenizer.family == "metaspace"
    assert tokenizer.specials == Specials(pad=0, bos=0, eos=1, unk=2)
    assert tokenizer.label(0) == "⟨start⟩"
    ids = tokenizer.encode("house </s> vu", eos=False)
    assert 1 not in ids
    assert tokenizer.decode(tokenizer.encode("the house")) == "the house"


def test_word_end_file(tmp_path: Path) -> None:
    tokenizer = wrapped(word_end(), tmp_path)
    assert tokenizer.family == "suffix"
    ids = tokenizer.encode("house uns", eos=False)
    assert tokenizer.labels(ids)[0] == "house"
    assert tokenizer.labels(ids)[1].endswith("·")
    assert tokenizer.words(ids)[0] == 0
    assert set(tokenizer.words(ids)[1:]) == {1}


def test_settings_of_the_file_do_not_cut_or_pad_the_text(tmp_path: Path) -> None:
    backend = word_piece()
    backend.enable_truncation(2)
    backend.enable_padding(length=9)
    assert len(wrapped(backend, tmp_path).encode("the house un été", eos=False)) == 4


def test_specials_can_be_given(tmp_path: Path) -> None:
    byte_level().save(str(tmp_path / "t.json"))
    assert Tokenizer.load(tmp_path / "t.json", specials={"bos": 2}).specials == Specials(1, 2, 2, 3)


# -- our own files ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "tokenizer",
    [
        OURS,
        Tokenizer.from_vocabulary(["<pad>", "<s>", "</s>", *"ab "]),
        Tokenizer.from_vocabulary([*NAMES, "a"], split="whitespace").counted(["a a b"]),
        Tokenizer.from_vocabulary([*NAMES, "a"], split="regex", pattern=r"\w+"),
        Tokenizer.from_vocabulary(["_", "a"], specials={"pad": 0, "bos": 0, "eos": 0}),
    ],
    ids=str,
)
def test_saved_and_loaded_is_the_same(tokenizer: Tokenizer, tmp_path: Path) -> None:
    tokenizer.save(tmp_path / "t.json")
    loaded = Tokenizer.load(tmp_path / "t.json")
    assert loaded == tokenizer
    assert loaded.counts == tokenizer.counts
    text = "a b"
    if tokenizer.unk_id is not None:
        assert loaded.encode(text) == tokenizer.encode(text)
    assert loaded.labels(range(loaded.vocab_size)) == tokenizer.labels(range(tokenizer.vocab_size))
    content = json.loads((tmp_path / "t.json").read_text(encoding="utf-8"))
    assert content["format"] == "attention-atlas-tokenizer/1"
    loaded.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "t.json").read_bytes()


def _broken(**changes: Any) -> str:
    """Our own file with parts replaced; None removes one."""
    content = json.loads(_SAVED)
    content.update(changes)
    return json.dumps({key: value for key, value in content.items() if value is not None})


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "not a readable JSON"),
        ("[1]", "a list"),
        ("{}", "holds no tokenizer"),
        ('{"format": "other/9"}', "other/9"),
        ('{"model": 3}', "holds no tokenizer"),
        ('{"model": {"type": "None such"}}', "cannot read"),
        ("[" * 100_000, "t.json"),
        ('{"a": NaN}', "NaN"),
    ],
)
def test_broken_files_are_told_in_one_sentence(content: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(content, encoding="utf-8")
    _expect(tmp_path / "t.json", says)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"specials": []}, "not an object"),
        ({"specials": {"pad": "x"}}, "'x'"),
        ({"specials": {"pad": 10**6}}, "1000000"),
        ({"family": "runes"}, "runes"),
        ({"family": ["chars"]}, "family"),
        ({"counts": ["many"]}, "counts"),
        ({"counts": [1, 2]}, "2 counts"),
        ({"tokenizer": None}, "holds no tokenizer"),
    ],
)
def test_broken_parts_are_told_in_one_sentence(changes: dict[str, Any], says: str, tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(_broken(**changes), encoding="utf-8")
    _expect(tmp_path / "t.json", says)


def test_missing_binary_and_huge_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _expect(tmp_path / "none.json", "missing")
    (tmp_path / "b.json").write_bytes(b"\xff\xfe\x00\x01")
    _expect(tmp_path / "b.json", "not a readable JSON")
    _expect(tmp_path, "missing")  # a folder
    monkeypatch.setattr("core.tokenizer.files.MAX_BYTES", 3)
    (tmp_path / "b.json").write_text("{   }", encoding="utf-8")
    _expect(tmp_path / "b.json", "at most 3")


def _expect(path: Path, says: str) -> None:
    with pytest.raises(CheckpointError) as caught:
        Tokenizer.load(path)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def _saved() -> str:
    with tempfile.TemporaryDirectory() as folder:
        OURS.save(Path(folder) / "t.json")
        return (Path(folder) / "t.json").read_text(encoding="utf-8")


def _wrapped_bytes() -> Tokenizer:
    with tempfile.TemporaryDirectory() as folder:
        return wrapped(byte_level(), Path(folder))


_SAVED = _saved()
_BYTES = _wrapped_bytes()


ODD = ["<b>", "</i>", "⟨start⟩", "⟨unk⟩", "⟨fr⟩", "⟨⟩", "⟨", "\u202e", "<0xE2>", "[x]", "de", "\n⟨a\n⟩"]


@pytest.mark.parametrize("split", ["whitespace", "chars"])
def test_a_label_tells_special_tokens_from_text_whatever_the_text(split: str, tmp_path: Path) -> None:
    """Entries that look like a special token's label, and codes that are special though they are called otherwise."""
    listed = Tokenizer.from_vocabulary([*NAMES, *ODD], split=split)
    backend = word_piece()
    backend.add_special_tokens(["<fr>", "[de]", "__en__"])
    backend.add_tokens(["⟨end⟩", "<b>"])
    special = {backend.token_to_id(name) for name in ("[PAD]", "[CLS]", "[SEP]", "<fr>", "[de]", "__en__")}
    for tokenizer, expected in (
        (listed, {0, 1, 2}),
        (wrapped(backend, tmp_path), special),
        (OURS, {0, 1, 2}),
    ):
        found = {place for place in range(tokenizer.vocab_size) if is_special(tokenizer.label(place))}
        assert found == expected
        words = tokenizer.words(range(tokenizer.vocab_size))
        assert {place for place, word in enumerate(words) if word < 0} == expected


@given(st.text(max_size=12))
def test_no_text_looks_like_a_special_token(text: str) -> None:
    for shown in (readable(text), readable(f"⟨{text}⟩")):
        assert not is_special(shown) and shown != "⟨unk⟩"
