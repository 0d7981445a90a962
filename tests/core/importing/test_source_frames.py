"""A source has the ids of its own tokenizer, whatever the family: 6 families × 4 kinds of tokenizers × 9 post-processors."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

import core
from core.errors import CheckpointError, InputError
from core.importing.plan import plan_import
from core.verify.checking import verify

transformers = pytest.importorskip("transformers")

SIGNS = ["[CLS]", "<pad>", "[SEP]", "<unk>"]
CORPUS = ["a man rides a bike down the street", "the dog sleeps in the rain", "it is a long way home"] * 5
TEXTS = ["a man rides", "the dog", "it xyz sleeps"]
IDS = {"pad_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1}
SMALL = {
    "vocab_size": 90,
    "d_model": 16,
    "encoder_ffn_dim": 16,
    "decoder_ffn_dim": 16,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "max_position_embeddings": 64,
    "bos_token_id": 0,
    **IDS,
}
T5 = {"vocab_size": 90, "d_model": 16, "d_kv": 8, "d_ff": 16, "num_layers": 1, "num_heads": 2, **IDS}
FAMILIES: dict[str, Callable[[], Any]] = {
    "t5": lambda: transformers.T5ForConditionalGeneration(transformers.T5Config(**T5)),
    "bart": lambda: transformers.BartForConditionalGeneration(transformers.BartConfig(**SMALL)),
    "marian": lambda: transformers.MarianMTModel(transformers.MarianConfig(**SMALL)),
    "pegasus": lambda: transformers.PegasusForConditionalGeneration(transformers.PegasusConfig(**SMALL)),
    "mbart": lambda: transformers.MBartForConditionalGeneration(
        transformers.MBartConfig(**SMALL, forced_bos_token_id=7)
    ),
    "blenderbot": lambda: transformers.BlenderbotForConditionalGeneration(
        transformers.BlenderbotConfig(**SMALL)
    ),
}
BOTH = [("[CLS]", 0), ("[SEP]", 2)]


def template(single: str) -> Any:
    return processors.TemplateProcessing(single=single, special_tokens=BOTH)


POST: dict[str, Any] = {
    "nothing": None,
    "start": template("[CLS] $A"),
    "end": template("$A [SEP]"),
    "both": template("[CLS] $A [SEP]"),
    "two": template("[CLS] [SEP] $A [SEP] [SEP]"),
    "roberta": processors.RobertaProcessing(("[SEP]", 2), ("[CLS]", 0)),
    "bert": processors.BertProcessing(("[SEP]", 2), ("[CLS]", 0)),
    "byte-level first": processors.Sequence([processors.ByteLevel(), template("[CLS] $A [SEP]")]),
    "one in another": processors.Sequence([template("$A [SEP]"), template("[CLS] $A")]),
}


def trained(kind: str) -> Tokenizer:
    """A tokenizer of 90 tokens at most, whose specials are those of `SIGNS`."""
    model, trainer = {
        "words": (models.WordLevel(unk_token="<unk>"), trainers.WordLevelTrainer),
        "bpe": (models.BPE(unk_token="<unk>"), trainers.BpeTrainer),
        "wordpiece": (models.WordPiece(unk_token="<unk>"), trainers.WordPieceTrainer),
        "unigram": (models.Unigram(), trainers.UnigramTrainer),
    }[kind]
    made = Tokenizer(model)
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    unknown = {"unk_token": "<unk>"} if kind == "unigram" else {}
    made.train_from_iterator(
        CORPUS, trainer(vocab_size=88, special_tokens=SIGNS, show_progress=False, **unknown)
    )
    for filler in range(made.get_vocab_size(), 90):
        made.add_tokens([f"filler{filler}"])
    return made


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A saved model of each family, without a tokenizer."""
    root = tmp_path_factory.mktemp("families")
    for name, make in FAMILIES.items():
        make().save_pretrained(root / name)
    return {name: root / name for name in FAMILIES}


@pytest.mark.sampled(8)
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("kind", ["words", "bpe", "wordpiece", "unigram"])
def test_what_tokenizer_json_puts_around_a_source_is_read(
    folders: dict[str, Path], family: str, kind: str
) -> None:
    backend, folder = trained(kind), folders[family]
    for name, step in POST.items():
        made = Tokenizer.from_str(backend.to_str())
        if step is not None:
            made.post_processor = step
        made.save(str(folder / "tokenizer.json"))
        plan = plan_import(folder)
        assert not plan.open_questions, name
        source = plan.tokenizers[0]
        assert [source.encode(text) for text in TEXTS] == [made.encode(text).ids for text in TEXTS], name
        (around,) = [each for each in plan.findings if each.name == "source_before"]
        assert around.how == "vocabulary"
    (folder / "tokenizer.json").unlink()


