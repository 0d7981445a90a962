"""`ModelConfig`: every mistake is one sentence with the value and the choices; JSON gives the same config back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import AtlasError, ConfigError
from core.model.config import BOUNDS, CHOICES, DECODERS, PRESETS, ModelConfig

SIZES = {"source_vocab_size": 20, "target_vocab_size": 20}


@st.composite
def configs(draw: st.DrawFn) -> ModelConfig:
    heads = draw(st.integers(1, 4))
    options: dict[str, Any] = {name: draw(st.sampled_from(choices)) for name, choices in CHOICES.items()}
    if options["dropout_placement"] == "after_norm":
        options["norm_placement"] = options["decoder_norm_placement"] = "post"
    flags = (
        "final_norm",
        "embedding_norm",
        "embedding_scale",
        "tie_output",
        "output_bias",
        "gated",
        "ffn_bias",
        "decoder_final_norm",
        "decoder_gated",
    )
    options |= {name: draw(st.booleans()) for name in flags}
    return ModelConfig(
        **SIZES,
        **options,
        heads=heads,
        d_model=heads * 2 * draw(st.integers(1, 6)),
        dropout=draw(st.floats(0, 0.9)),
        unk_id=draw(st.none() | st.integers(0, 19)),
    )


@given(configs())
def test_each_stack_has_its_own_options(config: ModelConfig) -> None:
    encoder, decoder = config.of("encoder"), config.of("decoder")
    for name, own in DECODERS.items():
        assert getattr(encoder, own) == getattr(config, own)
        stated = getattr(config, name)
        assert getattr(decoder, own) == (getattr(config, own) if stated is None else stated)
        assert stated != getattr(config, own) or stated is None  # equal ones are not said twice
    assert config.alike == (encoder is config is decoder)
    assert encoder.alike and decoder.alike and decoder.of("decoder") is decoder


def test_a_config_of_equal_stacks_is_written_as_before() -> None:
    assert ModelConfig(**SIZES, decoder_heads=8) == ModelConfig(**SIZES)
    assert not DECODERS.keys() & ModelConfig(**SIZES, decoder_d_ff=2048).to_json().keys()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"decoder_heads": 7}, "In the decoder d_model 512 does not divide into 7 heads"),
        ({"decoder_norm_eps": 2.0}, "In the decoder norm_eps is 2.0"),
        ({"decoder_head_dim": 3, "positions": "rotary"}, "In the decoder rotary positions"),
        ({"decoder_gated": 1}, "decoder_gated is 1; it must be true or false"),
        ({"decoder_d_ff": 10**9}, "decoder_d_ff is 1000000000; it must be from 1"),
    ],
)
def test_what_the_decoder_cannot_be_is_said_of_the_decoder(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        ModelConfig(**SIZES, **options)


@given(configs())
def test_json_round_trip(config: ModelConfig) -> None:
    assert ModelConfig.from_json(json.loads(json.dumps(config.to_json()))) == config


def test_a_config_cannot_change() -> None:
    with pytest.raises(AttributeError):
        ModelConfig(**SIZES).d_model = 3  # type: ignore[misc]


@pytest.mark.parametrize("name", list(CHOICES))
def test_a_wrong_choice_names_value_and_choices(name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        ModelConfig(**SIZES, **{name: "sideways"})
    assert "'sideways'" in str(caught.value)
    assert all(choice in str(caught.value) for choice in CHOICES[name])


@pytest.mark.parametrize("name", list(BOUNDS))
@pytest.mark.parametrize("side", [-1, 1])
def test_a_number_out_of_bounds_names_the_bounds(name: str, side: int) -> None:
    value = BOUNDS[name][0] - 1 if side < 0 else BOUNDS[name][1] + 1
    with pytest.raises(ConfigError, match=name) as caught:
        ModelConfig(**{**SIZES, name: value})
    assert str(value) in str(caught.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"d_model": 30, "heads": 4}, "30 does not divide into 4 heads"),
        ({"d_model": 9, "heads": 3}, "even d_model"),
        ({"head_dim": 0}, "head_dim is 0"),
        ({"dropout": 1.0}, "dropout is 1.0"),
        ({"dropout": float("nan")}, "dropout is nan; it must be a number"),
        ({"norm_eps": 0.0}, "norm_eps"),
        ({"d_model": "64"}, "d_model is '64'; it must be a whole number"),
        ({"gated": 1}, "gated is 1; it must be true or false"),
        ({"heads": True}, "heads is True"),
        ({"eos_id": 20}, "eos_id is 20"),
        ({"source_pad_id": 20}, "source_pad_id is 20"),
        ({"forced_bos_id": 20}, "forced_bos_id is 20"),
        ({"forced_bos_id": 2}, "forced_bos_id is 2, the end token"),
        ({"forced_bos_id": 0}, "forced_bos_id is 0, the padding token"),
        ({"source_vocab_size": 21}, "tie_embeddings"),
        ({"encoder_layers": 0, "decoder_layers": 0}, "at least one layer"),
        ({"dropout_placement": "after_norm", "norm_placement": "pre"}, "after_norm"),
        ({"shared_head_projection": True, "head_dim": 8}, "shared_head_projection"),
    ],
)
def test_each_mistake_is_one_sentence(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        ModelConfig(**{**SIZES, "d_model": 64, "heads": 4, **options})
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, AtlasError)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([], "must be a table of settings"),
        ({}, "lacks source_vocab_size and target_vocab_size"),
        ({**SIZES, "depth": 3}, "does not know 'depth'"),
    ],
)
def test_json_of_something_else(data: Any, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        ModelConfig.from_json(data)


@pytest.mark.parametrize("name", list(PRESETS))
def test_presets_exist_and_take_overrides(name: str) -> None:
    assert ModelConfig.preset(name, dropout=0.25).dropout == 0.25


def test_the_paper_preset_is_the_base_model() -> None:
    config = ModelConfig.preset("paper")
    assert (config.encoder_layers, config.decoder_layers, config.d_model, config.heads, config.d_ff) == (
        *(6, 6, 512, 8, 2048),
    )
    assert (config.norm_placement, config.positions, config.dropout) == ("post", "sinusoidal", 0.1)
    assert config.tie_embeddings
    assert config.embedding_scale
    assert config.d_head == 64


def test_an_unknown_preset_lists_the_known() -> None:
    with pytest.raises(ConfigError, match="paper, tutorial-a"):
        ModelConfig.preset("tutorial-z")
