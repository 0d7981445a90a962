"""The Python in the README and in docs/python.md runs as written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import torch

from core.model.config import ModelConfig
from core.model.transformer import Transformer

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
PYTHON = (ROOT / "docs" / "python.md").read_text("utf-8")


def blocks(section: str) -> list[str]:
    found = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", PYTHON, re.M | re.S)
    assert found, f"docs/python.md has no section “{section}”"
    return re.findall(r"^```python\n(.*?)^```", found[1], re.M | re.S)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own from which the code sees the shipped checkpoints."""
    (tmp_path / "checkpoints").symlink_to(ROOT / "checkpoints")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_readme_s_code_runs(here: Path) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```", README, re.M | re.S)
    names: dict[str, Any] = {}
    exec(code, names)
    said = re.search(r'ck\.translate\("([^"]*)"\)  # "([^"]*)"', code)
    assert said
    assert names["ck"].translate(said[1]) == said[2]


def test_a_notebook_does_what_it_says(here: Path) -> None:
    first, second = blocks("In a notebook")
    names: dict[str, Any] = {}
    exec(first, names)
    session, trace = names["session"], names["trace"]
    assert session.finished
    assert session.text
    assert trace.weights("decoder", "cross").ndim == 4
    assert any(str(site).endswith("weights") for site in names["hooks"].records)
    said = re.search(r'ck\.translate\("([^"]*)"\)  # "([^"]*)"', first)
    assert said
    assert names["ck"].translate(said[1]) == said[2]
    exec(second, {})
    assert (here / "trace.html").read_text("utf-8").startswith("<!")


def test_a_model_in_memory_does_what_it_says(here: Path) -> None:
    pytest.importorskip("transformers")
    (code,) = blocks("A model in memory")
    names: dict[str, Any] = {}
    exec(code, names)
    assert names["ck"].agreement.agrees
    assert names["given"].as_given
    assert names["given"].source_ids == tuple(names["source"][0].tolist())


def test_a_watched_training_is_saved(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    (code,) = blocks("Watch my training")
    names: dict[str, Any] = {}
    exec(code.replace("checkpoints/mine", str(tmp_path / "mine")), names)
    assert names["recorder"].steps[0] == 0
    assert names["recorder"].checkpoint.agreement.agrees
    assert (tmp_path / "mine" / "dynamics.npz").is_file()


def test_code_that_is_checked(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = blocks("Check my code")

    def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: Any = None) -> torch.Tensor:
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)

    def table(length: int, d_model: int) -> torch.Tensor:
        rates = 10000 ** (-torch.arange(0, d_model, 2) / d_model)
        angles = torch.arange(length)[:, None] * rates
        return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)

    torch.manual_seed(0)
    size = {"source_vocab_size": 20, "target_vocab_size": 20, "d_model": 16, "heads": 2, "d_ff": 32}
    names: dict[str, Any] = {
        "core": __import__("core"),
        "my_attention": attention,
        "my_table": table,
        "my_mask": lambda length: torch.ones(length, length).tril().bool(),
        "MyNorm": torch.nn.LayerNorm,
        "my_transformer": Transformer(ModelConfig(**size, encoder_layers=1, decoder_layers=1)),
    }
    found = [eval(line, names) for line in code.splitlines() if line.strip()]
    assert len(found) == 6
    assert all(found)
