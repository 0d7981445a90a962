"""Lessons in the app: every step opens its page, moving about is a link, answers are kept, and a broken file hides no other."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from core.learning.lesson import TOUR
from core.learning.scene_code import fits
from tests.pages.test_pages import Open, shown, sound, words
from tests.ui.learn.test_lessons import NAMES
from ui.learn import catalogue, panel, shelf
from ui.learn.panel import LESSON, LessonData, Pressed
from ui.session.selection import Selection
from ui.session.state import parse, to_params
from ui.shared import checkpoints as listing

FILE = """+++
title = "Ours"
about = "A lesson of our own."
minutes = 5
order = 50
+++

## The only step

```toml
page = "attention"
kind = "encoder"
text = "I am tired."
[predict]
ask = "How many tokens?"
of = "source_tokens"
choices = [{ text = "few", below = 3 }, { text = "{source_tokens}", from = 3 }]
then = "Really {source_tokens}, see [the wall](attention?kind=causal) and [the paper](https://arxiv.org/abs/1706.03762)."
```

It has {source_tokens} tokens.
"""


class Hand:
    """Stands for the browser's panel: what it was given, and what it presses in the next run."""

    def __init__(self) -> None:
        self.data: LessonData | None = None
        self.press: Pressed | None = None

    def __call__(self, view: object, data: LessonData, /, *, key: str) -> Callable[[str], Pressed | None]:
        if view is not panel.LESSON:  # the picture of a step, which answers nothing
            return lambda event: None
        self.data, pressed, self.press = data, self.press, None
        return lambda event: pressed

    @property
    def seen(self) -> LessonData:
        assert self.data is not None
        return self.data


@pytest.fixture
def hand(monkeypatch: pytest.MonkeyPatch) -> Hand:
    found = Hand()
    monkeypatch.setattr(panel, "mount", found)
    return found


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A teacher's folder with one lesson in English."""
    folder = tmp_path / "lessons"
    (folder / "en").mkdir(parents=True)
    (folder / "en" / "ours.md").write_text(FILE, "utf-8")
    monkeypatch.setenv(shelf.EXTRA, str(folder))
    return folder


def plain(parts: Sequence[Sequence[Any]]) -> str:
    return "".join(str(part[1]) for part in parts)


def pressed(app: AppTest, hand: Hand, way: str, number: int = 0) -> AppTest:
    hand.press = Pressed(way, number)  # type: ignore[arg-type]
    return sound(app.run())


def load(app: AppTest) -> AppTest:
    """The app with its model loaded, as a reader has it after a moment."""
    from ui.shared import checkpoints as listing
    from ui.shared import models

    entry, _ = listing.find(shown(app).checkpoint)
    models.model(entry)
    return sound(app.run())


@pytest.mark.thorough
def test_a_lesson_with_a_sentence_too_long_for_the_model_says_so(open_app: Open, hand: Hand) -> None:
    # It was an error page once the model was loaded.
    app = load(open_app("attention", {"lesson": "attention.1", "text": "word " * 300}))
    assert "reads at most" in words(app)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("name", "language"), [*((name, "en") for name in NAMES), ("norms", "fr")], ids=lambda part: str(part)
)
def test_every_step_opens_its_page(open_app: Open, hand: Hand, name: str, language: str) -> None:
    lesson = shelf.shelf().lessons[language][name]
    app = load(open_app("translate", {"lesson": f"{name}.1", "language": language}))
    for number, step in enumerate(lesson.steps):
        app = app if number == 0 else pressed(app, hand, "step", number)
        assert app.session_state["page"] in (step.page, {"translate": ""}.get(step.page)), (name, number)
        now = shown(app)
        assert (now.lesson, now.language) == (f"{name}.{number + 1}", language)
        for field in step.link:
            if "{" not in step.link[field]:
                named = to_params(parse({field: step.link[field]})[0])
                assert to_params(now).get(field) == named.get(field), field
        # The small model that stands in here cuts the two sentences of a contrast into different numbers of tokens.
        stands_in = step.page == "carry" and "give two of the same length" in words(app)
        stands_in |= "carriers" in step.measures  # nor has it counts of sentence pairs
        assert stands_in or "atlas-mistake" not in words(app), (name, number)
        assert "could not be read" not in words(app), (name, number)
        assert (hand.seen.step, hand.seen.lesson) == (number, lesson.title)
        values = [part[1] for block in hand.seen.blocks for part in block.spans if part[0] == "value"]
        assert stands_in or not {"…", "–"} & set(values), (name, number)


