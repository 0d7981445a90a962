"""The game's rounds: a deal is one game for everybody, each of its ten rounds has one right name of four, none gives itself away."""

from __future__ import annotations

import pytest

from core.api import Checkpoint, trace
from core.learning import mistakes, pitfalls
from core.learning.mistakes import IDS
from core.learning.pitfalls import pitfall
from core.learning.study import Sentence


@pytest.mark.parametrize("number", range(12))
def test_a_deal(number: int) -> None:
    played = mistakes.deal(number, IDS)
    assert played == mistakes.deal(number, IDS) and len(played) == mistakes.ROUNDS
    assert len({each.answer for each in played}) == mistakes.ROUNDS
    for each in played:
        assert len(set(each.names)) == mistakes.NAMES and each.names[each.right - 1] == each.answer
        assert set(each.names) - {each.answer} <= set(mistakes.OTHERS[each.answer])


def test_the_right_name_stands_everywhere_and_deals_differ() -> None:
    dealt = [mistakes.deal(number, IDS) for number in range(20)]
    assert len({tuple(each.answer for each in played) for played in dealt}) == 20
    places = [each.right for played in dealt for each in played]
    assert all(places.count(place) > 25 for place in (1, 2, 3, 4))


def test_a_model_that_can_show_less_plays_fewer_rounds_and_still_four_names() -> None:
    fit = [name for name in IDS if "head" not in name and "merge" not in name and "scale" not in name]
    played = mistakes.deal(0, fit)
    assert len(played) == len([name for name in mistakes.OTHERS if name in fit])
    assert all(len(set(each.names)) == 4 and set(each.names) <= set(fit) for each in played)


def test_the_score() -> None:
    played = mistakes.deal(1, IDS)
    right = [each.right for each in played]
    assert mistakes.score(played, right) == 10 and mistakes.score(played, right[:3]) == 3
    assert mistakes.score(played, [1 + right[0] % 4, *right[1:]]) == 9


def test_what_a_faulty_model_writes_starts_as_its_first_logits_say(tiny: Checkpoint) -> None:
    sentence = Sentence.of(trace(tiny, "I am tired."), tiny.target_tokenizer.labels)
    for name in IDS:
        if pitfall(name).unfit(tiny.config):
            continue
        written = pitfalls.output(name, tiny.model, sentence)
        assert bool(written.ids) + bool(written.problem) + written.same == 1, name
        assert len(written.ids) <= len(sentence.target_ids) + pitfalls.BEYOND
    assert pitfalls.output("axes-swapped", tiny.model, sentence).same
    assert "NaN" in pitfalls.output("masked-row-nan", tiny.model, sentence).problem
    assert "error" in pitfalls.output("mask-truth-value", tiny.model, sentence).problem


def test_without_a_mistake_the_same_search_writes_the_translation(tiny: Checkpoint) -> None:
    from core.learning import study

    sentence = Sentence.of(trace(tiny, "I am tired."), tiny.target_tokenizer.labels)
    made = study.greedy(
        tiny.model,
        lambda target: study.run_ids(tiny.model, sentence.source_ids, target).logits[-1],
        len(sentence.target_ids),
    )
    assert made.ids[: len(sentence.target_ids) - 1] == sentence.target_ids[1:]
