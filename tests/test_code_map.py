"""docs/code.md, the map of the code, names what is there, and every room of `core` and `ui` is on it."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
MAP = (ROOT / "docs" / "code.md").read_text("utf-8")
PAGES = (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))


def test_every_file_on_the_map_is_there() -> None:
    named = re.findall(r"`((?:core|ui|pages|tests|benchmarks)/[\w./*]*|app\.py)`", MAP)
    assert len(named) > 40
    assert not [name for name in named if not list(ROOT.glob(name.rstrip("/")))]


def test_every_room_is_on_the_map() -> None:
    rooms = {
        f"{path.parent.relative_to(ROOT)}/"
        for top in ("core", "ui")
        for path in ROOT.glob(f"{top}/*/__init__.py")
    }
    assert not [room for room in sorted(rooms) if f"`{room}`" not in MAP]


def test_every_picture_of_the_docs_can_be_drawn_again() -> None:
    from tests.readme_pictures import DOCS, PICTURES

    text = "".join(page.read_text("utf-8") for page in PAGES)
    shown = set(re.findall(r"\]\((?:docs/)?([\w-]+)\.png\)", text))
    assert shown and shown <= set(PICTURES)
    assert {path.stem for path in DOCS.glob("*.png")} == set(PICTURES), "no picture is stored for nothing"
