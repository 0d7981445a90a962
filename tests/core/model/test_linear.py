"""Products and how weights lie in memory: the same numbers wherever they lie, and never a copy that could be out of date."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F

import core
from core.api import Checkpoint
from core.model import linear as products
from core.model.attention import MultiHeadAttention
from core.model.hooks import Hooks
from core.model.linear import FusedWeights, Linear, linear
from tests.core.conftest import SOURCE, TARGET


def weights_packed(checkpoint: Checkpoint) -> Checkpoint:
    return checkpoint.to("cpu")  # a copy, put in memory as loading does


@pytest.mark.parametrize("rows", [1, 2, 5, 40])
@pytest.mark.parametrize(("size", "out"), [(24, 72), (72, 24), (24, 24), (64, 512), (512, 64)])
@pytest.mark.parametrize("biased", [True, False])
def test_a_product_is_the_same_wherever_its_matrix_lies(
    rows: int, size: int, out: int, biased: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(products, "_LEAST_MULTIPLICATIONS", 0)  # these are small
    x, weight, bias = torch.randn(2, rows, size), torch.randn(out, size), torch.randn(out) if biased else None
    expected = F.linear(x.double(), weight.double(), None if bias is None else bias.double()).float()
    part = torch.randn(size, 3 * out).t()[out : 2 * out].copy_(weight)  # a part of a wider one
    for matrix in (weight, weight.t().contiguous().t(), part):
        with torch.inference_mode():
            assert torch.allclose(linear(x, matrix, bias), expected, atol=1e-4)
            assert torch.allclose(
                linear(x.transpose(0, 1), matrix, bias), expected.transpose(0, 1), atol=1e-4
            )
        assert torch.allclose(linear(x, matrix, bias), expected, atol=1e-4)


@pytest.mark.sampled(10)
@pytest.mark.parametrize("rows", [1, 2, 5, 40])
@pytest.mark.parametrize(("size", "out"), [(24, 72), (256, 512), (512, 256), (64, 1024)])
@pytest.mark.parametrize("biased", [True, False])
def test_a_laid_out_projection_is_the_same(
    rows: int, size: int, out: int, biased: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """512 and 1024 outputs get spare room, which nobody may see."""
    monkeypatch.setattr(products, "_LEAST_MULTIPLICATIONS", 0)
    projection, x = Linear(size, out, bias=biased).requires_grad_(False), torch.randn(2, rows, size)
    held = {name: value.clone() for name, value in projection.state_dict().items()}
    expected = F.linear(x, held["weight"], held.get("bias"))
    projection.pack_weights()
    assert all(torch.equal(value, held[name]) for name, value in projection.state_dict().items())
    for chosen in (x, x.transpose(0, 1).contiguous().transpose(0, 1)):
        with torch.inference_mode():
            assert torch.allclose(projection(chosen), expected, atol=1e-5)
        assert torch.allclose(projection(chosen), expected, atol=1e-5)
        assert projection(chosen).shape == (2, rows, out)


@pytest.mark.parametrize(("size", "out"), [(24, 72), (72, 24), (24, 24)])
@pytest.mark.parametrize("biased", [True, False])
@pytest.mark.parametrize("wanted", ["all", "weight", "input"])
def test_a_product_can_be_trained_through(
    size: int, out: int, biased: bool, wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every gradient is that of torch's own product, whichever of the two makes it."""
    monkeypatch.setattr(products, "_LEAST_MULTIPLICATIONS", 0)
    x = torch.randn(3, 7, size, requires_grad=wanted != "weight")
    weight = torch.randn(out, size, requires_grad=wanted != "input")
    bias = torch.randn(out, requires_grad=wanted != "input") if biased else None
    asked = [each for each in (x, weight, bias) if each is not None and each.requires_grad]
    down = torch.randn(3, 7, out)
    found, known = linear(x, weight, bias), F.linear(x, weight, bias)
    assert found.grad_fn is not None and type(found.grad_fn) is not type(known.grad_fn)
    assert torch.allclose(found, known, atol=1e-5)
    for ours, theirs in zip(
        torch.autograd.grad(found, asked, down), torch.autograd.grad(known, asked, down), strict=True
    ):
        assert torch.allclose(ours, theirs, atol=1e-4)
        assert ours.is_contiguous()


