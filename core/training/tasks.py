"""Built-in tasks whose pairs are generated, not read: copy, reverse and sort, dates, and names to spell."""

from __future__ import annotations

import datetime
import hashlib
import random
import string
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Final, Protocol

from core.errors import ConfigError


def hashed_split(text: str, valid_percent: int = 5, test_percent: int = 5) -> str:
    """'train', 'valid' or 'test' by a hash of `text`: never changes, and is the same on every machine."""
    bucket = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") % 100
    if bucket < valid_percent:
        return "valid"
    return "test" if bucket < valid_percent + test_percent else "train"


class Copy:
    """Letters in, the same letters out."""

    name = "copy"
    source_alphabet = target_alphabet = string.ascii_lowercase[:10]
    longest = 8

    def generate(self, rng: random.Random) -> tuple[str, str]:
        letters = "".join(rng.choices(self.source_alphabet, k=rng.randint(2, self.longest)))
        return letters, self.answer(letters)

    def answer(self, letters: str) -> str:
        return letters


class Reverse(Copy):
    """Letters in, the same letters backwards out: the cross-attention must run against the diagonal."""

    name = "reverse"

    def answer(self, letters: str) -> str:
        return letters[::-1]


class Sort(Copy):
    """Letters in, the same letters from a to j out: where to attend depends on the letters."""

    name = "sort"

    def answer(self, letters: str) -> str:
        return "".join(sorted(letters))


MONTHS = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
]  # fmt: skip
SHORT_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
ORDINAL_WORDS = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
    "twentieth", "twenty-first", "twenty-second", "twenty-third", "twenty-fourth", "twenty-fifth", "twenty-sixth",
    "twenty-seventh", "twenty-eighth", "twenty-ninth", "thirtieth", "thirty-first",
]  # fmt: skip
FIRST_YEAR, LAST_YEAR, PIVOT = 1900, 2099, 50


def ordinal(day: int) -> str:
    """1 → '1st', 22 → '22nd', 13 → '13th'."""
    suffix = "th" if day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{suffix}"


def full_year(two_digits: int) -> int:
    """The year that two digits stand for: 50-99 → 1950-1999, 00-49 → 2000-2049."""
    return two_digits + (1900 if two_digits >= PIVOT else 2000)


class Dates:
    """Free-form English dates → ISO 8601 (`3rd of May, 1979` → `1979-05-03`); the calendar day decides the split.

    Ambiguous forms follow one rule here, so that every question has one answer:

    - slashes are the American order, month/day/year (`05/03/79` is the third of May), unless the year leads;
    - dots and spaces between numbers are the European order, day.month.year (`3.5.1979`);
    - four digits first are year, month, day (`1979/05/03`, `1979-05-03`, `1979.05.03`);
    - two-digit years 50-99 mean 1950-1999 and 00-49 mean 2000-2049;
    - years run from 1900 to 2099, and weekdays are always right.
    """

    name = "dates"
    source_alphabet = string.ascii_letters + string.digits + " ,./-'"
    target_alphabet = string.digits + "-"

    def generate(self, rng: random.Random) -> tuple[str, str]:
        first = datetime.date(FIRST_YEAR, 1, 1).toordinal()
        last = datetime.date(LAST_YEAR, 12, 31).toordinal()
        date = datetime.date.fromordinal(rng.randint(first, last))
        return self.write(date, rng), date.isoformat()

    def write(self, date: datetime.date, rng: random.Random) -> str:
        """One of the many ways to write `date`."""
        style = rng.choices((_day_first, _month_first, _numbers), weights=(4, 3, 3))[0]
        text = style(date, rng)
        recase: Callable[[str], str] = rng.choices((str, str.lower, str.upper), weights=(7, 2, 1))[0]
        return recase(text)


def _year(date: datetime.date, rng: random.Random) -> str:
    """Four digits mostly; two where the pivot makes them mean the same year."""
    if full_year(date.year % 100) == date.year and rng.random() < 0.2:
        return rng.choice(("", "'")) + f"{date.year % 100:02d}"
    return str(date.year)


