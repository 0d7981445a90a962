"""What the view of a training sends: the stored bytes of one sentence, the scores of one kind, and what it believes of the browser."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from core.errors import InputError
from core.model.config import ModelConfig
from core.model.hooks import attention_of
from core.training.dynamics import Dynamics, stored_dynamics
from tests.golden_training import FALLS, PROBES, SCORES, STEPS, sides, weight, write_training
from tests.mounted import sent
from tests.serving import ROOT
from ui.learn.dynamics import DYNAMICS, TrainingLook, dynamics_data, scores_of, warmup_of
from ui.shared import checkpoints
from ui.style.theme import Kind

CONFIG = ModelConfig(source_vocab_size=20, target_vocab_size=20, d_model=12, heads=3, encoder_layers=2, decoder_layers=2, max_length=32)  # fmt: skip
NAMES: dict[Kind, str] = {"encoder": "encoder-self", "causal": "decoder-self", "cross": "cross"}
HERE = TrainingLook(None, 1, 2, "normalised_entropy")


@pytest.fixture
def arrays(tmp_path: Path) -> dict[str, np.ndarray]:
    return write_training(tmp_path, CONFIG)


@pytest.fixture
def found(arrays: dict[str, np.ndarray], tmp_path: Path) -> Dynamics:
    return stored_dynamics(tmp_path, CONFIG)


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("probe", range(len(PROBES)))
def test_every_weight_and_score_arrives_in_its_place(
    arrays: dict[str, np.ndarray], found: Dynamics, kind: Kind, probe: int
) -> None:
    data = dynamics_data(found, kind=kind, probe=probe, looked=HERE)
    name = NAMES[kind]
    queries, keys = sides(name, *PROBES[probe][2:])
    packed = data.packed.reshape(len(STEPS), 2, 3, queries, keys)
    for at in np.ndindex(packed.shape):
        total = int(packed[at[:-1]].sum())
        assert packed[at] / total == pytest.approx(weight(arrays, CONFIG, name, probe, at), abs=1e-9)
    meta = sent(data)
    listed = [score["name"] for score in meta["scores"]]
    assert listed == scores_of(found, kind) and listed[:2] == ["normalised_entropy", "entropy"]
    numbers = data.numbers.reshape(len(STEPS), len(listed), 2, 3)
    for nth, score in enumerate(listed):
        np.testing.assert_array_equal(
            numbers[:, nth], arrays[f"{name}.scores"][:, SCORES.index(score)].astype(np.float32)
        )
    assert ("diagonality" in listed) == (kind == "cross") and ("next_share" in listed) == (kind == "encoder")
    source, target = (PROBES[probe][side].split() for side in (0, 1))
    rows = {"encoder": [*source, "⟨end⟩"], "causal": [*target, "⟨end⟩"], "cross": [*target, "⟨end⟩"]}[kind]
    reads = [] if kind == "encoder" else ["⟨start⟩", *target]
    assert (list(meta["rows"]), list(meta["reads"])) == (rows, reads) and len(meta["cols"]) == keys
    falls = {(layer, head): end for (at, layer, head), end in FALLS.items() if at == name}
    assert {(layer, head): end for layer, head, _, end, *_ in meta["drops"]} == falls
    assert meta["dated"] == len(PROBES) and all(
        low <= end <= high for _, _, _, end, _, _, low, high in meta["drops"]
    )
    words = {name: value for name, value in meta.items() if not isinstance(value, np.ndarray)}
    assert json.dumps(words, allow_nan=False)


def test_losses_are_told_where_they_were_measured(arrays: dict[str, np.ndarray], found: Dynamics) -> None:
    meta = sent(dynamics_data(found, kind="cross", probe=0, looked=HERE))
    training, validation = (curve["points"] for curve in meta["losses"])
    assert [step for step, _ in training] == list(STEPS[1:]) and [step for step, _ in validation] == list(
        STEPS
    )
    assert [loss for _, loss in validation] == arrays["valid_loss"].tolist()
    assert meta["quality"] == {
        "name": "BLEU",
        "column": "bleu",
        "points": [[120, pytest.approx(41.3, abs=1e-4)]],
    }
    live = sent(
        dynamics_data(
            found, kind="cross", probe=0, looked=HERE, curve=[(5, 3.0)], exact=[(5, 12.0)], total=900
        )
    )
    assert live["losses"][0]["points"] == [[5, 3.0]] and live["total"] == 900
    assert live["quality"] == {"name": "exact, %", "column": "exact_percent", "points": [[5, 12.0]]}


def test_what_is_not_there_is_refused(found: Dynamics) -> None:
    with pytest.raises(InputError, match="There is no sentence 2"):
        dynamics_data(found, kind="cross", probe=2, looked=HERE)
    with pytest.raises(InputError, match=r"There is no head 2\.0"):
        dynamics_data(found, kind="cross", probe=0, looked=TrainingLook(None, 2, 0, "entropy"))
    unknown = dynamics_data(found, kind="causal", probe=0, looked=TrainingLook(7, 0, 0, "diagonality"))
    assert unknown.looked == TrainingLook(7, 0, 0, "normalised_entropy")


def test_only_a_place_in_this_training_is_believed(found: Dynamics) -> None:
    drawn = dynamics_data(found, kind="cross", probe=0, looked=HERE)

    def looked(*said: object) -> object:
        return DYNAMICS.answer(
            "looked", dict(zip(("step", "layer", "head", "score"), said, strict=False)), drawn
        )

    assert looked(50, 1, 2, "entropy") == TrainingLook(50, 1, 2, "entropy")
    assert looked(None, 0, 0, "entropy") == TrainingLook(None, 0, 0, "entropy")
    for wrong in ((-1, 0, 0, "entropy"), (1, 2, 0, "entropy"), (1, 0, 3, "entropy"), (1, 0, 0, "x"), (1, None, 0, "entropy")):  # fmt: skip
        assert looked(*wrong) is None, wrong


@pytest.mark.parametrize("causal", [True, False])
def test_a_decoder_is_named_by_its_own_mask(found: Dynamics, causal: bool) -> None:
    attention = attention_of(replace(CONFIG, causal=causal), "causal")
    meta = sent(dynamics_data(found, kind="causal", probe=0, looked=HERE, attention=attention))
    said = "decoder self-attention (causal)" if causal else "decoder self-attention"
    assert (meta["kind_name"], meta["kind_words"].lower()) == (said, said)


@pytest.mark.parametrize("name", ["en-fr", "dates"])
def test_the_warm_up_is_that_of_the_recipe_on_the_card(name: str) -> None:
    entry, problem = checkpoints.find(name)
    assert not problem
    card = json.loads((ROOT / "checkpoints" / name / "card.json").read_text("utf-8"))
    assert warmup_of(entry) == card["recipe"]["training"]["warmup_steps"] > 0


@pytest.mark.parametrize(
    "recipe",
    [
        None,
        [],
        {"training": 3},
        *({"training": {"warmup_steps": steps}} for steps in (-1, True, "9", 10**400)),
    ],
)
def test_a_card_without_a_usable_warm_up_marks_none(recipe: object) -> None:
    entry = SimpleNamespace(usable=SimpleNamespace(card={"recipe": recipe}))
    assert warmup_of(entry) == 0  # type: ignore[arg-type]
