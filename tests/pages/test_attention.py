"""Attention about a pinned pair: which heads link it, and where to go on from it; and layers of the joint view."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from core.api import load, trace
from core.checkpoints.bundle import save
from core.model.transformer import Transformer
from tests.mounted import Mounted, watch
from tests.pages.test_pages import Open, shown, sound
from ui.app import frame
from ui.attention import page, wall
from ui.session.codec import UNPINNED, Pin
from ui.shared.context import CheckpointView
from ui.shared.map_data import from_bytes

PINNED = {"text": "I am tired.", "kind": "cross", "pin": "t1-s2"}


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Mounted:
    return watch(monkeypatch, wall, wall)


def test_the_wall_counts_and_ranks_the_heads_by_the_pinned_pair(open_app: Open, drawn: Mounted) -> None:
    sound(open_app("attention", PINNED))
    data = drawn["wall"]
    layers, heads, (rows, columns) = data["layers"], data["heads"], data["shape"]
    weights = from_bytes(np.array(data["levels"])).reshape(layers, heads, rows, columns)[:, :, 1, 2]
    count = int((weights > 0.5).sum())
    assert data["title"].startswith(f"{count} of {weights.size} heads look")
    assert (data["pair"]["row"], data["pair"]["column"]) == (1, 2)
    assert (data["arranged"]["badge"], data["arranged"]["sort"]) == ("pair", "high")
    assert data["scores"]["pair"]["percent"] and not data["controls"]
    listed = np.round(100 * weights.ravel())[data["pair"]["order"]]
    assert (np.diff(listed) <= 1).all(), "largest first; a byte holds a weight to half a percent"
    ranking = [layer * heads + head for layer, head, _ in drawn["head"]["ranking"]]
    assert ranking == list(data["pair"]["order"])


def test_the_best_heads_open_and_lead_to_their_ablation(open_app: Open, drawn: Mounted) -> None:
    app = sound(open_app("attention", PINNED))
    best = [(layer, head) for layer, head, _ in drawn["head"]["ranking"][:3]]
    buttons = [each for each in app.button if each.key and each.key.startswith("best_")]
    assert [each.label.split(" · ")[0] for each in buttons] == [f"{layer}.{head}" for layer, head in best]
    shares = [int(each.label.split(" · ")[1].removesuffix(" %")) for each in buttons]
    assert shares == sorted(shares, reverse=True), "the weight of the pair beside each"
    sound(buttons[1].click().run())
    assert (shown(app).layer, shown(app).head) == best[1]
    links = {each.proto.label: each.proto.query_string for each in app.get("page_link")}
    ablate = next(query for label, query in links.items() if label.startswith("Ablate these 3"))
    assert "edits=" in ablate
    assert "How is it computed?" in links


def test_without_a_pin_the_wall_says_how_many_heads_are_focused(open_app: Open, drawn: Mounted) -> None:
    app = sound(open_app("attention", {**PINNED, "pin": "none"}))
    assert drawn["wall"]["pair"] is None and "over half of their weight on average" in drawn["wall"]["title"]
    assert "pair" not in drawn["wall"]["scores"]
    assert not [each for each in app.button if each.key and each.key.startswith("best_")]


def test_the_pill_releases_the_pin_and_the_wall_with_it(open_app: Open, drawn: Mounted) -> None:
    app = sound(open_app("attention", PINNED))
    assert shown(app).pin == Pin("cross", 1, 2)
    assert (drawn["head"]["pins"]["rows"], drawn["head"]["pins"]["columns"]) == ([1], [2])
    sound(app.button(key="unpin").click().run())
    assert shown(app).pin == UNPINNED and drawn["wall"]["pair"] is None


def test_a_link_with_a_pin_names_it_though_the_model_was_not_there_yet(
    open_app: Open, drawn: Mounted, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits, asked = frame._waits, []

    def cold(shown: CheckpointView) -> bool:
        asked.append(shown)
        return len(asked) == 1 or waits(shown)

    monkeypatch.setattr(frame, "_waits", cold)
    app = sound(open_app("attention", PINNED))
    assert len(asked) > 1 and app.button(key="unpin").label.startswith("Pinned: ")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["cross", "causal"])
def test_rows_of_the_decoder_have_the_word_read_and_the_word_written(
    open_app: Open, drawn: Mounted, kind: str
) -> None:
    sound(open_app("attention", {"text": "I am tired.", "kind": kind, "pin": "none"}))
    for view in ("wall", "head"):
        rows, reads = drawn[view]["rows"], drawn[view]["reads"]
        assert reads[0] == "⟨start⟩" and reads[1:] == rows[:-1], "each row reads what the one before wrote"


# -- the three kinds together -----------------------------------------------------------------------------------


@pytest.fixture
def joint(monkeypatch: pytest.MonkeyPatch) -> Mounted:
    return watch(monkeypatch, page)


@pytest.fixture
def deep(checkpoints: Path) -> Path:
    """A model whose encoder is deeper than its decoder: three layers that read, one that writes."""
    tiny = load(checkpoints / "tiny", device="cpu")
    torch.manual_seed(5)
    model = Transformer(replace(tiny.config, encoder_layers=3, decoder_layers=1))
    save(
        checkpoints / "deep", model, tiny.source_tokenizer, tiny.target_tokenizer, {"name": "deep"}, "float32"
    )
    return checkpoints / "deep"


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("layer", "head", "says", "who"),
    [
        ("2", "1", "encoder: head 2.1; decoder: head 0.1", "head 0.1"),
        (
            "2",
            "mean",
            "encoder: layer 2, mean of its heads; decoder: layer 0, mean of its heads",
            "on average layer 0",
        ),
        ("0", "1", "head 0.1 of each kind", "head 0.1"),
        ("0", "mean", "layer 0, mean of its heads", "on average layer 0"),
    ],
)
def test_each_half_is_named_by_its_own_layer(
    open_app: Open, deep: Path, joint: Mounted, layer: str, head: str, says: str, who: str
) -> None:
    link = {"checkpoint": "deep", "text": "I am tired.", "kind": "joint", "layer": layer, "head": head}
    sound(open_app("attention", link))
    assert (joint["joint"]["subtitle"], joint["joint"]["subject"]) == (says, who)
    found = trace(load(deep, device="cpu"), "I am tired.", record=("*.weights",))
    for kind, site in (("encoder", f"encoder.{layer}.self.weights"), ("cross", "decoder.0.cross.weights")):
        full = found.array(site)
        expected = full.mean(0) if head == "mean" else full[int(head)]
        assert joint["joint"][kind].reshape(expected.shape) == pytest.approx(expected, abs=1e-5)