@pytest.mark.parametrize("how", ["replaced", "data", "turned", "moved", "bias", "none", "trained"])
def test_projections_that_no_longer_lie_together_say_so(how: str) -> None:
    """One is replaced, as loading with `assign=True` or a student's experiment does."""
    parts = [Linear(12, 12).requires_grad_(False) for _ in range(3)]
    whole, other = FusedWeights.of(parts), parts[1]
    if how == "replaced":
        other.weight = torch.nn.Parameter(torch.randn(12, 12), requires_grad=False)
    elif how == "data":
        other.weight.data = torch.randn(12, 12)
    elif how == "turned":
        other.weight.data = other.weight.data.t()
    elif how == "moved":
        other.double()
    elif how == "bias":
        other.bias = torch.nn.Parameter(torch.randn(12), requires_grad=False)
    elif how == "none":
        other.register_parameter("bias", None)
    else:
        other.requires_grad_(True)
    assert not whole.intact()


def test_laying_out_changes_no_name_no_shape_and_no_value(kind: Checkpoint) -> None:
    moved = weights_packed(kind)
    before, after = kind.model.state_dict(), moved.model.state_dict()
    assert list(before) == list(after)
    assert all(torch.equal(before[name], after[name]) for name in before)
    assert [name for name, _ in kind.model.named_parameters()] == [
        n for n, _ in moved.model.named_parameters()
    ]
    assert moved.digest == kind.digest
    hooks = Hooks(["*"]), Hooks(["*"])
    with torch.inference_mode():
        logits = [each.model(SOURCE, TARGET, seen) for each, seen in zip((kind, moved), hooks, strict=True)]
    assert torch.allclose(*logits, atol=1e-5)
    assert hooks[0].records.keys() == hooks[1].records.keys()


def test_a_laid_out_model_is_saved_and_copied_whole(tiny: Checkpoint, tmp_path: Path) -> None:
    moved = weights_packed(tiny)
    core.save(tmp_path / "model", moved.model, moved.source_tokenizer, moved.target_tokenizer, {}, "float32")
    again = core.load(tmp_path / "model", device="cpu").model
    copied = copy.deepcopy(moved.model)
    for model in (again, copied):
        assert all(
            torch.equal(a, b) for a, b in zip(model.parameters(), tiny.model.parameters(), strict=True)
        )
        assert torch.allclose(model(SOURCE, TARGET), tiny.model(SOURCE, TARGET), atol=1e-5)


def test_loading_puts_queries_keys_and_values_together(kind: Checkpoint) -> None:
    def joined(attention: MultiHeadAttention) -> int:
        return attention.joint.count if attention.joint is not None and attention.joint.intact() else 0

    layer = weights_packed(kind).model.decoder_layers[0]
    assert joined(layer.self_attention) == 3
    assert joined(layer.cross_attention) == 2
    assert joined(kind.model.decoder_layers[0].self_attention) == 0


@pytest.mark.parametrize("hidden", [16, 512])  # 512 gets spare room
@pytest.mark.parametrize("way", ["in place", "data", "numpy", "replaced", "moved"])
def test_a_changed_matrix_of_any_kind_is_used_at_once(
    way: str, hidden: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(products, "_LEAST_MULTIPLICATIONS", 0)
    projection, x = Linear(8, hidden).requires_grad_(False), torch.ones(3, 8)
    projection.pack_weights()
    with torch.inference_mode():
        projection(x)
    assert projection.bias is not None
    if way == "in place":
        projection.weight.fill_(2)
    elif way == "data":
        projection.weight.data[:] = 2
    elif way == "numpy":
        projection.weight.detach().numpy()[:] = 2
    elif way == "replaced":
        projection.weight = torch.nn.Parameter(torch.full((hidden, 8), 2.0), requires_grad=False)
    else:
        projection.weight.data = torch.full((hidden, 8), 2.0)
    with torch.inference_mode():
        assert torch.allclose(projection(x), 16 + projection.bias.expand(3, -1))
        assert torch.allclose(projection(x[:1]), 16 + projection.bias[None])


def test_a_replaced_weight_of_a_model_is_used_at_once(tiny: Checkpoint) -> None:
    """One of three that lie together; ways to change one in its place are above."""
    model = weights_packed(tiny).model
    projection = model.decoder_layers[1].self_attention.v_proj
    projection.weight = torch.nn.Parameter(torch.zeros_like(projection.weight), requires_grad=False)
    hooks = Hooks(["decoder.1.self.v"])
    with torch.inference_mode():
        model(SOURCE.repeat(1, 4), TARGET, hooks)
    (values,) = hooks.records.values()
    assert projection.bias is not None
    assert torch.allclose(values.transpose(1, 2).flatten(2), projection.bias.expand(2, 4, -1))
