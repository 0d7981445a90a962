"""The tables in docs/importing.md: every parameter and option, and every family that is tested."""

from __future__ import annotations

import torch

from core.model.config import ModelConfig
from core.model.transformer import Transformer
from tests.parity.__main__ import DOCS, FAMILIES_TABLE, NAMES_TABLE, PUBLISHED_TABLE, replaced
from tests.parity.families import FAMILIES
from tests.parity.parameter_names import parameter_rows, tables
from tests.parity.published import PUBLISHED


def test_the_page_lists_every_parameter_and_option() -> None:
    assert tables() in DOCS.read_text("utf-8"), "write them again: python -m tests.parity"


def test_the_page_names_every_family() -> None:
    text = DOCS.read_text("utf-8")
    for family in FAMILIES.values():
        assert f"| {family.title} | `{family.layout}` |" in text, "measure again: python -m tests.parity"


def test_the_page_has_every_published_size() -> None:
    text = DOCS.read_text("utf-8")
    for each in PUBLISHED.values():
        line = f"| {each.title} | `{FAMILIES[each.family].layout}` | {each.rows:,} | {each.tokens:,} |"
        assert line in text, "measure again: python -m tests.parity"


def test_a_table_is_replaced_and_the_text_around_it_stays() -> None:
    text = DOCS.read_text("utf-8")
    written = replaced(replaced(text, NAMES_TABLE, "| new |"), FAMILIES_TABLE, "| other |")
    written = replaced(written, PUBLISHED_TABLE, "| third |")
    assert "| new |" in written and "| other |" in written and "| third |" in written
    assert "| T5 v1.0 |" not in written and "| `d_model` |" not in written
    assert written.startswith(text[:200]) and written.endswith(text[-200:])


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