def test_a_short_link_with_a_stranger_s_parameter_still_opens_its_step(open_app: Open, hand: Hand) -> None:
    app = sound(open_app("translate", {"lesson": "norms.1", "utm_source": "mail"}))
    assert (app.session_state["page"], shown(app).norm_site, shown(app).token) == (
        *("layer_norm", "encoder.0.self", "s7"),
    )


def test_a_step_back_leaves_the_edits_of_the_one_before(open_app: Open, hand: Hand) -> None:
    app = open_app("translate", {"lesson": "masks.5"})
    assert (app.session_state["page"], str(shown(app).edits)) == ("what_if", "n")
    app = pressed(app, hand, "step", 0)
    assert (app.session_state["page"], shown(app).draw) == ("attention", "weights") and not shown(app).edits


def test_the_reader_may_wander_and_the_lesson_stays(open_app: Open, hand: Hand) -> None:
    app = open_app("translate", {"lesson": "masks.1"})
    app.switch_page("pages/compare.py")
    sound(app.run())
    assert shown(app).lesson == "masks.1" and hand.seen.step == 0
    app = pressed(app, hand, "step", 0)  # “show this step's view again”
    assert app.session_state["page"] == "attention"


def test_a_full_link_is_the_view_it_says_and_not_the_steps_own(open_app: Open, hand: Hand) -> None:
    app = sound(open_app("compare", {"lesson": "masks.2", "kind": "encoder", "text": "A man."}))
    assert (app.session_state["page"], shown(app).kind, shown(app).text) == ("compare", "encoder", "A man.")
    assert hand.seen.step == 1


def test_an_answer_is_kept_and_judged_by_the_model(open_app: Open, hand: Hand, own: Path) -> None:
    app = load(open_app("translate", {"lesson": "ours.1"}))
    asked = hand.seen.question
    assert asked is not None and asked.answer is None and not asked.verdict and not asked.then
    count = plain(hand.seen.blocks[0].spans).split()[2]
    assert plain(asked.choices[1].words) == count and int(count) >= 3
    app = pressed(app, hand, "answer", 0)
    assert shown(app).answers == ((1, 1),) and app.query_params["answers"] in ("1-1", ["1-1"])
    told = hand.seen.question
    assert told is not None
    assert (told.answer, told.holds) == (0, 1)
    assert plain(told.verdict) == f"This model gives {count}. You answered otherwise."
    assert plain(told.then[0].spans).startswith(f"Really {count}, see the wall")
    # A second answer changes nothing; the right one is told as such.
    app = pressed(app, hand, "answer", 1)
    assert shown(app).answers == ((1, 1),)
    again = load(open_app("translate", {"lesson": "ours.1", "answers": "1-2"}))
    right = hand.seen.question
    assert right is not None and shown(again).answers == ((1, 2),)
    assert (right.answer, right.holds) == (1, 1) and plain(right.verdict).endswith("That was your answer.")
    assert hand.seen.answered == (True,)


def test_the_number_is_that_of_the_sentence_in_use(open_app: Open, hand: Hand, own: Path) -> None:
    app = load(open_app("translate", {"lesson": "ours.1"}))
    short = plain(hand.seen.blocks[0].spans)
    sound(open_app("attention", {"lesson": "ours.1", "text": "The dog is chasing a white ball. I am tired."}))
    assert plain(hand.seen.blocks[0].spans) != short
    assert shown(app).text == "I am tired."


def test_links_of_a_text_keep_the_lesson_and_others_leave_it(open_app: Open, hand: Hand, own: Path) -> None:
    load(open_app("translate", {"lesson": "ours.1", "answers": "1-2"}))
    question = hand.seen.question
    assert question is not None
    links = [part[2] for part in question.then[0].spans if part[0] == "link"]
    kept = "kind=causal&text=I+am+tired.&lesson=ours.1&answers=1-2"  # the sentence, and the answer that lifts the cover
    assert links == [f"./attention?{kept}", "https://arxiv.org/abs/1706.03762"]


