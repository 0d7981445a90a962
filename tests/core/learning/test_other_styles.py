"""`core.check` on what is built otherwise: who is who, the third verdict, and what it does to what it is given."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import core
from core.learning import calling
from core.learning.probing import Recorder
from core.model.positions import sinusoid_table
from tests.core.learning.others_correct import (
    Annotated,
    KeyQueryValue,
    MasksByHand,
    MinimalCausal,
    ValuesFirst,
)
from tests.core.learning.others_faulty import FourAxes
from tests.core.learning.written import Translator


@pytest.fixture(autouse=True)
def _seeded() -> Iterator[None]:
    torch.manual_seed(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


# -- who is who ---------------------------------------------------------------------------------------------


def test_names_decide_and_places_only_where_they_do_not() -> None:
    def roles(fn: Any, **options: Any) -> list[str]:
        return [each.role for each in calling.arguments(fn, **options)]

    assert roles(lambda values, keys, query, mask: 0) == ["value", "key", "query", "mask"]
    assert roles(lambda K, Q, V: 0) == ["key", "query", "value"]  # noqa: N803
    assert roles(lambda x, memory, src_key_padding_mask=None: 0) == ["query", "memory", "padding"]
    assert roles(lambda a, b, c: 0) == ["query", "key", "value"]
    assert roles(lambda x, y: 0) == ["query", "memory"]
    assert roles(lambda x, y: 0, ids=True) == ["memory", "query"]
    assert roles(lambda tgt, src, tgt_mask=None: 0, ids=True) == ["query", "memory", "mask"]
    assert roles(lambda hidden_states, past_key_value=None: 0) == ["query", "state"]
    assert roles(lambda query_states, key_states, value_states: 0) == ["query", "key", "value"]


def test_all_orders_of_one_module_get_one_verdict() -> None:
    module = KeyQueryValue()
    orders = (
        lambda m, query, key, value: m(key, query, value),
        lambda m, v, k, q: m(k, q, v),
        lambda m, x, memory: m(memory, x, memory),
        lambda m, x: m(x, x, x),
    )
    for call in orders:
        assert core.check.attention(module, call=call).outcome == "correct"
    exchanged = core.check.attention(module, call=lambda m, query, key, value: m(query, key, value))
    assert exchanged.fault == "cross-qkv-swapped", exchanged


# -- the third verdict --------------------------------------------------------------------------------------


class NeedsMore(nn.Module):
    """Cannot be called without something of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = Annotated()

    def forward(self, x: Tensor, routing: dict[str, Tensor]) -> Tensor:
        return self.inner(x, x, x, routing["all"])


@pytest.mark.parametrize("kind", ["attention", "positional", "mask", "layer_norm", "model"])
def test_what_cannot_be_called_is_not_accused_and_the_call_is_written(kind: str) -> None:
    def stubborn(one: Any, two: Any, three: Any, four: Any) -> Any:
        raise KeyError("nothing works")

    class Stubborn(nn.Module):
        def forward(self, one: Any, two: Any, three: Any, four: Any) -> Any:
            raise KeyError("nothing works")

    verdict = getattr(core.check, kind)(Stubborn() if kind == "model" else stubborn)
    assert verdict.outcome == "undecided" and not verdict and not verdict.fault, verdict
    assert f"core.check.{kind}(" in verdict.example and len(repr(verdict)) < 700


def test_the_call_can_be_written_by_hand() -> None:
    assert core.check.attention(NeedsMore()).outcome == "undecided"
    free = torch.ones(1, 1, 1)
    assert core.check.attention(NeedsMore(), call=lambda m, x: m(x, {"all": free}))
    handed = core.check.attention(FourAxes(64, wrong="mask not used"), call=lambda m, x, mask: m(x, mask))
    assert handed.fault == "no-causal-mask", handed


