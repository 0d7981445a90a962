"""One sentence, one link: what the Alignment page counts is said as one would say it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from core.analysis.alignment import Gold, Link, Measured
from ui.alignment import leaving, pair, results


def plate(sure: frozenset[Link]) -> Any:
    words = SimpleNamespace(target=("chien",), source=("the", "dog"))
    return SimpleNamespace(words=words, subject="head 2.3", gold=Gold(sure, sure))


@pytest.mark.parametrize(
    ("sure", "said"),
    [
        ({(1, 0)}, "Head 2.3 finds 1 of 1 sure link"),
        ({(1, 0), (0, 0)}, "Head 2.3 finds 1 of 2 sure links"),
    ],
)
def test_the_title_counts_sure_links(sure: set[Link], said: str) -> None:
    parts = pair.title(plate(frozenset(sure)), frozenset({(1, 0)}), None)
    assert "".join(part if isinstance(part, str) else part["kind"] for part in parts) == said


def test_the_file_of_one_sentence_is_of_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the table of scores, in what heads are ranked by, and in the menu of files."""
    counts: Any = SimpleNamespace(of=lambda *_: Measured())
    plates: Any = SimpleNamespace(counts=None, gold=None, links=frozenset(), layer=0, head=0, name="0.0")
    nothing: Any = None
    shown: Any = SimpleNamespace(selection=SimpleNamespace(reading="writing", by="weight"))
    told: list[Any] = []
    for module in (results, leaving):
        monkeypatch.setattr(module, "measured", lambda *_: (counts, 1))
    monkeypatch.setattr(results.tables, "table", lambda rows, *_, **__: told.extend(row[0] for row in rows))
    results._numbers(shown, plates, None, nothing)
    assert told == ["1 sentence, writes", "1 sentence, reads"]
    assert results._best(shown, plates, nothing)[1] == "over 1 sentence"
    monkeypatch.setattr(leaving.menu, "texts", lambda _shown, _decode, files: told.extend(files))
    leaving.save(shown, nothing, plates, None, nothing)
    assert told[-1][:2] == ("CSV of every head, 1 sentence", "aer-1-sentence.csv")
