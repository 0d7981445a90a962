"""Vocabularies in every form they come in; SentencePiece ones give the ids the original library gives."""

from __future__ import annotations

import io
import json
import shutil
import unicodedata
from pathlib import Path

import pytest

from core.errors import CheckpointError
from core.importing.sentencepiece import Vocabulary, pipeline, read_sentencepiece
from core.importing.vocabulary import Wishes, find_vocabularies
from core.tokenizer import Frame, Specials, Tokenizer

sentencepiece = pytest.importorskip("sentencepiece")

CORPUS = [
    "The quick brown fox jumps over the lazy dog, isn't it?",
    "A man rides a bike down the street in the rain.",
    "Ein Mann fährt mit dem Fahrrad die Straße hinunter.",
    "Where is the station? It is 3 o'clock; 1984 was long ago.",
    "Die Übersetzung ist nicht schwer, aber auch nicht leicht.",
    "Nothing is written in stone (not even this).",
] * 20
SENTENCES = [
    "A man rides a bike.",
    "  two   spaces  and a tail ",
    "Übersetzung: naïve café №5 ﬁne ½",
    "unknown 漢字 and 😀 signs",
    "a<s>b</s> <unk> >>fra<<",
    "tabs\tand\nnew lines",
    "x",
    "The station isn't here, 1984!",
    "word",
    "ｆｕｌｌ　ｗｉｄｔｈ",
]


