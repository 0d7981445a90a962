"""Tiny recipes that train in a second: a generated task, and pairs of words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from core.training.config import TrainingConfig, load_config
from core.training.process import Process

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

WORDS = """
name = "words"
[model]
d_model = 16
encoder_layers = 1
decoder_layers = 1
heads = 2
d_ff = 32
[tokenizer]
vocab_size = 300
{tokenizer}
[data]
source_language = "en"
target_language = "fr"
{data}
[[data.sources]]
path = "pairs.tsv"
held_back = 2
[training]
batch_tokens = 60
evaluate_every = 5
dynamics_steps = 3
device = "cpu"
{training}
"""
SUBSTITUTION = '[data.substitution]\npath = "list.tsv"\nshare = 0.8\n'
ALONE = Process(0, 1, torch.device("cpu"))
MakeConfig = Callable[..., TrainingConfig]


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def recipes_in(folder: Path) -> MakeConfig:
    """Tiny recipes in a folder; `name` keeps several runs of one test apart."""

    def make(
        name: str = "run", *, steps: int = 20, dropout: float = 0.1, task: str = "copy", extra: str = ""
    ) -> TrainingConfig:
        file = folder / f"{name}.toml"
        file.write_text(RECIPE.format(steps=steps, dropout=dropout, task=task) + extra, encoding="utf-8")
        return load_config(file, out=folder / name, work=folder / f"{name}.work")

    return make


@pytest.fixture
def make_config(tmp_path: Path) -> MakeConfig:
    """A tiny recipe in a fresh folder."""
    return recipes_in(tmp_path)


VERBS = ["sleeps", "reads", "eats", "runs", "sings", "swims", "writes", "laughs"]


@pytest.fixture
def make_words(tmp_path: Path) -> MakeConfig:
    """A recipe on sixteen pairs of words, with dropout of merges and substitution unless told otherwise."""
    names = ("Tom", "Paul")
    rows = [f"{name} {verb} well.\t{name} {verb}ait bien." for verb in VERBS for name in names]
    listed = "".join(f"man\t{name}\t{name}\n" for name in (*names, "Max"))
    (tmp_path / "list.tsv").write_text(f"class\ten\tfr\n{listed}")

    def build(
        name: str = "run",
        *,
        tokenizer: str = "bpe_dropout = 0.3",
        data: str = SUBSTITUTION,
        training: str = "max_steps = 9",
        more: str = "",
    ) -> TrainingConfig:
        (tmp_path / "pairs.tsv").write_text("\n".join([*rows, *([more] if more else [])]) + "\n")
        file = tmp_path / f"{name}.toml"
        file.write_text(WORDS.format(tokenizer=tokenizer, data=data, training=training))
        return load_config(file, out=tmp_path / name, work=tmp_path / f"{name}.work")

    return build
