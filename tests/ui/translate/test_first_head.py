"""Which head stands on the stage of Translate: the card's, whatever the sentence, and whatever was forced."""

from __future__ import annotations

from pathlib import Path

import pytest

import core
from core.decoding.inputs import read_source
from ui.session.selection import MEAN, Selection
from ui.shared import make_decode
from ui.shared.decode import Decode, most_confident_head
from ui.translate.sentence_box import stage_view


@pytest.fixture(scope="module")
def shipped() -> core.Checkpoint:
    return core.load("checkpoints/en-fr", device="cpu")


def decoded(checkpoint: core.Checkpoint, text: str, selection: Selection | None = None) -> Decode:
    return make_decode.run(checkpoint, read_source(checkpoint, text), selection or Selection(), ())


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "text", ["My cat is sleeping on the sofa.", "A man in a red shirt is riding a bike."]
)
def test_the_card_s_head_opens_for_every_sentence_and_after_a_forced_word(
    shipped: core.Checkpoint, text: str
) -> None:
    stated = shipped.card["default_heads"]["cross"]
    head = (stated["layer"], stated["head"])
    shown = decoded(shipped, text)
    assert stage_view(shown, Selection()) == head
    if "cat" in text:
        weights = shown.trace.stacked("decoder", "cross", "weights")
        assert most_confident_head(weights, shown.trace.tokens.source) != head, (
            "it is not chosen by the sentence"
        )
    forced = Selection(force=((1, shown.steps[1].ids[2]),))
    assert stage_view(decoded(shipped, text, forced), forced) == head


def test_a_head_that_was_chosen_stays(shipped: core.Checkpoint) -> None:
    shown = decoded(shipped, "I am tired.")
    assert stage_view(shown, Selection(layer=3, head=0)) == (3, 0)
    assert stage_view(shown, Selection(layer=MEAN, head=MEAN)) == (None, None)
    assert stage_view(shown, Selection(layer=2)) == (2, None)


@pytest.mark.parametrize("text", ["I am tired.", "The dog is chasing a white ball."])
def test_the_head_that_a_card_states_opens_and_without_it_the_mean_of_all(
    tiny_checkpoint: Path, text: str
) -> None:
    tiny = core.load(tiny_checkpoint, device="cpu")
    assert stage_view(decoded(tiny, text), Selection()) == (None, None)
    entry = {"layer": 1, "head": 0, "share": 0.5, "words": 9, "sentences": 3, "reading": "writing"}
    tiny.card["default_heads"] = {"cross": entry}
    assert stage_view(decoded(tiny, text), Selection()) == (1, 0)


def test_seed_0_draws_something_else_than_greedy_search_on_the_first_example(
    shipped: core.Checkpoint,
) -> None:
    text = shipped.card["examples"][0]["source"]
    assert decoded(shipped, text, Selection(strategy="sample")).text != decoded(shipped, text).text
