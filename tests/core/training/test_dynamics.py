"""What training records of the heads comes back from the file, and reading it needs no torch."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from core.analysis.glossary import SCORES
from core.analysis.scores import entropy
from core.errors import CheckpointError
from core.model.hooks import Hooks
from core.training.config import TrainingConfig
from core.training.dynamics import KINDS, load_dynamics, pack, save_dynamics
from core.training.loop import Trainer, longest_probe
from core.training.process import Process

ROOT = Path(__file__).parents[3]


@pytest.fixture
def trained(make_config: Callable[..., TrainingConfig]) -> Trainer:
    trainer = Trainer(make_config(steps=20), Process(0, 1, torch.device("cpu")))
    trainer.resume()
    trainer.run()
    return trainer


def test_round_trip(trained: Trainer, tmp_path: Path) -> None:
    file = tmp_path / "dynamics.npz"
    save_dynamics(file, trained.recorder.dynamics())
    read = load_dynamics(file)
    assert read.steps[0] == 0
    assert read.steps[-1] == 20
    assert len(read.steps) >= 6
    assert read.score_names == tuple(SCORES)
    assert len(read.probes) == 8
    assert np.isfinite(read.valid_loss).all()
    assert np.isfinite(read.bleu[-1])
    assert np.isnan(read.bleu[0])
    probe = read.probes[0]
    assert probe.target_tokens[0] == "⟨start⟩"
    assert probe.written_tokens[-1] == "⟨end⟩"
    assert probe.target_tokens[1:] == probe.written_tokens[:-1]
    assert "".join(probe.source_tokens[:-1]) == probe.source
    for kind in KINDS:
        for index, probe in enumerate(read.probes):
            maps = read.maps(kind, index)
            query, key = probe.sides(kind)
            assert maps.shape == (len(read.steps), 1, 2, len(query), len(key))
            np.testing.assert_allclose(maps.sum(-1), 1, atol=1e-5)
    assert file.stat().st_size < 5e6


def test_the_last_record_is_the_model_s_own_attention(trained: Trainer) -> None:
    dynamics = trained.recorder.dynamics()
    index = 3
    example = trained.recorder.probes[index][1]
    model = trained.model.eval()
    hooks = Hooks(record=["*.weights"])
    source = torch.tensor([example.source])
    target = torch.tensor([[model.config.bos_id, *example.target[:-1]]])
    with torch.inference_mode():
        model(source, target, hooks=hooks)
    for kind, site in (
        ("encoder-self", "encoder.0.self.weights"),
        ("decoder-self", "decoder.0.self.weights"),
        ("cross", "decoder.0.cross.weights"),
    ):
        recorded = next(tensor for name, tensor in hooks.records.items() if str(name) == site)[0].numpy()
        np.testing.assert_allclose(
            dynamics.maps(kind, index)[-1, 0], recorded, atol=1.5 / 255 * recorded.shape[-1]
        )
    causal = dynamics.maps("decoder-self", index)
    assert not np.triu(causal, 1).any()


def test_scores_are_means_over_the_scored_sentences(trained: Trainer) -> None:
    dynamics = trained.recorder.dynamics()
    assert dynamics.scored_sentences == len(trained.recorder.scored) >= 8
    values = dynamics.score("encoder-self", "entropy")
    assert values.shape == (len(dynamics.steps), 1, 2)
    maps = [entropy(dynamics.maps("encoder-self", i)[-1]) for i in range(8)]
    assert np.mean(maps, axis=0) == pytest.approx(values[-1], abs=0.3)  # eight of the scored sentences


def test_quantising_keeps_each_weight_within_half_a_step() -> None:
    weights = np.linspace(0, 1, 1000)
    assert np.abs(pack(weights) / 255 - weights).max() <= 0.5 / 255 + 1e-9


def test_probes_are_as_long_as_the_budget_allows(trained: Trainer) -> None:
    config = trained.model.config
    assert longest_probe(config, 28) == 40
    assert longest_probe(config, 10**9) == 4


def test_bad_files_are_one_sentence(tmp_path: Path, trained: Trainer) -> None:
    with pytest.raises(CheckpointError, match="There are no training dynamics"):
        load_dynamics(tmp_path / "none.npz")
    bad = tmp_path / "bad.npz"
    bad.write_bytes(b"PK\x03\x04 nonsense")
    with pytest.raises(CheckpointError, match="cannot be read"):
        load_dynamics(bad)
    np.savez(bad, format=np.array(9))
    with pytest.raises(CheckpointError, match="format 9"):
        load_dynamics(bad)
    np.savez(bad, format=np.array(1))
    with pytest.raises(CheckpointError, match="cannot be read"):
        load_dynamics(bad)
    dynamics = trained.recorder.dynamics()
    dynamics.packed["cross"] = dynamics.packed["cross"][:, :-1]  # type: ignore[index]
    save_dynamics(bad, dynamics)
    with pytest.raises(CheckpointError, match="do not fit its probe sentences"):
        load_dynamics(bad)


ARRAYS: dict[str, np.ndarray] = {}


@pytest.fixture
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, np.ndarray]:
    """The arrays of a sound file; the first test that asks trains for all."""
    if not ARRAYS:
        save_dynamics(tmp_path / "sound.npz", request.getfixturevalue("trained").recorder.dynamics())
        with np.load(tmp_path / "sound.npz") as arrays:
            ARRAYS.update(arrays)
    return ARRAYS


@pytest.mark.parametrize(
    "name", ["steps", "bleu", "source_lengths", "cross.scores", "written_tokens", "cross.maps"]
)
@pytest.mark.parametrize("array", [np.zeros((2, 2)), np.array(["x"]), np.full(3, -1)])
def test_any_array_may_be_wrong(
    tmp_path: Path, stored: dict[str, np.ndarray], name: str, array: np.ndarray
) -> None:
    assert name in stored
    bad = tmp_path / "bad.npz"
    np.savez(bad, **{**stored, name: array})
    with pytest.raises(CheckpointError, match=r"cannot be read|do not fit"):
        load_dynamics(bad)


def test_reading_needs_no_torch() -> None:
    code = (
        "import sys, core.training.dynamics, core.training.config, core.training.tasks, core.training.cli; "
    )
    code += "assert 'torch' not in sys.modules, 'torch was imported'"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
