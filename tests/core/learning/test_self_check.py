"""`core.check` names every mistake it knows, passes what is right, and accuses nothing that is only built differently."""

from __future__ import annotations

import math
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
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
from tests.core.learning import others_correct, others_faulty
from tests.core.learning.written import (
    MultiHeadAttention,
    OwnNorm,
    Positions,
    StdNorm,
    Translator,
)

D, H = 12, 3
Make = Callable[[], Any]


@pytest.fixture(autouse=True)
def _seeded() -> Iterator[None]:
    torch.manual_seed(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


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


def halves(length: int, d: int) -> np.ndarray:
    return sinusoid_table(length, d, "sinusoidal_halves", "half_minus_one", 2)


def exponential(length: int, d: int) -> Tensor:
    divisor = torch.exp(torch.arange(0, d, 2) * (-math.log(10000.0) / d))
    angle = torch.arange(length)[:, None] * divisor
    return torch.stack([angle.sin(), angle.cos()], dim=2).flatten(1)[None]


class AfterScale(Positions):
    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x * math.sqrt(x.shape[-1]))


def causal(length: int) -> Tensor:
    return torch.ones(length, length).tril()


def shaken(norm: nn.Module) -> nn.Module:
    torch.manual_seed(2)
    with torch.no_grad():
        for each in norm.parameters():
            each.add_(torch.randn_like(each) * 0.3)
    return norm


def truth(ids: Tensor) -> Tensor:
    return causal(ids.shape[1]) if ids else ids


def one_of_each(kind: str, *given: Any) -> dict[str, tuple[str, Make]]:
    """Rows of a table for what is checked as it is."""
    return {f"{kind} {number}": (kind, lambda each=each: each) for number, each in enumerate(given)}


CORRECT: dict[str, tuple[str, Make]] = {
    **others_correct.CORRECT,
    **one_of_each(
        "attention",
        plain,
        with_form(lambda s, m: s.masked_fill(m.bool(), -1e9) if m.dtype == torch.bool else s * math.nan),
        with_form(lambda s, m: s + m),
        heads_inside,
        tokens_before_heads,
        over_heads,
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v),
        nn.MultiheadAttention(D, H),
        nn.MultiheadAttention(D, H, batch_first=True),
        MultiHeadAttention(D, H),
        MultiHeadAttention(D, H, bias=False),
        MultiHeadAttention(D, 1),
        MultiHeadAttention(64, 8),
    ),
    **one_of_each(
        "positional",
        lambda length, d: sinusoid_table(length, d),
        halves,
        exponential,
        Positions(16),
        AfterScale(32),
        nn.Embedding(40, 16),
    ),
    **one_of_each(
        "mask",
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
        lambda source, target: (source != 0)[:, None, None, :],
    ),
    **one_of_each(
        "layer_norm",
        nn.LayerNorm(64),
        nn.LayerNorm(24, eps=1e-12),
        shaken(nn.LayerNorm(16)),
        nn.RMSNorm(32, eps=1e-6),
        OwnNorm(16),
        shaken(OwnNorm(40)),
        lambda x: F.layer_norm(x, x.shape[-1:], eps=1e-6),
        nn.LayerNorm(512),
    ),
    **one_of_each(
        "model", Translator(), Translator(pre=True), Translator(learned=True), Translator(words=30)
    ),
}


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", CORRECT)
def test_nothing_correct_is_accused_and_everything_can_be_called(name: str) -> None:
    kind, make = CORRECT[name]
    verdict = getattr(core.check, kind)(make())
    assert verdict and verdict.outcome == "correct" and not verdict.fault, verdict


def test_models_of_the_core_are_not_accused(build: Callable[..., Any]) -> None:
    for options in ({}, {"norm_placement": "pre", "final_norm": True}, {"positions": "learned"}):
        checkpoint = build(**options)
        size = checkpoint.config.source_vocab_size
        verdict = core.check.model(checkpoint.model, source_vocab=size, target_vocab=size)
        assert verdict, verdict


# -- what is wrong ------------------------------------------------------------------------------------------


class Bare(MultiHeadAttention):
    """Without projections."""

    def __init__(self, fault: str) -> None:
        super().__init__(D, H, fault)
        self.w_q = self.w_k = self.w_v = self.w_o = nn.Identity()  # type: ignore[assignment]


def bare(fault: str) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
    return lambda q, k, v: MultiHeadAttention.forward(Bare(fault), q, k, v)


def divided(by: float) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
    return lambda q, k, v: torch.softmax(q @ k.mT / by, -1) @ v


def loops(length: int, d: int) -> list[list[float]]:
    return [
        [(math.sin if i % 2 == 0 else math.cos)(p / 10000 ** (2 * (i - i % 2) / d)) for i in range(d)]
        for p in range(length)
    ]


