"""The three kinds of attention are called the same in the core, on every page, in every view and file."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.analysis.glossary import KINDS as SCORED
from core.experiments.edits import UNEDITED
from core.language import speaking
from core.learning.study import in_language, named
from core.model.config import ModelConfig
from core.model.hooks import ATTENTION, ATTENTION_MAPS, ATTENTION_NAMES, attention_of
from core.training.dynamics import KINDS as FOLLOWED
from ui.app import navigation as architecture_map
from ui.export.live import page as live
from ui.models import model_card
from ui.session import selection
from ui.shared import map_data, maps, two_maps, what_if
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
        assert map_data.wall_data(MAP, "ab", "ab", kind=key).words == kind.title  # type: ignore[arg-type]
    assert [stack.name for stack in model_card.stacks(CONFIG)] == [kind.label for kind in ATTENTION.values()]
    joint = map_data.JointData(MAP[0, 0], MAP[0, 0], MAP[0, 0], "ab", "ab", "ab")
    assert joint.labels == {key: kind.label for key, kind in ATTENTION.items()}
    strip = architecture_map.map_data(CONFIG).blocks
    assert strip["encoder"].where.lower() == ATTENTION["encoder"].title
    assert strip["decoder"].where.lower() == ATTENTION["causal"].title
    assert strip["cross"].where.lower().startswith(ATTENTION["cross"].title)
    assert strip["cross"].title == ATTENTION["cross"].title


def test_a_decoder_without_the_causal_mask_is_not_named_by_it() -> None:
    without = replace(CONFIG, causal=False)
    assert attention_of(without, "causal").label == "decoder self"
    assert attention_of(without, "causal").name == ATTENTION["causal"].name, "files keep the name"
    assert all(attention_of(CONFIG, key) is kind for key, kind in ATTENTION.items())
    assert [stack.name for stack in model_card.stacks(without)] == ["encoder self", "decoder self", "cross"]
    assert architecture_map.map_data(without).blocks["decoder"].where == "decoder self-attention"


@pytest.mark.parametrize(
    ("code", "masked", "unmasked"),
    [
        ("en", "causal self-attention", "decoder self-attention"),
        ("fr", "auto-attention causale", "auto-attention du décodeur"),
    ],
)
def test_headings_say_it_too(code: str, masked: str, unmasked: str) -> None:
    """The live page and a mistake's map; what the wall and Watch it learn say is in tests/pages."""
    for config, expected in ((CONFIG, masked), (replace(CONFIG, causal=False), unmasked)):
        with speaking(code):
            (words,) = live.in_languages(config, {}, {code: ""}, tuple).values()
            assert words.kinds["causal"].lower() == expected
            assert in_language(named(config, "causal", 1, 0)).startswith(expected)


def test_its_later_tokens_are_drawn_and_can_be_given_weight() -> None:
    without = replace(CONFIG, causal=False)
    assert what_if.movable(UNEDITED, without, "causal", 0, 1, 2)
    assert not what_if.movable(UNEDITED, CONFIG, "causal", 0, 1, 2)
    side = two_maps.Side(MAP[0, 0], "ab", "ab", "one")
    assert np.isnan(side.cells("causal")[0, 1]) and side.cells("causal")[1, 0] == 0.5
    assert (replace(side, open_future=True).cells("causal") == 0.5).all()


OWN_WORDS = re.compile(
    r"(?i:decoder causal)"
    r"|\(\"encoder\", \"self\"\),\s*.*\(\"decoder\", \"self\"\)"
    r"|\"encoder-self\", \"decoder-self\""
    r"|['\"](encoder self|decoder self)['\"]"
)
OWN_TITLE = re.compile(r"['\"](?i:encoder|causal) self-attention\b[^,\"']*['\"]")


def test_no_file_says_them_in_its_own_words() -> None:
    """Neither another name for a kind, nor a second table of the three."""
    for path in (path for folder in ("core", "ui", "pages") for path in (ROOT / folder).rglob("*.[pj][ys]")):
        if path.name != "hooks.py" and "node_modules" not in path.parts:
            text = path.read_text("utf-8")
            assert not OWN_WORDS.search(text), path
            assert path.suffix == ".js" or not OWN_TITLE.search(text), path
