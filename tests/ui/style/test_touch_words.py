"""Words for every hand: nothing tells a reader with a finger to click, to hover, or to press a key that is not there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
POINTER = re.compile(
    r"\b(double[- ]?|right[- ]?)?(click|hover)(s|ed|ing)?\b|\bmouse\b|\bEsc\b|\bShift ?[-+]|\b(tap|swipe)(s|ped)?\b"
    r"|\b(clic|cliquez|survolez|Échap)\b",
    re.IGNORECASE,
)
QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'|`([^`]*)`")
WRITTEN = (
    *(ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py"))),
    *(path for path in sorted((ROOT / "ui").rglob("*.py")) if "node_modules" not in path.parts),
    *(path for room in ("analysis", "learning") for path in sorted((ROOT / "core" / room).glob("*.py"))),
)
BROWSER = sorted(path for path in (ROOT / "ui").rglob("*.ts") if "node_modules" not in path.parts)


def sentences(source: str) -> Iterator[tuple[int, str]]:
    """Strings of more than one word that are no docstrings: what a page may show. The name of a key is none."""
    tree = ast.parse(source)
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or id(node) in alone:
            continue
        if " " in node.value.strip() and not re.fullmatch(r"Shift \+ \w+", node.value):
            yield node.lineno, node.value


def for_a_pointer(source: str) -> list[tuple[int, str]]:
    return [(line, words) for line, words in sentences(source) if POINTER.search(words)]


def without_a_finger(script: str) -> list[tuple[int, str]]:
    """Lines of browser code whose words are a pointer's, without a choice by TOUCH in reach; key lists have their own."""
    lines = script.splitlines()
    found = []
    for place, line in enumerate(lines):
        if line.strip().startswith(("*", "/*", "//", "['")):  # a comment, or a row of a list of keys
            continue
        said = (one or other for one, other in QUOTED.findall(line))
        words = next((each for each in said if " " in each and POINTER.search(each)), "")
        if not words:
            continue
        if not any("TOUCH" in each for each in lines[max(0, place - 2) : place + 1]):
            found.append((place + 1, words))
    return found


def test_what_python_writes_is_said_for_every_hand() -> None:
    assert not [(path, found) for path in WRITTEN if (found := for_a_pointer(path.read_text("utf-8")))]


def test_so_are_the_lessons() -> None:
    assert not [
        (path, line)
        for path in (ROOT / "lessons").rglob("*.md")
        for line in path.read_text("utf-8").splitlines()
        if POINTER.search(line)
    ]


def test_the_views_choose_their_words_by_the_hand() -> None:
    assert not [(path, found) for path in BROWSER if (found := without_a_finger(path.read_text("utf-8")))]


def test_keys_are_hidden_by_the_question_that_the_views_ask() -> None:
    asked = re.search(r"matchMedia\?\.\('([^']+)'\)", (ROOT / "ui/web/base/words.ts").read_text("utf-8"))
    style = (ROOT / "ui/shared/cards.css").read_text("utf-8")
    assert asked and f'@media {asked[1]} {{ [class*="st-key-keys_"]' in style


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ('st.html("Click a head to open it")', [1]),
        ('x = f"{n} heads: hover one"', [1]),
        ('KEYS = {"Esc": "lets go", "Enter": "opens it"}', []),
        ('def f():\n    """A click opens it."""\n    return "choose a head"', []),
        ('go.Bar(hovertemplate="%{hovertext}: position %{x}")', []),
    ],
)
def test_a_new_click_is_found(source: str, lines: list[int]) -> None:
    assert [line for line, _ in for_a_pointer(source)] == lines


@pytest.mark.parametrize(
    ("script", "count"),
    [
        ("const HINT = 'hover a word';", 1),
        ("const HINT = TOUCH ? 'tap a word' : 'hover a word';", 0),
        ("const HOW = TOUCH\n  ? 'tap one to open it'\n  : 'click opens one';", 0),
        ("  ['Esc', 'clear the pins'],", 0),
        ("node.addEventListener('click', () => go());", 0),
    ],
)
def test_a_new_hint_without_a_finger_is_found(script: str, count: int) -> None:
    assert len(without_a_finger(script)) == count
