"""The three kinds of attention are called the same in the core, on every page, in every view and file."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from core.analysis.glossary import KINDS as SCORED
from core.model.config import ModelConfig
from core.model.hooks import ATTENTION, ATTENTION_MAPS, ATTENTION_NAMES
from core.training.dynamics import KINDS as FOLLOWED
from ui.app import navigation as architecture_map
from ui.models import model_card
from ui.session import selection
from ui.shared import map_data, maps
from ui.style import theme

ROOT = Path(__file__).parents[3]
CONFIG = ModelConfig(source_vocab_size=9, target_vocab_size=9)
MAP = np.full((1, 1, 2, 2), 0.5)


def test_the_words() -> None:
    assert [kind.label for kind in ATTENTION.values()] == ["encoder self", "decoder causal", "cross"]
    assert ATTENTION_NAMES == ("encoder-self", "decoder-self", "cross"), "files hold these"
    assert tuple(ATTENTION) == theme.KINDS == ("encoder", "causal", "cross"), "links hold these"
    assert SCORED is ATTENTION_NAMES and FOLLOWED is ATTENTION_NAMES
    assert tuple(maps.PLACES.values()) == ATTENTION_MAPS


def test_every_view_says_them() -> None:
    for key, kind in ATTENTION.items():
        assert key in selection.View.__args__  # type: ignore[attr-defined]
        assert map_data.WallData(MAP, "ab", "ab", kind=key).words == kind.title  # type: ignore[arg-type]
    assert [stack.name for stack in model_card.stacks(CONFIG)] == [kind.label for kind in ATTENTION.values()]
    joint = map_data.JointData(MAP[0, 0], MAP[0, 0], MAP[0, 0], "ab", "ab", "ab")
    assert joint.labels == {key: kind.label for key, kind in ATTENTION.items()}
    strip = architecture_map.map_data(CONFIG).blocks
    assert strip["encoder"].where.lower() == ATTENTION["encoder"].title
    assert strip["decoder"].where.lower() == ATTENTION["causal"].title
    assert strip["cross"].where.lower().startswith(ATTENTION["cross"].title)
    assert strip["cross"].title == ATTENTION["cross"].title


@pytest.mark.parametrize(
    "path",
    [
        path
        for folder in ("core", "ui", "pages")
        for path in sorted((ROOT / folder).rglob("*.[pj][ys]"))
        if "node_modules" not in path.parts
    ],
    ids=lambda path: path.name,
)
def test_no_file_says_them_in_its_own_words(path: Path) -> None:
    """Neither another name for a kind, nor a second table of the three."""
    if path.name == "hooks.py":
        return
    text = path.read_text("utf-8")
    assert not re.search("(?i)decoder causal", text)
    assert not re.search(r"\(\"encoder\", \"self\"\),\s*.*\(\"decoder\", \"self\"\)", text)
    assert not re.search(r"\"encoder-self\", \"decoder-self\"", text)
    assert not re.search(r"['\"](encoder self|decoder self)['\"]", text)
