"""A session's rows are a full pass's rows; steps can be undone, forced, redone and restored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from core.api import Checkpoint, trace_ids
from core.decoding.session import DecodeSession
from core.errors import InputError
from core.model.hooks import Site
from core.model.trace import Trace

TEXT = "abc def."


def check_same(one: Trace, other: Trace, tolerance: float = 1e-5) -> None:
    assert one.tokens == other.tokens
    assert (one.source_ids, one.target_ids, one.written_ids) == (
        *(other.source_ids, other.target_ids, other.written_ids),
    )
    assert set(one.records) == set(other.records)
    for site, expected in other.records.items():
        found = one.records[site]
        assert found.shape == expected.shape, site
        assert np.array_equal(np.isneginf(found), np.isneginf(expected)), site
        seen = np.isfinite(expected)
        scale = max(1.0, float(np.abs(expected[seen]).max(initial=0)))
        assert float(np.abs(found[seen] - expected[seen]).max(initial=0)) < tolerance * scale, site


# -- rows ------------------------------------------------------------------------------------------------


@pytest.mark.sampled(4)
def test_rows_stack_to_the_records_of_a_full_pass(kind: Checkpoint) -> None:
    session = DecodeSession(kind, TEXT, "sample", 3.0, seed=1, max_steps=26, record=["*"])
    while not session.finished:  # never the end token, so that there are 26 rows
        session.step()
        if session.ended:
            session.back()
            session.force("a")
    stepped = session.trace
    assert len(stepped.written_ids) == 26
    full = trace_ids(kind, session.source_ids, session.ids, ["*"])
    check_same(stepped, full)
    assert stepped.weights("decoder", "self").shape == (*kind.config.shape("decoder"), 26, 26)


def test_an_unfinished_decode_has_a_row_for_each_written_token(tiny: Checkpoint) -> None:
    session = DecodeSession(tiny, TEXT, max_steps=10)
    assert session.trace.weights("decoder", "cross").shape == (2, 4, 0, len(session.source_ids))
    assert session.trace.tokens.target == ()
    for token in "abc":
        session.force(token)
    check_same(session.trace, trace_ids(tiny, session.source_ids, session.ids))


def test_the_pending_row_is_the_next_rows_content(tiny: Checkpoint) -> None:
    session = DecodeSession(tiny, TEXT, max_steps=10)
    session.force("a")
    pending = session.assemble(pending=True)
    assert pending.tokens.written == ("a", "…")
    assert pending.written_ids[-1] == -1
    assert len(pending.target_ids) == 2
    session.force("b")
    after = session.trace
    assert after.target_ids == pending.target_ids
    assert all(np.array_equal(pending.records[site], array) for site, array in after.records.items())


def test_a_row_gives_one_steps_maps(tiny: Checkpoint) -> None:
    session = DecodeSession(tiny, TEXT, max_steps=10)
    for token in "abc":
        session.force(token)
    assert session.row(3) is session.pending
    weights = session.trace.stacked("decoder", "cross", "weights")
    assert np.array_equal(session.row(1).stacked("cross", "weights"), weights[:, :, 1])
    assert session.row(2).stacked("self", "weights").shape == (2, 4, 3)
    assert session.row(2).records[Site.parse("decoder.0.ffn.norm_mean")].shape == ()
    with pytest.raises(InputError, match="There is no step 4"):
        session.row(4)


def test_edits_reach_every_step(tiny: Checkpoint) -> None:
    edit: dict[Any, Any] = {"decoder.*.cross.head_output": torch.zeros_like}
    session = DecodeSession(tiny, TEXT, max_steps=8, edit=edit)
    session.run()
    check_same(session.trace, trace_ids(tiny, session.source_ids, session.ids, edit=edit))
    assert not np.allclose(session.distribution_at(0), DecodeSession(tiny, TEXT).distribution)


def test_a_session_leaves_no_trace_on_the_model(tiny: Checkpoint) -> None:
    before = {name: tensor.clone() for name, tensor in tiny.model.state_dict().items()}
    DecodeSession(tiny, TEXT).run()
    assert all(torch.equal(tensor, before[name]) for name, tensor in tiny.model.state_dict().items())
    assert not torch.is_inference_mode_enabled()


# -- moving along ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"strategy": "sample", "temperature": 2.0, "seed": 5}])
def test_back_and_step_give_the_same_token_and_numbers(tiny: Checkpoint, options: dict[str, Any]) -> None:
    session = DecodeSession(tiny, TEXT, max_steps=12, **options)
    session.run()
    ids, trace = session.ids, session.trace
    for _ in range(3):
        session.back()
    assert session.ids == ids[:-3]
    assert session.step_index == len(ids) - 3
    session.run()
    assert session.ids == ids
    check_same(session.trace, trace, 1e-7)
    session.reset()
    assert session.ids == []
    session.run()
    assert session.ids == ids


def test_back_needs_no_model(tiny: Checkpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    session = DecodeSession(tiny, TEXT, max_steps=12)
    for token in "abcdef":
        session.force(token)
    shown = session.distribution_at(3)
    monkeypatch.setattr(tiny.model, "step", None)
    for _ in range(3):
        session.back()
    assert np.array_equal(session.distribution, shown)


def test_a_forced_token_changes_what_follows(tiny: Checkpoint) -> None:
    one, other = DecodeSession(tiny, TEXT, max_steps=8), DecodeSession(tiny, TEXT, max_steps=8)
    assert one.force("a") == tiny.target_tokenizer.id_of("a")
    assert other.force(tiny.target_tokenizer.id_of("b")) == other.ids[0]
    assert one.tokens == ["a"]
    assert (one.text, other.text) == ("a", "b")
    assert not np.allclose(one.distribution, other.distribution)


def test_forcing_the_end_finishes(tiny: Checkpoint) -> None:
    session = DecodeSession(tiny, TEXT)
    session.force("a")
    session.force("⟨end⟩")
    assert session.finished
    assert session.ended
    assert session.pending is None
    for act in (session.step, lambda: session.force("a"), lambda: session.distribution, session.candidates):
        with pytest.raises(InputError, match="finished"):
            act()
    session.back()
    assert session.pending is not None


def test_the_limit_finishes(tiny: Checkpoint) -> None:
    session = DecodeSession(tiny, TEXT, max_steps=2)
    session.force("a")
    session.force("b")
    assert session.finished
    assert not session.ended
    assert len(session.trace.written_ids) == 2


@pytest.mark.sampled(8)
@pytest.mark.parametrize("written", [0, 3, 9])
@pytest.mark.parametrize("strategy", ["greedy", "sample"])
def test_replay_restores_a_path(kind: Checkpoint, written: int, strategy: str) -> None:
    options: dict[str, Any] = {"strategy": strategy, "temperature": 1.5, "max_steps": 9, "record": ["*"]}
    session = DecodeSession(kind, TEXT, **options)
    session.run()
    restored = DecodeSession.replay(kind, TEXT, session.ids[:written], **options)
    assert restored.ids == session.ids[:written]
    restored.run()
    assert restored.ids == session.ids
    check_same(restored.trace, session.trace)
    restored.back()
    restored.step()
    assert restored.ids == session.ids


def test_an_interrupted_step_leaves_the_session_as_it_was(
    tiny: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = DecodeSession(tiny, TEXT)
    session.force("a")
    with monkeypatch.context() as patch:
        patch.setattr(tiny.model, "step", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            session.force("b")
    assert session.tokens == ["a"]
    session.force("c")
    check_same(session.trace, trace_ids(tiny, session.source_ids, session.ids))


# -- what comes next -------------------------------------------------------------------------------------


def test_candidates_and_cut_off(tiny: Checkpoint) -> None:
    session = DecodeSession(tiny, TEXT, "sample", 1.3, top_p=0.5)
    assert session.distribution.shape == (16,)
    assert float(session.distribution.sum()) == pytest.approx(1.0)
    candidates = session.candidates(16)
    assert [each.rank for each in candidates] == list(range(16))
    assert {each.id for each in candidates if each.kept} == set(session.cut_off().ids)
    assert all(each.probability == pytest.approx(float(session.distribution[each.id])) for each in candidates)
    for _ in range(20):
        if session.finished:
            break
        kept = session.cut_off()
        assert session.step() in kept


def test_start_and_padding_are_never_written(build: Callable[..., Checkpoint]) -> None:
    for options in ({}, {"bos_id": 0}):
        checkpoint = build(**options)
        session = DecodeSession(checkpoint, TEXT, "sample", 100.0, max_steps=40)
        session.run()
        assert not {0, checkpoint.config.bos_id} & set(session.ids)
        for token in {0, checkpoint.config.bos_id}:
            with pytest.raises(InputError, match="cannot be written"):
                DecodeSession(checkpoint, TEXT).force(token)


# -- mistakes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "The sentence is empty"),
        (" \n\t ", "The sentence is empty"),
        ("a" * 10_000, "The sentence is 10,001 tokens long; this model reads at most 48"),
    ],
)
def test_sources_that_cannot_be_read(tiny: Checkpoint, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        DecodeSession(tiny, text)


@pytest.mark.parametrize(
    "text", ["🙂🙂", "مرحبا", "<script>alert(1)</script>", "<s></s>", "a\x00b", "\ud800"]
)
def test_strange_sources_are_read(tiny: Checkpoint, text: str) -> None:
    session = DecodeSession(tiny, text, max_steps=3)
    session.run()
    assert len(session.trace.tokens.source) == len(session.source_ids)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_steps": 0}, "max_steps is 0"),
        ({"max_steps": 49}, "max_steps is 49"),
        ({"prefix": (99,)}, "Token 99 does not exist"),
        ({"prefix": (2, 5)}, "ends the sentence"),
        ({"prefix": (5, 5, 5), "max_steps": 2}, "3 tokens are given"),
        ({"record": ["decoder.0.cross.colour"]}, "colour"),
    ],
)
def test_options_that_cannot_be_used(tiny: Checkpoint, options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        DecodeSession(tiny, TEXT, **options)


@pytest.mark.parametrize("token", ["abc", "é", "", 99, -1])
def test_tokens_that_cannot_be_forced(tiny: Checkpoint, token: str | int) -> None:
    session = DecodeSession(tiny, TEXT)
    with pytest.raises(InputError) as caught:
        session.force(token)
    assert "\n" not in str(caught.value)
    assert session.ids == []


def test_going_back_from_the_start(tiny: Checkpoint) -> None:
    for strategy in ("greedy", "beam"):
        with pytest.raises(InputError, match="nothing to go back to"):
            DecodeSession(tiny, TEXT, strategy).back()
    with pytest.raises(InputError, match="no tree"):
        _ = DecodeSession(tiny, TEXT).tree
