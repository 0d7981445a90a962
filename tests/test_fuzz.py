"""A few of the random texts and damaged folders of `tests/fuzz.py`, which runs as many as one asks for."""

from __future__ import annotations

from pathlib import Path

from tests import fuzz


def test_random_texts_are_traced_or_refused(tiny_checkpoint: Path) -> None:
    found = fuzz.texts(tiny_checkpoint, 60, seed=5)
    assert not found.bad, found.bad[:3]
    assert found.ways["traced"] > 15
    assert found.ways["refused"] > 5


def test_damaged_folders_are_used_or_refused_in_one_sentence(tmp_path: Path) -> None:
    found = fuzz.checkpoints(fuzz.small(tmp_path), 40, seed=23)
    assert not found.bad, found.bad[:3]
    assert found.ways["refused"] > 12 and found.ways["still sound"] > 4


def test_damaged_lessons_cost_themselves_and_are_one_sentence(tmp_path: Path) -> None:
    found = fuzz.lessons(tmp_path, 80, seed=23)
    assert not found.bad, found.bad[:3]
    assert found.ways["refused"] > 30
