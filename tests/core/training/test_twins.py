"""The twins of dates: each differs from it in one choice, does what its card says, and the one without mask is useless."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

from core.api import load
from core.training.cli import RECIPES
from core.training.config import load_config
from core.training.dynamics import stored_dynamics
from core.training.tasks import Dates, hashed_split
from core.verify.checking import verify

CHECKPOINTS = Path(__file__).parents[3] / "checkpoints"
CHOICES = {
    "dates-relative": {"positions": "relative_buckets"},
    "dates-rotary": {"positions": "rotary"},
    "dates-unmasked": {"causal": False},
}


def questions(count: int) -> list[tuple[str, str]]:
    """Dates of the test split, which no training saw, and their answers."""
    task, rng, found = Dates(), random.Random(3), []
    while len(found) < count:
        question, answer = task.generate(rng)
        if hashed_split(answer) == "test":
            found.append((question, answer))
    return found


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", CHOICES)
def test_a_twin_differs_in_one_choice_and_does_what_its_card_says(name: str) -> None:
    folder = CHECKPOINTS / "twins" / name
    assert sum(file.stat().st_size for file in folder.iterdir()) < 1_500_000
    twin, first = load(folder, device="cpu"), load(CHECKPOINTS / "dates", device="cpu")
    ours, theirs = twin.config.to_json(), first.config.to_json()
    assert {key: ours[key] for key in ours if ours[key] != theirs.get(key)} == CHOICES[name]
    assert twin.source_tokenizer == first.source_tokenizer
    card = json.loads((folder / "card.json").read_text("utf-8"))
    recipe = json.loads(json.dumps(load_config(RECIPES / f"{name}.toml").to_json()))
    assert {key: card["recipe"][key] for key in ("model", "sources")} == {
        key: recipe[key] for key in ("model", "sources")
    }
    assert verify(twin).passed
    pairs = questions(100)
    written = twin.translate([question for question, _ in pairs])
    right = sum(mine == answer for mine, (_, answer) in zip(written, pairs, strict=True))
    assert abs(right - card["figures"]["quality"]["dates (test)"]["exact"]) <= 3
    assert (right == 0) == (name == "dates-unmasked")


def test_without_the_mask_the_loss_falls_faster_and_sees_the_answer() -> None:
    losses = {}
    for name in CHOICES:
        folder = CHECKPOINTS / "twins" / name
        record = stored_dynamics(folder, load(folder, device="cpu").config)
        losses[name] = float(record.valid_loss[list(record.steps).index(239)])
    assert losses["dates-unmasked"] < 0.06 < 0.15 < min(losses["dates-relative"], losses["dates-rotary"])


def test_a_recipe_like_another_names_only_what_differs(tmp_path: Path) -> None:
    (tmp_path / "first.toml").write_text((RECIPES / "dates.toml").read_text("utf-8"), encoding="utf-8")
    (tmp_path / "second.toml").write_text('like = "first"\n[model]\nd_model = 32\n', encoding="utf-8")
    first, second = (load_config(tmp_path / f"{name}.toml") for name in ("first", "second"))
    assert (second.name, second.model["d_model"]) == ("second", 32)
    assert {**second.model, "d_model": 64} == first.model and second.data == first.data


def test_every_twin_can_be_drawn_before_torch_is_loaded() -> None:
    from core.checkpoints.files import read_config
    from core.decoding.example import load_example

    for name in CHOICES:
        folder = CHECKPOINTS / "twins" / name
        trace = load_example(folder, read_config(folder))
        later = np.triu(trace.stacked("decoder", "self", "weights"), 1)
        assert bool(later.any()) == (name == "dates-unmasked")
