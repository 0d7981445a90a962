"""Whether a label is a special token's is decided once, in core/tokenizer/piece.py, for analysis, pages and browser."""

from __future__ import annotations

import json
import re

import numpy as np

from core.analysis.maps import largest_change
from core.analysis.scores import AxisTokens
from core.tokenizer.piece import is_special
from tests.browser_code import answer
from ui.shared.decode import most_confident_head
from ui.shared.maps import Axis, drawn
from ui.web.contract import FOLDER

SPECIAL = ["⟨start⟩", "⟨end⟩", "⟨pad⟩", "⟨fr_XX⟩", "⟨de⟩", "⟨extra_id_0⟩", "⟨mask⟩"]
TEXT = [
    "⟨unk⟩",
    "<b>",
    "</i>",
    "<s>",
    "‹U+202E›",
    "‹e2 80›",
    "‹U+27E8›start⟩",
    "dog",
    "·ing",
    "␣?",
    "⟨",
    "⟩",
    "",
]


def test_the_rule() -> None:
    assert [label for label in [*SPECIAL, *TEXT] if is_special(label)] == SPECIAL


def test_analysis_and_pages_follow_it() -> None:
    labels = [*SPECIAL, *TEXT]
    axis = AxisTokens.from_labels(labels)
    assert axis.special.tolist() == [is_special(label) for label in labels]
    assert not (axis.punctuation & axis.special).any()
    size = len(labels)
    maps = np.full((1, 1, size, size), 1 / size)
    side = Axis.of_tokens(labels)
    shown = drawn(maps, "encoder", side, side, hide=True)
    assert shown.queries.labels == shown.keys.labels == tuple(TEXT)
    pair = np.zeros((1, 2, 1, 3))
    pair[0, 0, 0], pair[0, 1, 0] = (0.9, 0.05, 0.05), (0.0, 0.6, 0.4)
    assert most_confident_head(pair, ["⟨fr_XX⟩", "dog", "a"]) == (0, 1), (
        "a language code is no word to align with"
    )
    change = largest_change(
        np.array([[0.5, 0.3, 0.2]]), np.array([[0.1, 0.4, 0.5]]), ["dog"], ["⟨fr_XX⟩", "<b>", "⟨unk⟩"]
    )
    assert change is not None and change.key == 2


def test_the_browser_follows_it() -> None:
    labels = [*SPECIAL, *TEXT]
    script = (
        "import { isSpecial } from './base/words.ts';\n"
        f"console.log(JSON.stringify({json.dumps(labels)}.map(isSpecial)))"
    )
    assert json.loads(answer(script)) == [is_special(label) for label in labels]


def test_no_script_has_a_rule_of_its_own() -> None:
    rule = re.compile(r"isDim|const (isSpecial|SPECIAL_LABEL)|/\^\(?⟨.*⟩.*/\.test")
    for path in FOLDER.parent.rglob("*.ts"):
        if "node_modules" not in path.parts:
            assert path.name == "words.ts" or not rule.search(path.read_text("utf-8")), path
