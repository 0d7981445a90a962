"""The lessons that ship: they are read, alike in both languages, and every prediction holds for the shipped checkpoint.

Run this file again when a shipped checkpoint is replaced: a failure names lesson, step and question, what the model says
now and what the lesson expects. The number itself stands in no text.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

import pytest

from core.language import speaking
from core.learning.lesson import TOUR, Lesson, Prediction, Step, minutes_of, plain
from core.learning.measures import MEASURES, written
from ui.learn.shelf import Numbers, Shelf, of_step, opened_by_step, shelf
from ui.session.selection import Selection
from ui.session.state import parse, to_params
from ui.shared import checkpoints as listing
from ui.shared import models
from ui.shared.context import CheckpointView

LESSONS: Final = (
    "story",
    "attention",
    "positions",
    "alignment",
    "masks",
    "norms",
    "heads",
    "agreement",
    "cost",
    "since",
    "misconceptions",
    "homework",
    "exercises",
)
NAMES: Final = (*LESSONS, TOUR)
CHECKPOINT: Final = "en-fr"


@cache
def shipped() -> Shelf:
    result = shelf()
    assert result.problems == ()
    return result


def step_of(name: str, number: int, language: str = "en") -> Step:
    """A step of a shipped lesson, counted from 1."""
    return shipped().lessons[language][name].steps[number - 1]


def shown_on(checkpoint: str, text: str | None = None) -> CheckpointView:
    """A shipped checkpoint, its model loaded."""
    entry, sentence = listing.find(checkpoint)
    assert not sentence
    models.model(entry)
    return CheckpointView(entry, Selection(checkpoint=checkpoint, text=text), None)


@cache
def numbers_of(name: str, number: int, checkpoint: str = CHECKPOINT, text: str | None = None) -> Numbers:
    """The measures of a step; with a `text`, those of that sentence in place of the step's own."""
    shown, step = shown_on(checkpoint, text), step_of(name, number)
    if text is not None:
        return of_step(step, f"{name}.{number}", shown.selection, shown)
    selection = opened_by_step(step, f"{name}.{number}", shown.selection, shown)
    return Numbers(CheckpointView(shown_on(selection.checkpoint).entry, selection, None))


def steps(language: str = "en", names: tuple[str, ...] = NAMES) -> list[tuple[Lesson, int]]:
    lessons = shipped().lessons[language]
    return [(lessons[name], number) for name in names for number in range(len(lessons[name].steps))]


def test_the_shelf_has_the_story_eleven_lessons_exercises_and_a_tour_in_both_languages() -> None:
    assert list(shipped().languages.items()) == [("en", "English"), ("fr", "Français")]
    for language in ("en", "fr"):
        assert [lesson.name for lesson in shipped().listed(language)] == list(LESSONS)
        assert {lesson.language for lesson in shipped().listed(language)} == {language}
        for name in LESSONS:
            assert 3 <= len(shipped().lessons[language][name].steps) <= 20
        assert len(shipped().lessons[language][TOUR].steps) == 3


def test_the_minutes_are_counted_and_the_story_fits_an_hour_of_school() -> None:
    stated = {"homework": 30, "exercises": 60}  # done at home, and in pairs
    for lessons in shipped().lessons.values():
        for name, lesson in lessons.items():
            assert lesson.minutes == stated.get(name, minutes_of(lesson.steps)), name
        assert lessons["story"].minutes <= 45
        assert sum(lesson.minutes for lesson in lessons.values()) < 240


def test_optional_steps_are_few_and_come_last() -> None:
    for lessons in shipped().lessons.values():
        further = {name: [step.further for step in lesson.steps] for name, lesson in lessons.items()}
        assert {name: sum(each) for name, each in further.items() if any(each)} == {
            "alignment": 2,
            "heads": 1,
            "since": 1,
            "story": 2,
        }
        assert all(each == sorted(each) for each in further.values())


# Steps that state nothing: they say what to press, and what to write.
_INSTRUCTIONS: Final = (("homework", 5), ("tour", 2))


@pytest.mark.parametrize("language", ["en", "fr"])
def test_every_step_names_a_measured_number_or_its_source(language: str) -> None:
    """A measure, a work with its year or section, or a link, among the words of the step or of its answers."""
    without = []
    for lesson, number in steps(language):
        step = lesson.steps[number]
        spans = [*step.title, *(span for block in step.blocks for span in block.spans)]
        if step.predict:
            spans += [span for block in step.predict.then for span in block.spans]
            assert all(choice.why for choice in step.predict.choices), (lesson.name, number + 1)
        cited = re.search(r"\([^()]*\b(19|20)\d\d\b[^()]*\)|§", plain(spans))
        if step.answer:  # an exercise: its answer states the numbers
            continue
        if not (step.measures or cited or any(span.kind == "link" for span in spans)):
            without.append((lesson.name, number + 1))
    assert tuple(sorted(without)) == _INSTRUCTIONS


@pytest.mark.parametrize("name", NAMES)
def test_the_translation_has_the_views_the_questions_and_the_measures_of_the_original(name: str) -> None:
    english, french = (shipped().lessons[language][name] for language in ("en", "fr"))
    assert english.order == french.order
    for ours, theirs in zip(english.steps, french.steps, strict=True):
        where = f"{name}, “{plain(ours.title)}”"
        assert (ours.page, dict(ours.link)) == (theirs.page, dict(theirs.link)), where
        assert set(ours.measures) == set(theirs.measures), where
        assert set(ours.solved.measures) == set(theirs.solved.measures), where
        assert (dict(ours.answer_link), ours.further) == (dict(theirs.answer_link), theirs.further), where
        assert plain(ours.title) != plain(theirs.title), where
        assert (ours.predict is None) == (theirs.predict is None), where
        if ours.predict and theirs.predict:
            assert (ours.predict.measure, ours.predict.expected) == (
                theirs.predict.measure,
                theirs.predict.expected,
            )
            bounds = [
                [choice.__dict__ | {"spans": None, "why": None} for choice in each.predict.choices]
                for each in (ours, theirs)
            ]  # type: ignore[union-attr]
            assert bounds[0] == bounds[1], where