def test_an_answer_comes_before_the_tokenizer_and_a_family_where_none_says(folders: dict[str, Path]) -> None:
    folder = folders["bart"]
    made = trained("words")
    made.post_processor = POST["both"]
    made.save(str(folder / "tokenizer.json"))
    told = core.import_checkpoint(folder, source_before="", source_after="")
    assert told.encode_source("the dog") == made.encode("the dog", add_special_tokens=False).ids
    (folder / "tokenizer.json").unlink()
    words = sorted(made.get_vocab(), key=made.get_vocab().__getitem__)
    (folder / "words.txt").write_text("\n".join(words))
    own = core.import_checkpoint(folder, tokenizer=folder / "words.txt")
    assert own.encode_source("the dog") == [0, *made.encode("the dog", add_special_tokens=False).ids, 2]
    (folder / "words.txt").unlink()


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (
            {
                "type": "TemplateProcessing",
                "single": [{"Sequence": {"id": "A"}}] * 2,
                "pair": [],
                "special_tokens": {},
            },
            "has its text 2 times",
        ),
        ({"type": "RobertaProcessing", "cls": 0, "sep": ["[SEP]", 2]}, "cannot read tokenizer.json"),
        ({"type": "Unheard", "sep": 1}, "'Unheard', which is not read"),
        (
            {"type": "BertProcessing", "cls": ["[CLS]", 5000], "sep": ["[SEP]", 2]},
            "token 5000 around the source",
        ),
    ],
)
def test_a_post_processor_that_cannot_be_followed_is_refused(
    folders: dict[str, Path], step: dict[str, Any], said: str
) -> None:
    folder = folders["t5"]
    layout = {**json.loads(trained("words").to_str()), "post_processor": step}
    (folder / "tokenizer.json").write_text(json.dumps(layout))
    with pytest.raises(CheckpointError, match=said):
        core.load(folder, "cpu")
    (folder / "tokenizer.json").unlink()


def fast(backend: Tokenizer, **more: Any) -> Any:
    names = {"bos_token": "[CLS]", "pad_token": "<pad>", "eos_token": "[SEP]", "unk_token": "<unk>"}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=backend, **names, **more)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["nothing", "both", "roberta", "one in another"])
def test_the_tokenizer_in_memory_is_followed_and_ten_texts_are_compared(name: str) -> None:
    backend = trained("bpe")
    if POST[name] is not None:
        backend.post_processor = POST[name]
    wrapped = core.wrap(FAMILIES["marian"](), fast(backend))
    assert [wrapped.encode_source(text) for text in TEXTS] == [backend.encode(text).ids for text in TEXTS]
    assert wrapped.agreement is not None and wrapped.agreement.same_ids
    assert wrapped.card["source_ids"]["compared"] == 10
    assert [each.passed for each in verify(wrapped).checks if each.name == "ids"] == [True]


def test_other_ids_than_the_original_are_a_warning_on_the_card_and_in_the_checks(
    folders: dict[str, Path],
) -> None:
    """The library's BertTokenizer puts its own tokens around a text, whatever its tokenizer.json says."""
    folder = folders["t5"]
    made = trained("wordpiece")
    made.save(str(folder / "tokenizer.json"))
    names = {"cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "<pad>", "unk_token": "<unk>"}
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "BertTokenizer", **names}))
    with pytest.warns(UserWarning, match="texts have other ids here than the original's own tokenizer"):
        loaded = core.load(folder, "cpu")
    assert loaded.encode_source("the dog") == made.encode("the dog").ids
    assert loaded.card["source_ids"]["compared"] == len(loaded.card["source_ids"]["different"]) == 10
    (check,) = [each for each in verify(loaded).checks if each.name == "ids"]
    assert not check.passed and check.value == 1.0
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).unlink()


# -- rows and tokens -----------------------------------------------------------------------------------------


