"""The tables of names in docs/importing.md are what `python -m core.importing.names` prints."""

from __future__ import annotations

from pathlib import Path

import torch

from core.importing.names import parameter_rows, tables
from core.model.config import ModelConfig
from core.model.transformer import Transformer

DOCS = Path(__file__).parents[3] / "docs" / "importing.md"


def test_the_page_lists_every_parameter_and_option() -> None:
    assert tables() in DOCS.read_text("utf-8"), "print it again: python -m core.importing.names"


def test_the_shipped_models_parameters_are_all_named() -> None:
    names = {name for name, _, _ in parameter_rows()}
    config = ModelConfig.from_json(
        {
            "source_vocab_size": 9,
            "target_vocab_size": 9,
            "encoder_layers": 1,
            "decoder_layers": 1,
            "positions": "learned",
        }
    )
    with torch.device("meta"):
        own = {name.replace(".0.", ".N.") for name, _ in Transformer(config).named_parameters()}
    assert own <= names
