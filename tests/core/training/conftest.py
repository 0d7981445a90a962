"""A tiny recipe that trains in a second."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from core.training.config import TrainingConfig, load_config

RECIPE = """
name = "tiny"
examples = ["abc", "fed"]

[model]
d_model = 16
encoder_layers = 1
decoder_layers = 1
heads = 2
d_ff = 32
max_length = 32
dropout = {dropout}
norm_placement = "pre"
final_norm = true

[tokenizer]
kind = "characters"

[data]
source_language = "en"
target_language = "en"

[[data.sources]]
task = "{task}"
pairs = 300

[data.valid]
task = "{task}"
split = "valid"
pairs = 40

[[data.test]]
task = "{task}"
split = "test"
pairs = 20

[training]
max_steps = {steps}
batch_tokens = 256
warmup_steps = 10
learning_rate = 5e-3
evaluate_every = 10
evaluate_pairs = 20
log_every = 5
average_last = 3
average_every = 2
dynamics_steps = 6
device = "cpu"
"""

MakeConfig = Callable[..., TrainingConfig]


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture
def make_config(tmp_path: Path) -> MakeConfig:
    """A tiny recipe in a fresh folder; `name` keeps several runs of one test apart."""

    def make(
        name: str = "run", *, steps: int = 20, dropout: float = 0.1, task: str = "copy", extra: str = ""
    ) -> TrainingConfig:
        file = tmp_path / f"{name}.toml"
        file.write_text(RECIPE.format(steps=steps, dropout=dropout, task=task) + extra, encoding="utf-8")
        return load_config(file, out=tmp_path / name, work=tmp_path / f"{name}.work")

    return make
