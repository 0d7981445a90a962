"""A folder of lessons that anybody may have written shows its own files and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from ui.learn import shelf


def test_a_lesson_that_is_a_link_out_of_its_folder_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("password = hunter2\n")
    lessons = tmp_path / "lessons" / "de"
    lessons.mkdir(parents=True)
    (lessons / "quoted.md").symlink_to(secret)
    (lessons / "words.toml").symlink_to(secret)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "other.md").write_text("password = hunter2\n")
    (tmp_path / "lessons" / "fr").symlink_to(tmp_path / "elsewhere")
    monkeypatch.setenv(shelf.EXTRA, str(tmp_path / "lessons"))
    problems = shelf.shelf().problems
    assert len(problems) == 3
    assert all("leads out of the folder of lessons" in problem for problem in problems)
    assert not any("hunter2" in problem for problem in problems)


def test_a_folder_of_lessons_may_be_a_link_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lesson = (shelf.FOLDER / "en" / "attention.md").read_text("utf-8")
    (tmp_path / "mine" / "de").mkdir(parents=True)
    (tmp_path / "mine" / "de" / "attention.md").write_text(lesson, "utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "mine")
    monkeypatch.setenv(shelf.EXTRA, str(tmp_path / "link"))
    assert shelf.shelf().problems == () and "attention" in shelf.shelf().lessons["de"]
