"""The write-ups' choices are those of the facts, their printouts come out, and their shipped small models are what is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from core.api import load
from core.learning.printed import printed
from core.learning.study import IDS
from core.learning.tutorials import TUTORIALS, described, drawing, preset
from core.model.presets import PRESETS
from core.training.cli import RECIPES
from core.training.config import load_config
from core.verify import verify

SHIPPED = Path(__file__).parents[3] / "checkpoints" / "tutorials"
SIZES = {
    "d_model",
    "d_ff",
    "heads",
    "encoder_layers",
    "decoder_layers",
    "max_length",
    "source_vocab_size",
    "target_vocab_size",
}
TOKENS = {"pad_id", "bos_id", "eos_id", "unk_id", "source_pad_id"}

# What differs from the paper, written down a second time from the write-ups themselves.
DIFFERENT = {
    "tutorial-a": {
        "width": "64", "layers": "1 + 1", "heads": "2 of 32", "feed-forward": "256, ReLU",
        "embedding": "one table, unscaled", "Q, K, V": "d × d, no bias", "head outputs": "W_O without bias",
        "dropout": "0.3, on the norm’s output", "output": "a matrix of its own, with bias",
        "mask": "lower triangle, −inf, before the scale", "weights start at": "the framework’s default",
    },
    "tutorial-b": {
        "embedding": "two tables, × √d_model", "scores over": "√d_model",
        "norm stands": "before the sub-layer (pre-norm), and once at the end", "norm": "(x − μ) / (unbiased std + ε)",
        "output": "a matrix of its own, with bias", "mask": "0 and 1, −1e9", "weights start at": "Xavier-uniform",
    },
    "tutorial-c": {
        "layers": "3 + 3", "feed-forward": "1264, ReLU", "embedding": "two tables, unscaled", "longest": "40 tokens",
        "Q, K, V": "one d × 3d, cut head by head, with bias", "output": "a matrix of its own, with bias", "mask": "added",
        "weights start at": "the framework’s default",
    },
    "tutorial-d": {
        "width": "6", "layers": "1 + 1", "heads": "2 of 3", "feed-forward": "12, ReLU", "embedding": "two tables, unscaled",
        "output": "a matrix of its own, with bias", "longest": "10 tokens", "mask": "added, upper triangle of −inf",
        "weights start at": "the framework’s default",
    },
    "tutorial-e": {
        "width": "256", "heads": "8 of 32", "feed-forward": "1024, ReLU", "embedding": "two tables, unscaled",
        "positions": "a learned table", "Q, K, V": "one d_h × d_h for all heads, no bias", "scores over": "√d_model",
        "dropout": "none", "output": "a matrix of its own, with bias", "longest": "100 tokens",
        "mask": "0 and 1, −1e20; target: causal alone", "weights start at": "the framework’s default",
    },
}  # fmt: skip


def test_every_preset_has_its_tutorial() -> None:
    assert list(TUTORIALS) == list(PRESETS)
    for each in TUTORIALS.values():
        assert set(each.pitfalls) <= set(IDS) and each.scope
    from core.learning.pitfalls import pitfalls

    for each in pitfalls():
        letters = [letter for letter in each.found_in.split(", ") if len(letter) == 1]
        assert [t.label for t in TUTORIALS.values() if each.id in t.pitfalls] == letters, each.id


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_differs_from_the_paper(name: str) -> None:
    own, paper = described(name), described("paper")
    assert {aspect: words for aspect, words in own.items() if words != paper[aspect]} == DIFFERENT[name]


@pytest.mark.parametrize("name", TUTORIALS)
def test_the_drawing_marks_exactly_what_differs(name: str) -> None:
    own, paper, config = described(name), described("paper"), preset(name)
    encoder, decoder = drawing(name)
    assert (encoder.times, decoder.times) == (config.encoder_layers, config.decoder_layers)
    assert encoder.times_differ == (config.encoder_layers != 6)
    boxes = [box for column in (encoder, decoder) for box in (*column.before, *column.layer, *column.after)]
    marked = {words for box in boxes for words, differs in box.lines if differs}
    plain = {words for box in boxes for words, differs in box.lines if not differs}
    drawn = ("embedding", "positions", "Q, K, V", "head outputs", "feed-forward", "output", "norm")
    for aspect in drawn:
        assert own[aspect] in (marked if own[aspect] != paper[aspect] else plain), aspect
    order = [box.name for box in decoder.layer]
    kinds = [name for name in order if name not in ("norm", "+ the stream")]
    assert kinds == ["self-attention, causal", "cross-attention", "feed-forward"]
    assert (order[0] == "norm") == (config.norm_placement == "pre")
    assert any(box.name == "final norm" for box in encoder.after) == config.final_norm


@pytest.mark.parametrize("name", [name for name in TUTORIALS if printed(name)])
def test_the_printouts_come_out(name: str) -> None:
    for line in printed(name):
        assert line.agrees, line


def test_printouts_are_of_the_facts() -> None:
    lines = {name[-1]: [line.printed for line in printed(name)] for name in TUTORIALS}
    assert lines["a"] == ["(4, 64)", "(2, 4, 32)", "(2, 4, 4)", "(2, 5, 4)"]
    assert lines["c"][:4] == ["(1, 4, 1536)", "(1, 8, 4, 192)", "(1, 8, 4, 64)", "(1, 8, 4, 4)"]
    assert lines["c"][4:] == ["(1, 4, 512)", "(64, 40, 512)"]
    assert lines["d"] == [
        "0.8415 0.5403 0.0464 0.9989 0.0022 1.0000",
        "1.0000 21.5443 464.1590",
        "(4, 2, 10, 10)",
    ]
    assert lines["e"] == ["(2, 9)", "(2, 7)", "(2, 7, 10)"]
    assert not lines["b"] and not lines["r"]


def shipped() -> list[Path]:
    return sorted(SHIPPED.iterdir()) if SHIPPED.is_dir() else []


@pytest.mark.parametrize("folder", shipped(), ids=lambda folder: folder.name)
def test_a_shipped_small_model_keeps_the_formulas_and_does_what_its_card_says(folder: Path) -> None:
    assert {file.name for file in folder.iterdir()} >= {
        "atlas.npz",
        "card.json",
        "dynamics.npz",
        "example.npz",
    }
    assert sum(file.stat().st_size for file in folder.iterdir()) < 1_000_000
    loaded = load(folder, device="cpu")
    own, whole = loaded.config.to_json(), preset(folder.name).to_json()
    assert {name for name in own if own[name] != whole[name]} <= SIZES | TOKENS
    assert verify(loaded).passed
    card = json.loads((folder / "card.json").read_text("utf-8"))
    recipe = json.loads(json.dumps(load_config(RECIPES / f"{folder.name}.toml").to_json()))
    assert card["recipe"]["model"] == recipe["model"] and card["recipe"]["sources"] == recipe["sources"]
    trained = card["recipe"]["training"]
    assert {
        key: value for key, value in recipe["training"].items() if key in trained and key != "device"
    } == {key: value for key, value in trained.items() if key != "device"}
    torch.manual_seed(0)
    words = [
        "".join("abcdefghij"[int(n)] for n in torch.randint(0, 10, (length,)))
        for length in (3, 4, 5, 6, 7, 8) * 20
    ]
    right = sum(loaded.translate(word) == word[::-1] for word in words) / len(words)
    said = next(value for name, value in card["figures"]["quality"].items() if "test" in name)["exact"]
    assert abs(100 * right - said) < 12
