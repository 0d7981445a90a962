"""Where weights lie in memory: the same numbers wherever they lie, and never a copy that could be out of date."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import core
from core.api import Checkpoint
from core.model.attention import MultiHeadAttention
from core.model.hooks import Hooks
from core.model.linear import Joined, product, store_by_columns
from core.model.transformer import Transformer
from tests.core.conftest import SOURCE, TARGET


def weights_packed(checkpoint: Checkpoint) -> Checkpoint:
    return checkpoint.to("cpu")  # a copy, put in memory as loading does


def attentions(model: Transformer) -> list[MultiHeadAttention]:
    return [each for each in model.modules() if isinstance(each, MultiHeadAttention)]


def layers(count: int, size: int = 12, out: int = 8, biased: bool = True) -> list[nn.Linear]:
    return [nn.Linear(size, out, bias=biased).requires_grad_(False) for _ in range(count)]


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("biased", [True, False])
def test_layers_keep_their_values_and_give_the_same_products(count: int, biased: bool) -> None:
    parts, x = layers(count, 24, 40, biased), torch.randn(2, 5, 24)
    held = [{name: value.clone() for name, value in each.state_dict().items()} for each in parts]
    expected = [F.linear(x, each["weight"], each.get("bias")) for each in held]
    weight, bias = store_by_columns(parts)
    for part, before in zip(parts, held, strict=True):
        assert all(torch.equal(value, before[name]) for name, value in part.state_dict().items())
    torch.testing.assert_close(F.linear(x, weight, bias), torch.cat(expected, dim=-1))
    torch.testing.assert_close([part(x) for part in parts], expected)


def replaced(part: nn.Linear) -> None:
    part.weight = nn.Parameter(torch.randn(12, 12), requires_grad=False)


def data(part: nn.Linear) -> None:
    part.weight.data = torch.randn(12, 12)


def turned(part: nn.Linear) -> None:
    part.weight.data = part.weight.data.t()


def moved(part: nn.Linear) -> None:
    part.double()


def biased(part: nn.Linear) -> None:
    part.bias = nn.Parameter(torch.randn(12), requires_grad=False)


def bare(part: nn.Linear) -> None:
    part.register_parameter("bias", None)


@pytest.mark.parametrize("change", [replaced, data, turned, moved, biased, bare])
def test_layers_that_no_longer_lie_together_say_so(change: Callable[[nn.Linear], None]) -> None:
    """One is replaced or moved, as loading with `assign=True` or a student's experiment does."""
    parts = layers(3, 12, 12)
    joined = Joined(parts)
    assert joined.intact()
    change(parts[1])
    assert not joined.intact()


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(1, 12), (1, 1, 12), (12,), (2, 1, 12), (0, 12)])
def test_one_row_is_multiplied_as_any_number(shape: tuple[int, ...], bias: bool) -> None:
    x, part = torch.randn(shape), layers(1, 12, 7)[0]
    own = part.bias if bias else None
    with torch.inference_mode():
        found = product(x, part.weight, own)
        assert found.shape == (*shape[:-1], 7)
        torch.testing.assert_close(found, x @ part.weight.T + (0 if own is None else own))


def values(model: Transformer) -> Tensor:
    """The values of one self-attention for `SOURCE`, (B, H, T, d_h)."""
    hooks = Hooks(["encoder.1.self.v"])
    with torch.inference_mode():
        model.encode(SOURCE, hooks)
    return next(iter(hooks.records.values()))


@pytest.mark.parametrize("way", ["in place", "numpy", "data", "replaced", "loaded", "assigned"])
def test_a_changed_weight_is_used_at_once(way: str, tiny: Checkpoint) -> None:
    model = weights_packed(tiny).model
    name = "encoder_layers.1.self_attention.v_proj.weight"
    projection = model.encoder_layers[1].self_attention.v_proj
    zero = torch.zeros_like(projection.weight)
    if way == "in place":
        projection.weight.zero_()
    elif way == "numpy":
        projection.weight.detach().numpy()[:] = 0
    elif way == "data":
        projection.weight.data = zero
    elif way == "replaced":
        projection.weight = nn.Parameter(zero, requires_grad=False)
    else:
        model.load_state_dict({**model.state_dict(), name: zero}, assign=way == "assigned")
    read = values(model).transpose(1, 2).flatten(2)  # (B, T, d_model)
    torch.testing.assert_close(read, projection.bias.expand_as(read))


def test_packing_changes_no_name_no_shape_and_no_value(kind: Checkpoint) -> None:
    moved = weights_packed(kind)
    assert moved.model.weights_packed and not kind.model.weights_packed
    before, after = kind.model.state_dict(), moved.model.state_dict()
    assert list(before) == list(after)
    assert all(torch.equal(before[name], after[name]) for name in before)
    assert moved.digest == kind.digest
    hooks = Hooks(["*"]), Hooks(["*"])
    with torch.inference_mode():
        logits = [each.model(SOURCE, TARGET, seen) for each, seen in zip((kind, moved), hooks, strict=True)]
    assert torch.allclose(*logits, atol=1e-5)
    assert hooks[0].records.keys() == hooks[1].records.keys()


def test_queries_keys_and_values_are_one_product(kind: Checkpoint) -> None:
    layer = weights_packed(kind).model.decoder_layers[0]
    joined = [each.joined for each in (layer.self_attention, layer.cross_attention)]
    assert [each.count for each in joined if each is not None and each.intact()] == [3, 2]


def test_a_packed_model_is_saved_and_copied_whole(tiny: Checkpoint, tmp_path: Path) -> None:
    moved = weights_packed(tiny)
    core.save(tmp_path / "model", moved.model, moved.source_tokenizer, moved.target_tokenizer, {}, "float32")
    again = core.load(tmp_path / "model", device="cpu").model
    copied = copy.deepcopy(moved.model)
    assert again.weights_packed and not copied.weights_packed
    for model in (again, copied):
        assert all(
            torch.equal(a, b) for a, b in zip(model.parameters(), tiny.model.parameters(), strict=True)
        )
        assert torch.allclose(model(SOURCE, TARGET), tiny.model(SOURCE, TARGET), atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_a_packed_model_computes_in_other_types(dtype: torch.dtype, tiny: Checkpoint) -> None:
    model = weights_packed(tiny).model
    with torch.inference_mode():
        expected = model(SOURCE, TARGET)
        found = model.to(dtype)(SOURCE, TARGET)
        assert found.dtype == dtype
        assert not any(each.joined is None or each.joined.intact() for each in attentions(model))
        assert torch.allclose(found.float(), expected, atol=0.2)
        assert torch.equal(model.pack_weights()(SOURCE, TARGET).isfinite(), expected.isfinite())


def test_a_packed_model_is_trained_like_any_other(tiny: Checkpoint) -> None:
    """The same gradients, and after a step of the optimiser the joined product reads the new weights."""
    plain, packed = copy.deepcopy(tiny.model), weights_packed(tiny).model
    for model in (plain, packed):
        model.requires_grad_(True)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        model(SOURCE, TARGET).logsumexp(-1).sum().backward()
        optimizer.step()
    for one, other in zip(plain.parameters(), packed.parameters(), strict=True):
        torch.testing.assert_close(one.grad, other.grad, rtol=1e-4, atol=1e-5)
    assert packed.weights_packed and all(each.joined and each.joined.intact() for each in attentions(packed))
    with torch.inference_mode():
        torch.testing.assert_close(packed(SOURCE, TARGET), plain(SOURCE, TARGET), rtol=1e-4, atol=1e-4)
