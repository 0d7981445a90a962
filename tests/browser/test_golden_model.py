"""What the golden tests rest on: no two things of the hand-made model are alike, and the core agrees with the loops."""

from __future__ import annotations

from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest

from tests.browser.golden_model import BOS, KINDS, NAME, OTHER_TEXT, TEXT, Naive, Passed, write_golden
from tests.numpy_model import SITE


@pytest.mark.thorough
def test_every_word_is_another_one(written: Passed) -> None:
    for words in (written.source, written.read, written.written):
        assert len(words) == len(set(words))
    assert set(written.source) & set(written.written) == {"⟨end⟩"}
    assert not set(written.source) & set(written.read)
    assert all(before != after for before, after in zip(written.read, written.written, strict=True))


@pytest.mark.thorough
def test_heads_layers_and_steps_have_different_numbers(written: Passed) -> None:
    for kind in KINDS:
        maps = np.array(written.maps[kind])
        heads = maps.reshape(-1, *maps.shape[2:])
        assert min(np.abs(one - other).max() for one, other in combinations(heads, 2)) > 0.2
        for head in heads:
            assert min(np.abs(before - after).max() for before, after in pairwise(head)) > 0.001
            if head.shape[0] == head.shape[1]:
                assert np.abs(head - head.T).max() > 0.2
        mean = maps.mean(axis=1)
        assert np.abs(mean - maps[:, 0]).max() > 0.2, "no head is the mean"
    steps = [written.probabilities(step) for step in range(len(written.written))]
    assert min(np.abs(np.subtract(*pair)).max() for pair in combinations(steps, 2)) > 0.2


@pytest.mark.thorough
@pytest.mark.parametrize("text", [TEXT, OTHER_TEXT])
def test_each_word_is_chosen_by_a_clear_margin(text: str) -> None:
    passed = Naive().translate(text)
    for row in passed.logits:
        first, second = sorted(
            (value for token, value in enumerate(row) if token not in (0, BOS)), reverse=True
        )[:2]
        assert first - second > 0.05, "far more than single precision loses"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("text", [TEXT, OTHER_TEXT])
def test_the_core_computes_the_same(tmp_path: Path, text: str) -> None:
    import core

    write_golden(tmp_path)
    trace = core.trace(
        core.load(tmp_path / NAME, device="cpu"),
        text,
        record=("*.weights", "*.scores", "decoder.final.logits"),
    )
    passed = Naive().translate(text)
    assert [list(side) for side in (trace.tokens.source, trace.tokens.target, trace.tokens.written)] == [
        passed.source,
        passed.read,
        passed.written,
    ]
    for kind, site in SITE.items():
        np.testing.assert_allclose(trace.stacked(*site, "weights"), np.array(passed.maps[kind]), atol=1e-5)
        np.testing.assert_allclose(trace.stacked(*site, "scores"), np.array(passed.scores[kind]), atol=1e-4)
    np.testing.assert_allclose(trace.array("decoder.final.logits"), passed.logits, atol=1e-4)
