"""Every sentence that a user can read is plain: in every language no banned word, and none that is too long.

Sentences are the messages of the catalogues (English in the code, the others in core/translations/*.po) and the lessons. The
banned words are those of one term for one thing, and the habits that made sentences hard to read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from babel.messages.pofile import read_po

from core.language import CATALOGUES, SOURCE, codes, messages

ROOT: Final = Path(__file__).parents[1]
LONGEST: Final = 30  # words of a sentence
BANNED: Final = {
    "en": (
        r"\b(anew|nobody|stranger|riddle|twofold|hitherto)\b",
        r"\b(is|are|was|were|be) told\b|\btells? apart\b|\btold apart\b",
        r"\bgiven back\b|\bgives? back\b",
        r"\bprobe sentences?\b",
        r"\bhide specials\b|\breads? memory\b|\blooks? across\b|\bthe null\b",
        r"\battend(ing|ed) (\(|token)|\btokens that ask\b|\bwho (asks|waits)\b",
        r"\bswitch(ed|es)? (it |them |heads? )?off\b|\bheads? off\b|\bits mean\b|\bfrozen pattern\b",
        r"\ban? even row\b|\bpointed\b|\bbadges?\b",
        r"\blet(s)? go of\b|\blays? (it|them|more|all|a head) over\b",
        r"\bmakes? up for\b|\bcomes? to be\b|\bat rest\b",
        r"(?<!\{)\b1 times\b|\d a token\b",
    ),
    "fr": (
        r"\bDe rien\b|\bDe beaucoup\b",
        r"\bà elle-même\b",
        r"\b(pointue|tranchée)s?\b|\blarges? (tête|ligne)",
        r"\bligne égale\b|\ble 1 tout entier\b",
        r"\b1 fois\b",
        r"\bComme vous l['’]avez dit\b",
        r"\bphrases? sonde",
    ),
}
TEX: Final = re.compile(r"\$[^$]*\$|`[^`]*`|\\\(.*?\\\)")


def catalogue_messages(code: str) -> Iterator[tuple[str, str]]:
    """(where, message) in one language."""
    if code == SOURCE:
        for each in messages():
            for text in (each.text, each.many):
                yield f"{each.file}:{each.line}", text
        return
    with (CATALOGUES / f"{code}.po").open("rb") as file:
        for entry in read_po(file, locale=code):
            forms = (entry.string,) if isinstance(entry.string, str) else entry.string
            for form in forms if entry.id else ():
                yield f"{code}.po: {entry.id!r}", form


def lesson_texts(code: str) -> Iterator[tuple[str, str]]:
    """(file, paragraph) of the lessons in one language; measured numbers, links and the settings of a step are no words."""
    for path in sorted((ROOT / "lessons" / code).glob("*.md")):
        written = path.read_text("utf-8")
        for line in re.findall(
            r'\b(?:title|about|ask|text|then|else|wrong|why) = "((?:[^"\\]|\\.)*)"', written
        ):
            yield path.relative_to(ROOT).as_posix(), re.sub(r"\{[^{}]*\}", "x", line)
        text = re.sub(r"^(---|\+\+\+)\n.*?\n\1$|^```.*?^```$", "", written, flags=re.M | re.S)
        for paragraph in re.split(r"\n\s*\n|\n(?=[-*>#|]|\d+\. )", text):
            yield path.relative_to(ROOT).as_posix(), re.sub(r"\{[^{}]*\}|\]\([^)]*\)", "x", paragraph)


def sentences(text: str) -> Iterator[str]:
    """A text's sentences, formulas as one word each."""
    plain = TEX.sub("formula", text)
    yield from re.split(r"(?<=[.!?…;:])\s+|\n\s*\n|\n\s*[-|*]", plain)


def faults(where: str, text: str, code: str) -> Iterator[str]:
    """A line for each fault of a text."""
    for pattern in BANNED.get(code, ()):
        if match := re.search(pattern, text, re.IGNORECASE):
            yield f"{where}: “{match[0]}” in {text[:90]!r}"
    for sentence in sentences(text):
        if (count := len(sentence.split())) > LONGEST:
            yield f"{where}: {count} words: {sentence[:120]!r}"
    if text.count("(") != text.count(")") or text.count("“") != text.count("”"):
        yield f"{where}: brackets or quotes without their partner: {text[:90]!r}"


@pytest.mark.parametrize("code", codes())
def test_every_sentence_is_plain(code: str) -> None:
    listed = [*catalogue_messages(code), *lesson_texts(code)]
    assert len(listed) > 100
    wrong = [fault for where, text in listed for fault in faults(where, text, code)]
    assert not wrong, "\n" + "\n".join(wrong)


def test_a_fault_is_noticed() -> None:
    for text in ("Nobody waits", "All heads off", " ".join(["word"] * 31), "Half (a bracket"):
        assert list(faults("here", text, "en"))
    for text in ("La tête se regarde à elle-même", "Cela arrive 1 fois"):
        assert list(faults("ici", text, "fr"))
    assert not list(faults("here", "Head 1.2 looks 96 % at “sofa” when it writes “canapé”.", "en"))