def train(path: Path, texts: list[str], size: int, kind: str = "unigram", **options: object) -> Path:
    stream = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts),
        model_writer=stream,
        vocab_size=size,
        model_type=kind,
        character_coverage=1.0,
        minloglevel=2,
        hard_vocab_limit=False,
        **options,
    )
    path.write_bytes(stream.getvalue())
    return path


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A MarianMT folder: two SentencePiece models, and one vocab.json that lacks some pieces of each."""
    folder = tmp_path_factory.mktemp("marian")
    train(folder / "source.spm", CORPUS, 120)
    train(folder / "target.spm", [text[::-1] for text in CORPUS], 110)
    pieces = []
    for side in ("source", "target"):
        model = read_sentencepiece(folder / f"{side}.spm")
        pieces += [p for n, p in enumerate(model.pieces) if n > 2 and n % 9 != 5]
    tokens = ["</s>", "<unk>", *sorted(set(pieces)), ">>fra<<", ">>deu<<", "<pad>"]
    (folder / "vocab.json").write_text(json.dumps({token: place for place, token in enumerate(tokens)}))
    return folder


def opened(folder: Path, layout: str = "marian", size: int = 0) -> tuple[Vocabulary, Vocabulary]:
    files = {path.name: path for path in folder.iterdir()}
    found = find_vocabularies(files, layout, Wishes(), (size, size))
    assert found is not None
    return found


def made(vocabulary: Vocabulary, **given: int) -> Tokenizer:
    ids = {**vocabulary.specials, **given}
    pad, eos, unk = (int(ids[name] or 0) for name in ("pad", "eos", "unk"))
    return vocabulary.make(
        Specials(pad, int(ids["bos"] if ids["bos"] is not None else pad), eos, unk), Frame()
    )


@pytest.mark.parametrize("kind", ["unigram", "bpe"])
@pytest.mark.parametrize("rule", ["nmt_nfkc", "identity", "nmt_nfkc_cf"])
def test_sentencepiece_gives_the_librarys_ids(tmp_path: Path, kind: str, rule: str) -> None:
    path = train(tmp_path / "m.model", CORPUS, 150, kind, normalization_rule_name=rule)
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(path))
    ours = pipeline(read_sentencepiece(path), "m.model")
    for text in SENTENCES:
        if rule == "identity" and ("\t" in text or "　" in text):
            continue
        assert ours.encode(text, add_special_tokens=False).ids == theirs.encode(text), text


def test_marian_gives_transformers_ids(trained: Path) -> None:
    transformers = pytest.importorskip("transformers")
    theirs = transformers.MarianTokenizer.from_pretrained(trained)
    source, target = (made(vocabulary) for vocabulary in opened(trained))
    assert source.vocab_size == theirs.vocab_size
    for text in SENTENCES:
        # Typed signs are text here, never the sign itself; a language code is one wherever it stands.
        text = text.replace("</s>", "").replace("<unk>", "").replace(">>fra<<", "")
        assert source.encode(text) == theirs(text).input_ids, text
        assert target.encode(text[::-1]) == theirs(text_target=text[::-1]).input_ids, text
    coded = ">>fra<< A man rides a bike."
    assert source.encode(coded) == theirs(coded).input_ids
    assert source.encode(coded)[0] == theirs.convert_tokens_to_ids(">>fra<<")


def test_marian_text_comes_back_and_is_labelled(trained: Path, tmp_path: Path) -> None:
    source, _ = (made(vocabulary) for vocabulary in opened(trained))
    ids = source.encode("The dog is not here")
    assert source.labels(ids)[-1] == "⟨end⟩"
    assert "".join(source.labels(ids)).isprintable()
    kept = [place for place in ids if place != source.unk_id]
    assert source.decode(kept).replace(" ", "") in "Thedogisnothere"
    source.save(tmp_path / "t.json")
    again = Tokenizer.load(tmp_path / "t.json")
    assert again == source
    assert [again.encode(text) for text in SENTENCES] == [source.encode(text) for text in SENTENCES]
    assert [source.encode_batch([text])[0] for text in SENTENCES] == [
        source.encode(text) for text in SENTENCES
    ]


def test_t5_gives_transformers_ids(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    train(tmp_path / "spiece.model", CORPUS, 150, pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    size = len(read_sentencepiece(tmp_path / "spiece.model").pieces)
    theirs = transformers.T5Tokenizer.from_pretrained(tmp_path)
    ours = made(opened(tmp_path, "t5", size + 100)[0])
    assert ours.vocab_size == size + 100
    for text in SENTENCES:
        if "<" in text or text != text.strip():
            continue
        assert ours.encode(text) == theirs(text).input_ids, text


@pytest.mark.parametrize("name", ["MBartTokenizer", "MBart50Tokenizer"])
def test_mbart_gives_transformers_ids_and_language_codes(tmp_path: Path, name: str) -> None:
    transformers = pytest.importorskip("transformers")
    train(tmp_path / "sentencepiece.bpe.model", CORPUS, 150)
    theirs = getattr(transformers, name).from_pretrained(tmp_path)
    vocabulary = opened(tmp_path, "mbart", len(theirs))[0]
    ours = made(vocabulary)
    assert ours.vocab_size == len(theirs)
    assert (ours.bos_id, ours.pad_id, ours.eos_id, ours.unk_id) == (0, 1, 2, 3)
    for code in ("ar_AR", "en_XX", "zh_CN", "<mask>", *(["sl_SI"] if "50" in name else [])):
        assert vocabulary.tokens[code] == theirs.convert_tokens_to_ids(code)
        assert ours.decode([vocabulary.tokens[code]]) == ""
    original = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "sentencepiece.bpe.model"))
    for text in SENTENCES:
        ids = ours.encode(text, eos=False)
        assert ids == [place + 1 if place else 3 for place in original.encode(text)], text
        # The library's tokenizer for mBART-25 leaves out the model's own normalisation.
        if "<" not in text and text == unicodedata.normalize("NFKC", " ".join(text.split())):
            assert ids == theirs(text, add_special_tokens=False).input_ids, text


def test_byte_level_files_give_the_librarys_ids(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    theirs = tokenizers.ByteLevelBPETokenizer()
    specials = ["<s>", "<pad>", "</s>", "<unk>"]
    theirs.train_from_iterator(CORPUS, 320, special_tokens=specials, show_progress=False)
    theirs.save_model(str(tmp_path))
    ours = made(opened(tmp_path, "bart")[0])
    assert (ours.pad_id, ours.bos_id, ours.eos_id, ours.unk_id) == (1, 0, 2, 3)
    for text in SENTENCES:
        if "<" not in text:
            assert ours.encode(text, eos=False) == theirs.encode(text).ids, text
            assert ours.decode(ours.encode(text)) == text
    # BART writes <s> before its text and starts with </s>: neither is text, nor can it be typed.
    bart = made(opened(tmp_path, "bart")[0], bos=2)
    assert bart.decode([0, *bart.encode("A man")]) == "A man"
    assert bart.labels([0, *bart.encode("A man")])[0] == "⟨s⟩"
    assert set(bart.encode("<s>", eos=False)).isdisjoint(range(4))
    bart.save(tmp_path / "saved.json")
    assert Tokenizer.load(tmp_path / "saved.json") == bart


def test_a_tokenizer_json_is_taken_as_it_is(tmp_path: Path) -> None:
    Tokenizer.train_bpe(CORPUS, 300)._backend.save(str(tmp_path / "tokenizer.json"))
    ours = made(opened(tmp_path)[0])
    assert ours.decode(ours.encode("A man rides a bike.")) == "A man rides a bike."
    framed = opened(tmp_path)[0].make(ours.specials, Frame(before=(1,), after=(2, 5)))
    assert framed.encode("A man") == [1, *ours.encode("A man", eos=False), 2, 5]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_plain_files_count_lines(tmp_path: Path, ending: str) -> None:
    for side, letters in (("source", "abc"), ("target", "xyz")):
        lines = ["<pad>", "<sos>", "<eos>", "<unk>", *letters]
        (tmp_path / f"{side}.txt").write_text("\ufeff" + ending.join(lines) + ending, newline="")
    wishes = Wishes(source=tmp_path / "source.txt", target=tmp_path / "target.txt", split="chars")
    found = find_vocabularies({}, "torch", wishes, (7, 7))
    assert found is not None
    source, target = (made(vocabulary) for vocabulary in found)
    assert source.encode("cab?") == [6, 4, 5, 3, 2]
    assert target.encode("zx") == [6, 4, 2]
    assert target.bos_id == 1


def test_regular_expressions_and_words_split_too(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    path.write_text("\n".join(["<pad>", "<eos>", "<unk>", "do", "n't", "you"]))
    split = Wishes(tokenizer=path, split="regex", pattern=r"n't|\w+?(?=n't)|\w+")
    vocabulary = (find_vocabularies({}, "torch", split, (6, 6)) or ())[0]
    assert made(vocabulary).encode("don't you") == [3, 4, 5, 1]
    words = (find_vocabularies({}, "torch", Wishes(tokenizer=path), (6, 6)) or ())[0]
    assert made(words).encode("do you") == [3, 5, 1]


def test_a_json_object_of_tokens_is_a_vocabulary(tmp_path: Path) -> None:
    path = tmp_path / "words.json"
    path.write_text(json.dumps({"<pad>": 0, "hello": 3, "</s>": 1, "<unk>": 2}))
    vocabulary = (find_vocabularies({}, "torch", Wishes(tokenizer=path), (4, 4)) or ())[0]
    assert made(vocabulary).encode("hello there") == [3, 2, 1]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("v.txt", b"a\nb\na\n", "more than once"),
        ("v.txt", b"\xff\xfe\x00", "not UTF-8"),
        ("v.txt", b"", "at least one token"),
        ("v.json", b"[1, 2]", "neither a tokenizer nor"),
        ("v.json", b'{"en": {"a": 0, "b": 1}, "fr": {"c": 0, "d": 1}}', r"several vocabularies \(en, fr\)"),
        ("v.json", b'{"a": 1, "b": 2}', "list <pad> at 0 too"),
        ("v.json", b'{"a": 1, "b": 1}', "an id twice"),
        ("v.json", b'{"a": -4}', "below 0"),
        ("v.json", b'{"a": 0, "b": 7}', "leaves out ids"),
        ("v.json", b'{"a": {"b": 1}}', "neither a tokenizer nor"),
        ("v.json", b'{"model": {"type": "Nonsense"}}', "cannot read"),
        ("v.json", b'{"a":' * 100_000, "nests its objects"),
        ("v.spm", b"", "not a SentencePiece"),
        ("v.spm", b"\x0a\xff\xff\xff\xff\x0f", "not a SentencePiece"),
        ("v.spm", b"\xff" * 100, "not a SentencePiece"),
        ("v.model", b"I am a text.", "not a SentencePiece"),
        ("v.model", b"\x0a\x07\x0a\x01a\x18\x01\x10\x05", "not a SentencePiece"),
    ],
)
def test_files_that_are_no_vocabulary_are_refused(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)

    def use() -> None:
        found = find_vocabularies({}, "torch", Wishes(tokenizer=path), (4, 4)) or ()
        found[0].make(Specials(0, 0, 0, 0), Frame())

    with pytest.raises(CheckpointError, match=said) as caught:
        use()
    assert "\n" not in str(caught.value)


def test_a_cut_sentencepiece_file_is_refused(trained: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cut"
    shutil.copytree(trained, folder)
    data = (folder / "source.spm").read_bytes()
    (folder / "source.spm").write_bytes(data[:-40])
    with pytest.raises(CheckpointError, match=r"not a SentencePiece|cannot be read"):
        made(opened(folder)[0])


def test_one_vocabulary_alone_is_not_enough(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="--target-vocabulary"):
        find_vocabularies({}, "torch", Wishes(source=tmp_path / "s.txt"), (4, 4))
