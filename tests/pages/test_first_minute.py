"""The first minute on the Translate page: what is said of a sentence, of a sample, of one's own translation."""

from __future__ import annotations

import html
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.test_pages import Open, change_card, remarks, shown, sound, words

pytestmark = pytest.mark.usefixtures("checkpoints")  # begin with empty caches


def views(app: AppTest) -> list[str]:
    """What names the browser's views of the page, from top to bottom."""
    return [str(each.proto.id) for each in app.get("bidi_component")]


def order(app: AppTest, *names: str) -> list[int]:
    listed = views(app)
    return [next((place for place, each in enumerate(listed) if name in each), -1) for name in names]


def test_a_sentence_that_is_entered_has_no_step_and_rests_on_its_end(open_app: Open) -> None:
    app = open_app("translate", {"step": "2"})
    sound(app.text_input(key="widget_sentence").set_value("I am tired.").run())
    assert (shown(app).text, shown(app).step) == ("I am tired.", None)
    assert app.text_input(key="widget_sentence").value == "I am tired."


def test_nothing_of_a_decode_stands_under_an_empty_box_of_one_s_own(open_app: Open) -> None:
    app = open_app("translate", {"text": "A man."})
    assert order(app, "decode_stage") != [-1]
    sound(app.pills(key="widget_strategy").set_value("given").run())
    assert order(app, "decode_stage") == [-1]
    assert "Your own translation" in words(app)
    button = next(each for each in app.button if each.label == "Start with the model’s translation")
    sound(button.click().run())
    assert shown(app).target
    assert order(app, "decode_stage") != [-1]


def test_one_s_own_translation_is_told_word_by_word(open_app: Open) -> None:
    app = sound(open_app("translate", {"text": "A man.", "strategy": "given", "target": "Un homme."}))
    said = html.unescape(words(app))
    assert "Log-probability of your translation" in said and "nats" in said
    cells = said.count("<li class=")
    assert cells >= 3
    assert said.count("rank ") >= cells, "each word has a rank"
    assert said.count("best: ") + said.count("next: ") == cells, "and an alternative"


@pytest.mark.thorough
def test_a_translation_that_cannot_be_read_is_not_told_as_one_s_own(open_app: Open) -> None:
    """The example stands in its place; its numbers are not those of the text in the box."""
    link = {"text": "A man.", "strategy": "given", "target": "homme " * 200}
    app = sound(open_app("translate", link))
    assert "Log-probability of your translation" not in words(app)


def test_markup_in_one_s_own_translation_is_only_text(open_app: Open) -> None:
    link = {"text": "A man.", "strategy": "given", "target": "<b>Un</b> <script>homme"}
    app = sound(open_app("translate", link))
    assert "<script>" not in words(app)
    assert "&lt;" in words(app)


@pytest.mark.thorough
def test_a_sample_is_drawn_again_with_another_seed(open_app: Open) -> None:
    app = open_app("translate", {"text": "A man.", "strategy": "sample", "seed": "4", "step": "2"})
    sound(app.button(key="draw_again").click().run())
    assert (shown(app).seed, shown(app).step) == (5, None)
    app = open_app("translate", {"text": "A man.", "strategy": "sample", "seed": "999999"})
    sound(app.button(key="draw_again").click().run())
    assert shown(app).seed == 0


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("top_k", "said"), [("1", True), ("50", False)])
def test_a_sample_that_is_what_greedy_search_writes_says_so(open_app: Open, top_k: str, said: bool) -> None:
    link = {"text": "A man.", "strategy": "sample", "temperature": "4", "top_k": top_k}
    app = sound(open_app("translate", link))
    assert ("the most probable one, as in greedy search" in words(app)) == said


@pytest.mark.thorough
def test_the_tree_of_a_beam_stands_before_the_stage(open_app: Open) -> None:
    app = sound(open_app("translate", {"text": "A man.", "strategy": "beam", "beam": "2"}))
    tree, stage = order(app, "beam_tree", "decode_stage")
    assert 0 <= tree < stage


def test_words_far_from_the_training_text_are_named_with_the_reason(open_app: Open) -> None:
    app = sound(open_app("translate", {"text": "Where is the encyclopaedia?"}))
    assert "Unlike the training text: “encyclopaedia”" in remarks(app)
    assert "Unlike the training" not in remarks(sound(open_app("translate", {"text": "I am tired."})))


@pytest.mark.thorough
def test_the_page_says_why_its_head_opens(open_app: Open, checkpoints: Path) -> None:
    entry = {"layer": 1, "head": 0, "share": 0.5, "words": 9, "sentences": 1, "reading": "writing"}
    change_card(checkpoints / "tiny", default_heads={"cross": entry})
    app = sound(open_app("translate", {"text": "A man."}))
    stage = next(each for each in app.get("bidi_component") if "decode_stage" in str(each.proto.id))
    because = (
        "Shown: cross-attention head 1.0, which aligns words best (when the word is predicted). For 50 % of 9 words in 1 example sentence, "
        "it looks at the source token that the word needs most."
    )
    assert because in str(stage.proto)


@pytest.mark.thorough
def test_numbers_of_the_stage_are_explained_behind_more(open_app: Open) -> None:
    app = sound(open_app("translate", {"text": "A man."}))
    said = "\n".join(element.value for element in app.markdown)
    for part in ("**Weight**", "**Probability**", "**Rank**"):
        assert part in said
