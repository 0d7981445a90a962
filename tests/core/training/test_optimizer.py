"""Which weights which optimiser moves, how far, and that a resumed run repeats the straight one."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from core.errors import ConfigError
from core.training.config import TrainingConfig
from core.training.loop import Trainer
from core.training.objective import Optimizer, is_layer_matrix
from core.training.process import Process

ALONE = Process(0, 1, torch.device("cpu"))
MakeConfig = Callable[..., TrainingConfig]
MUON = 'optimizer = "muon"\n'


def trained(config: TrainingConfig, steps: int) -> Trainer:
    trainer = Trainer(config, ALONE)
    trainer.resume()
    batches = trainer.batches()
    trainer.model.train()
    while trainer.step < steps:
        trainer.update(next(batches))
    return trainer


def test_muon_moves_the_matrices_of_the_layers_and_nothing_else(make_config: MakeConfig) -> None:
    trainer = Trainer(make_config(extra=MUON), ALONE)
    adam, muon = trainer.optimizer.parts
    named = dict(trainer.model.named_parameters())
    names = {id(parameter): name for name, parameter in named.items()}
    by_muon = {names[id(p)] for group in muon.param_groups for p in group["params"]}
    by_adam = {names[id(p)] for group in adam.param_groups for p in group["params"]}
    assert by_muon | by_adam == set(named)
    assert not by_muon & by_adam
    # One encoder layer: q, k, v, output, up, down; one decoder layer: the same and cross-attention's four.
    assert len(by_muon) == 6 + 10
    assert all(name.endswith("_proj.weight") for name in by_muon)
    assert not any(is_layer_matrix(name, named) for name in by_adam)


def test_an_update_of_muon_is_orthogonal_and_has_the_size_of_one_of_adam(make_config: MakeConfig) -> None:
    """A first update is 0.2 · lr · √max(rows, columns) times a matrix whose singular values are all near 1."""
    trainer = Trainer(make_config(extra=MUON), ALONE)
    weight = trainer.model.encoder_layers[0].feed_forward.up_proj.weight
    before = weight.detach().clone()
    torch.manual_seed(0)
    for parameter in trainer.model.parameters():
        parameter.grad = torch.randn_like(parameter)
    trainer.optimizer.step(0.01)
    step = (before - weight.detach()) / (0.2 * 0.01 * max(weight.shape) ** 0.5)
    values = torch.linalg.svdvals(step)
    # Five iterations of Newton and Schulz, in half precision, come no nearer to 1.
    assert values.min() > 0.6 and values.max() < 1.3
    assert weight.grad is None


def test_adam_alone_is_the_default(make_config: MakeConfig) -> None:
    trainer = Trainer(make_config(), ALONE)
    assert [type(part).__name__ for part in trainer.optimizer.parts] == ["Adam"]


def test_a_run_with_muon_resumes_bit_for_bit(make_config: MakeConfig) -> None:
    straight = trained(make_config("straight", extra=MUON), 6)
    halfway = trained(make_config("halves", extra=MUON), 3)
    halfway.save()
    resumed = trained(make_config("halves", extra=MUON), 6)
    ours, theirs = resumed.model.state_dict(), straight.model.state_dict()
    assert all(torch.equal(ours[name], theirs[name]) for name in theirs)


def test_the_state_of_a_lone_adam_is_read(make_config: MakeConfig) -> None:
    trainer = trained(make_config(), 2)
    other = Optimizer(trainer.model, trainer.settings, torch.device("cpu"))
    other.load_state_dict(trainer.optimizer.parts[0].state_dict())
    assert other.learning_rate == trainer.optimizer.learning_rate > 0


def test_an_unknown_optimizer_is_named(make_config: MakeConfig) -> None:
    with pytest.raises(ConfigError, match=r"optimizer is 'sgd'; choose one of adam, muon\."):
        make_config(extra='optimizer = "sgd"\n')
