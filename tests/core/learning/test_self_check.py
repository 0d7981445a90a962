"""`core.check` names every mistake it knows, passes what is right, and accuses nothing that is only laid out differently."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import core
from core.errors import InputError
from core.learning.mistakes import IDS
from core.model.positions import sinusoid_table
from tests.core.learning.written import (
    FusedSelfAttention,
    MultiHeadAttention,
    OwnNorm,
    Positions,
    SharedHeads,
    StdNorm,
    Translator,
)

D, H = 12, 3


def plain(q: Tensor, k: Tensor, v: Tensor, mask: Any = None) -> Tensor:
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    return torch.softmax(scores, -1) @ v


def with_form(hide: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Tensor]:
    def fn(q: Tensor, k: Tensor, v: Tensor, mask: Any = None) -> Tensor:
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        return torch.softmax(scores if mask is None else hide(scores, mask), -1) @ v

    return fn


def heads_inside(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    a, b, c = (each.reshape(*each.shape[:2], H, -1).transpose(1, 2) for each in (q, k, v))
    w = torch.softmax(a @ b.mT / math.sqrt(a.shape[-1]), -1)
    return w, (w @ c).transpose(1, 2).reshape(q.shape)


def tokens_before_heads(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    w = torch.softmax(torch.einsum("nqhd,nkhd->nhqk", q, k) / math.sqrt(q.shape[-1]), -1)
    return torch.einsum("nhqk,nkhd->nqhd", w, v)


def over_heads(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), -1) @ v


CORRECT: dict[str, Any] = {
    "bare": plain,
    "1 and 0": plain,
    "bool, True is hidden": with_form(
        lambda s, m: s.masked_fill(m.bool(), -1e9) if m.dtype == torch.bool else s * math.nan
    ),
    "added": with_form(lambda s, m: s + m),
    "weights first": heads_inside,
    "tokens before heads": tokens_before_heads,
    "torch's own": lambda q, k, v: F.scaled_dot_product_attention(q, k, v),
    "sequence first": nn.MultiheadAttention(D, H),
    "batch first": nn.MultiheadAttention(D, H, batch_first=True),
    "with bias": MultiHeadAttention(D, H),
    "without bias": MultiHeadAttention(D, H, bias=False),
    "one fused projection": FusedSelfAttention(D, H),
    "shared by the heads": SharedHeads(D, H),
    "one head": MultiHeadAttention(D, 1),
    "wide": MultiHeadAttention(64, 8),
}


@pytest.mark.parametrize("name", CORRECT)
def test_correct_attention_is_not_accused(name: str) -> None:
    verdict = core.check.attention(CORRECT[name])
    assert verdict and not verdict.pitfall, verdict


def split_view(x: Tensor) -> Tensor:
    return x.reshape(x.shape[0], H, -1, x.shape[-1] // H)


def faulty(fault: str) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
    return lambda q, k, v: MultiHeadAttention.forward(Bare(fault), q, k, v)


class Bare(MultiHeadAttention):
    """Without projections."""

    def __init__(self, fault: str) -> None:
        super().__init__(D, H, fault)
        self.w_q = self.w_k = self.w_v = self.w_o = nn.Identity()  # type: ignore[assignment]


HEADS_FAULTS = ("head-split-view", "heads-attend-heads", "merge-without-transpose", "scale-by-d-model")


@pytest.mark.parametrize("fault", HEADS_FAULTS)
def test_faulty_attention_is_named(fault: str) -> None:
    for given in (faulty(fault), MultiHeadAttention(D, H, fault), MultiHeadAttention(64, 8, fault)):
        verdict = core.check.attention(given)
        assert not verdict and verdict.pitfall == fault, verdict
        assert fault in repr(verdict) and "for example" in repr(verdict)


@pytest.mark.parametrize("fault", ["mask-truth-value", "masked-row-nan", "mask-leaks"])
def test_a_faulty_mask_in_attention_is_named(fault: str) -> None:
    verdict = core.check.attention(MultiHeadAttention(D, H, fault))
    assert verdict.pitfall == fault, verdict
    ignored = core.check.attention(lambda q, k, v, mask=None: plain(q, k, v))
    assert ignored.pitfall == "no-causal-mask"


def test_scores_divided_by_something_else() -> None:
    def divided(by: float) -> Any:
        return lambda q, k, v: torch.softmax(q @ k.mT / by, -1) @ v

    wide = core.check.attention(divided(math.sqrt(512)))
    assert wide.pitfall == "scale-by-d-model" and "22.6" in wide.example
    assert core.check.attention(divided(1.0)).fault == "no-scale"
    assert core.check.attention(SharedHeads(D, H, scale_by_model=True)).pitfall == "scale-by-d-model"


def test_one_function_two_layouts() -> None:
    """Right on heads before tokens, a mistake on tokens before heads: only the layout can say."""
    assert core.check.attention(over_heads)
    verdict = core.check.attention(over_heads, layout="bthd")
    assert verdict.pitfall == "heads-attend-heads"
    assert core.check.attention(tokens_before_heads, layout="bthd")
    with pytest.raises(InputError, match="layout is 'x'; choose one of bhtd"):
        core.check.attention(over_heads, layout="x")


def test_what_is_no_attention_or_stops_is_told_without_a_name() -> None:
    verdict = core.check.attention(lambda q, k, v: q + v)
    assert verdict.outcome == "faulty" and verdict.fault == "no-attention" and not verdict.pitfall
    verdict = core.check.attention(lambda q, k, v: q @ torch.ones(99, 1))
    assert verdict.outcome == "undecided" and not verdict and "RuntimeError" in verdict.message


def test_what_is_handed_over_is_not_changed() -> None:
    module = MultiHeadAttention(D, H).train()
    before = {key: value.clone() for key, value in module.state_dict().items()}
    core.check.attention(module)
    core.check.model(translator := Translator().train())
    assert module.training and translator.training
    assert all(torch.equal(value, before[key]) for key, value in module.state_dict().items())


# -- positions ----------------------------------------------------------------------------------------------


def halves(length: int, d: int) -> np.ndarray:
    return sinusoid_table(length, d, "sinusoidal_halves", "half_minus_one", 2)


def exponential(length: int, d: int) -> Tensor:
    divisor = torch.exp(torch.arange(0, d, 2) * (-math.log(10000.0) / d))
    angle = torch.arange(length)[:, None] * divisor
    return torch.stack([angle.sin(), angle.cos()], dim=2).flatten(1)[None]


class AfterScale(Positions):
    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x * math.sqrt(x.shape[-1]))


@pytest.mark.parametrize(
    "given",
    [
        lambda length, d: sinusoid_table(length, d),
        halves,
        exponential,
        Positions(16),
        AfterScale(32),
        nn.Embedding(40, 16),
    ],
)
def test_correct_positions_are_not_accused(given: Any) -> None:
    verdict = core.check.positional(given)
    assert verdict, verdict


def test_faulty_positions_are_named() -> None:
    assert core.check.positional(Positions(16, fault="pe-exponent-doubled")).pitfall == "pe-exponent-doubled"

    def loops(length: int, d: int) -> list[list[float]]:
        return [
            [(math.sin if i % 2 == 0 else math.cos)(p / 10000 ** (2 * (i - i % 2) / d)) for i in range(d)]
            for p in range(length)
        ]

    assert core.check.positional(loops).pitfall == "pe-exponent-doubled"
    only_sines = core.check.positional(lambda length, d: np.sin(np.arange(length)[:, None] * np.ones(d)))
    assert not only_sines and not only_sines.pitfall and "position" in only_sines.example


# -- masks --------------------------------------------------------------------------------------------------


def causal(length: int) -> Tensor:
    return torch.ones(length, length).tril()


@pytest.mark.parametrize(
    "given",
    [
        causal,
        lambda n: causal(n).bool(),
        lambda n: causal(n)[None, None].int(),
        lambda n: ~causal(n).bool(),
        lambda n: torch.ones(n, n).triu(1),
        lambda n: torch.full((n, n), -math.inf).triu(1),
        lambda n: torch.full((n, n), -1e9).triu(1),
        lambda n: nn.Transformer.generate_square_subsequent_mask(n),
        lambda ids: (ids != 0)[:, None, None, :],
        lambda ids: (ids == 0)[:, None, :],
        lambda ids: (ids != 0)[:, None, None, :] & causal(ids.shape[1]).bool(),
        lambda ids, pad: ids == pad,
        lambda source, target: ((source != 0)[:, None, None, :], (target != 0)[:, None, :, None] & causal(6).bool() & (target != 0)[:, None, None, :])[0],
    ],
)  # fmt: skip
def test_correct_masks_are_not_accused(given: Any) -> None:
    verdict = core.check.mask(given)
    assert verdict, verdict


def truth(ids: Tensor) -> Tensor:
    return causal(ids.shape[1]) if ids else ids


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        (lambda n: torch.ones(n, n), "no-causal-mask"),
        (lambda n: torch.ones(n, n).tril(1), "mask-leaks"),
        (lambda n: torch.full((n, n), 1e-9).triu(1), "mask-leaks"),
        (lambda n: torch.full((n, n), -1.0).triu(1), "mask-leaks"),
        (lambda n: torch.ones(n, n, dtype=torch.bool).tril(-1), "masked-row-nan"),
        (lambda ids, pad: causal(ids.shape[1]).expand(len(ids), 1, -1, -1), "target-padding-unmasked"),
        (truth, "mask-truth-value"),
    ],
)
def test_faulty_masks_are_named(given: Any, fault: str) -> None:
    verdict = core.check.mask(given)
    assert not verdict and verdict.pitfall == fault, verdict


# -- layer norm ---------------------------------------------------------------------------------------------


def shaken(norm: nn.Module) -> nn.Module:
    torch.manual_seed(2)
    with torch.no_grad():
        for each in norm.parameters():
            each.add_(torch.randn_like(each) * 0.3)
    return norm


@pytest.mark.parametrize(
    "given",
    [
        nn.LayerNorm(64),
        nn.LayerNorm(24, eps=1e-12),
        shaken(nn.LayerNorm(16)),
        nn.RMSNorm(32, eps=1e-6),
        OwnNorm(16),
        shaken(OwnNorm(40)),
        lambda x: F.layer_norm(x, x.shape[-1:], eps=1e-6),
        nn.LayerNorm(512),
    ],
)
def test_correct_norms_are_not_accused(given: Any) -> None:
    verdict = core.check.layer_norm(given)
    assert verdict, verdict


@pytest.mark.parametrize(
    "given",
    [
        StdNorm(16),
        StdNorm(64, eps=1e-5),
        StdNorm(512),
        shaken(StdNorm(24)),
        lambda x: (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, keepdim=True) + 1e-5),
    ],
)
def test_faulty_norms_are_named(given: Any) -> None:
    verdict = core.check.layer_norm(given)
    assert verdict.pitfall == "std-plus-eps", verdict


def test_a_norm_over_tokens_is_told() -> None:
    verdict = core.check.layer_norm(lambda x: F.layer_norm(x.mT, x.mT.shape[-1:]).mT)
    assert not verdict and "over tokens" in verdict.message


# -- whole models -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"pre": True}, {"learned": True}, {"words": 30}])
def test_correct_models_are_not_accused(options: dict[str, Any]) -> None:
    verdict = core.check.model(Translator(**options))
    assert verdict, verdict


def test_models_of_the_core_are_not_accused(build: Callable[..., Any]) -> None:
    for options in ({}, {"norm_placement": "pre", "final_norm": True}, {"positions": "learned"}):
        checkpoint = build(**options)
        size = checkpoint.config.source_vocab_size
        verdict = core.check.model(checkpoint.model, source_vocab=size, target_vocab=size)
        assert verdict, verdict


@pytest.mark.parametrize(
    ("fault", "named"),
    [
        *((each, each) for each in HEADS_FAULTS),
        *((each, each) for each in ("no-causal-mask", "target-padding-unmasked", "mask-truth-value")),
        *((each, each) for each in ("masked-row-nan", "mask-leaks", "dropout-after-norm", "std-plus-eps")),
        *((each, each) for each in ("cross-qkv-swapped", "pe-exponent-doubled")),
        ("one-off", "mask-leaks"),
    ],
)
def test_faulty_models_are_named(fault: str, named: str) -> None:
    verdict = core.check.model(Translator(fault))
    assert not verdict and verdict.pitfall == named, verdict
    assert named in IDS


def test_the_faulty_variants_of_the_core_are_named(tiny: Any) -> None:
    from core.learning.pitfalls import swapped

    size = tiny.config.source_vocab_size
    verdict = core.check.model(swapped(tiny.model), source_vocab=size, target_vocab=size)
    assert verdict.pitfall == "cross-qkv-swapped", verdict


def test_importing_core_does_not_import_the_checks() -> None:
    code = "import sys, core; assert 'torch' not in sys.modules and not any('learning' in m for m in sys.modules); core.check.attention(lambda q, k, v: q); assert 'torch' in sys.modules and 'torch._dynamo' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
