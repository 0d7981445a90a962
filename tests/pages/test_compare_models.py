"""Two checkpoints of different sizes: what is drawn of each has the name that holds for both."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from core.api import load, trace
from core.checkpoints.bundle import save
from core.model.transformer import Transformer
from tests.mounted import Mounted, watch
from tests.pages.test_pages import sound, words
from ui.shared import two_maps

Open = Callable[..., AppTest]
TEXT = "I am tired."


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Mounted:
    """What the page hands to its browser view."""
    return watch(monkeypatch, two_maps)


@pytest.fixture
def small(checkpoints: Path) -> Path:
    """A checkpoint of one layer of four heads beside `tiny`, which has two of two, with its tokenizer."""
    tiny = load(checkpoints / "tiny", device="cpu")
    torch.manual_seed(5)
    model = Transformer(replace(tiny.config, encoder_layers=1, decoder_layers=1, heads=4))
    folder = checkpoints / "small"
    card = {"name": "small", "source_language": "en", "target_language": "fr"}
    save(folder, model, tiny.source_tokenizer, tiny.target_tokenizer, card, dtype="float32")
    return folder


def compared(open_app: Open, **params: str) -> str:
    link = {"checkpoint": "tiny", "text": TEXT, "versus": "checkpoint", "other_checkpoint": "small"}
    return html.unescape(words(sound(open_app("compare", {**link, "kind": "encoder", **params}))))


def weights(folder: Path) -> np.ndarray:
    found = trace(load(folder, device="cpu"), TEXT, record=("*.weights",))
    return np.stack([found.array(f"encoder.{n}.self.weights") for n in range(found.config.encoder_layers)])


@pytest.mark.parametrize(("how", "who"), [("mean", "the mean of"), ("max", "the strongest of")])
def test_all_heads_of_both_are_named_as_they_are_taken_together(
    open_app: Open, checkpoints: Path, small: Path, drawn: Mounted, how: str, who: str
) -> None:
    compared(open_app, how=how, layer="mean", head="mean")
    assert drawn["compare"]["subjects"] == [f"{who} all heads of tiny", f"{who} all heads of small"]
    for side, folder in (("first", checkpoints / "tiny"), ("second", small)):
        full = weights(folder).reshape(-1, *weights(folder).shape[-2:])
        expected = full.mean(0) if how == "mean" else full.max(0)
        assert drawn["compare"][side].reshape(expected.shape) == pytest.approx(expected, abs=1e-5)


def test_all_heads_of_a_layer_are_not_counted_for_both(open_app: Open, small: Path, drawn: Mounted) -> None:
    compared(open_app, layer="0", head="mean")
    assert drawn["compare"]["subjects"][1] == "the mean of all heads in layer 0 of small"


@pytest.mark.parametrize(
    ("layer", "head", "lacks"), [("1", "mean", "layer 1"), ("1", "0", "head 1.0")]
)  # fmt: skip
def test_what_the_other_lacks_is_named(
    open_app: Open, small: Path, drawn: Mounted, layer: str, head: str, lacks: str
) -> None:
    said = compared(open_app, layer=layer, head=head)
    assert f"small has 1 layer of 4 heads, so it lacks {lacks}. Shown: the mean of all heads." in said
    assert drawn["compare"]["subjects"][0] == "the mean of all heads of tiny"