class Stack(nn.Module):
    """Two attentions, one after the other."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(KeyQueryValue() for _ in range(2))

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = x + layer(x, x, x)[0]
        return x


class Kernel(FourAxes):
    """Linear attention: no map of weights at all."""

    def forward(self, x: Tensor, attention_mask: Any = None) -> Tensor:
        q, k, v = (self.cut(to(x)).exp() for to in (self.query, self.key, self.value))
        mixed = q @ (k.mT @ v) / (q @ k.sum(-2, keepdim=True).mT)
        return self.proj(mixed.transpose(1, 2).flatten(2))


class Turned(FourAxes):
    """Positions turn queries and keys, so that no scale can be read off."""

    def cut(self, x: Tensor) -> Tensor:
        parts = super().cut(x)
        angle = torch.arange(parts.shape[2])[:, None] / 10 ** torch.arange(parts.shape[-1] // 2)
        a, b = parts.chunk(2, dim=-1)
        return torch.cat([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], dim=-1)


def test_what_is_built_otherwise_is_not_accused() -> None:
    verdict = core.check.attention(Kernel())
    assert verdict.outcome == "undecided" and not verdict.fault, verdict
    for other in (Stack(), Turned(), nn.TransformerEncoderLayer(32, 4, 64)):
        assert core.check.attention(other)
    assert core.check.attention(nn.TransformerDecoderLayer(32, 4, 64, batch_first=True))


class AlwaysDropped(FourAxes):
    """A dropout that forgets about evaluation."""

    def forward(self, x: Tensor, attention_mask: Any = None) -> Tensor:
        return nn.functional.dropout(super().forward(x), 0.1)


class Hides(nn.Module):
    """A mask that must be passed, 1 for what is hidden, filled with −inf or with less."""

    def __init__(self, fill: float) -> None:
        super().__init__()
        self.inner, self.fill = FourAxes(16, 2), fill

    def forward(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
        inner = self.inner
        a, b, c = inner.cut(inner.query(q)), inner.cut(inner.key(k)), inner.cut(inner.value(v))
        scores = (a @ b.mT / a.shape[-1] ** 0.5).masked_fill(mask.bool(), self.fill)
        return inner.proj((scores.softmax(-1) @ c).transpose(1, 2).flatten(2))


class HidesInside(MasksByHand):
    """A model of such attentions."""

    def __init__(self, fill: float) -> None:
        super().__init__(d=16)
        self.enc, self.dec, self.cross = (Hides(fill) for _ in range(3))  # type: ignore[assignment]

    def forward(self, src: Tensor, tgt: Tensor, src_mask: Any, tgt_mask: Any) -> Tensor:  # type: ignore[override]
        return super().forward(src, tgt, src_mask, tgt_mask)


def test_masks_that_must_be_passed_and_hide_where_they_are_true() -> None:
    assert core.check.attention(Hides(-1e9))
    assert not core.check.attention(Hides(-1e9)).remarks
    (remark,) = core.check.attention(Hides(-torch.inf)).remarks
    assert "becomes NaN" in remark and "masked-row-nan" in remark
    assert all(core.check.model(HidesInside(fill)) for fill in (-1e9, -torch.inf))


def test_random_results_are_not_judged() -> None:
    verdict = core.check.attention(lambda q, k, v: q @ k.mT @ v + torch.rand(1))
    assert verdict.outcome == "undecided" and not verdict.fault, verdict
    assert core.check.attention(AlwaysDropped()).fault == "dropout-in-evaluation"


# -- what it does to what it is given -----------------------------------------------------------------------


def test_what_is_handed_over_is_not_changed_and_keeps_the_results_of_its_last_call() -> None:
    module = Annotated()
    module(*[torch.randn(2, 3, 32)] * 3)
    kept, before = module.seen, {name: each.clone() for name, each in module.state_dict().items()}
    assert core.check.attention(module)
    core.check.model(translator := Translator().train())
    assert module.seen is kept and module.training and translator.training
    assert all(torch.equal(each, before[name]) for name, each in module.state_dict().items())


@pytest.mark.thorough
def test_the_same_verdict_whatever_the_weights_and_the_seed() -> None:
    text = set()
    for seed in range(3):
        torch.manual_seed(seed)
        text.add(repr(core.check.attention(MinimalCausal())))
        torch.randn(5)
        with torch.no_grad():
            for each in (zeroed := ValuesFirst()).parameters():
                each.zero_()
        assert core.check.attention(zeroed)
    assert len(text) == 1


def test_a_recorder_sees_its_own_thread_alone() -> None:
    seen: list[int] = []

    def other() -> None:
        torch.softmax(torch.ones(3), -1)

    with Recorder() as recorder:
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        seen.append(len(recorder.softmaxes))
        torch.softmax(torch.ones(3), -1)
    assert seen == [0] and len(recorder.softmaxes) == 1


def test_fused_attention_gives_what_torch_gives() -> None:
    q, k, v = (torch.randn(2, 3, n, 8) for n in (5, 7, 7))
    hidden = torch.rand(5, 7) > 0.5
    hidden[2] = False  # a row that may attend to nothing
    for options in ({}, {"attn_mask": hidden}, {"attn_mask": torch.randn(5, 7)}, {"scale": 0.3}):
        wanted = nn.functional.scaled_dot_product_attention(q, k, v, **options)
        with Recorder() as recorder:
            out = nn.functional.scaled_dot_product_attention(q, k, v, **options)
        assert len(recorder.softmaxes) == 1 and torch.allclose(out, wanted, atol=1e-5)


# -- masks, scale and norms apart ---------------------------------------------------------------------------


@pytest.mark.sampled(1)
@pytest.mark.parametrize("width", [8, 12, 64, 96])
def test_a_faulty_mask_is_found_at_every_width(width: int) -> None:
    for wrong, fault in (
        ("mask not used", "no-causal-mask"),
        ("mask multiplied", "mask-leaks"),
    ):
        verdict = core.check.attention(FourAxes(width, wrong=wrong))
        assert verdict.fault == fault, (width, verdict)
    assert core.check.attention(FourAxes(width)) and core.check.attention(FourAxes(width, wrong="empty row"))


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("heads", "divisor"), [(1, 48**0.5), (2, 24**0.5), (6, 8**0.5), (12, 2.0)])
def test_the_scale_is_measured_for_any_number_of_heads(heads: int, divisor: float) -> None:
    assert core.check.attention(ValuesFirst(48, heads, divisor))
    assert core.check.attention(ValuesFirst(48, heads, 1.0)).fault == "no-scale"
    assert core.check.attention(ValuesFirst(48, heads, divisor**2)).fault == "scale-without-root"
    if heads > 1:
        assert core.check.attention(ValuesFirst(48, heads, 48**0.5)).fault == "scale-by-d-model"


def causal_of(ids: Tensor) -> Tensor:
    return torch.ones(len(ids), 1, ids.shape[1], ids.shape[1]).tril()


def test_a_causal_mask_of_tokens_is_accused_only_where_it_was_to_hide_padding() -> None:
    verdict = core.check.mask(causal_of)
    assert verdict and "target-padding-unmasked" in verdict.remarks[0]

    def four(src: Tensor, tgt: Tensor) -> tuple[Tensor, ...]:
        return torch.zeros(6, 6).bool(), ~causal_of(tgt)[0].bool(), src == 0, tgt == 0

    assert core.check.mask(four)

    def with_pad(ids: Tensor, pad: int) -> Tensor:
        return causal_of(ids)

    assert core.check.mask(with_pad).pitfall == "target-padding-unmasked"


@pytest.mark.parametrize("eps", [1e-12, 1e-8, 1e-6])
@pytest.mark.parametrize("width", [16, 64, 512, 2048])
def test_the_unbiased_deviation_is_told_from_the_biased_at_every_epsilon(width: int, eps: float) -> None:
    def norm(unbiased: bool, gain: Tensor) -> Callable[[Tensor], Tensor]:
        return lambda x: (
            gain * (x - x.mean(-1, keepdim=True)) / (x.std(-1, unbiased=unbiased, keepdim=True) + eps)
        )

    ones = torch.ones(width)
    assert "std-plus-eps" in core.check.layer_norm(norm(True, ones), d_model=width).remarks[0]
    if eps == 1e-12:
        assert not core.check.layer_norm(norm(False, ones), d_model=width).remarks


TURNED = [n ^ 1 for n in range(16)]  # cosine before sine


@pytest.mark.parametrize("shape", [(1, 40, 16), (40, 1, 16), (40, 16)])
def test_positions_are_read_in_every_layout(shape: tuple[int, ...]) -> None:
    class Added(nn.Module):
        def __init__(self, power: float) -> None:
            super().__init__()
            angle = torch.arange(40)[:, None] / 10000 ** (torch.arange(0, 16, 2) * power / 16)
            table = torch.stack([angle.sin(), angle.cos()], 2).flatten(1)
            self.register_buffer("table", table.reshape(shape))

        def forward(self, x: Tensor) -> Tensor:
            table: Any = self.table
            return x + (table[:, : x.shape[1]] if shape[0] == 1 else table[: len(x)])

    assert core.check.positional(Added(1.0))
    assert core.check.positional(Added(2.0)).pitfall == "pe-exponent-doubled"
    twice = core.check.positional(lambda length, d: 2 * torch.from_numpy(sinusoid_table(length, d)))
    assert twice.fault == "positions-twice"
    turned = core.check.positional(lambda length, d: torch.from_numpy(sinusoid_table(length, d))[:, TURNED])
    assert turned and "another order" in turned.remarks[0]
    same = core.check.positional(
        lambda length, d: torch.from_numpy(sinusoid_table(length, d))[3:4].repeat(length, 1)
    )
    assert same.fault == "no-sinusoids" and "same numbers" in same.message


def test_a_table_of_width_then_length() -> None:
    def table(d_model: int, max_len: int) -> Tensor:
        angle = torch.arange(max_len)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
        return torch.cat([angle.sin(), angle.cos()], 1)

    assert core.check.positional(table, length=30, d_model=12)