LINKS = """+++
title = "Links"
about = "Ways to pages, with parameters and without."
minutes = 5
order = 51
+++

## Ways out

```toml
page = "attention"
kind = "encoder"
```

[a](inside?kind=cross), [b](inside), [c](translate), [d](translate?step=2), [e](attention?kind=cross&draw=weights),
[f](positions?offset=1), [g](pitfalls?pitfall=std-plus-eps), [h](lenses) and [i](https://arxiv.org/abs/1706.03762).
"""


def every_link() -> list[tuple[str, str, int, str]]:
    """(language, lesson, step from 0, target) of every link of every shipped lesson."""
    return [
        (language, lesson.name, number, span.target)
        for language, lessons in shelf.shelf().lessons.items()
        for lesson in lessons.values()
        for number, step in enumerate(lesson.steps)
        for block in (*step.blocks, *(step.predict.then if step.predict else ()))
        for span in block.spans
        if span.kind == "link"
    ]


def follow(open_app: Open, place: panel.OpenStep, target: str) -> None:
    """Open a link of a lesson as a browser does, and hold where it leads against what it names."""
    split = urlsplit(panel._address(target, place))
    named = target.partition("?")[0]
    page, params = split.path.removeprefix("./"), dict(parse_qsl(split.query))
    assert page == ("" if named == "translate" else named)
    app = sound(open_app(page or "translate", params))
    assert app.session_state["page"] == page, target
    wanted = parse({**dict(parse_qsl(urlsplit(target).query)), "lesson": place.name})[0]
    now = shown(app)
    assert now.lesson == place.name
    for field in (*dict(parse_qsl(urlsplit(target).query)), "kind", "draw"):
        assert getattr(now, field) == getattr(wanted, field), (target, field)


@pytest.mark.thorough
def test_every_link_of_every_lesson_opens_the_place_it_names(open_app: Open, hand: Hand, own: Path) -> None:
    """Of those that ship, and of one's own with parameters and without."""
    (own / "en" / "links.md").write_text(LINKS, "utf-8")
    links = every_link()
    assert {language for language, *_ in links} == {"en", "fr"}
    assert [name for _, name, *_ in links].count("links") == 9
    for language, name, number, target in links:
        if not target.startswith("https:"):
            follow(open_app, panel.OpenStep(shelf.shelf().lessons[language][name], number), target)


def test_closing_leaves_the_view_as_it_is(open_app: Open, hand: Hand) -> None:
    app = open_app("translate", {"lesson": "masks.2"})
    app = pressed(app, hand, "close")
    assert (app.session_state["page"], shown(app).lesson, shown(app).draw) == ("attention", "", "masked")
    app = open_app("translate", {"lesson": "masks.6", "answers": "1-1"})
    app = pressed(app, hand, "home")
    assert (app.session_state["page"], shown(app).lesson, shown(app).answers) == ("lessons", "", ())


@pytest.mark.sampled(1)
@pytest.mark.parametrize("lesson", ["nothing.1", "masks.99", "masks.0"])
def test_a_step_that_is_not_there_is_one_quiet_sentence(open_app: Open, hand: Hand, lesson: str) -> None:
    app = sound(open_app("attention", {"lesson": lesson}))
    assert f"There is no lesson step {lesson}" in words(app)
    assert hand.data is None


def test_the_page_lists_every_lesson_with_links_that_open_it(open_app: Open, hand: Hand) -> None:
    app = sound(open_app("lessons"))
    said = html.unescape(words(app))
    lessons = shelf.shelf().listed("en")
    for lesson in lessons:
        assert lesson.title in said and lesson.about in said
        assert f"{lesson.minutes} minutes · {len(lesson.steps)} steps" in said
    for lesson in lessons:
        for number in range(len(lesson.steps)):
            link = f"?lesson={lesson.name}.{number + 1}"
            assert f'href="./{link}"' in said
            assert any(link in line for block in app.code for line in block.value.splitlines()), link
    sound(app.pills(key="widget_language").set_value("fr").run())
    assert shown(app).language == "fr"
    assert "Ce qu’est l’attention" in html.unescape(words(app))
    assert "lesson=attention.1&language=fr" in html.unescape(words(app))


