"""The generated tasks: every question has one answer, and days held out stay out."""

from __future__ import annotations

import datetime
import random
import re

import pytest

from core.errors import ConfigError
from core.training.tasks import (
    MONTHS,
    ORDINAL_WORDS,
    TASKS,
    WEEKDAYS,
    Dates,
    full_year,
    get_task,
    hashed_split,
    ordinal,
)

QUESTIONS = [Dates().generate(random.Random(seed)) for seed in range(4000)]


@pytest.mark.parametrize("name", sorted(TASKS))
def test_alphabets_cover_everything(name: str) -> None:
    task = get_task(name)
    rng = random.Random(0)
    pairs = [task.generate(rng) for _ in range(2000)]
    assert set("".join(source for source, _ in pairs)) <= set(task.source_alphabet)
    assert set("".join(target for _, target in pairs)) <= set(task.target_alphabet)
    assert {hashed_split(target) for _, target in pairs} == {"train", "valid", "test"}


def test_unknown_task_lists_the_choices() -> None:
    with pytest.raises(ConfigError, match="choose one of copy, dates, names, reverse, sort"):
        get_task("shuffle")


def test_reverse_and_copy() -> None:
    for name, order in (("copy", 1), ("reverse", -1)):
        source, target = get_task(name).generate(random.Random(5))
        assert target == source[::order]


def test_sort_keeps_every_letter_and_puts_them_in_order() -> None:
    rng = random.Random(5)
    for source, target in (get_task("sort").generate(rng) for _ in range(200)):
        assert sorted(source) == list(target)


def test_names_are_copied_and_hardly_repeat() -> None:
    rng = random.Random(2)
    drawn = [get_task("names").generate(rng) for _ in range(1000)]
    assert all(source == target for source, target in drawn)
    assert len({source for source, _ in drawn}) > 950
    assert all(re.fullmatch(r"([A-Z][a-z]+[ -]?)+\.?", source) for source, _ in drawn)


def read(text: str) -> str:
    """An independent reading of a question by the documented rules."""
    text = text.lower()
    weekday = next(
        (i for i, day in enumerate(WEEKDAYS) if re.match(rf"{day[:3]}[a-z]*[.,]*,? ", text, re.I)), None
    )
    if weekday is not None:
        text = re.sub(r"^[a-z]+[.,]* ", "", text)
    for i, word in reversed(list(enumerate(ORDINAL_WORDS, start=1))):
        text = text.replace(word, str(i)).replace(word.replace("-", " "), str(i))
    month = next((i for i, name in enumerate(MONTHS, start=1) if name[:3].lower() in text), None)
    numbers = [int(n) for n in re.findall(r"\d+", text)]
    if month is not None:
        day, year = numbers
    elif re.match(r"\d{4}", text):
        year, month, day = numbers
    elif "/" in text:
        month, day, year = numbers
    else:
        day, month, year = numbers
    date = datetime.date(year if year > 99 else full_year(year), month, day)
    assert weekday is None or date.weekday() == weekday
    return date.isoformat()


def test_every_question_has_the_documented_answer() -> None:
    for question, answer in QUESTIONS:
        assert read(question) == answer, question


@pytest.mark.parametrize(
    "shape",
    [
        r"\d+(st|nd|rd|th) of \w+,? \d{4}",
        r"\d\d/\d\d/\d\d",
        r"[A-Z][a-z]+day \d+ [A-Z][a-z]+ \d{4}",
        r"[A-Z][a-z]+ \d+, \d{4}",
        r"\d+ [a-z]+ \d{4}",
        r"\d+\.\d+\.\d{4}",
        r"\d{4}/\d\d/\d\d",
        r"the [a-z-]+ of [A-Z][a-z]+ \d{4}",
        r"[A-Z ]+ \d+, \d{4}",
        r".* '\d\d",
        r"\d+-[A-Z][a-z]+-\d{4}",
    ],
)
def test_the_ways_people_write_dates_occur(shape: str) -> None:
    assert any(re.fullmatch(shape, question) for question, _ in QUESTIONS)


def test_ordinals_and_pivot() -> None:
    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 22, 23, 31)] == (
        ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "23rd", "31st"]
    )
    assert [full_year(n) for n in (0, 49, 50, 99)] == [2000, 2049, 1950, 1999]
    assert len(ORDINAL_WORDS) == 31


def test_the_split_is_fixed_for_ever() -> None:
    days = [datetime.date.fromordinal(n).isoformat() for n in range(700_000, 720_000)]
    share = [
        sum(hashed_split(day) == name for day in days) / len(days) for name in ("train", "valid", "test")
    ]
    assert share == pytest.approx([0.9, 0.05, 0.05], abs=0.005)
    assert {hashed_split(day) for day in ("1979-05-03", "2000-01-01", "2024-02-29")} == {"train"}
