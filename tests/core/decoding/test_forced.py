"""A configuration's forced first token: every strategy writes it, nothing else changes, a person may differ."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from core import api
from core.api import Checkpoint, trace, trace_ids
from core.checkpoints import bundle
from core.decoding.inputs import target_ids
from core.decoding.search import translate_batch
from core.decoding.session import DecodeSession
from core.verify.checking import verify
from tests.core.conftest import passed
from tests.core.decoding.test_session import check_same

TEXT = "abc def."
TEXTS = [TEXT, "j", "a b c d e f g", "hij"]
FORCED = 9  # "f"
START = 1  # forced once more, as early mBART files have it


@pytest.fixture(params=[FORCED, START], ids=["letter", "start"])
def forced(request: pytest.FixtureRequest, build: Callable[..., Checkpoint]) -> Checkpoint:
    return build(forced_bos_id=request.param)


def begins(ck: Checkpoint) -> int:
    assert ck.config.forced_bos_id is not None
    return ck.config.forced_bos_id


@pytest.mark.parametrize("options", [{}, {"strategy": "sample", "temperature": 3.0}, {"strategy": "beam"}])
def test_every_strategy_writes_it_first_and_repeats_it_after_back(
    forced: Checkpoint, options: dict[str, object]
) -> None:
    session = DecodeSession(forced, TEXT, max_steps=8, **options)  # type: ignore[arg-type]
    first = begins(forced)
    assert session.cut_off().ids == (first,)
    assert [each.id for each in session.candidates(99) if each.kept] == [first]
    session.step()
    assert session.ids == [first]
    assert len(session.cut_off()) >= 1 and session.cut_off().ids != (first,)
    session.back()
    session.run()
    assert session.ids[0] == first
    assert len(session.ids) > 1
    again = DecodeSession.replay(forced, TEXT, session.ids, max_steps=8, **options)
    assert again.ids == session.ids


def test_the_rest_is_what_the_model_predicts_after_it(forced: Checkpoint) -> None:
    """Step by step, against a greedy loop of whole forward passes; the distribution stays the model's own."""
    session = DecodeSession(forced, TEXT, max_steps=12)
    source = torch.tensor([session.source_ids])
    read, banned = [forced.config.bos_id, begins(forced)], [forced.config.pad_id, forced.config.bos_id]
    with torch.inference_mode():
        opening = torch.softmax(forced.model(source, torch.tensor([read[:1]]))[0, -1], dim=-1)
        while len(read) < 13 and read[-1] != forced.config.eos_id:
            logits = forced.model(source, torch.tensor([read]))[0, -1]
            logits[banned] = -torch.inf
            read.append(int(logits.argmax()))
    assert np.abs(session.distribution - opening.numpy()).max() < 1e-5
    session.run()
    assert session.ids == read[1:]
    check_same(session.trace, trace_ids(forced, session.source_ids, session.ids))


@pytest.mark.parametrize("beam_size", [1, 3])
def test_batches_and_sessions_agree(forced: Checkpoint, beam_size: int) -> None:
    sources = [forced.encode_source(text) for text in TEXTS]
    written = translate_batch(forced.model, sources, beam_size, max_steps=9)
    strategy = "greedy" if beam_size == 1 else "beam"
    for text, ids in zip(TEXTS, written, strict=True):
        session = DecodeSession(forced, text, strategy, beam_size=beam_size, max_steps=9)
        session.run()
        assert session.ids == ids
        assert ids[0] == begins(forced)


def test_a_beam_does_not_pay_for_what_it_could_not_choose(forced: Checkpoint) -> None:
    session = DecodeSession(forced, TEXT, "beam", beam_size=3, max_steps=6)
    session.run()
    for found in session.hypotheses:
        logs = passed(forced, session.source_ids, found.ids).log_softmax(-1)
        each = logs[range(len(found.ids)), list(found.ids)]
        assert abs(found.total - float(each[1:].sum())) < 1e-4
        assert found.ids[0] == begins(forced)


@pytest.mark.parametrize("strategy", ["greedy", "beam"])
def test_a_person_may_force_another(forced: Checkpoint, strategy: str) -> None:
    session = DecodeSession(forced, TEXT, strategy, max_steps=6)
    session.force("b")
    session.step()
    assert session.tokens[0] == "b"
    session.reset()
    session.step()
    assert session.ids == [begins(forced)]


def test_a_given_target_begins_with_it(build: Callable[..., Checkpoint]) -> None:
    forced, free = build(forced_bos_id=FORCED), build()
    assert target_ids(forced, "ab") == [FORCED, *target_ids(free, "ab")]
    found = trace(forced, TEXT, "ab")
    assert found.tokens.target == ("⟨start⟩", "f", "a", "b")
    assert found.tokens.written == ("f", "a", "b", "⟨end⟩")
    assert target_ids(forced, "fab") == target_ids(free, "fab")  # as it is read from an output


def test_it_is_stored_with_the_checkpoint_and_trusted(forced: Checkpoint, tmp_path: Path) -> None:
    bundle.save(
        tmp_path / "c", forced.model, forced.source_tokenizer, forced.target_tokenizer, forced.card, "float32"
    )
    loaded = api.load(tmp_path / "c", device="cpu")
    assert loaded.config.forced_bos_id == begins(forced)
    assert loaded.translate(TEXT) == forced.translate(TEXT)
    assert verify(loaded).passed
