"""Models without an end token: every decode writes until its limit, and no text ends with a token."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

import core
from core.api import Checkpoint, trace_ids
from core.decoding.search import translate_batch
from core.decoding.session import DecodeSession
from core.errors import CheckpointError
from core.experiments.importance import survey
from core.experiments.what_if import Pair
from core.importing.plan import ImportPlan, plan_import
from core.model.config import ModelConfig
from core.model.transformer import Transformer
from core.tokenizer import Tokenizer
from core.verify.checking import verify
from tests.core.conftest import TINY, shaken
from tests.core.importing.exported import as_torch

TOKENS = ["<pad>", "<s>", "<unk>", *"abcdefghij ."]
TEXT = "abc def."


@pytest.fixture(scope="module")
def endless() -> Checkpoint:
    tokenizer = Tokenizer.from_vocabulary(TOKENS, specials={"eos": None})
    sizes = {"source_vocab_size": len(TOKENS), "target_vocab_size": len(TOKENS)}
    options = {"norm_placement": "pre", "final_norm": True, "eos_id": None, "unk_id": 2}
    config = ModelConfig(**{**TINY, **sizes, **options})
    torch.manual_seed(3)
    return Checkpoint(shaken(Transformer(config), 3), tokenizer, tokenizer, {})


def test_a_vocabulary_says_that_it_has_none() -> None:
    with pytest.raises(CheckpointError, match="no eos token .* or null if no token ends a text"):
        Tokenizer.from_vocabulary(TOKENS)
    tokenizer = Tokenizer.from_vocabulary(TOKENS, specials={"eos": None})
    assert tokenizer.eos_id is None
    assert tokenizer.encode("ab") == [3, 4]
    assert "⟨end⟩" not in tokenizer.labels(range(len(TOKENS)))


def test_every_decode_writes_until_its_limit(endless: Checkpoint) -> None:
    source = endless.encode_source(TEXT)
    limit = 2 * len(source) + 20
    for beams in (1, 3):
        assert [len(ids) for ids in translate_batch(endless.model, [source, source[:3]], beams)] == [
            limit,
            26,
        ]
    session = DecodeSession(endless, TEXT, "sample", max_steps=5)
    while not session.finished:
        session.step()
    assert (len(session.ids), session.ended) == (5, False)
    trace = trace_ids(endless, source, session.ids)
    assert "⟨end⟩" not in (*trace.tokens.source, *trace.tokens.written)
    pairs = [Pair(tuple(source), tuple(session.ids))]
    *_, last = survey(endless.model, pairs)
    assert last.complete


def test_the_trust_report_holds_and_a_stored_copy_is_the_same(endless: Checkpoint, tmp_path: Path) -> None:
    assert not [check.sentence for check in verify(endless, [TEXT]).checks if not check.passed]
    core.save(tmp_path, endless.model, endless.source_tokenizer, endless.target_tokenizer, {}, "float32")
    again = core.load(tmp_path, "cpu")
    assert (again.config.eos_id, again.target_tokenizer) == (None, endless.target_tokenizer)
    assert again.translate(TEXT) == endless.translate(TEXT)


@pytest.fixture
def plan(endless: Checkpoint, tmp_path: Path) -> ImportPlan:
    torch.save(as_torch(endless), tmp_path / "model.pt")
    (tmp_path / "words.txt").write_text("\n".join(TOKENS) + "\n", encoding="utf-8")
    told: dict[str, Any] = {"heads": 4, "norm_placement": "pre", "source_before": ""}
    return plan_import(tmp_path / "model.pt", answers=told, tokenizer=tmp_path / "words.txt", split="chars")


def test_an_import_asks_for_the_end_token_and_is_told_that_there_is_none(
    endless: Checkpoint, plan: ImportPlan
) -> None:
    (question,) = plan.open_questions
    assert (question.name, question.flag) == ("eos_id", "--eos")
    assert "none, if no token ends a text" in question.text
    made = plan.answer(eos="none").checkpoint
    assert made.config.eos_id is None
    assert made.encode_source(TEXT) == endless.encode_source(TEXT)
    assert made.translate(TEXT) == endless.translate(TEXT)
    framed = plan.answer(eos="none", source_after=".").checkpoint
    assert framed.encode_source("ab") == [3, 4, TOKENS.index(".")]
