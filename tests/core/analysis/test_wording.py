"""Sentences and formulas that follow the configuration, held against what the model does."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from core.analysis import wording
from core.decoding.strategies import probabilities
from core.model.attention import attention_scale
from core.model.config import ModelConfig
from core.model.hooks import STACKS
from core.model.layers import Norm
from core.model.transformer import Embedding, PositionTable, relative_bucket

ROOT = Path(__file__).parents[3]
_SIZES: dict[str, Any] = {
    "source_vocab_size": 60,
    "target_vocab_size": 60,
    "d_model": 32,
    "heads": 4,
    "d_ff": 48,
}

CONFIGS: dict[str, ModelConfig] = {
    "en-fr": ModelConfig.from_json(json.loads((ROOT / "checkpoints/en-fr/config.json").read_text("utf-8"))),
    "t5": ModelConfig(
        **_SIZES, head_dim=12, positions="relative_buckets", norm_formula="rms", norm_placement="pre", final_norm=True,
        score_scale="none", embedding_scale=False, output_scale="inverse_sqrt_d_model",
    ),
    "t5-v1.1": ModelConfig(
        **_SIZES, positions="relative_buckets", norm_formula="rms", norm_placement="pre", final_norm=True,
        score_scale="none", embedding_scale=False, tie_output=False,
    ),
    "marian": ModelConfig(**_SIZES, positions="sinusoidal_halves", output_bias=True),
    "fairseq": ModelConfig(
        **_SIZES, positions="sinusoidal_halves", sinusoid_denominator="half_minus_one", position_offset=2,
    ),
    "bart": ModelConfig(
        **_SIZES, positions="learned", position_offset=2, embedding_norm=True, embedding_scale=False, output_bias=True,
    ),
    "tutorial-b": ModelConfig.preset("tutorial-b"),
    "tutorial-e": ModelConfig.preset("tutorial-e"),
    "none": ModelConfig(**_SIZES, positions="none"),
    "uneven": ModelConfig(
        **_SIZES, positions="relative_buckets", decoder_heads=8, decoder_norm_placement="pre", decoder_norm_formula="rms",
        decoder_final_norm=True,
    ),
}  # fmt: skip
KINDS = ("encoder", "causal", "cross")
every = pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)


def said(config: ModelConfig) -> dict[str, str]:
    """All that a page says of a model, by page."""
    pages = {f"attention {view}": wording.attention(config, view) for view in (*KINDS, "joint")}  # type: ignore[arg-type]
    pages |= {
        "translate": wording.translate(config),
        "positions": wording.positions(config),
        "norms": wording.norms(config),
    }
    return {page: " ".join(parts) for page, parts in pages.items()}


@every
def test_formulas_are_closed_and_sentences_end(config: ModelConfig) -> None:
    for page, text in said(config).items():
        assert text.count("$") % 2 == 0, page
        assert text.count("{") == text.count("}"), page
        assert "  " not in text and " ." not in text, page


@every
@pytest.mark.parametrize("kind", KINDS)
def test_the_scores_are_divided_by_what_the_words_say(config: ModelConfig, kind: Any) -> None:
    words = wording.scores(config, kind)
    root = re.search(r"÷ √(\d+)", words)
    own = config.of("encoder" if kind == "encoder" else "decoder")
    assert (1.0 if root is None else int(root[1]) ** -0.5) == pytest.approx(attention_scale(own))
    assert ("not scaled" in words) == (root is None)
    relative = config.positions == "relative_buckets" and kind != "cross"
    assert ("position bias" in words) == relative
    formula = wording.attention_formula(config, kind)
    assert (r"\sqrt{d_h}" in formula) == (config.score_scale == "head")
    assert (r"\sqrt{d}" in formula) == (config.score_scale == "model")
    assert ("+ B" in formula) == relative
    assert ("+ M" in formula) == (kind == "causal")
    assert ("One " in formula) == config.shared_head_projection


@every
def test_the_sinusoids_of_the_formula_are_those_that_are_added(config: ModelConfig) -> None:
    text = wording.positions(config).more
    if not config.positions.startswith("sinusoidal"):
        assert r"\sin" not in text
        return
    d = config.d_model
    value = {
        "2i": lambda i: 2 * i, "2i+1": lambda i: 2 * i + 1, "i": lambda i: i, "i+d/2": lambda i: i + d // 2,
        "2i/d": lambda i: 2 * i / d, "i/(d/2-1)": lambda i: i / (d / 2 - 1),
    }  # fmt: skip
    columns = [value[name] for name in re.findall(r"PE_\{\(p,([^)]*)\)\}", text)]
    exponent = value[re.findall(r"10000\^\{([^}]*)\}\\right", text)[0]]
    first = int(found[1]) if (found := re.search(r"first token has \$p = (\d+)\$", text)) else 0
    expected = np.zeros((7, d))
    for p in range(7):
        for i in range(d // 2):
            angle = (p + first) / 10000 ** exponent(i)
            expected[p, columns[0](i)], expected[p, columns[1](i)] = np.sin(angle), np.cos(angle)
    added = PositionTable(config)(0, 7).double().numpy()
    np.testing.assert_allclose(expected, added, atol=2e-6)
    longest = 2 * np.pi * 10000 ** exponent(d // 2 - 1)
    assert ((r"\cdot 10000$" in text) and longest == pytest.approx(2e4 * np.pi)) or "10000^{(d-2)/d}$" in text


@every
def test_the_embedding_is_scaled_as_the_words_say(config: ModelConfig) -> None:
    table = torch.nn.Parameter(torch.ones(config.source_vocab_size, config.d_model))
    words = wording.embedding_scale(config)
    scale = float(words.split("= ")[1]) if "=" in words else 1.0
    assert scale == pytest.approx(Embedding(config, "encoder", table).scale, rel=5e-3)
    if config.positions not in ("none",) and not config.positions.startswith("sinusoidal"):
        assert (r"\sqrt{d}\,E_t" in wording.positions(config).more) == config.embedding_scale


def test_positions_of_every_kind_are_told_apart() -> None:
    text = {name: said(config)["positions"] for name, config in CONFIGS.items()}
    assert "sines and cosines" in text["en-fr"] and "sines and cosines" in text["marian"]
    assert "sines" not in text["t5"] + text["bart"] + text["tutorial-e"] + text["none"]
    assert "learned vector" in text["bart"] and "learned vector" in text["tutorial-e"]
    assert (
        "P_{p+2}" in text["bart"]
        and "first 2 rows are not used" in text["bart"]
        and "A norm follows" in text["bart"]
    )
    assert "P_{p}" in text["tutorial-e"] and "not used" not in text["tutorial-e"]
    assert "added to each token’s embedding" not in text["t5"] + text["none"]
    assert "only by the causal mask" in text["none"]
    assert all("look equal to the model" not in each for each in text.values())


def test_buckets_are_as_the_words_say() -> None:
    for buckets, reach in ((32, 128), (16, 40)):
        config = ModelConfig(
            **_SIZES, positions="relative_buckets", relative_buckets=buckets, relative_max_distance=reach
        )
        text = wording.positions(config).more
        near, past = (
            int(each)
            for each in re.findall(r"each below (\d+)|below (\d+) have", text)
            for each in each
            if each
        )
        far = torch.arange(-300, 301)
        for bidirectional, single in ((True, near), (False, past)):
            found = relative_bucket(far, bidirectional, buckets, reach)
            behind = found[far <= 0].flip(0)  # distance 0, 1, 2, …
            assert len(set(behind[:single].tolist())) == single
            assert behind[single] not in behind[:single]
            assert len(set(behind.tolist())) < len(behind)
            assert (behind[reach:] == behind[-1]).all()


@every
@pytest.mark.parametrize("stack", STACKS)
def test_the_norm_does_what_its_words_say(config: ModelConfig, stack: str) -> None:
    text = said(config)["norms"]
    if not config.alike:
        before, _, after = text.partition("In the encoder: ")[2].partition("In the decoder: ")
        text = after if stack == "decoder" else before
    config = config.of(stack)
    norm = Norm(config)
    torch.nn.init.ones_(norm.weight)
    x = torch.randn(64, config.d_model, generator=torch.Generator().manual_seed(2)) * 3 + 1.5
    z = norm(x).detach().double()
    assert ("mean 0" in text) == bool((z.mean(-1).abs() < 1e-5).all())
    most = (config.d_model - 1 if r"\sqrt{d-1}" in text else config.d_model) ** 0.5
    length = z.norm(dim=-1)
    assert (length < most + 1e-4).all() and (length > 0.999 * most).all()
    assert (r"+ \beta$" in text) == (norm.bias is not None)
    assert (wording.norm_parameters(config) == "γ") == (norm.bias is None)
    assert ("RMS norm" in text) == (config.norm_formula == "rms") == (wording.norm_spread(config)[0] == "rms")
    assert f"{config.norm_eps:g}" in text
    assert ("pre-norm" in text) == (config.norm_placement == "pre") != ("post-norm" in text)
    assert ("running sum" in wording.stream_length(config)) == (config.norm_placement == "pre")
    assert ("and its norm" in wording.stream_after(config)) == (config.norm_placement == "post")
    assert ("final norm" in text) == config.final_norm
    assert ("follows the embeddings" in text) == config.embedding_norm


@every
def test_the_bars_come_from_the_table_that_the_words_name(config: ModelConfig) -> None:
    text = said(config)["translate"]
    assert ("a matrix of its own" in text) == (not config.tie_output)
    assert ("embeds source and target tokens" in text) == (config.tie_output and config.tie_embeddings)
    assert (r"Wh / \sqrt{d}" in text) == (config.output_scale != "none")
    assert ("+ b)" in text) == config.output_bias
    assert ("after its final norm" in text) == config.of("decoder").final_norm


@every
def test_the_temperature_stands_where_the_bars_of_a_sample_have_it(config: ModelConfig) -> None:
    said_of_all, said_of_samples = said(config)["translate"].split(" With “Sample”, ")
    assert r"\mathrm{softmax}(Wh" in said_of_all and "temperature" not in said_of_all
    assert said_of_samples == "the term in brackets is divided by the temperature first."
    logits = np.array([1.0, -2.0, 0.5])
    divided = np.exp(logits / 0.5)
    np.testing.assert_allclose(probabilities(logits, 0.5), divided / divided.sum(), rtol=1e-6)


@every
def test_a_weight_is_never_told_as_what_arrived(config: ModelConfig) -> None:
    for page, text in said(config).items():
        assert "went into" not in text and "draws on" not in text, page
        assert "from the word being written" not in text, page
    assert "reads the previous word" in said(config)["translate"]
    assert "itself" in said(config)["attention causal"]
