"""Encoder-decoders of other kinds are refused with the way on, `core.from_generate`, which does show them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import core
from core.errors import CheckpointError
from core.importing.plan import plan_import
from tests.parity.families import SIZES, T5

transformers = pytest.importorskip("transformers")
SMALL = {**SIZES, "encoder_layers": 1, "decoder_layers": 1}
SOURCE = torch.tensor([[5, 6, 7, 8, 9, 2]])


def led() -> Any:
    limits = {"max_encoder_position_embeddings": 64, "max_decoder_position_embeddings": 64}
    return transformers.LEDForConditionalGeneration(
        transformers.LEDConfig(**SMALL, attention_window=8, **limits)
    )


def longt5() -> Any:
    settings = {name: value for name, value in T5.items() if not name.startswith("relative")}
    return transformers.LongT5ForConditionalGeneration(
        transformers.LongT5Config(**{**settings, "num_decoder_layers": 2})
    )


def whisper() -> Any:
    return transformers.WhisperForConditionalGeneration(
        transformers.WhisperConfig(
            **SMALL, num_mel_bins=8, max_source_positions=20, max_target_positions=30, suppress_tokens=None,
            begin_suppress_tokens=None,
        )
    )  # fmt: skip


def bert2bert() -> Any:
    sizes = {"vocab_size": 96, "hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 32}  # fmt: skip
    encoder = transformers.BertConfig(**sizes)
    decoder = transformers.BertConfig(**sizes, is_decoder=True, add_cross_attention=True)
    config = transformers.EncoderDecoderConfig.from_encoder_decoder_configs(encoder, decoder)
    config.decoder_start_token_id, config.pad_token_id, config.eos_token_id = 2, 1, 3
    model = transformers.EncoderDecoderModel(config=config)
    model.generation_config.decoder_start_token_id, model.generation_config.pad_token_id = 2, 1
    return model


def t5gemma() -> Any:
    part = transformers.T5GemmaModuleConfig(
        vocab_size=96, hidden_size=32, intermediate_size=32, num_hidden_layers=1, num_attention_heads=4,
        num_key_value_heads=4, head_dim=8,
    )  # fmt: skip
    return transformers.T5GemmaForConditionalGeneration(
        transformers.T5GemmaConfig(encoder=part, decoder=part, vocab_size=96)
    )


MODELS: dict[str, Callable[[], Any]] = {
    "led": led,
    "longt5": longt5,
    "whisper": whisper,
    "encoder-decoder": bert2bert,
    "t5gemma": t5gemma,
}


@pytest.mark.parametrize("name", MODELS)
def test_a_model_of_another_kind_is_refused_with_a_way_that_leads_on(tmp_path: Path, name: str) -> None:
    torch.manual_seed(0)
    model = MODELS[name]().eval()
    model.set_attn_implementation("eager")
    model.save_pretrained(tmp_path)
    with pytest.raises(CheckpointError) as refused:
        plan_import(tmp_path, tokenizer="numbers").require_ready()
    said = str(refused.value)
    assert re.search(rf"config\.json says (model_type = )?'{name}'", said) and "core.from_generate" in said
    assert "like =" not in said and "\n" not in said
    reads = {"input_features": torch.randn(1, 8, 40)} if name == "whisper" else {"input_ids": SOURCE}
    with torch.inference_mode():
        outputs = model.generate(
            **reads, max_new_tokens=4, return_dict_in_generate=True, output_attentions=True, do_sample=False
        )
    tokenizer = core.Tokenizer.from_vocabulary(
        ["<s>", "<pad>", "</s>", "<unk>", *map(str, range(4, 96))], split="whitespace"
    )
    trace = core.from_generate(outputs, tokenizer, None if name == "whisper" else SOURCE)
    assert trace.weights("decoder", "cross").shape[1] == 4
