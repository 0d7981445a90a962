"""Every field of config.json counts: each family's import is exact, refused by name, or the field changes nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from core.importing.rules import families
from tests.parity.config_fields import BASES, LEFT_OUT, NO_EFFECT, outcome, variations

transformers = pytest.importorskip("transformers")
FOUND = [  # each was another model without a word
    ("blenderbot-small", "scale_embedding", True, False),
    ("mt5", "scale_decoder_outputs", True, False),
    ("t5", "dense_act_fn", "gelu", False),
    ("t5", "num_decoder_layers", LEFT_OUT, False),
    ("marian", "activation_function", LEFT_OUT, False),
    ("marian", "decoder_attention_heads", LEFT_OUT, False),
    ("bart", "tie_word_embeddings", False, True),
    ("marian", "tie_word_embeddings", False, True),
    ("pegasus", "tie_word_embeddings", False, True),
    ("m2m-100", "tie_word_embeddings", False, True),
    ("m2m-100", "pad_token_id", 0, False),
    ("mbart", "return_dict", False, False),
    ("fsmt", "d_model", 48, True),
    ("bart", "activation_function", "quick_gelu", False),
    ("plbart", "activation_function", "mish", False),
]
EXACT = {(name, field) for name, field, value, _ in FOUND if value is not LEFT_OUT}


@pytest.mark.parametrize(("name", "field", "value", "made_with"), FOUND)
def test_a_field_that_was_passed_over_counts(
    tmp_path: Path, name: str, field: str, value: object, made_with: bool
) -> None:
    came = outcome(name, field, value, made_with, tmp_path)
    assert came.kind in (("exact",) if (name, field) in EXACT else ("exact", "refused")), str(came)


@pytest.mark.thorough
@pytest.mark.parametrize("name", BASES)
def test_one_field_at_a_time(tmp_path: Path, name: str) -> None:
    for number, (field, value, made_with) in enumerate(variations(name)):
        (folder := tmp_path / str(number)).mkdir()
        came = outcome(name, field, value, made_with, folder)
        assert came.kind != "different", str(came)
        if came.kind == "refused":
            assert "\n" not in came.detail and came.detail.endswith(".")
        shutil.rmtree(folder)


@pytest.mark.parametrize("name", BASES)
def test_every_field_is_read_or_known_to_change_nothing(name: str) -> None:
    layout = families()[BASES[name].layout]
    read = {
        str(source[kind])
        for sources in layout.config.values()
        for source in sources
        for kind in ("json", "generation")
        if kind in source
    } | {"model_type", "architectures"}
    unknown = {field for field, *_ in variations(name)} - read - NO_EFFECT.keys()
    assert not unknown
