"""Added tokens, BERT's vocab.txt, columns, bytes and suffixes: each gives the ids that its own library gives."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tokenizers
import tokenizers.models
import tokenizers.trainers

from core.errors import CheckpointError
from core.importing.sentencepiece import Vocabulary, pipeline, read_sentencepiece
from core.importing.vocabulary import Wishes, find_vocabularies
from core.tokenizer import Tokenizer
from tests.core.importing.test_vocabularies import CORPUS, made, train

sentencepiece = pytest.importorskip("sentencepiece")


def opened(folder: Path, layout: str, size: int, **wishes: object) -> Vocabulary:
    files = {path.name: path for path in folder.iterdir()}
    found = find_vocabularies(files, layout, Wishes(**wishes), (size, size))  # type: ignore[arg-type]
    assert found is not None
    return found[0]


@pytest.mark.parametrize("place", ["added_tokens.json", "tokenizer_config.json"])
def test_added_tokens_beside_a_sentencepiece_model(tmp_path: Path, place: str) -> None:
    train(tmp_path / "spiece.model", CORPUS, 120, pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "spiece.model"))
    size = pieces.get_piece_size()
    added = {" <=": size, "<sql>": size + 1}
    decoder = {str(number): {"content": token, "special": False} for token, number in added.items()}
    (tmp_path / place).write_text(
        json.dumps(added if place.startswith("added") else {"added_tokens_decoder": decoder})
    )
    ours = made(opened(tmp_path, "t5", size + 2))
    assert ours.vocab_size == size + 2
    assert ours.encode("the bike <= 3 <sql>") == [
        *pieces.encode("the bike"),
        size,
        *pieces.encode("3"),
        size + 1,
        1,
    ]
    assert ours.label(size + 1) == "<sql>"
    wrong = {"<sql>": 7}
    (tmp_path / "added_tokens.json").write_text(json.dumps(wrong))
    with pytest.raises(CheckpointError, match="'<sql>'"):
        opened(tmp_path, "t5", size + 2)


WORDPIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"我们喜欢公园。", "rid", "##ing", "the", "Rid"]


@pytest.mark.parametrize("lower", [None, True, False])
@pytest.mark.parametrize("given", [False, True])
def test_berts_vocab_txt_is_cut_as_its_tokenizer_cuts(
    tmp_path: Path, lower: bool | None, given: bool
) -> None:
    transformers = pytest.importorskip("transformers")
    path = tmp_path / "vocab.txt"
    path.write_text("\n".join(WORDPIECES) + "\n", encoding="utf-8")
    settings = {"tokenizer_class": "BertTokenizer", **({} if lower is None else {"do_lower_case": lower})}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    theirs = transformers.BertTokenizer.from_pretrained(tmp_path)
    vocabulary = opened(tmp_path, "bart", len(WORDPIECES), **({"tokenizer": path} if given else {}))
    ours = made(vocabulary)
    assert vocabulary.around is not None
    for text in ("我们喜欢riding公园。", "the Riding", "Riding, unknown"):
        inner = ours.encode(text, eos=False)
        ids = [*vocabulary.around.before, *inner, *vocabulary.around.after]
        assert ids == theirs(text).input_ids, text
    assert bool(vocabulary.remarks) == (lower is None)


@pytest.mark.parametrize(
    ("lines", "expected", "said"),
    [
        (["<pad>\t9", "</s>\t9", "<unk>\t0", "a\t7", "b\t5"], [3, 4, 1], "first column"),
        (["<pad>", "</s>", "<unk>", "a 7", "b 5"], [3, 4, 1], "first column"),
        (["a 4", "b 3", "<unk> 2", "</s> 1", "<pad> 0"], [4, 3, 1], "its id on each line"),
        (["4\ta", "3\tb", "2\t<unk>", "1\t</s>", "0\t<pad>"], [4, 3, 1], "its id on each line"),
        (["0 <pad>", "1 </s>", "2 <unk>", "3 a", "4 b"], [3, 4, 1], "its id on each line"),
        (
            ["<pad>\t0\t9", "</s>\t1\t9", "<unk>\t2\t0", "b\t4\t7", "a\t3\t5"],
            [3, 4, 1],
            "its id on each line",
        ),
    ],
)
def test_a_number_beside_each_token_is_left_out_and_said(
    tmp_path: Path, lines: list[str], expected: list[int], said: str
) -> None:
    path = tmp_path / "words.txt"
    path.write_text("\n".join(lines))
    vocabulary = opened(tmp_path, "torch", 5, tokenizer=path)
    assert made(vocabulary).encode("a b") == expected
    assert len(vocabulary.remarks) == 1 and said in vocabulary.remarks[0]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["<pad> ", "</s> ", "<unk> ", "a "], "spaces around its tokens: line 1 is '<pad> '"),
        (["<unk>\t0", "<s>\t0", "</s>\t0", "▁a\t-2.5", "b\t-3"], r"give the \.model file"),
        (["a 4", "b 5", "c 6"], "the ids 4 to 6; list those from 0 too"),
        (["a\tb\t1", "c\td\t2"], "3 columns, and 2 of them may be the tokens"),
        (["{'<pad>': 0, 'a': 1}"], "a single line, not a list of tokens"),
    ],
)
def test_lists_that_would_be_read_wrongly_are_refused(tmp_path: Path, lines: list[str], said: str) -> None:
    path = tmp_path / "words.txt"
    path.write_text("\n".join(lines))
    with pytest.raises(CheckpointError, match=said):
        opened(tmp_path, "torch", len(lines), tokenizer=path)


@pytest.mark.parametrize(
    "content",
    [
        ["<pad>", "</s>", "<unk>", "a", "b"],
        {"0": "<pad>", "1": "</s>", "2": "<unk>", "3": "a", "4": "b"},
        {"word2idx": {"<pad>": 0, "</s>": 1, "<unk>": 2, "a": 3, "b": 4}, "n_words": 5},
        {
            "itos": ["<pad>", "</s>", "<unk>", "a", "b"],
            "stoi": {"b": 4, "a": 3, "<unk>": 2, "</s>": 1, "<pad>": 0},
        },
        {"class_name": "Tokenizer", "config": {"word_index": '{"</s>": 1, "<unk>": 2, "a": 3, "b": 4}'}},
    ],
    ids=["list", "by id", "in an object", "twice", "Keras"],
)
def test_a_vocabulary_in_json_has_many_shapes(tmp_path: Path, content: object) -> None:
    path = tmp_path / "words.json"
    path.write_text(json.dumps(content))
    assert made(opened(tmp_path, "torch", 5, tokenizer=path)).encode("a b x") == [3, 4, 2, 1]


def test_a_table_of_counted_words_in_csv_is_read(tmp_path: Path) -> None:
    path = tmp_path / "words.csv"
    path.write_text('token,id\n<pad>,0\n</s>,1\n<unk>,2\n",",3\na,4\n')
    assert made(opened(tmp_path, "torch", 5, tokenizer=path)).encode("a ,") == [4, 3, 1]


def test_bytes_that_were_declared_special_spell_text(tmp_path: Path) -> None:
    backend = tokenizers.Tokenizer(tokenizers.models.BPE(byte_fallback=True, unk_token="<unk>"))
    every = [f"<0x{n:02X}>" for n in range(256)]
    trainer = tokenizers.trainers.BpeTrainer(
        special_tokens=["<pad>", "</s>", "<unk>", *every], show_progress=False
    )
    backend.train_from_iterator(["a b"], trainer)
    backend.save(str(tmp_path / "tokenizer.json"))
    ours = made(opened(tmp_path, "torch", backend.get_vocab_size(), tokenizer=tmp_path / "tokenizer.json"))
    assert ours.encode("a<", eos=False) == backend.encode("a<").ids
    assert ours.unk_id not in ours.encode("a<")
    assert ours.encode("<0x41>", eos=False) != [backend.token_to_id("<0x41>")]


@pytest.mark.parametrize("kind", ["unigram", "bpe"])
def test_pieces_of_bytes_come_out_as_text(tmp_path: Path, kind: str) -> None:
    path = train(tmp_path / "spiece.model", CORPUS, 420, kind, byte_fallback=True)
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(path))
    ours = made(opened(tmp_path, "bart", theirs.get_piece_size()), pad=0)
    for text in ("unknown 漢字 and 😀 signs", "A man rides a bike."):
        assert ours.encode(text, eos=False) == theirs.encode(text)
        assert ours.decode(ours.encode(text)) == text
    ours.save(tmp_path / "t.json")
    assert Tokenizer.load(tmp_path / "t.json").decode(ours.encode("😀 signs")) == "😀 signs"


@pytest.mark.parametrize("kind", ["unigram", "bpe"])
def test_the_sign_of_a_space_may_end_a_word(tmp_path: Path, kind: str) -> None:
    path = train(tmp_path / "m.model", CORPUS, 120, kind, treat_whitespace_as_suffix=True)
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(path))
    backend = pipeline(read_sentencepiece(path), "m.model")
    for text in ("A man rides a bike.", "  two   spaces ", "x"):
        ids = theirs.encode(text)
        assert backend.encode(text, add_special_tokens=False).ids == ids, text
    ours = made(opened(tmp_path, "bart", theirs.get_piece_size(), tokenizer=path), pad=0)
    ids = ours.encode("A man rides", eos=False)
    assert ours.decode(ids) == "A man rides"
    assert ours.words(ids)[-1] == 2
    ours.save(tmp_path / "t.json")
    assert Tokenizer.load(tmp_path / "t.json").labels(ids) == ours.labels(ids)


def test_nllbs_languages_come_from_the_folders_own_files(tmp_path: Path) -> None:
    train(tmp_path / "sentencepiece.bpe.model", CORPUS, 120)
    size = len(read_sentencepiece(tmp_path / "sentencepiece.bpe.model").pieces) + 1
    with pytest.raises(CheckpointError, match=r"lists the languages of this model"):
        opened(tmp_path, "m2m-100", size + 3)
    codes = {"additional_special_tokens": ["ace_Arab", "eng_Latn", "fra_Latn"]}
    (tmp_path / "special_tokens_map.json").write_text(json.dumps(codes))
    settings = {"tokenizer_class": "NllbTokenizer", "src_lang": "fra_Latn"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    vocabulary = opened(tmp_path, "m2m-100", size + 6)
    assert [vocabulary.tokens[code] for code in ("ace_Arab", "eng_Latn", "fra_Latn", "<mask>")] == [
        size,
        size + 1,
        size + 2,
        size + 3,
    ]
    assert vocabulary.around is not None
    assert (vocabulary.around.before, vocabulary.around.after) == ((size + 2,), (2,))
    assert not vocabulary.around.assumed
