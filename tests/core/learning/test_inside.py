"""Every card of a head shows what plain loops find, and its terms add up to it, for every kind of model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

from core.api import Checkpoint, trace_ids
from core.errors import InputError
from core.learning.card import FUNCTIONS, PART, Card, Spot, Why
from core.learning.inside import cards, sites
from core.learning.stream_cards import EMBEDDING, FORWARD, OUTPUT
from tests.core.conftest import KINDS
from tests.numpy_model import NumpyModel, Pass

CLOSE = 1e-5
MODELS: dict[str, dict[str, Any]] = {
    "post": {},
    "pre": {"norm_placement": "pre", "final_norm": True},
    "pre without a last norm": {"norm_placement": "pre", "activation": "gelu_tanh"},
    "rms": {"norm_formula": "rms", "norm_placement": "pre", "final_norm": True, "activation": "gelu"},
    "unbiased": {"norm_formula": "layer_unbiased_std", "norm_eps": 1e-3, "positions": "sinusoidal_halves"},
    "relative": {
        **{"positions": "relative_buckets", "score_scale": "none", "output_scale": "inverse_sqrt_d_model"},
        **{"norm_formula": "rms", "norm_placement": "pre", "final_norm": True, "embedding_scale": False},
        "relative_buckets": 8,
        "relative_max_distance": 9,
    },
    "relative, a table a layer": {
        **{
            "positions": "relative_buckets",
            "score_scale": "none",
            "norm_formula": "rms",
            "norm_placement": "pre",
        },
        **{"final_norm": True, "relative_buckets": 8, "relative_max_distance": 9},
        "relative_bias_per_layer": True,
    },
    "relative and scaled": {
        "positions": "relative_buckets",
        "relative_buckets": 6,
        "relative_max_distance": 8,
    },
    "shared": {"shared_head_projection": True, "projection_bias": False, "score_scale": "model"},
    "shared with bias": {"shared_head_projection": True, "positions": "learned", "position_offset": 2},
    "gated": {"gated": True, "activation": "silu", "tie_output": False, "output_bias": True},
    "no bias": {"projection_bias": False, "attention_output_bias": False, "ffn_bias": False},
    "wide heads": {"head_dim": 12, "sinusoid_denominator": "half_minus_one", "position_offset": 3},
    "embedding norm": {"embedding_norm": True, "tie_embeddings": False, "decoder_layers": 1},
    "rotary": {"positions": "rotary", "norm_placement": "pre"},
    "rotary, shared, no mask": {"positions": "rotary", "causal": False, "shared_head_projection": True},
    "no mask, relative": {"positions": "relative_buckets", "causal": False, "relative_buckets": 8},
    "one encoder layer": {"encoder_layers": 1, "decoder_layers": 3},
    "uneven": KINDS["uneven"],
    "pre-norm before post-norm": {
        **{"norm_placement": "pre", "final_norm": True, "decoder_norm_placement": "post"},
        **{"decoder_final_norm": False, "decoder_heads": 2},
    },
}
SOURCE, WRITTEN = [4, 5, 9, 6, 15, 4, 2], [7, 4, 11, 8, 2]


def opened(checkpoint: Checkpoint, spot: Spot) -> tuple[Card, ...]:
    trace = trace_ids(checkpoint, SOURCE, WRITTEN, sites(checkpoint.config, spot.kind, spot.layer))
    return cards(trace, checkpoint.model.state_dict(), spot, checkpoint.target_tokenizer.label)


def plain(checkpoint: Checkpoint) -> Pass:
    state = {name: tensor.double().numpy() for name, tensor in checkpoint.model.state_dict().items()}
    model = NumpyModel(asdict(checkpoint.config), state)
    return model.computed(SOURCE, [checkpoint.config.bos_id, *WRITTEN[:-1]])


def again(why: Why) -> float:
    """The terms added and the steps taken, by hand."""
    now = sum(float(term) for term in why.terms)
    if why.a is not None and why.b is not None:
        now = sum(float(a) * float(b) for a, b in zip(why.a, why.b, strict=True))
    for step in why.steps:
        number = step.number if step.number is not None else 0.0
        match step.op:
            case "+":
                now = now + number
            case "−":
                now = now - number
            case "×":
                now = now * number
            case "÷":
                now = now / number
            case "of":
                now = number / now
            case name:
                now = FUNCTIONS[name](now)
        assert step.value == pytest.approx(now, rel=1e-9, abs=1e-12) or now == step.value
    return now


def close(value: float, expected: float) -> bool:
    return value == expected or abs(value - expected) <= CLOSE * max(1.0, abs(expected))


@pytest.fixture(scope="module", params=MODELS)
def model(request: pytest.FixtureRequest, build: Callable[..., Checkpoint]) -> Checkpoint:
    return build(seed=3, **MODELS[request.param])


@pytest.mark.sampled(12)
@pytest.mark.parametrize("kind", ["encoder", "causal", "cross"])
def test_every_card_shows_what_plain_loops_find(model: Checkpoint, kind: str) -> None:
    naive = plain(model)
    layers, heads = model.config.shape("encoder" if kind == "encoder" else "decoder")
    for layer in range(layers):
        for head in (0, heads - 1):
            for card in opened(model, Spot(kind, layer, head, 3)):
                expected = naive.card(card.key, kind, layer, head)
                if card.columns.name == "vocabulary":
                    names = [
                        model.target_tokenizer.label(each) for each in range(model.config.target_vocab_size)
                    ]
                    expected = expected[:, [names.index(name) for name in card.columns.labels]]
                assert (
                    card.values.shape == expected.shape == (len(card.rows.labels), len(card.columns.labels))
                )
                gone = np.isneginf(expected)
                assert (np.isneginf(card.values) == gone).all(), card.key
                shown, expected = (np.where(gone, 0.0, each) for each in (card.values, expected))
                gap = np.abs(shown - expected)
                assert (gap <= CLOSE * np.maximum(1.0, np.abs(expected))).all(), card.key


@pytest.mark.sampled(12)
@pytest.mark.parametrize("kind", ["encoder", "causal", "cross"])
def test_the_terms_of_every_card_add_up_to_the_number_it_shows(model: Checkpoint, kind: str) -> None:
    draw = np.random.default_rng(0)
    last = model.config.layers("encoder" if kind == "encoder" else "decoder") - 1
    for layer in {0, last}:
        for card in opened(model, Spot(kind, layer, 1, 2)):
            rows, columns = card.values.shape
            cells = {(0, 0), (rows - 1, columns - 1), (0, columns - 1)}
            cells |= {(int(draw.integers(rows)), int(draw.integers(columns))) for _ in range(6)}
            for row, column in cells:
                why = card.why(row, column)
                message = again(why)
                assert close(message, float(card.values[row, column])), (card.key, row, column, message)
                assert close(why.value, message) and why.formula
                assert all(why.name(position) for position in range(len(why.terms)))


def test_the_cards_come_in_the_order_of_the_data(build: Callable[..., Checkpoint]) -> None:
    pre = build(norm_placement="pre", final_norm=True)
    result = [card.key for card in opened(pre, Spot("cross", 1, 0, 1))]
    assert result == [
        *("tokens", "positions", "embedded", "entering", "norm", "memory", "q", "k", "v"),
        *(
            "q_head",
            "k_head",
            "v_head",
            "products",
            "scaled",
            "masked",
            "weights",
            "mixed",
            "joined",
            "output",
        ),
        *("added", "forward_norm", "up", "hidden", "down", "forward_added", "final_norm"),
        *("logits", "probabilities"),
    ]
    post = [card.key for card in opened(build(), Spot("causal", 0, 0, 1))]
    assert post == [
        *("tokens", "positions", "embedded", "q", "k", "v", "q_head", "k_head", "v_head"),
        *("products", "scaled", "masked", "weights", "mixed", "joined", "output", "added", "added_norm"),
        *("between", "up", "hidden", "down", "forward_added", "forward_added_norm", "rest", "logits"),
        "probabilities",
    ]


def test_what_a_card_is_computed_from_comes_before_it(model: Checkpoint) -> None:
    for kind in ("encoder", "causal", "cross"):
        result = opened(model, Spot(kind, 0, 1, 1))
        keys = [card.key for card in result]
        assert len(set(keys)) == len(keys)
        order = [(EMBEDDING, PART, FORWARD, OUTPUT).index(card.part) for card in result]
        assert order == sorted(order)
        for position, card in enumerate(result):
            assert all(keys.index(key) < position for key in card.reads), card.key
            free = ("tokens", "positions", "entering", "memory", "between", "rest")
            assert (card.key in free) == (not card.reads), card.key


def test_the_head_and_the_token_in_hand_are_marked(tiny: Checkpoint) -> None:
    result = {card.key: card for card in opened(tiny, Spot("cross", 1, 2, 3))}
    size = tiny.config.d_head
    assert result["q"].band == result["joined"].band == (2 * size, 3 * size)
    assert (result["q"].focus, result["k"].focus, result["memory"].focus) == (3, None, None)
    assert result["q_head"].values == pytest.approx(result["q"].values[:, 2 * size : 3 * size])
    assert result["k"].rows.labels[:2] == ("a", "b") and result["q"].rows.labels[1] == "d"
    assert (
        f"(heads, queries, keys) = (4, {len(WRITTEN)}, {len(SOURCE)}), of which head 2"
        == result["weights"].shape
    )


def test_the_sentences_tell_this_tokens_own_numbers(tiny: Checkpoint) -> None:
    result = {card.key: card for card in opened(tiny, Spot("cross", 1, 2, 3))}
    weights = result["weights"].values[3]
    best = int(weights.argmax())
    assert (
        f"“{result['weights'].columns.labels[best]}”, with {round(100 * weights[best])} %"
        in result["weights"].says
    )
    hidden = result["hidden"].values[3]
    assert f"{round(100 * float((hidden == 0).mean()))} % of this token’s" in result["hidden"].says
    shown = result["probabilities"].values[3]
    assert (np.diff(shown[:-1]) <= 0).all()
    assert shown[0] == pytest.approx(plain(tiny).card("probabilities", "cross", 1, 2)[3].max(), abs=CLOSE)
    written = tiny.target_tokenizer.label(WRITTEN[3])
    column = result["probabilities"].columns.labels.index(written)
    assert (
        f"wrote “{written}”, to which it gave {100 * result['probabilities'].values[3, column]:.1f} %"
        in result["probabilities"].says
    )


def test_what_does_not_exist_is_told_in_one_sentence(tiny: Checkpoint) -> None:
    for spot, text in (
        (Spot("cross", 2, 0, 0), "There is no layer 2"),
        (Spot("cross", 0, 4, 0), "There is no head 4"),
        (Spot("cross", 0, 0, 5), "There is no token 5"),
    ):
        trace = trace_ids(tiny, SOURCE, WRITTEN, sites(tiny.config, "cross", 0))
        with pytest.raises(InputError, match=text):
            cards(trace, tiny.model.state_dict(), spot)
    card = opened(tiny, Spot("encoder", 0, 0, 0))[0]
    with pytest.raises(InputError, match="has no cell 7, 0"):
        card.why(7, 0)
    with pytest.raises(InputError, match="has no cell -1, 0"):
        card.why(-1, 0)
