"""Two checkpoints of different languages or sizes: which sentence each reads, and by which name each is drawn."""

from __future__ import annotations

import html
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from core.api import load, trace
from core.checkpoints.bundle import save
from core.model.transformer import Transformer
from tests.mounted import Mounted, watch
from tests.pages.test_pages import Open, change_card, sound, words
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
    change_card(folder, **card, examples=[{"source": OWN}])
    return folder


def expect_own_map(folder: Path, drawn: Mounted, text: str) -> None:
    """The second map is the other model's over this text."""
    expected = weights(folder, text)[1][0]
    assert drawn["compare"]["second"].reshape(expected.shape) == pytest.approx(expected, abs=1e-6)


def test_models_that_read_different_languages_read_a_sentence_each(
    open_app: Open, checkpoints: Path, drawn: Mounted
) -> None:
    folder = other(checkpoints, source_language="de", target_language="en")
    app = sound(open_app("compare", LINK))
    said = html.unescape(words(app))
    assert f"other reads German, so it shows its own sentence: “{OWN}”" in said
    expect_own_map(folder, drawn, OWN)


@pytest.mark.sampled(1)
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
    why = f"other cannot read this sentence, so it shows its own: “{OWN}”"
    assert (why in said) == (reads == OWN)
    expect_own_map(folder, drawn, reads)
    same = np.array_equal(drawn["compare"]["first"], drawn["compare"]["second"])
    assert same == (reads == TEXT), "the same model over the same words"


# -- of different sizes -----------------------------------------------------------------------------------------


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
    return html.unescape(words(sound(open_app("compare", {**LINK, "other_checkpoint": "small", **params}))))


def weights(folder: Path, text: str = TEXT) -> list[np.ndarray]:
    """The maps of each encoder layer over a text."""
    found = trace(load(folder, device="cpu"), text, record=("*.weights",))
    return [found.array(f"encoder.{n}.self.weights") for n in range(found.config.encoder_layers)]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("how", "who"), [("mean", "the mean of"), ("max", "the strongest of")])
def test_all_heads_of_both_are_named_as_they_are_taken_together(
    open_app: Open, checkpoints: Path, small: Path, drawn: Mounted, how: str, who: str
) -> None:
    compared(open_app, how=how, layer="mean", head="mean")
    assert drawn["compare"]["subjects"] == [f"{who} all heads of tiny", f"{who} all heads of small"]
    for side, folder in (("first", checkpoints / "tiny"), ("second", small)):
        full = np.concatenate(weights(folder))
        expected = full.mean(0) if how == "mean" else full.max(0)
        assert drawn["compare"][side].reshape(expected.shape) == pytest.approx(expected, abs=1e-5)


@pytest.mark.thorough
def test_all_heads_of_a_layer_are_not_counted_for_both(open_app: Open, small: Path, drawn: Mounted) -> None:
    compared(open_app, layer="0", head="mean")
    assert drawn["compare"]["subjects"][1] == "the mean of all heads in layer 0 of small"


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("layer", "head", "lacks"), [("1", "mean", "layer 1"), ("1", "0", "head 1.0")]
)  # fmt: skip
def test_what_the_other_lacks_is_named(
    open_app: Open, small: Path, drawn: Mounted, layer: str, head: str, lacks: str
) -> None:
    said = compared(open_app, layer=layer, head=head)
    assert f"small has 1 layer of 4 heads, so it lacks {lacks}. Shown: the mean of all heads." in said
    assert drawn["compare"]["subjects"][0] == "the mean of all heads of tiny"


def test_the_first_partner_reads_the_sentence_or_has_the_same_heads(
    open_app: Open, checkpoints: Path, small: Path, drawn: Mounted
) -> None:
    """Of another task: one that cuts the sentence alike first, then the one with the same layers and heads."""
    other(checkpoints, source_language="de", target_language="en")
    change_card(small, source_language="en", target_language="iso")
    link = {name: value for name, value in LINK.items() if name != "other_checkpoint"}
    app = open_app("compare", link)
    assert app.selectbox(key="widget_compare_second_checkpoint").options[0].endswith("small")
    change_card(small, source_language="nl", target_language="iso")
    app = open_app("compare", link)
    assert app.selectbox(key="widget_compare_second_checkpoint").options[0].endswith("other")