@pytest.mark.sampled(4)
@pytest.mark.parametrize("rows", [89, 90, 91, 92, 96, 128])
@pytest.mark.parametrize("way", ["wrap", "load"])
def test_a_table_may_have_other_rows_than_there_are_tokens(tmp_path: Path, rows: int, way: str) -> None:
    """One less, as BART-large-cnn; two more, as NLLB-200; rounded up to a multiple of 8 and of 64."""
    words = [*SIGNS, *(f"w{number}" for number in range(85)), "<mask>"]
    backend = Tokenizer(models.WordLevel({word: n for n, word in enumerate(words)}, unk_token="<unk>"))
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    backend.post_processor = POST["both"]
    tokenizer = fast(backend, mask_token="<mask>")
    model = transformers.BartForConditionalGeneration(
        transformers.BartConfig(**{**SMALL, "vocab_size": rows})
    )
    if way == "wrap":
        checkpoint: Any = core.wrap(model, tokenizer)
        assert checkpoint.agreement.largest <= 1e-5
    else:
        model.save_pretrained(tmp_path)
        tokenizer.save_pretrained(tmp_path)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            checkpoint = core.load(tmp_path, "cpu")
    assert checkpoint.encode_source("w1 w84") == tokenizer("w1 w84").input_ids
    assert checkpoint.translate("w1 w2") is not None
    assert verify(checkpoint, ["w1 w2"]).passed
    core.save(
        tmp_path / "own", checkpoint.model, checkpoint.source_tokenizer, checkpoint.target_tokenizer, {}
    )
    assert core.load(tmp_path / "own", "cpu").encode_source("w3") == tokenizer("w3").input_ids


def test_a_word_without_a_row_is_refused_when_it_is_typed(tmp_path: Path) -> None:
    backend = trained("words")
    backend.add_tokens(["beyond"])
    model = FAMILIES["bart"]()
    wrapped = core.wrap(model, fast(backend))
    assert wrapped.encode_source("the dog")
    with pytest.raises(
        InputError, match="no row for the token beyond, number 90 of its tokenizer: its table has 90"
    ):
        wrapped.encode_source("the dog beyond")
    model.resize_token_embeddings(91)
    assert core.wrap(model, fast(backend)).encode_source("the beyond")[-1] == 90


@pytest.mark.parametrize("size", [60, 84, 92])
def test_the_tokenizer_of_another_model_is_still_refused(size: int) -> None:
    words = {word: n for n, word in enumerate([*SIGNS, *(f"w{number}" for number in range(size - 4))])}
    backend = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    with pytest.raises(CheckpointError, match=f"the source tokenizer has {size} tokens but the model 90"):
        core.wrap(FAMILIES["bart"](), fast(backend))


@pytest.mark.parametrize(
    ("family", "rows", "tokens"),
    [
        pytest.param("bart", 50264, 50265, id="bart-large-cnn and xsum"),
        pytest.param("t5", 32128, 32100, id="t5"),
        pytest.param("m2m", 256206, 256204, id="nllb-200", marks=pytest.mark.thorough),
    ],
)
def test_the_sizes_of_published_models(family: str, rows: int, tokens: int) -> None:
    languages = {256047: "eng_Latn", 256057: "fra_Latn"} if family == "m2m" else {}
    words = ["<s>", "<pad>", "</s>", "<unk>", *(f"w{number}" for number in range(tokens - 5)), "<mask>"]
    for number, code in languages.items():
        words[number] = code
    backend = Tokenizer(models.WordLevel({word: n for n, word in enumerate(words)}, unk_token="<unk>"))
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    before = "eng_Latn" if languages else "<s>"
    signs = [(sign, words.index(sign)) for sign in (before, "</s>")]
    backend.post_processor = processors.TemplateProcessing(single=f"{before} $A </s>", special_tokens=signs)
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend,
        bos_token="<s>",
        pad_token="<pad>",
        eos_token="</s>",
        unk_token="<unk>",
        mask_token="<mask>",
        additional_special_tokens=list(languages.values()),
    )
    sizes = {**(T5 if family == "t5" else SMALL), "vocab_size": rows}
    prefix = {"bart": "Bart", "t5": "T5", "m2m": "M2M100"}[family]
    config = getattr(transformers, f"{prefix}Config")(**sizes)
    model = getattr(transformers, f"{prefix}ForConditionalGeneration")(config)
    told = {"target_language": "fra_Latn"} if languages else {}
    wrapped = core.wrap(model, tokenizer, **told)
    assert wrapped.agreement is not None and wrapped.agreement.largest <= 1e-5
    assert wrapped.agreement.same_ids
    assert wrapped.encode_source("w1 w2")[0] == signs[0][1]
