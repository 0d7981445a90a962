"""Two checkpoints of different languages: over one sentence where both can read it, else over one each, and why."""

from __future__ import annotations

import html
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.api import load, trace
from tests.mounted import Mounted, watch
from tests.pages.conftest import Open
from tests.pages.test_pages import sound, words
from ui.shared import two_maps

TEXT = "I am tired."
OWN = "A man rides."
LINK = {
    "checkpoint": "tiny",
    "text": TEXT,
    "versus": "checkpoint",
    "other_checkpoint": "other",
    "kind": "encoder",
    "layer": "1",
    "head": "0",
}


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Mounted:
    """What the page hands to its browser view."""
    return watch(monkeypatch, two_maps)


def other(checkpoints: Path, **card: Any) -> Path:
    """A second checkpoint with the same model, of which its card says something else."""
    folder = checkpoints / "other"
    shutil.copytree(checkpoints / "tiny", folder)
    (folder / "example.npz").unlink()
    told = json.loads((folder / "card.json").read_text("utf-8"))
    told.update(card, examples=[{"source": OWN}])
    (folder / "card.json").write_text(json.dumps(told), "utf-8")
    return folder


def expect_own_map(folder: Path, drawn: Mounted, text: str) -> None:
    """The second map is the other model's over this text."""
    found = trace(load(folder, device="cpu"), text, record=("*.weights",))
    expected = found.array("encoder.1.self.weights")[0]
    assert drawn["compare"]["second"].reshape(expected.shape) == pytest.approx(expected, abs=1e-6)


def test_models_that_read_different_languages_read_a_sentence_each(
    open_app: Open, checkpoints: Path, drawn: Mounted
) -> None:
    folder = other(checkpoints, source_language="de", target_language="en")
    app = sound(open_app("compare", LINK))
    said = html.unescape(words(app))
    assert f"tiny reads en and other reads de. It reads its own sentence instead, “{OWN}”;" in said
    assert "different words have no difference" in said
    expect_own_map(folder, drawn, OWN)


@pytest.mark.parametrize(
    ("target", "quantiles", "reads"),
    [
        ("iso", {"0.01": -0.02, "0.5": -0.01}, OWN),  # surer of everything it was held out than of this
        ("iso", {"0.01": -90.0, "0.5": -80.0}, TEXT),
        ("iso", {}, TEXT),
        ("fr", {"0.01": -0.02, "0.5": -0.01}, TEXT),  # a weaker model of the same task is what is compared
    ],
)
def test_a_model_of_another_task_reads_the_sentence_only_where_it_makes_sense_to_it(
    open_app: Open,
    checkpoints: Path,
    drawn: Mounted,
    target: str,
    quantiles: dict[str, float],
    reads: str,
) -> None:
    figures = {"log_probability": {"quantiles": quantiles}}
    folder = other(checkpoints, target_language=target, figures=figures)
    app = sound(open_app("compare", LINK))
    said = html.unescape(words(app))
    why = "other was trained on other sentences (−"
    assert (why in said) == (reads == OWN) == (f"its own sentence instead, “{OWN}”" in said)
    expect_own_map(folder, drawn, reads)
    same = np.array_equal(drawn["compare"]["first"], drawn["compare"]["second"])
    assert same == (reads == TEXT), "the same model over the same words"
