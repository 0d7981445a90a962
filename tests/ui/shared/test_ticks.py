"""Every tick under a view can fail: maps that break a promise are told as broken."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from core.api import Checkpoint, load
from core.decoding import inputs
from core.model.hooks import Site
from core.model.trace import Trace
from core.model.transformer import Transformer
from ui.session.selection import Selection
from ui.shared import make_decode


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    from tests.browser.golden_model import NAME, write_golden

    folder = tmp_path_factory.mktemp("ticks")
    write_golden(folder)
    return load(folder / NAME, device="cpu")


def holds(facts: tuple[make_decode.Fact, ...], words: str) -> bool:
    """Whether the tick whose name has these words is set; there must be one."""
    (found,) = [fact for fact in facts if words in fact.name]
    return found.holds


def decoded(checkpoint: Checkpoint) -> make_decode.Decode:
    return make_decode.run(checkpoint, inputs.read_source(checkpoint, "rain falls"), Selection(), ("key",))


def damaged(trace: Trace, site: Site, where: tuple[int, ...], by: float) -> Trace:
    """The trace with one weight of a map changed."""
    weights = np.array(trace.array(site))
    weights[where] += by
    return dataclasses.replace(trace, records={**trace.records, site: weights})


def test_a_row_that_does_not_sum_to_one_is_told(checkpoint: Checkpoint) -> None:
    broken = damaged(decoded(checkpoint).trace, Site("decoder", 1, "cross", "weights"), (1, 0, 2), 0.01)
    assert not holds(make_decode.facts(broken), "sum to 1")


def test_a_weight_on_a_later_word_is_told(checkpoint: Checkpoint) -> None:
    broken = damaged(decoded(checkpoint).trace, Site("decoder", 1, "self", "weights"), (1, 0, 1), 0.01)
    assert not holds(make_decode.facts(decoded(checkpoint).trace, broken), "looks ahead")


def test_steps_that_differ_from_the_full_pass_are_told(
    checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = Transformer.step

    def late(self, tokens, state, hooks=None):  # type: ignore[no-untyped-def]
        """A step that reads another word than the one written."""
        return step(self, tokens + (state.length > 0), state, hooks)

    monkeypatch.setattr(Transformer, "step", late)
    assert not holds(decoded(checkpoint).facts, "all at once")
