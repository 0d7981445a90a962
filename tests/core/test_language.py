"""Sentences in the reader's language: what is looked up, what is extracted from the code, and what a catalogue must keep."""

from __future__ import annotations

import json
import math
import re
import threading
from functools import cache
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from core import language
from core.analysis.readout import decimal, exact, how_many
from core.language import (
    CATALOGUES,
    localised,
    marks,
    messages,
    numeral,
    of_browser_code,
    of_python,
    plural,
    speaking,
    spoken,
    tr,
)

FIELD = re.compile(r"\$[^$]*\$|(\{\w*\})")  # in a formula, braces are LaTeX
CODES = [code for code in language.codes() if code != language.SOURCE]


@cache
def catalogue(code: str) -> Catalog:
    with (CATALOGUES / f"{code}.po").open("rb") as file:
        return read_po(file, locale=code)


def fields_of(text: str) -> set[str]:
    """The {fields} of a message."""
    return set(filter(None, FIELD.findall(text)))


def test_a_sentence_is_written_in_the_language_in_use() -> None:
    assert tr("Presenter size") == "Presenter size"
    with speaking("fr"):
        assert tr("Presenter size") == "Affichage agrandi"
        assert plural("{count} head", "{count} heads", 1) == "1 tête" == how_many(1, "head")
        assert plural("{count} head", "{count} heads", 0) == "0 tête", "French counts nought as one"
        assert how_many(1326, "head") == "1\u202f326 têtes" and how_many(None, "head") == "toutes les têtes"
    assert how_many(0, "head") == "0 heads"
    assert tr("No catalogue has {this}.", this="<b>") == "No catalogue has <b>."


@pytest.mark.parametrize(
    ("value", "form", "english", "french"),
    [
        (0.14, ".2f", "0.14", "0,14"),
        (1234567, ",", "1,234,567", "1\u202f234\u202f567"),
        (-1326.5, ",.1f", "-1,326.5", "-1\u202f326,5"),
        (0.00000012, ".1e", "1.2e-07", "1,2e-07"),
        (95, "", "95", "95"),
        (math.nan, ".2f", "nan", "nan"),
    ],
)
def test_a_number_is_written_in_the_language_in_use(
    value: float, form: str, english: str, french: str
) -> None:
    assert numeral(value, form) == english
    with speaking("fr"):
        assert numeral(value, form) == french


def test_only_marks_within_numbers_change() -> None:
    text = "0.5 + 1,024.25 = 2, at the end. A list: 3, 4."
    assert localised(text) == text and marks() is None
    with speaking("fr"):
        assert localised(text) == "0,5 + 1\u202f024,25 = 2, at the end. A list: 3, 4."
        assert marks() == ",\u202f", "what Plotly is given"
        assert decimal(-0.314) == "−0,31" and exact(-0.314) == "−0.31", "an export keeps the point"
        assert decimal(-0.001) == "0,00", "no sign of a rounded zero"


def test_a_link_that_names_an_unknown_language_is_in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "_ask", [lambda: "xx"])
    assert language.language() == "en" and language.tr("Sentences") == "Sentences"


def test_a_language_belongs_to_its_thread() -> None:
    elsewhere: list[str] = []
    with speaking("fr"):
        other = threading.Thread(target=lambda: elsewhere.append(language.language()))
        other.start()
        other.join()
        assert language.language() == "fr"
        language.use("tlh")  # no such catalogue
        assert language.language() == "en"
    assert elsewhere == ["en"]


def test_a_view_gets_what_differs_from_english() -> None:
    assert spoken(["Presenter size"], [("{count} head", "{count} heads")]) == {}
    with speaking("fr"):
        assert spoken(["Presenter size", "not in it"], [("{count} head", "{count} heads")]) == {
            "code": "fr",
            "words": {"Presenter size": "Affichage agrandi"},
            "counts": {"{count} head": ["{count} tête", "{count} têtes"]},
        }


def test_messages_are_read_from_python() -> None:
    python = """
A = message("Kept")
def f(n):
    raise InputError.tr("An error")
    return tr("One {x}", x=n) + plural("a", "b", n) + how_many(n, "word") + other("no")
"""
    assert {each.key for each in of_python(python)} == {
        *("Kept", "An error", "One {x}", ("a", "b"), ("{count} word", "{count} words"))
    }
    with pytest.raises(ValueError, match=r"line.py:1: give tr a literal"):
        list(of_python('tr(f"{x}")', "line.py"))


def test_messages_of_the_browser_code_are_those_of_its_build(tmp_path: Path) -> None:
    listed = tmp_path / "messages.json"
    listed.write_text(json.dumps({"wall": ["It's", ["a", "b"]], "head": ["“"]}), "utf-8")
    assert [each.key for each in of_browser_code(listed)] == ["It's", ("a", "b"), "“"]


@pytest.mark.parametrize("code", CODES)
def test_a_translation_keeps_the_fields_of_its_message(code: str) -> None:
    for entry in catalogue(code):
        forms = [entry.string] if isinstance(entry.string, str) else list(entry.string)
        wanted = fields_of(entry.id if isinstance(entry.id, str) else entry.id[1])
        for number, form in enumerate(filter(None, forms if entry.id else [])):
            fields = fields_of(form)
            # “this head” needs no number; many do.
            one = len(forms) > 1 and number == 0
            assert fields == wanted or (one and fields | {"{count}"} == wanted), entry.id


def test_french_is_set_as_french() -> None:
    """The space before ? : ; ! » % and after « is one that no line breaks at, the apostrophe is ’; code and formulas stay."""
    forms = [
        form
        for entry in catalogue("fr")
        for form in ([entry.string] if isinstance(entry.string, str) else entry.string)
        if entry.id
    ]
    faults = re.compile(r"(?<=\S) (?:[?:;!»]|%(?![{(]))|« |(?<=[^\W\d_])'(?=[^\W\d_])")
    wrong = [form for form in forms if faults.search(re.sub(r"\$[^$]*\$|`[^`]*`", "", form))]
    assert not wrong, "write U+00A0 (or U+202F) there, and ’ for ':\n" + "\n".join(wrong)


@pytest.mark.parametrize("code", CODES)
def test_every_sentence_has_its_translation(code: str) -> None:
    known = {entry.id: entry.string for entry in catalogue(code)}
    missing = []
    for each in messages():
        translated = known.get(each.key) or ""
        if not (all(translated) if isinstance(translated, tuple) else translated):
            missing.append(f"{each.file}:{each.line}: {each.text}")
    assert not missing, "run python -m core.language and translate:\n" + "\n".join(missing)