def test_every_choice_says_why_it_does_not_hold_with_a_number_of_the_model() -> None:
    for language in ("en", "fr"):
        for lesson, number in steps(language, LESSONS):
            if predict := lesson.steps[number].predict:
                for choice in predict.choices:
                    assert any(span.kind == "value" for span in choice.why), (lesson.name, number, language)


def test_every_experiment_changes_the_translation_or_shows_what_a_word_keeps() -> None:
    changed, nothing = [], []
    for lesson, number in steps(names=LESSONS):
        step = lesson.steps[number]
        if step.link.get("edits", "none") == "none":
            continue
        numbers = numbers_of(lesson.name, number + 1)
        changed.append(int(numbers.value("words_changed")))  # type: ignore[arg-type]
        if not changed[-1]:
            nothing.append((lesson.name, number + 1))
            assert "kept" in step.measures, (lesson.name, number)
    assert len(changed) >= 7
    controls = [("agreement", 2), ("agreement", 5)]  # one head that looks at the noun, and five at random
    assert [each for each in nothing if each not in controls] == [("heads", 3)], "a null result, and says so"
    assert set(controls) <= set(nothing)


def test_every_lesson_asks_and_the_last_one_uses_what_if() -> None:
    lessons = shipped().lessons["en"]
    assert all(any(step.predict or step.answer for step in lessons[name].steps) for name in LESSONS)
    assert sum(step.page == "what_if" for step in lessons["heads"].steps) >= 4


def prediction_holds(name: str, number: int, predict: Prediction) -> None:
    value = numbers_of(name, number + 1).value(predict.measure)
    assert predict.expected is not None
    holding = [n for n, choice in enumerate(predict.choices) if choice.holds(value)]
    where = (
        f"{name}, step {number + 1}: “{plain(predict.ask)}”: {CHECKPOINT} says {predict.measure} = {value!r}"
    )
    assert len(holding) == 1, f"{where}, for which {len(holding)} choices hold; exactly one must."
    text, hoped = (plain(predict.choices[n].spans) for n in (holding[0], predict.expected))
    assert holding == [predict.expected], f"{where}, which is “{text}”; the lesson expects “{hoped}”."


@pytest.mark.parametrize(
    ("name", "number"), [(lesson.name, number) for lesson, number in steps()], ids=lambda part: str(part)
)
def test_every_number_of_a_step_can_be_had_its_link_is_what_it_says_and_its_prediction_holds(
    name: str, number: int
) -> None:
    step, result = step_of(name, number + 1), numbers_of(name, number + 1)
    if step.predict:
        prediction_holds(name, number, step.predict)
    for measure in step.measures:
        assert result.written(measure) != "–", f"{name}, step {number + 1}: {measure}"
    selection = result.shown.selection
    assert selection.lesson == f"{name}.{number + 1}"
    bare = parse({key: value for key, value in step.link.items() if "{" not in value})[0]
    for field in step.link:
        if "{" not in step.link[field]:
            assert to_params(selection).get(field) == to_params(bare).get(field), field
    for field, value in step.link.items():
        if value in ("{sharpest_layer}", "{previous_layer}", "{sharpest_head}", "{previous_head}"):
            assert str(getattr(selection, field)) == result.written(value.strip("{}")), field


def test_no_text_tells_the_answer_before_the_reader_has_chosen() -> None:
    for language in ("en", "fr"):
        for lesson, number in steps(language):
            step = lesson.steps[number]
            if step.predict is None:
                continue
            before = [step.title, *(block.spans for block in step.blocks), step.predict.ask]
            shown_before = " ".join(
                plain(spans, lambda value: "\0")
                for spans in (*before, *(choice.spans for choice in step.predict.choices))
            )
            after = [block.spans for block in step.predict.then]
            for spans in (*after, *(choice.why for choice in step.predict.choices)):
                sentence = max(plain(spans, lambda value: "\0").split("\0"), key=len).strip()
                assert len(sentence) > 8 and sentence not in shown_before, (language, lesson.name, number)


def test_no_text_holds_a_number_of_the_model() -> None:
    """A per cent or a decimal fraction stands in bounds and choices alone, never in what is told."""

    def step_text(step: Step) -> str:
        blocks = [*step.blocks, *(step.predict.then if step.predict else ())]
        return " ".join(plain(block.spans, lambda name: "") for block in blocks)

    for language in ("en", "fr"):
        for lesson, number in steps(language):
            assert not re.search(r"\d+[.,]\d+|\d\s*%", step_text(lesson.steps[number])), (lesson.name, number)


def test_the_panel_has_all_its_words_in_french() -> None:
    with speaking("en"):
        english = shipped().words_in("en")
    with speaking("fr"):
        french = shipped().words_in("fr")
    same = {name for name in vars(english) if getattr(english, name) == getattr(french, name)}
    assert same <= {"minutes", "code"}
    assert (french.name, french.decimal) == ("Français", ",")


def test_a_value_is_written_with_the_comma_of_its_language() -> None:
    result = numbers_of("positions", 2)
    assert result.written("near_likeness", ",") == written(
        "near_likeness", result.value("near_likeness")
    ).replace(".", ",")
    assert set(result.shown.entry.config.to_json()) and "near_likeness" in MEASURES
