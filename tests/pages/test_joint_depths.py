"""All three kinds together of a model whose encoder is deeper than its decoder: each map is of the layer it is said to be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from streamlit.testing.v1 import AppTest

from core.api import load, trace
from core.checkpoints.bundle import save
from core.model.transformer import Transformer
from tests.mounted import Mounted, watch
from tests.pages.test_pages import sound
from ui.attention import page

Open = Callable[..., AppTest]
TEXT = "I am tired."


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Mounted:
    """What the page hands to its browser view."""
    return watch(monkeypatch, page)


@pytest.fixture
def deep(checkpoints: Path) -> Path:
    """Three layers that read, one that writes."""
    tiny = load(checkpoints / "tiny", device="cpu")
    torch.manual_seed(5)
    model = Transformer(replace(tiny.config, encoder_layers=3, decoder_layers=1))
    save(
        checkpoints / "deep", model, tiny.source_tokenizer, tiny.target_tokenizer, {"name": "deep"}, "float32"
    )
    return checkpoints / "deep"


@pytest.mark.parametrize(
    ("layer", "head", "says", "who"),
    [
        ("2", "1", "encoder: head 2.1; decoder: head 0.1", "head 0.1"),
        (
            "2",
            "mean",
            "encoder: layer 2, mean of its heads; decoder: layer 0, mean of its heads",
            "the mean of the heads in layer 0",
        ),
        ("0", "1", "head 0.1 of each kind", "head 0.1"),
        ("0", "mean", "layer 0, mean of its heads", "the mean of the heads in layer 0"),
    ],
)
def test_each_half_is_named_by_its_own_layer(
    open_app: Open, deep: Path, drawn: Mounted, layer: str, head: str, says: str, who: str
) -> None:
    link = {"checkpoint": "deep", "text": TEXT, "kind": "joint", "layer": layer, "head": head}
    sound(open_app("attention", link))
    assert (drawn["joint"]["subtitle"], drawn["joint"]["subject"]) == (says, who)
    found = trace(load(deep, device="cpu"), TEXT, record=("*.weights",))
    for kind, site in (("encoder", f"encoder.{layer}.self.weights"), ("cross", "decoder.0.cross.weights")):
        full = found.array(site)
        expected = full.mean(0) if head == "mean" else full[int(head)]
        assert drawn["joint"][kind].reshape(expected.shape) == pytest.approx(expected, abs=1e-5)