IN_HEADS = ("head-split-view", "heads-attend-heads", "merge-without-transpose", "scale-by-d-model")
IN_MASKS = ("mask-truth-value", "mask-leaks")
WRONG: list[tuple[str, Any, str]] = [
    *(("attention", bare(fault), fault) for fault in IN_HEADS),
    *(("attention", MultiHeadAttention(D, H, fault), fault) for fault in (*IN_HEADS, *IN_MASKS)),
    *(("attention", MultiHeadAttention(64, 8, fault), fault) for fault in IN_HEADS),
    ("attention", lambda q, k, v, mask=None: plain(q, k, v), "no-causal-mask"),
    ("attention", divided(1.0), "no-scale"),
    ("attention", lambda q, k, v: q + v, "no-attention"),
    ("positional", Positions(16, fault="pe-exponent-doubled"), "pe-exponent-doubled"),
    ("positional", loops, "pe-exponent-doubled"),
    ("positional", lambda length, d: np.sin(np.arange(length)[:, None] * np.ones(d)), "no-sinusoids"),
    ("mask", lambda n: torch.ones(n, n), "no-causal-mask"),
    ("mask", lambda n: torch.ones(n, n).tril(1), "mask-leaks"),
    ("mask", lambda n: torch.full((n, n), 1e-9).triu(1), "mask-leaks"),
    ("mask", lambda n: torch.full((n, n), -1.0).triu(1), "mask-leaks"),
    ("mask", lambda n: torch.ones(n, n, dtype=torch.bool).tril(-1), "masked-row-nan"),
    ("mask", lambda ids, pad: causal(ids.shape[1]).expand(len(ids), 1, -1, -1), "target-padding-unmasked"),
    ("mask", truth, "mask-truth-value"),
    ("layer_norm", StdNorm(16, eps=0.0), "no-epsilon"),
    ("layer_norm", lambda x: (x - x.mean()) / (x.std() + 1e-6), "norm-axis"),
    ("layer_norm", lambda x: F.layer_norm(x.mT, x.mT.shape[-1:]).mT, "norm-axis"),
    *(
        ("model", Translator(fault), fault)
        for fault in (
            *(*IN_HEADS, *IN_MASKS, "no-causal-mask", "cross-qkv-swapped", "pe-exponent-doubled"),
            *("source-partly", "prefix-ignored", "no-residual", "layer-unused", "shared-layers"),
            *("positions-twice", "dropout-in-evaluation", "batch-order", "source-padding"),
        )
    ),
    ("model", Translator("one-off"), "mask-leaks"),
]
FAULTY: dict[str, tuple[str, Make, str]] = {
    **others_faulty.FAULTY,
    **{
        f"{kind} {number}, {fault}": (kind, lambda given=given: given, fault)
        for number, (kind, given, fault) in enumerate(WRONG)
    },
}


@pytest.mark.sampled(16)
@pytest.mark.parametrize("name", FAULTY)
def test_every_mistake_is_named(name: str) -> None:
    kind, make, fault = FAULTY[name]
    verdict = getattr(core.check, kind)(make())
    assert not verdict and verdict.outcome == "faulty" and verdict.fault == fault, verdict
    assert verdict.pitfall == (fault if fault in IDS else "")
    assert bool(verdict.example) == ("for example" in repr(verdict)) == (fault != "norm-axis")
    assert fault in repr(verdict) or not verdict.pitfall


REMARKED: list[tuple[str, Any, str]] = [
    *(("layer_norm", norm, "std-plus-eps") for norm in (StdNorm(16), StdNorm(64, eps=1e-5), StdNorm(512))),
    ("layer_norm", shaken(StdNorm(24)), "std-plus-eps"),
    (
        "layer_norm",
        lambda x: (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, keepdim=True) + 1e-5),
        "std-plus-eps",
    ),
    *(
        ("model", Translator(fault), fault)
        for fault in ("std-plus-eps", "dropout-after-norm", "masked-row-nan")
    ),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("number", range(len(REMARKED)))
def test_what_can_be_meant_is_a_remark(number: int) -> None:
    kind, given, fault = REMARKED[number]
    verdict = getattr(core.check, kind)(given)
    assert verdict and any(f"See the pitfall {fault}." in each for each in verdict.remarks), verdict
    assert "remark: " in repr(verdict)


def test_a_verdict_says_what_was_measured() -> None:
    wide = core.check.attention(divided(math.sqrt(512)))
    assert wide.pitfall == "scale-by-d-model" and "22.6" in wide.example
    over_tokens = core.check.layer_norm(lambda x: F.layer_norm(x.mT, x.mT.shape[-1:]).mT)
    assert "over tokens" in over_tokens.message
    stopped = core.check.attention(lambda q, k, v: q @ torch.ones(99, 1))
    assert stopped.outcome == "undecided" and not stopped and "RuntimeError" in stopped.message


def test_one_function_two_layouts() -> None:
    """Right on heads before tokens, a mistake on tokens before heads: only the layout can say."""
    verdict = core.check.attention(over_heads, layout="bthd")
    assert verdict.pitfall == "heads-attend-heads"
    assert core.check.attention(tokens_before_heads, layout="bthd")
    with pytest.raises(InputError, match="layout is 'x'; choose one of bhtd"):
        core.check.attention(over_heads, layout="x")


def test_the_faulty_variants_of_the_core_are_named(tiny: Any) -> None:
    from core.learning.pitfalls import swapped

    size = tiny.config.source_vocab_size
    verdict = core.check.model(swapped(tiny.model), source_vocab=size, target_vocab=size)
    assert verdict.pitfall == "cross-qkv-swapped", verdict


def test_importing_core_does_not_import_the_checks() -> None:
    code = "import sys, core; assert 'torch' not in sys.modules and not any('learning' in m for m in sys.modules); core.check.attention(lambda q, k, v: q); assert 'torch' in sys.modules and 'torch._dynamo' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
