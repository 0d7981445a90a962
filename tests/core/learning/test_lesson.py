"""Files of lessons: what is read from a good one, and the one sentence about a bad one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pytest

from core.errors import InputError
from core.learning.lesson import (
    MOST_BYTES,
    MOST_TEXT,
    Block,
    Lesson,
    Span,
    Vocabulary,
    filled,
    minutes_of,
    plain,
    read_lesson,
)


def refused(link: Mapping[str, str]) -> Sequence[str]:
    return [name for name, value in link.items() if name == "layer" and not value.isdigit()]


WORDS = Vocabulary(
    pages=("attention", "what_if"),
    parameters=("text", "kind", "layer", "words"),
    refused=refused,
    measures=("row_sum", "sharpest_layer", "word"),
)
HEAD = """+++
title = "What attention is"
about = "A row, and what it brings."
minutes = 10
order = 3
[link]
text = "The cat sleeps."
+++
"""
STEP = """
## One row, {word}

```toml
page = "attention"
kind = "cross"
layer = "{sharpest_layer}"
words = true

[predict]
ask = "What do the weights sum to?"
of = "row_sum"
choices = [
  { text = "to **1**", from = 0.99, to = 1.01 },
  { text = "to more", above = 1.01 },
]
expected = 1
then = "It is {row_sum}."
```

The row of **{word}** is *pinned*, see `q5` and [the page](what_if?kind=cross).

- one
- two

