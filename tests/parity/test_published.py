"""The sizes of published models: rows and tokens differ, and logits, maps, output and source ids are the library's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import core
from core.checkpoints.summary import read_summary
from core.errors import CheckpointError
from core.importing.plan import plan_import
from tests.parity.comparing import TOLERANCE
from tests.parity.published import PUBLISHED, Published, found, saved

pytest.importorskip("transformers")
QUICK = ("t5", "bart-large-cnn, bart-large-xsum")


@pytest.mark.parametrize(
    "title", [each if each in QUICK else pytest.param(each, marks=pytest.mark.thorough) for each in PUBLISHED]
)
def test_a_published_size_is_read_and_decoded_as_its_own_library_does(title: str) -> None:
    gaps, same = found(PUBLISHED[title])
    assert gaps.largest <= TOLERANCE
    assert gaps.written
    assert same


BART = {0: "<s>", 1: "<pad>", 2: "</s>", 3: "<unk>", 299: "<mask>"}


def test_many_rows_without_a_token_are_allowed_where_the_tokenizer_lies_beside_the_weights(
    tmp_path: Path,
) -> None:
    theirs, speaker, plan = saved(Published("", "bart", 400, 300, BART, "<s> $A </s>"), tmp_path / "theirs")
    assert {each.name: each.value for each in plan.assumed} == {
        "source_unused_rows": 100,
        "target_unused_rows": 100,
    }
    with pytest.warns(UserWarning, match="source_unused_rows = 100"):
        checkpoint = core.import_checkpoint(tmp_path / "theirs", out=tmp_path / "ours")
    assert "logits" in checkpoint.card["agreement"]
    assert core.load(tmp_path / "ours", "cpu").encode_source("w10 w11") == speaker("w10 w11").input_ids
    assert read_summary(tmp_path / "ours").read_tokenizers()[0].vocab_size == 300
    with pytest.raises(CheckpointError, match="source tokenizer has 300 tokens but the model 400"):
        core.wrap(theirs, speaker)


@pytest.mark.parametrize(
    ("family", "codes", "given"),
    [("nllb", ("eng_Latn", "fra_Latn"), "fra_Latn"), ("m2m-100", ("__en__", "__fr__"), "fr")],
)
def test_the_target_language_of_the_tokenizer_is_assumed(
    tmp_path: Path, family: str, codes: tuple[str, str], given: str
) -> None:
    named = {**{number: BART[number] for number in range(4)}, 110: codes[0], 111: codes[1]}
    saved(Published("", family, 120, 120, named, f"{codes[0]} $A </s>"), tmp_path)
    path = tmp_path / "tokenizer_config.json"
    settings = json.loads(path.read_text("utf-8"))
    for language, ready in ((given, True), ("xx", False), (["a"], False)):
        path.write_text(json.dumps({**settings, "tgt_lang": language}), "utf-8")
        plan = plan_import(tmp_path)
        assert plan.ready == ready
        if ready:
            assert plan.config is not None and plan.config.forced_bos_id == 111
            assert [each.name for each in plan.assumed] == ["forced_bos_id"]
            assert [each.name for each in plan.questions if not each.blocking] == ["target_language"]
            other = plan.answer(target_language=codes[0])
            assert other.config is not None and other.config.forced_bos_id == 110 and not other.assumed