def test_a_broken_file_is_told_and_hides_no_other(open_app: Open, hand: Hand, own: Path) -> None:
    (own / "en" / "broken.md").write_text(FILE.replace("minutes = 5", "minutes = 0"), "utf-8")
    (own / "en" / "bytes.md").write_bytes(b"+++\n\xff\n")
    (own / "en" / "large.md").write_bytes(b"x" * 100_000)
    (own / "en" / "a b.md").write_text(FILE, "utf-8")
    (own / "de").mkdir()
    (own / "de" / "words.toml").write_text('next = "Weiter"\nfalsch = "x"\n', "utf-8")
    (own / "de" / "ours.md").write_text(FILE.replace("Ours", "Unsere"), "utf-8")
    (own / "Not a language").mkdir()
    found = shelf.shelf()
    assert sorted(problem.split(",")[0].split(":")[0] for problem in found.problems) == [
        *("de/words.toml", "en/a b.md", "en/broken.md", "en/bytes.md", "en/large.md"),
    ]
    assert any(
        each.startswith("en/broken.md, line 4: ") and "minutes" in each and "1 to 240" in each
        for each in found.problems
    )
    assert any("line 2: a byte that is not UTF-8" in problem for problem in found.problems)
    assert list(found.languages) == ["en", "de", "fr"]
    app = sound(open_app("lessons"))
    said = html.unescape(words(app))
    assert said.count("atlas-mistake") == 5
    assert "en/broken.md, line 4" in said and "Ours" in said and "What attention is" in said
    assert "Traceback" not in said and str(own) not in said


@pytest.mark.parametrize("number", ["9" * 5000, "0x" + "f" * 5000])
def test_a_number_of_thousands_of_digits_costs_its_own_file(own: Path, number: str) -> None:
    (own / "de").mkdir()
    (own / "de" / "words.toml").write_text(f"next = {number}\n", "utf-8")
    (own / "en" / "digits.md").write_text(FILE.replace("minutes = 5", f"minutes = {number}"), "utf-8")
    found = shelf.shelf()
    assert len(found.problems) == 2 and all(len(problem) <= 300 for problem in found.problems)
    assert found.find("ours", "en") is not None


