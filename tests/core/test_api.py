"""`core.trace`: the model's own output or a given target, in one pass, with clear limits.

`core.trace_many`: every trace of a stream is the trace of its pair alone, in order, in bounded memory.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch

import core
from core import api
from core.api import Checkpoint
from core.decoding.session import DecodeSession
from core.errors import InputError
from core.model.hooks import ATTENTION_MAPS
from core.model.trace import Trace


def test_the_models_own_greedy_output(kind: Checkpoint) -> None:
    trace = core.trace(kind, "abc def.", max_steps=9)
    session = DecodeSession(kind, "abc def.", max_steps=9)
    session.run()
    assert trace.written_ids == tuple(session.ids)
    assert trace.target_ids == (kind.config.bos_id, *session.ids[:-1])
    assert trace.tokens.source == tuple(session.source_tokens)


def test_a_given_target(tiny: Checkpoint) -> None:
    trace = core.trace(tiny, "abc", "bad.")
    assert trace.tokens.source == ("a", "b", "c", "⟨end⟩")
    assert trace.tokens.target == ("⟨start⟩", "b", "a", "d", ".")
    assert trace.tokens.written == ("b", "a", "d", ".", "⟨end⟩")


def test_shapes_and_types(tiny: Checkpoint) -> None:
    trace = core.trace(tiny, "abc", "bad.")
    sizes = {("encoder", "self"): (4, 4), ("decoder", "self"): (5, 5), ("decoder", "cross"): (5, 4)}
    for stack, block in ATTENTION_MAPS:
        weights = trace.weights(stack, block)
        assert weights.shape == (2, 4, *sizes[stack, block])
        assert weights.dtype == torch.float32
        assert torch.allclose(weights.sum(-1), torch.ones(weights.shape[:-1]), atol=1e-5)
    assert torch.isneginf(trace.scores("decoder", "self", masked=True)[..., 0, 1:]).all()
    assert torch.isfinite(trace.scores("decoder", "self")).all()
    assert trace.array("decoder.embed.sum").shape == (5, 32)
    assert trace.array("decoder.1.ffn.norm_mean").shape == (5,)


def test_record_and_edit(tiny: Checkpoint) -> None:
    trace = core.trace(
        tiny, "abc", "bad.", record=["*.cross.output"], edit={"*.cross.head_output": torch.zeros_like}
    )
    assert {site.kind for site in trace.sites()} == {"output"}
    bias = tiny.model.decoder_layers[0].cross_attention.output_proj.bias
    assert np.allclose(trace.array("decoder.0.cross.output"), bias)


@pytest.mark.parametrize(
    ("source", "target", "words"),
    [
        ("", None, "The sentence is empty"),
        ("abc", " ", "The target is empty"),
        ("a" * 48, None, "The sentence is 49 tokens long; this model reads at most 48"),
        ("abc", "a" * 100, "The target is 101 tokens long"),
    ],
)
def test_limits(tiny: Checkpoint, source: str, target: str | None, words: str) -> None:
    with pytest.raises(InputError, match=words):
        core.trace(tiny, source, target)


def test_the_longest_pair_fits(tiny: Checkpoint) -> None:
    assert core.trace(tiny, "a" * 47, "b" * 47).weights("decoder", "cross").shape == (2, 4, 48, 48)


PAIRS = [
    ("abc def.", "bad."),
    ("a", "jihgfedcba jihgfedcba"),
    ("abcdefghij abcdefghij abc", "j"),
    ("fed cba", "ab ab"),
    ("abc def.", "bad."),
    ("j. j. j. j. j.", "face"),
    ("cafe", "decade deed"),
]


def assert_same(found: Trace, alone: Trace) -> None:
    assert (found.config, found.tokens) == (alone.config, alone.tokens)
    assert found.source_ids == alone.source_ids
    assert (found.target_ids, found.written_ids) == (alone.target_ids, alone.written_ids)
    assert set(found.records) == set(alone.records)
    for site, array in alone.records.items():
        assert found.records[site].shape == array.shape, site
        largest = max(
            1.0, float(np.abs(array[np.isfinite(array)]).max())
        )  # scores that no 1/√d scales are wide
        np.testing.assert_allclose(found.records[site], array, rtol=0, atol=1e-5 * largest, err_msg=str(site))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("batch_tokens", [1, 60, 4096])
def test_each_trace_is_the_trace_of_its_pair_alone(kind: Checkpoint, batch_tokens: int) -> None:
    """Alone, in batches of some, all in one: of every kind of model, every site, with padding on both sides."""
    found = list(core.trace_many(kind, iter(PAIRS), record=["*"], batch_tokens=batch_tokens))
    assert len(found) == len(PAIRS)
    for trace, (source, target) in zip(found, PAIRS, strict=True):
        assert_same(trace, core.trace(kind, source, target, record=["*"]))


def test_what_is_recorded_is_what_trace_records(tiny: Checkpoint) -> None:
    source, target = PAIRS[0]
    assert_same(next(core.trace_many(tiny, PAIRS)), core.trace(tiny, source, target))
    (only,) = core.trace_many(tiny, PAIRS[:1], record=["decoder.1.cross.weights"])
    assert [str(site) for site in only.sites()] == ["decoder.1.cross.weights"]


def test_a_forced_first_token_is_read_as_trace_reads_it(build: Callable[..., Checkpoint]) -> None:
    forced = build(forced_bos_id=7)
    for found, (source, target) in zip(core.trace_many(forced, PAIRS), PAIRS, strict=True):
        assert found.written_ids[0] == 7
        assert_same(found, core.trace(forced, source, target))


def test_pairs_of_like_length_share_a_pass(tiny: Checkpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    passes: list[tuple[int, ...]] = []
    run = api.run_recorded

    def counted(model, source, target, hooks) -> None:  # type: ignore[no-untyped-def]
        passes.append((*source.shape, target.shape[1]))
        run(model, source, target, hooks)

    monkeypatch.setattr(api, "run_recorded", counted)
    pairs = [("abc", "cab"), ("abc def abc def abc", "cab fed cab fed cab")] * 8
    list(core.trace_many(tiny, pairs, record=["*.weights"], batch_tokens=128))
    assert passes == [(8, 4, 4), (3, 20, 20), (3, 20, 20), (2, 20, 20)]
    passes.clear()
    pairs = [
        ("abc", "cab"),
        ("abcd", "cab fed cab fed cab"),
        ("abcd", "cab"),
        ("abc", "cab fed cab fed cab"),
    ] * 4
    list(core.trace_many(tiny, pairs, record=["*.weights"], batch_tokens=200))
    assert passes == [(8, 5, 4), (8, 5, 20)]


def test_a_trace_keeps_no_other_alive(tiny: Checkpoint) -> None:
    kept, other = list(core.trace_many(tiny, [("abc def.", "bad."), ("abc", "bad")], record=["*.weights"]))
    for site, array in kept.records.items():
        assert array.base is None
        assert not np.shares_memory(array, other.records[site])


@pytest.mark.thorough
def test_memory_does_not_grow_with_the_corpus(tiny: Checkpoint) -> None:
    def peak(pairs: int) -> int:
        stream = core.trace_many(tiny, (("abc def", "fed cba") for _ in range(pairs)), batch_tokens=64)
        tracemalloc.start()
        for _ in stream:
            pass
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(20)
    assert peak(320) < 1.5 * peak(40)


def test_nothing_is_read_before_it_is_needed(tiny: Checkpoint) -> None:
    read: list[int] = []

    def endless() -> Iterator[tuple[str, str]]:
        while True:
            read.append(1)
            yield "abc", "cab"

    stream = core.trace_many(tiny, endless(), record=["*.weights"], batch_tokens=32)
    assert not read
    next(stream)
    assert len(read) <= 8 * 32 // 8  # tokens read ahead, tokens of a pair


def test_no_pairs_give_no_traces(tiny: Checkpoint) -> None:
    assert list(core.trace_many(tiny, [])) == []


def test_a_pair_that_cannot_be_read_is_named(tiny: Checkpoint) -> None:
    with pytest.raises(InputError, match="Pair 2: The target is empty"):
        list(core.trace_many(tiny, [("abc", "cab"), ("abc", " ")]))
    with pytest.raises(InputError, match="batch_tokens is 0; give a whole number from 1 on"):
        core.trace_many(tiny, PAIRS, batch_tokens=0)
    with pytest.raises(InputError, match="device 'abacus' is not available"):
        core.trace_many(tiny, PAIRS, device="abacus")
