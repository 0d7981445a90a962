"""What a run of the script asks for only once: the folders of the list, and the decode of its page."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.pages.conftest import ROOT, Open
from ui.shared import checkpoints as listing
from ui.shared import context
from ui.shared.context import CheckpointView

pytestmark = pytest.mark.usefixtures("checkpoints")  # begin with empty caches

PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each folder was listed and each sentence's decode looked up."""
    counted: Counter[str] = Counter()
    folders, stamp, decode = listing.checkpoint_folders, listing.folder_stamp, CheckpointView._decode

    def listed(root: Path) -> list[Path]:
        counted[f"list of {root.name}"] += 1
        return folders(root)

    def stamped(path: Path) -> str:
        counted[f"stamp of {path.name}"] += 1
        return stamp(path)

    def decoded(self: CheckpointView) -> Any:
        counted[f"decode of {self.entry.name}: {self.text}"] += 1
        return decode(self)

    monkeypatch.setattr(listing, "checkpoint_folders", listed)
    monkeypatch.setattr(listing, "folder_stamp", stamped)
    monkeypatch.setattr(CheckpointView, "_decode", decoded)
    return counted


@pytest.mark.sampled(2)
@pytest.mark.parametrize("page", PAGES)
def test_a_run_lists_every_folder_and_decodes_every_sentence_once(
    open_app: Open, asked: Counter[str], page: str
) -> None:
    app = open_app(page, {"checkpoint": "tiny", "text": "I am tired."})
    asked.clear()
    app.run()
    assert not app.exception
    assert asked["stamp of tiny"] == 1
    assert set(asked.values()) == {1}, asked


@pytest.mark.thorough
def test_the_next_run_asks_again(open_app: Open, checkpoints: Path, asked: Counter[str]) -> None:
    app = open_app("translate")
    (checkpoints / "tiny").rename(checkpoints / "renamed")
    asked.clear()
    app.run()
    assert not app.exception
    assert asked["stamp of renamed"] == 1 and not asked["stamp of tiny"]


@pytest.mark.thorough
def test_another_sentence_of_the_same_run_is_another_decode(open_app: Open) -> None:
    texts = ("I am tired.", "A man.")
    app = open_app("compare", {"versus": "sentence", "text": texts[0], "other_text": texts[1]})
    assert not app.exception
    entry, _ = listing.find("tiny")
    one, two = (CheckpointView(entry, context.Selection(text=text)).decoded for text in texts)
    assert one.decode is not two.decode