def test_a_folder_of_nobody_is_one_sentence_and_one_that_is_not_there_none(
    own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first page reads the shelf too: it may not end there."""
    monkeypatch.setenv(shelf.EXTRA, str(own / "nowhere"))
    assert shelf.shelf().problems == ()
    monkeypatch.setenv(shelf.EXTRA, os.pathsep.join(("~nosuchuser/x", "~" * 5000, "x" * 5000, str(own))))
    found = shelf.shelf()
    assert found.find("ours", "en") is not None and found.find("masks", "en") is not None
    assert found.problems and all(len(problem) <= 300 for problem in found.problems)


def test_a_lesson_of_ones_own_takes_the_place_of_the_shipped_one(own: Path) -> None:
    (own / "en" / "masks.md").write_text(FILE.replace("Ours", "Our masks"), "utf-8")
    found = shelf.shelf()
    assert found.find("masks", "en").title == "Our masks"  # type: ignore[union-attr]
    assert found.find("masks", "fr").language == "fr"  # type: ignore[union-attr]
    assert found.find("ours", "fr").language == "en"  # type: ignore[union-attr]
    assert found.find("nothing", "en") is None
    assert found.listed("en")[-1].title == "Ours"  # order 50 comes after the six


def test_a_file_is_read_again_when_it_changes(own: Path) -> None:
    assert shelf.shelf().find("ours", "en").title == "Ours"  # type: ignore[union-attr]
    (own / "en" / "ours.md").write_text(FILE.replace("Ours", "Ours, changed"), "utf-8")
    assert shelf.shelf().find("ours", "en").title == "Ours, changed"  # type: ignore[union-attr]


def test_the_words_of_a_file_reach_the_page_as_text(open_app: Open, hand: Hand, own: Path) -> None:
    (own / "en" / "ours.md").write_text(
        FILE.replace('"Ours"', '"&lt;img src=x onerror=alert(1)&gt;"'), "utf-8"
    )
    app = sound(open_app("lessons"))
    assert "<img" not in words(app) and "&lt;img" in words(app)


def test_the_offer_is_made_at_the_front_door_alone(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:

    offered: list[Any] = []
    monkeypatch.setattr(
        catalogue, "mount", lambda view, data, **given: offered.append(data) or (lambda event: None)
    )
    sound(open_app())
    assert len(offered) == 1 and offered[0].offer
    for link in (
        {"presenter": "1"},
        {"text": "A man."},
        {"step": "2"},
        {"lesson": "tour.1"},
        {"checkpoint": "tiny"},
    ):
        sound(open_app("translate", link))
    sound(open_app("attention"))
    # Each of these came past the front door only where the driver has to start there.
    assert len(offered) <= 2


def test_taking_the_offer_opens_the_tour(open_app: Open, hand: Hand, monkeypatch: pytest.MonkeyPatch) -> None:

    monkeypatch.setattr(catalogue, "mount", lambda view, data, **given: lambda event: True)
    app = sound(open_app())
    assert shown(app).lesson == f"{TOUR}.1" and shown(app).step == 6


@pytest.mark.parametrize(
    ("told", "moved"),
    [
        ({"way": "step", "number": 2}, Pressed("step", 2)),
        ({"way": "answer", "number": 0}, Pressed("answer", 0)),
        ({"way": "close"}, Pressed("close")),
        ({"way": "evil", "number": 1}, None),
        ({"way": "step", "number": 1e9}, None),
    ],
)
def test_only_what_the_panel_has_is_taken_from_the_browser(told: object, moved: Pressed | None) -> None:
    assert LESSON.answer("moved", told, None) == moved  # type: ignore[arg-type]


def test_a_step_out_of_the_lesson_is_its_first_or_last(open_app: Open, hand: Hand) -> None:
    app = open_app("translate", {"lesson": "masks.1"})
    assert shown(pressed(app, hand, "step", 900)).lesson == "masks.6"
    assert shown(pressed(app, hand, "step", -1)).lesson == "masks.1"


def test_a_short_link_is_built_of_what_the_reader_chose() -> None:
    lesson = shelf.shelf().lessons["fr"]["masks"]
    from types import SimpleNamespace

    asked = SimpleNamespace(selection=Selection(language="fr", presenter=True))
    assert catalogue.short_link(lesson, 2, asked) == "?lesson=masks.3&language=fr&presenter=1"  # type: ignore[arg-type]


def test_a_line_of_code_waits_for_the_answer_then_opens_its_card_with_its_numbers(
    open_app: Open, hand: Hand
) -> None:
    app = load(open_app("translate", {"lesson": "story.4"}))
    code = hand.seen.code
    assert code is not None and code.lines[3] == "scores = products / d ** 0.5" and code.pressed is None
    app = pressed(app, hand, "line", 3)  # the question comes first
    assert app.session_state["page"] == "attention" and hand.seen.code.pressed is None  # type: ignore[union-attr]
    app = pressed(app, hand, "answer", 0)
    app = pressed(app, hand, "line", 3)
    now = shown(app)
    assert (app.session_state["page"], now.card, now.kind, now.full) == (
        "inside",
        "scaled",
        "cross",
        "inside",
    )
    assert (now.lesson, now.answers, now.layer, now.head) == ("story.4", ((4, 1),), 0, 0)
    line = hand.seen.code.pressed  # type: ignore[union-attr]
    assert line is not None and line.number == 3 and line.says == "The scores"
    assert re.fullmatch(r"\(\d+, \d+\)", line.shape) and "→" in line.row
    assert len(re.findall(r"[−\d.]+", line.numbers)) >= 2
    app = pressed(app, hand, "line", 99)
    assert hand.seen.code.pressed.number == 3  # type: ignore[union-attr]
    app = pressed(app, hand, "step", 3)  # the step's own view again
    assert app.session_state["page"] == "attention" and hand.seen.code.pressed is None  # type: ignore[union-attr]


def test_a_step_without_code_and_a_model_that_computes_otherwise_show_none(
    open_app: Open, hand: Hand
) -> None:
    load(open_app("translate", {"lesson": "masks.1"}))
    assert hand.seen.code is None
    load(open_app("translate", {"lesson": "story.4", "checkpoint": "tiny"}))
    entry, _ = listing.find("tiny")
    assert (hand.seen.code is not None) == fits(entry.config)
