"""One sentence, one link: what the Alignment page counts is said as one would say it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from core.analysis.alignment import Gold, Link, Measured
from ui.heads import alignment as page
from ui.heads import alignment_results as results
from ui.heads.alignment_data import InForce
from ui.heads.roles import rank_of, rank_words


def plate(sure: frozenset[Link]) -> Any:
    words = SimpleNamespace(target=("chien",), source=("the", "dog"))
    return SimpleNamespace(words=words, subject="head 2.3", gold=Gold(sure, sure))


@pytest.mark.parametrize(
    ("sure", "said"),
    [
        ({(1, 0)}, "Head 2.3 finds 1 of 1 sure link"),
        ({(1, 0), (0, 0)}, "Head 2.3 finds 1 of 2 sure links"),
        ({(place, 0) for place in range(1200)}, "Head 2.3 finds 1 of 1,200 sure links"),
    ],
)
def test_the_title_counts_sure_links(sure: set[Link], said: str) -> None:
    parts = page.title(plate(frozenset(sure)), frozenset({(1, 0)}), None)
    assert "".join(part if isinstance(part, str) else part["kind"] for part in parts) == said


@pytest.mark.parametrize(
    ("written", "said"),
    [(("chien",), "Head 2.3 links 1 of 1 word"), (("le", "chien"), "Head 2.3 links 1 of 2 words")],
)
def test_the_title_counts_words(written: tuple[str, ...], said: str) -> None:
    without_gold = plate(frozenset())
    without_gold.words.target = written
    parts = page.title(without_gold, frozenset({(1, 0)}), None)
    assert "".join(part if isinstance(part, str) else part["kind"] for part in parts) == said


@pytest.mark.parametrize(
    ("sentences", "said", "file"),
    [(1, "1 sentence", "aer-1-sentence.csv"), (1326, "1,326 sentences", "aer-1326-sentences.csv")],
)
def test_the_sentences_of_the_file_are_counted(
    monkeypatch: pytest.MonkeyPatch, sentences: int, said: str, file: str
) -> None:
    """In the table of scores, in what heads are ranked by, and in the menu of files."""
    counts: Any = SimpleNamespace(of=lambda *_: Measured())
    plates: Any = SimpleNamespace(
        counts=None, gold=None, links=frozenset(), layer=0, head=0, reading="writing", name="0.0"
    )
    nothing = InForce(None)
    shown: Any = SimpleNamespace(selection=SimpleNamespace(by="weight"))
    told: list[Any] = []
    survey = SimpleNamespace(counts={"weight": counts}, done=sentences, sentences={}, baselines={})
    monkeypatch.setattr(results, "survey_of", lambda *_: survey)
    monkeypatch.setattr(results.cards, "table", lambda rows, *_, **__: told.extend(row[0] for row in rows))
    results._numbers(shown, plates, None, nothing)
    assert told == [f"{said}, when predicted", f"{said}, when fed back"]
    hand = said.replace(" sentence", " hand-aligned sentence")
    assert results._best(shown, plates, nothing)[1] == f"on the {hand} of this model"
    monkeypatch.setattr(page.menu, "texts", lambda _shown, files: told.extend(files))
    page.save(shown, plates, None, nothing)
    assert told[-1][:2] == (f"CSV of every head, {said}", file)


def test_the_rank_of_a_head_counts_from_one() -> None:
    tables = {"cross": np.array([[0.3, 0.1]]), "causal": np.array([[0.2]])}
    survey: Any = SimpleNamespace(left_out=tables, measured=None)
    assert [rank_of(survey, kind, 0, head) for kind, head in (("cross", 0), ("causal", 0), ("cross", 1))] == [
        (1, 3),
        (2, 3),
        (3, 3),
    ]
    assert rank_words(survey, "cross", 0, 0) == "1 of 3"


def test_heads_that_align_well_are_counted_as_they_are_printed() -> None:
    aer = np.array([[0.16, 0.203, 0.206, 0.19]])
    counts: Any = SimpleNamespace(rates=lambda *_: aer)
    assert results.aer_title(counts, "writing", "here") == "3 of 4 heads have AER ≤ 0.20 here"