```
softmax(x)
```
"""
GOOD = HEAD + STEP


def read(text: str) -> Lesson:
    return read_lesson(text, "attention", "en", WORDS)


def test_a_lesson_is_read_whole() -> None:
    lesson = read(GOOD)
    assert (lesson.name, lesson.language, lesson.title) == ("attention", "en", "What attention is")
    assert (lesson.about, lesson.minutes, lesson.order) == ("A row, and what it brings.", 10, 3)
    (step,) = lesson.steps
    assert step.title == (Span("text", "One row, "), Span("value", "word"))
    assert step.page == "attention"
    assert step.link == {
        **{"text": "The cat sleeps.", "kind": "cross"},
        **{"layer": "{sharpest_layer}", "words": "1"},
    }
    assert step.blocks == (
        Block(
            "p",
            (
                *(Span("text", "The row of "), Span("value", "word"), Span("text", " is ")),
                *(Span("em", "pinned"), Span("text", ", see "), Span("code", "q5"), Span("text", " and ")),
                *(Span("link", "the page", "what_if?kind=cross"), Span("text", ".")),
            ),
        ),
        Block("item", (Span("text", "one"),)),
        Block("item", (Span("text", "two"),)),
        Block("code", (Span("code", "softmax(x)"),)),
    )
    predict = step.predict
    assert predict is not None
    assert plain(predict.ask) == "What do the weights sum to?"
    assert (predict.measure, predict.expected) == ("row_sum", 0)
    assert [plain(choice.spans) for choice in predict.choices] == ["to 1", "to more"]
    assert predict.then == (
        Block("p", (Span("text", "It is "), Span("value", "row_sum"), Span("text", "."))),
    )
    assert step.measures == ("word", "row_sum")


def test_a_step_adds_to_the_link_of_its_lesson_and_wins_over_it() -> None:
    lesson = read(GOOD.replace('kind = "cross"\n', 'kind = "cross"\ntext = "Another."\n', 1))
    assert lesson.steps[0].link["text"] == "Another."


@pytest.mark.parametrize(
    ("value", "holds"),
    [(1.0, [0]), (0.99, [0]), (1.01, [0]), (1.02, [1]), (0.5, []), ("1", [])],
)
def test_a_choice_holds_within_its_bounds(value: float | str, holds: list[int]) -> None:
    predict = read(GOOD).steps[0].predict
    assert predict is not None
    assert [number for number, choice in enumerate(predict.choices) if choice.holds(value)] == holds
    assert predict.holding(value) == (holds[0] if holds else None)


def test_a_choice_may_be_a_word_in_any_case() -> None:
    words = GOOD.replace("from = 0.99, to = 1.01", 'is = "sofa"').replace("above = 1.01", 'is = "cat"')
    predict = read(words).steps[0].predict
    assert predict is not None
    assert [predict.holding(value) for value in ("Sofa", "cat", "dog", 1.0)] == [0, 1, None, None]


def test_a_link_is_filled_with_measures() -> None:
    link = read(GOOD).steps[0].link
    assert filled(link, {"sharpest_layer": "2"}.__getitem__)["layer"] == "2"


def test_windows_line_ends_are_read_alike() -> None:
    assert read(GOOD.replace("\n", "\r\n")) == read(GOOD)


def test_a_heading_inside_code_begins_no_step() -> None:
    lesson = read(GOOD.replace("softmax(x)", "## not a step"))
    assert len(lesson.steps) == 1 and lesson.steps[0].blocks[-1].spans[0].text == "## not a step"


def test_minutes_that_are_left_out_are_counted_without_optional_steps() -> None:
    """Words at 150 a minute, 30 seconds for the picture, 60 for the question and 60 for what is to be tried."""
    bare = GOOD.replace("minutes = 10\n", "")
    (step,) = read(bare).steps
    # title 3; text 11, items 2, code 1; question 6; choices 2 and 2; what follows 3
    words = 3 + 11 + 2 + 1 + 6 + 4 + 3
    assert step.seconds == pytest.approx(60 * words / 150 + 30 + 60)
    tried = bare.replace('then = "It is {row_sum}."', 'then = "It is {row_sum}. **Try it:** now."')
    assert read(tried).steps[0].seconds == pytest.approx(60 * (words + 3) / 150 + 30 + 60 + 60)
    optional = bare + STEP.replace("words = true", "words = true\nfurther = true")
    assert read(optional).steps[1].further and read(optional).minutes == read(bare).minutes == 2
    assert minutes_of([]) == 1


def test_an_answer_is_apart_from_its_step_and_has_parameters_of_its_own() -> None:
    answered = GOOD.replace(
        "words = true\n", 'words = true\n[answer]\ntext = "It is **{word}**."\nlayer = 3\n'
    )
    (step,) = read(answered).steps
    assert step.measures == read(GOOD).steps[0].measures and step.blocks == read(GOOD).steps[0].blocks
    assert step.solved.link == {**step.link, "layer": "3"} and step.solved.measures == ("word",)


# What is wrong, with a text of the good file and what takes its place, the line, what was found, what is allowed.
WRONG = {
    "no front matter": ("+++\ntitle", "title", 1, "title", "front matter"),
    "front matter without end": ("\n+++\n\n## One", "\n\n## One", 1, "'+++'", "front matter"),
    "no TOML": ("minutes = 10", "minutes = ten", 4, "Invalid value", "TOML"),
    "an unknown key": ("order = 3", "rank = 3", 5, "'rank'", "title, about, minutes, order, link"),
    "a missing key": ('about = "A row, and what it brings."\n', "", 2, "nothing for about", "text in quotes"),
    "a switch that is none": ("words = true", 'further = "yes"', 16, "further = 'yes'", "true or false"),
    "an answer without words": ("words = true\n", "words = true\n[answer]\nkind = 'cross'\n", 17, "an answer without", "2,000"),
    "an answer to a parameter that does not exist": ("words = true\n", "words = true\n[answer]\ntext = 'x'\nedit = 1\n", 19, "'edit'", "text, kind"),
    "a number too large": ("minutes = 10", "minutes = 1000", 4, "minutes = 1000", "1 to 240"),
    "a value of another kind": ("minutes = 10", 'minutes = "ten"', 4, "'ten'", "a whole number"),
    "a switch for a number": ("minutes = 10", "minutes = true", 4, "'True'", "a whole number"),
    "a number that is none": ("from = 0.99", "from = nan", 21, "from = 'nan'", "a number"),
    "a parameter that does not exist": ('text = "The cat', 'txt = "The cat', 7, "'txt'", "text, kind, layer, words"),
    "the reader's own parameter": ("words = true", "presenter = true", 16, "'presenter'", "text, kind"),
    "a value out of bounds": ('layer = "{sharpest_layer}"', 'layer = "x"', 15, "layer = 'x'", "address bar"),
    "a list in a link": ("words = true", "words = [1]", 16, "words = '[1]'", "a number, true, false"),
    "an unknown measure in a link": ("{sharpest_layer}", "{sharp}", 15, "{sharp}", "row_sum, sharpest_layer, word"),
    "an unknown page": ('page = "attention"', 'page = "admin"', 13, "'admin'", "attention, what_if"),
    "a page that is a list": ('page = "attention"', 'page = ["a"]', 13, "['a']", "attention, what_if"),
    "no page": ('page = "attention"\n', "", 13, "a step without page", "attention, what_if"),
    "no settings": ("```toml\npage", "```\npage", 12, "no settings", "```toml"),
    "settings without an end": ("It is {row_sum}.\"\n```\n", "It is {row_sum}.\"\n", 60, "TOML", "TOML"),
    "words before the first step": ("\n## One", "\nHello\n\n## One", 10, "'Hello'", "## …"),
    "no step": ("## One row, {word}", "One row, {word}", 10, "'One row, {word}'", "a heading"),
    "an unknown measure": ('of = "row_sum"', 'of = "sum"', 20, "'sum'", "row_sum, sharpest_layer, word"),
    "one choice": ('  { text = "to more", above = 1.01 },\n', "", 21, "1 choices", "2 to 5"),
    "a choice of no bounds": (", above = 1.01 }", " }", 21, "'to more'", "is = a word"),
    "a choice of a word and a bound": ("above = 1.01", 'above = 1.01, is = "x"', 21, "'to more'", "is = a word"),
    "a choice of falling bounds": ("from = 0.99, to = 1.01", "from = 2, to = 1", 21, "from 2 to 1", "rise"),
    "a choice that is a word": ('{ text = "to more", above = 1.01 }', '"more"', 21, "'more'", "{ text"),
    "an expected choice that is not there": ("expected = 1", "expected = 3", 25, "expected = 3", "1 to 2"),
    "a predict that is no table": ("words = true\n\n[predict]", "words = true\npredict = 1\n```\n", 17, "predict = 1", "[predict]"),
    "a picture": ("- one", "![x](https://a.org/x.png)", 31, "a picture", "paragraphs, lists"),
    "HTML in a line": ("- one", "a <b>bold</b> word", 31, "HTML", "paragraphs, lists"),
    "a block of HTML": ("- one", "<script>alert(1)</script>", 31, "HTML", "paragraphs, lists"),
    "a heading in a step": ("- one", "### More", 31, "a heading", "paragraphs, lists"),
    "a quotation": ("- one", "> said", 31, "a quotation", "paragraphs, lists"),
    "an unknown measure in a text": ("- one", "- {one}", 31, "{one}", "row_sum"),
    "a link out of the app": ("what_if?kind=cross", "http://a.org/", 29, "http://a.org/", "https://"),
    "a link to a page that is not there": ("what_if?kind=cross", "admin?kind=cross", 29, "admin", "https://"),
    "a link with a parameter that is not there": ("what_if?kind=cross", "what_if?evil=1", 29, "evil", "parameters"),
    "a link in a title": ("## One row, {word}", "## [One](what_if)", 10, "the link", "https://"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_file_is_one_sentence(name: str) -> None:
    find, put, line, result, allowed = WRONG[name]
    assert GOOD.count(find) >= 1, find
    with pytest.raises(InputError) as raised:
        read(GOOD.replace(find, put, 1))
    text = str(raised.value)
    message = re.fullmatch(r"en/attention\.md, line (\d+): (.*) was found; allowed: (.*)\.", text, re.S)
    assert message, text
    if name != "settings without an end":
        assert result in message[2] and allowed in message[3], text
        assert int(message[1]) == line, text


@pytest.mark.parametrize("name", ["../x", "A", "x" * 41, "", "ä", "-x", "x.1"])
def test_a_file_is_called_as_a_link_can_call_it(name: str) -> None:
    with pytest.raises(InputError, match="the file name"):
        read_lesson(GOOD, name, "en", WORDS)


def test_everything_is_bounded() -> None:
    with pytest.raises(InputError, match=f"{MOST_BYTES:,}"):
        read(GOOD + "x" * MOST_BYTES)
    with pytest.raises(InputError, match=f"1 to {MOST_TEXT:,}"):
        read(GOOD + "x" * MOST_TEXT)
    with pytest.raises(InputError, match="21 steps"):
        read(HEAD + STEP * 21)
    with pytest.raises(InputError, match="line of 1 to 300"):
        read(GOOD.replace("One row", "One row" * 50))
    with pytest.raises(InputError, match="line of 1 to 300"):
        read(GOOD.replace("What attention is", "What\\u0007"))


def test_an_address_that_runs_a_script_becomes_no_link() -> None:
    lesson = read(GOOD.replace("what_if?kind=cross", "javascript:alert(1)"))
    assert not [span for block in lesson.steps[0].blocks for span in block.spans if span.kind == "link"]


def test_escapes_and_entities_are_words() -> None:
    lesson = read(GOOD.replace("- one", r"- \*one\* &lt;b&gt;"))
    assert [plain(block.spans) for block in lesson.steps[0].blocks][1] == "*one* <b>"
