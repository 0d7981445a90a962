"""Greedy and beam search, batched and one sentence a step at a time, against decoding each sentence alone and by full passes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
import torch

from core.api import Checkpoint, trace_ids
from core.decoding.search import BeamSearch, assign_rows, translate_batch
from core.decoding.session import DecodeSession
from core.decoding.strategies import Beam
from core.errors import InputError

TEXTS = ["abc def.", "a", "jihg fedc ba.", "b b b b b b b", "cad.", "face", "i", "dead bee fed a cab."]


@pytest.mark.sampled(7)
@pytest.mark.parametrize("beam_size", [1, 4])
@pytest.mark.parametrize("batch_size", [3, 32])
def test_batch_equals_single(kind: Checkpoint, beam_size: int, batch_size: int) -> None:
    sources = [kind.source_tokenizer.encode(text) for text in TEXTS]
    found = translate_batch(kind.model, sources, beam_size=beam_size, max_steps=12, batch_size=batch_size)
    strategy = "greedy" if beam_size == 1 else "beam"
    for text, ids in zip(TEXTS, found, strict=True):
        session = DecodeSession(kind, text, strategy, beam_size=beam_size, max_steps=12, record=())
        session.run()
        assert session.ids == ids


@pytest.mark.sampled(1)
@pytest.mark.parametrize("beam_size", [1, 3])
def test_rows_that_end_early_do_not_disturb_the_others(
    build: Callable[..., Checkpoint], beam_size: int
) -> None:
    lengths: set[int] = set()
    for seed in range(5, 8):
        checkpoint = build(seed=seed)
        with torch.no_grad():
            checkpoint.model.target_embedding.table[2] *= 2.0  # the end token is likely, so lengths differ
        sources = [checkpoint.source_tokenizer.encode(text) for text in TEXTS]
        found = translate_batch(checkpoint.model, sources, beam_size)
        assert found == [translate_batch(checkpoint.model, [source], beam_size)[0] for source in sources]
        lengths.update(map(len, found))
    assert len(lengths) > 4


def test_hypotheses_settle_where_little_is_moved() -> None:
    """The best heir of a row stays in it, whatever its rank; the others take the rows that nobody continues."""
    assert assign_rows([0, 1, 2], [0, 1, 2], 3) == ([0, 1, 2], [0, 1, 2])
    assert assign_rows([2, 0, 1], [1, 1, 0], 3) == ([0, 1, 2], [0, 0, 2])
    assert assign_rows([0], [0, 0, 0], 4) == ([0, 1, 2], [0, 0, 0, 3])
    taken, origins = assign_rows([3, 1], [0, 1, 0, 0], 4)
    assert [origins[row] for row in taken] == [3, 1, 3, 3]
    assert sorted(taken) == [0, 1, 2, 3]


def test_limits(tiny: Checkpoint) -> None:
    sources = [tiny.source_tokenizer.encode(text) for text in TEXTS]
    assert all(len(ids) <= 3 for ids in translate_batch(tiny.model, sources, max_steps=3))
    assert all(len(ids) <= 3 for ids in translate_batch(tiny.model, sources, 3, max_steps=3))
    assert translate_batch(tiny.model, []) == []
    with pytest.raises(InputError, match="Sentence 2 has 0 tokens"):
        translate_batch(tiny.model, [[5], []])
    with pytest.raises(InputError, match="Sentence 1 has 49 tokens"):
        translate_batch(tiny.model, [[5] * 49])
    with pytest.raises(InputError, match="beam_size is 0"):
        translate_batch(tiny.model, sources, beam_size=0)


def test_the_length_penalty_favours_longer_texts(tiny: Checkpoint) -> None:
    sources = [tiny.source_tokenizer.encode(text) for text in TEXTS]
    short, long = (translate_batch(tiny.model, sources, 4, length_penalty=each) for each in (0.0, 2.0))
    assert sum(map(len, short)) <= sum(map(len, long))


TEXT = "abc def."


def exhaustive(
    checkpoint: Checkpoint, source: list[int], limit: int, penalty: float
) -> dict[tuple[int, ...], float]:
    """The score of every text of at most `limit` tokens that ends: tokens 3 to V − 1, then the end token."""
    config, found = checkpoint.config, {}
    for length in range(limit):
        bodies = [list(body) for body in product(range(3, config.target_vocab_size), repeat=length)]
        target = torch.tensor([[config.bos_id, *body] for body in bodies])
        with torch.inference_mode():
            logits = checkpoint.model(torch.tensor([source]).expand(len(bodies), -1), target)
        scores = torch.log_softmax(logits, dim=-1)
        for row, body in enumerate(bodies):
            ids = (*body, config.eos_id)
            total = sum(float(scores[row, t, token]) for t, token in enumerate(ids))
            found[ids] = total / len(ids) ** penalty
    return found


@pytest.fixture(scope="module")
def small(build: Callable[..., Checkpoint]) -> Checkpoint:
    """A target vocabulary of five: three tokens to write, the end, and what is never written."""
    return build(target_vocab_size=6, tie_embeddings=False, seed=3)


@pytest.mark.parametrize("penalty", [0.0, 0.6, 1.0])
def test_a_wide_beam_is_exhaustive_search(small: Checkpoint, penalty: float) -> None:
    source = small.source_tokenizer.encode(TEXT)
    scores = exhaustive(small, source, 3, penalty)
    assert len(scores) == 1 + 3 + 9
    search = BeamSearch(small.model, source, 3, beam_size=64, length_penalty=penalty)
    for _ in search:
        pass
    ranked = sorted(scores, key=lambda ids: -scores[ids])
    found = [tuple(search.beam.ids(node)) for node in search.beam.ended]
    assert found == ranked
    for node in search.beam.ended:
        assert search.nodes[node].score == pytest.approx(scores[tuple(search.beam.ids(node))], abs=1e-5)


@pytest.mark.sampled(3)
def test_a_beam_of_one_is_greedy(kind: Checkpoint) -> None:
    beam, greedy = (DecodeSession(kind, TEXT, strategy, beam_size=1) for strategy in ("beam", "greedy"))
    assert beam.run() == greedy.run()


def test_the_tree_holds_every_considered_token(tiny: Checkpoint) -> None:
    session = DecodeSession(tiny, TEXT, "beam", beam_size=3, max_steps=8)
    session.run()
    tree = session.tree
    assert [node.id for node in tree] == list(range(len(tree)))
    assert tree[0].parent is None
    assert any(not node.kept for node in tree)
    for node in tree[1:]:
        assert node.parent is not None
        parent = tree[node.parent]
        assert parent.kept
        assert not parent.finished
        assert parent.step == node.step - 1
        assert node.total == pytest.approx(parent.total + node.log_probability)
        assert node.score == pytest.approx(node.total / node.step)
        assert node.finished <= node.kept
    for step in range(1, session.step_index + 1):
        level = [node for node in tree if node.step == step]
        assert len(level) <= 6
        assert [node.total for node in level] == sorted((node.total for node in level), reverse=True)
        assert sum(node.kept and not node.finished for node in level) <= 3
    path = [node.token_id for node in tree if node.best and node.parent is not None]
    assert path == session.ids


@pytest.mark.sampled(4)
def test_trace_of_the_best_and_of_a_chosen_hypothesis(kind: Checkpoint) -> None:
    session = DecodeSession(kind, TEXT, "beam", beam_size=3, max_steps=8)
    session.run()
    assert session.trace.written_ids == tuple(session.ids)
    for hypothesis in session.hypotheses[:2]:
        chosen = session.follow(hypothesis.node)
        full = trace_ids(kind, session.source_ids, hypothesis.ids)
        assert np.allclose(
            chosen.trace.weights("decoder", "cross"), full.weights("decoder", "cross"), atol=1e-5
        )
        assert chosen.tokens == list(hypothesis.tokens)
    with pytest.raises(InputError, match="has no node 9999"):
        session.follow(9999)


@pytest.mark.sampled(4)
def test_back_and_step_rebuild_the_same_tree(kind: Checkpoint) -> None:
    session = DecodeSession(kind, TEXT, "beam", beam_size=3, max_steps=8)
    for _ in range(4):
        session.step()
    before = session.tree
    session.back()
    session.back()
    assert session.step_index == 2
    assert len(session.tree) < len(before)
    session.step()
    session.step()
    after = session.tree
    assert [(node.parent, node.token_id, node.kept) for node in after] == (
        [(node.parent, node.token_id, node.kept) for node in before]
    )
    assert np.allclose([node.total for node in after], [node.total for node in before], atol=1e-5)
    session.run()
    ids = session.ids
    session.reset()
    assert session.step_index == 0
    session.run()
    assert session.ids == ids


def test_a_forced_token_prunes_the_others(tiny: Checkpoint) -> None:
    session = DecodeSession(tiny, TEXT, "beam", beam_size=3, max_steps=8)
    session.step()
    first = session.search.beam.ids(session.search.beam.live[0])
    session.force("a")
    assert [each.ids for each in session.hypotheses] == [(*first, tiny.target_tokenizer.id_of("a"))]
    session.run()
    assert session.ids[:2] == [*first, tiny.target_tokenizer.id_of("a")]
    options = {"strategy": "beam", "beam_size": 3, "max_steps": 8}
    restored = DecodeSession.replay(tiny, TEXT, session.ids[:2], **options)
    restored.run()
    assert restored.ids == session.ids


def test_the_bookkeeping_by_hand() -> None:
    """Two hypotheses, tokens 5 and 6, end 2: an end counts only among the best two, and the search then stops."""
    beam = Beam(2, start=1, end=2, limit=10)
    assert beam.inputs() == [1]
    assert beam.advance([(-0.5, 0, 5), (-0.9, 0, 6), (-1.2, 0, 2), (-3.0, 0, 7)]) == [0, 0]
    assert [node.kept for node in beam.nodes[1:]] == [True, True, False, False]
    assert beam.inputs() == [5, 6]
    assert beam.advance([(-0.6, 0, 2), (-1.0, 1, 2), (-1.8, 0, 5), (-2.9, 1, 6)]) == [0, 1]
    assert [beam.ids(node) for node in beam.ended] == [[5, 2], [6, 2]]
    assert beam.nodes[beam.ended[0]].score == pytest.approx(-0.3)
    assert beam.done  # the best live scores −0.9, the worst finished −0.5
    assert beam.ids(beam.best) == [5, 2]


def test_a_finished_search_says_so(tiny: Checkpoint) -> None:
    search = BeamSearch(tiny.model, tiny.source_tokenizer.encode(TEXT), 5, beam_size=2)
    steps = list(search)
    assert sum(map(len, steps)) == len(search.nodes) - 1
    with pytest.raises(InputError, match="The search is finished"):
        search.step()
    with pytest.raises(StopIteration):
        next(search)