def _month(date: datetime.date, rng: random.Random) -> str:
    short = SHORT_MONTHS[date.month - 1]
    if date.month == 9 and rng.random() < 0.3:
        short = "Sept"
    dot = "." if rng.random() < 0.3 and date.month != 5 else ""
    return rng.choices((MONTHS[date.month - 1], short + dot), weights=(2, 1))[0]


def _weekday(date: datetime.date, rng: random.Random) -> str:
    """Nothing, or the right weekday, long or short, with a comma or without."""
    name = WEEKDAYS[date.weekday()]
    if rng.random() < 0.65:
        return ""
    short = {"Tuesday": "Tues", "Thursday": "Thurs"}.get(name, name[:3])
    written = rng.choice((name, name, name, name[:3], name[:3] + ".", short))
    return written + rng.choice((" ", ", "))


def _ordinal_word(day: int, rng: random.Random) -> str:
    """'third', 'twenty-first', or 'twenty first'."""
    word = ORDINAL_WORDS[day - 1]
    return word.replace("-", " ") if rng.random() < 0.3 else word


def _day_first(date: datetime.date, rng: random.Random) -> str:
    """3 May 1979, 3rd of May, 1979, the third of May 1979, Thursday 3 May 1979, 3-May-1979."""
    month, year = _month(date, rng), _year(date, rng)
    comma = rng.choices(("", ","), weights=(2, 1))[0]
    style = rng.randrange(10)
    if style == 0:
        return f"{date.day}-{month.rstrip('.')}-{year.lstrip(chr(39))}"
    if style <= 2:
        word = _ordinal_word(date.day, rng)
        start = rng.choice(("the ", "The ", ""))
        return f"{_weekday(date, rng)}{start}{word} of {month}{comma} {year}"
    if style <= 5:
        start = rng.choice(("the ", "", ""))
        return f"{_weekday(date, rng)}{start}{ordinal(date.day)} of {month}{comma} {year}"
    day = rng.choice((str(date.day), str(date.day), f"{date.day:02d}", ordinal(date.day)))
    return f"{_weekday(date, rng)}{day} {month}{comma} {year}"


def _month_first(date: datetime.date, rng: random.Random) -> str:
    """May 3, 1979, Thursday, May 3rd 1979, May the third, 1979."""
    month, year = _month(date, rng), _year(date, rng)
    comma = rng.choices(("", ","), weights=(1, 2))[0]
    style = rng.randrange(8)
    if style == 0:
        day = rng.choice(("the ", "")) + _ordinal_word(date.day, rng)
    elif style <= 2:
        day = rng.choice(("the ", "", "")) + ordinal(date.day)
    else:
        day = rng.choice((str(date.day), f"{date.day:02d}"))
    return f"{_weekday(date, rng)}{month} {day}{comma} {year}"


def _numbers(date: datetime.date, rng: random.Random) -> str:
    """05/03/79 (month first), 3.5.1979 (day first), 1979/05/03 (year first)."""
    year = _year(date, rng).lstrip("'")
    day, month = str(date.day), str(date.month)
    if rng.random() < 0.5:
        day, month = f"{date.day:02d}", f"{date.month:02d}"
    style = rng.randrange(5)
    if style <= 1:
        return f"{month}/{day}/{year}"
    if style <= 3:
        separator = rng.choice((".", ".", ". ", " "))
        return f"{day}{separator}{month}{separator}{year}"
    separator = rng.choice(("/", "-", "."))
    return f"{date.year}{separator}{month}{separator}{day}"


ENOUGH_NAMES = 50
"""Shorter lists have too few spellings of their own to derive others from."""
INITIAL_VOWELS = "aeiouàâäéèêëîïôöùûü"

