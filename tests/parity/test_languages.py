"""The tokenizers of ByT5, M2M100 and NLLB from their own libraries' folders: the same ids, languages by their names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tokenizers
import torch

import core
from core.errors import CheckpointError
from core.importing.plan import plan_import
from core.importing.sentencepiece import read_sentencepiece
from tests.core.importing.test_vocabularies import CORPUS, train
from tests.parity.families import FAMILIES, generated

transformers = pytest.importorskip("transformers")
TEXTS = ("A man rides a bike.", "Où est la gare ?", "3 o'clock")


def m2m(folder: Path, size: int) -> Any:
    torch.manual_seed(3)
    config = transformers.M2M100Config(**{**FAMILIES["m2m-100"].settings, "vocab_size": size})
    model = transformers.M2M100ForConditionalGeneration(config).eval()
    model.save_pretrained(folder)
    return model


def written(model: Any, row: list[int], language: int) -> list[int]:
    options = {"forced_bos_token_id": language, "decoder_start_token_id": 2, "max_new_tokens": 24}
    return generated(model, row, [1], **options)


def test_byt5_has_no_vocabulary_file_and_reads_bytes(tmp_path: Path) -> None:
    torch.manual_seed(3)
    settings = {**FAMILIES["byt5"].settings, "vocab_size": 384, "tokenizer_class": "ByT5Tokenizer"}
    model = transformers.T5ForConditionalGeneration(transformers.T5Config(**settings)).eval()
    model.save_pretrained(tmp_path)
    tokenizer = transformers.ByT5Tokenizer()
    ours = core.import_checkpoint(tmp_path)
    for text in (*TEXTS, "日本 🚲", "a  b\n", "Ǆ<extra_id_3>é"):
        wanted = tokenizer(text).input_ids
        if "<" not in text:  # what people type is text here, never a special token
            assert ours.encode_source(text) == wanted
        assert ours.tokenizer.decode(ours.encode_source(text)) == text
    assert ours.tokenizer.encode("<pad>", eos=False) == [3 + byte for byte in b"<pad>"]
    wrapped = core.wrap(model, tokenizer)
    assert wrapped.agreement is not None and wrapped.agreement.same_ids
    assert core.import_checkpoint(tmp_path, tokenizer="bytes").digest == ours.digest
    core.save(tmp_path / "ours", ours.model, ours.source_tokenizer, ours.target_tokenizer, {}, "float32")
    assert core.load(tmp_path / "ours", "cpu").encode_source(TEXTS[1]) == ours.encode_source(TEXTS[1])


def test_m2m100_takes_its_languages_by_name(tmp_path: Path) -> None:
    train(tmp_path / "spm.model", CORPUS, 150)
    pieces = read_sentencepiece(tmp_path / "spm.model").pieces[3:]
    tokens = ["<s>", "<pad>", "</s>", "<unk>", *pieces]
    (tmp_path / "words.json").write_text(json.dumps({token: n for n, token in enumerate(tokens)}))
    tokenizer = transformers.M2M100Tokenizer(
        str(tmp_path / "words.json"), str(tmp_path / "spm.model"), src_lang="en", tgt_lang="fr"
    )
    folder = tmp_path / "m2m"
    model = m2m(folder, len(tokens) + 100 + 8)
    tokenizer.save_pretrained(folder)
    ours = core.import_checkpoint(folder, source_language="en", target_language="fr")
    assert (ours.card["source_language"], ours.card["target_language"]) == ("en", "fr")
    french = tokenizer.get_lang_id("fr")
    assert ours.config.forced_bos_id == french
    for text in TEXTS:
        row = tokenizer(text).input_ids
        assert ours.encode_source(text) == row
        session = core.DecodeSession(ours, text, max_steps=24)
        session.run()
        assert session.ids == written(model, row, french)
        assert session.tokens[0] == "⟨__fr__⟩"
    wrapped = core.wrap(model, tokenizer, source_language="en", target_language="fr")
    assert wrapped.agreement is not None and wrapped.agreement.same_ids
    assert wrapped.digest == ours.digest
    plan = plan_import(folder)  # no language given: the tokenizer's own is taken, and said
    assert plan.ready and plan.config is not None and plan.config.forced_bos_id == french
    (question,) = (each for each in plan.questions if each.name == "target_language")
    assert not question.blocking and question.proposal == "fr" and len(question.choices) == 100
    assert "'fr'" in question.text and "tgt_lang" in question.text
    assert ("forced_bos_id", french) in [(each.name, each.value) for each in plan.assumed]
    with pytest.warns(UserWarning, match=rf"forced_bos_id = {french}"):
        assert core.import_checkpoint(folder).config.forced_bos_id == french
    german = plan.answer(target_language="de")
    assert german.config is not None and german.config.forced_bos_id == tokenizer.get_lang_id("de")
    assert "forced_bos_id" not in [each.name for each in german.assumed]
    settings = folder / "tokenizer_config.json"
    kept = settings.read_text("utf-8")
    settings.write_text(json.dumps({**json.loads(kept), "tgt_lang": None}), "utf-8")
    (question,) = plan_import(folder).open_questions  # where the tokenizer names none, it is asked
    assert question.name == "target_language" and len(question.choices) == 100
    settings.write_text(kept, "utf-8")
    with pytest.raises(CheckpointError, match=r"'xx', given as target_language, is not a language .* __af__"):
        core.import_checkpoint(folder, target_language="xx")


@pytest.mark.parametrize("legacy", [False, True])
def test_both_behaviours_of_nllbs_tokenizer(tmp_path: Path, legacy: bool) -> None:
    learned = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="<unk>"))
    learned.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=200, special_tokens=["<s>", "<pad>", "</s>", "<unk>"], show_progress=False
    )
    learned.train_from_iterator(CORPUS, trainer)
    model = json.loads(learned.to_str())["model"]
    tokenizer = transformers.NllbTokenizer(
        vocab=model["vocab"],
        merges=[tuple(pair) for pair in model["merges"]],
        src_lang="eng_Latn",
        tgt_lang="fra_Latn",
        legacy_behaviour=legacy,
    )
    folder = tmp_path / "nllb"
    model = m2m(folder, len(tokenizer))
    tokenizer.save_pretrained(folder)
    ours = core.import_checkpoint(folder, source_language="eng_Latn", target_language="fra_Latn")
    french = tokenizer.convert_tokens_to_ids("fra_Latn")
    for text in TEXTS:
        row = tokenizer(text).input_ids
        assert ours.encode_source(text) == row
        assert (row[0] == tokenizer.convert_tokens_to_ids("eng_Latn")) is not legacy
        session = core.DecodeSession(ours, text, max_steps=24)
        session.run()
        assert session.ids == written(model, row, french)