_ONSETS = [
    "b", "br", "c", "ch", "d", "dr", "f", "fr", "g", "gr", "j", "k", "kr", "l", "m", "n", "p", "pr", "r", "s", "sh",
    "st", "t", "tr", "v", "w", "z",
]  # fmt: skip
_VOWELS = ["a", "e", "i", "o", "u", "ai", "ea", "ee", "ia", "io", "ou"]
_CODAS = ["", "", "", "", "", "", "l", "m", "n", "n", "r", "s", "t", "x"]
_ENDS = [
    "a", "e", "i", "o", "u", "an", "el", "en", "er", "in", "is", "on", "ski", "son", "stein", "ov", "ova", "ez",
]  # fmt: skip


def invented_name(rng: random.Random, *, vowel: bool = False) -> str:
    """One capitalised word of two to four syllables that begins with a consonant, or with a vowel."""
    start = rng.choice("aeiou") + rng.choice(_CODAS) if vowel else ""
    syllables = [
        rng.choice(_ONSETS) + rng.choice(_VOWELS) + rng.choice(_CODAS)
        for _ in range(rng.choices((1, 2, 3), weights=(6, 3, 1))[0])
    ]
    end = rng.choice(_ONSETS) + rng.choice(_ENDS) if rng.random() < 0.6 else ""
    return (start + "".join(syllables) + end).capitalize()


class Spelling:
    """Names spelled like those of a list but not on it: each letter is drawn by the two before it."""

    def __init__(self, names: Iterable[str]) -> None:
        self._known = {name.lower() for name in names}
        self._next: dict[str, list[str]] = defaultdict(list)
        for name in sorted(self._known):
            if name.isalpha():
                letters = f"^^{name}$"
                for at in range(2, len(letters)):
                    self._next[letters[at - 2 : at]].append(letters[at])

    def draw(self, rng: random.Random, *, vowel: bool = False) -> str:
        """One capitalised word of three to eleven letters that begins with a consonant, or with a vowel."""
        for _ in range(50 if len(self._known) >= ENOUGH_NAMES else 0):
            letters = "^^"
            while letters[-1] != "$" and len(letters) < 14:
                letters += rng.choice(self._next[letters[-2:]])
            word = letters[2:].rstrip("$")
            # French elides before some h and y and not before others.
            if (
                letters[-1] == "$"
                and len(word) >= 3
                and (word[0] in INITIAL_VOWELS) == vowel
                and word[0] not in "hy"
                and word not in self._known
            ):
                return word.capitalize()
        return invented_name(rng, vowel=vowel)


class Names:
    """One to three invented names, which the answer repeats."""

    name = "names"
    source_alphabet = target_alphabet = string.ascii_letters + " .-"

    def generate(self, rng: random.Random) -> tuple[str, str]:
        words = [
            invented_name(rng, vowel=rng.random() < 0.2)
            for _ in range(rng.choices((1, 2, 3), weights=(4, 5, 1))[0])
        ]
        if rng.random() < 0.1:
            words[0] += "-" + invented_name(rng)
        text = " ".join(words) + rng.choice(("", "", "."))
        return text, text


class Task(Protocol):
    """A source of question-answer pairs.

    `source_alphabet` and `target_alphabet` have every character that can occur. `hashed_split` of the answer alone decides
    whether a pair is for 'train', 'valid' or 'test', so an answer of one split never occurs in another.
    """

    name: str
    source_alphabet: str
    target_alphabet: str

    def generate(self, rng: random.Random) -> tuple[str, str]: ...


_ALL: Final[tuple[Task, ...]] = (Dates(), Copy(), Reverse(), Sort(), Names())
TASKS: Final[Mapping[str, Task]] = {task.name: task for task in _ALL}


def get_task(name: str) -> Task:
    """The task `name`; ConfigError lists the known ones."""
    if name not in TASKS:
        raise ConfigError(f"There is no task {name!r}; choose one of {', '.join(sorted(TASKS))}.")
    return TASKS[name]
