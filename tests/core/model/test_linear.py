"""Products and how weights lie in memory: the same numbers wherever they lie, and never a copy that could be out of date."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

import core
from core.api import Checkpoint
from core.model import linear as products
from core.model.attention import MultiHeadAttention
from core.model.hooks import Hooks
from core.model.linear import Linear, along_longer_axis, linear, put_together, together

SOURCE, TARGET = (
    torch.tensor([[5, 6, 7, 2, 0, 0], [8, 9, 10, 11, 12, 2]]),
    torch.tensor([[1, 6, 7, 0], [1, 9, 8, 7]]),
)


def laid_out(checkpoint: Checkpoint) -> Checkpoint:
    return checkpoint.to("cpu")  # a copy, put in memory as loading does


@pytest.mark.parametrize("rows", [1, 5, 16, 40])
@pytest.mark.parametrize(("size", "out"), [(24, 72), (72, 24), (24, 24)])
@pytest.mark.parametrize("biased", [True, False])
def test_a_product_is_the_same_wherever_its_matrix_lies(rows: int, size: int, out: int, biased: bool) -> None:
    x, weight, bias = torch.randn(2, rows, size), torch.randn(out, size), torch.randn(out) if biased else None
    expected = F.linear(x.double(), weight.double(), None if bias is None else bias.double()).float()
    part = torch.randn(size, 3 * out).t()[out : 2 * out].copy_(weight)  # a part of a wider one
    for matrix in (weight, along_longer_axis(weight), weight.t().contiguous().t(), part):
        with torch.inference_mode():
            assert torch.allclose(linear(x, matrix, bias), expected, atol=1e-4)
            assert torch.allclose(
                linear(x.transpose(0, 1), matrix, bias), expected.transpose(0, 1), atol=1e-4
            )
        assert torch.allclose(linear(x, matrix, bias), expected, atol=1e-4)


def test_a_product_can_be_trained_through() -> None:
    x, weight = torch.randn(40, 8), torch.randn(12, 8, requires_grad=True)
    linear(x, weight).sum().backward()
    assert weight.grad is not None
    assert torch.allclose(weight.grad, x.sum(0).expand(12, 8), atol=1e-5)


def test_projections_side_by_side_are_one_product(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [Linear(8, 12).requires_grad_(False) for _ in range(3)]
    x = torch.randn(2, 5, 8)
    apart = [part(x) for part in parts]
    put_together(parts)
    assert all(torch.equal(part(x), known) for part, known in zip(parts, apart, strict=True))
    made: list[tuple[int, ...]] = []
    monkeypatch.setattr(products, "linear", lambda x, w, b: made.append(tuple(w.shape)) or F.linear(x, w, b))
    for found, known in zip(together(parts, x), apart, strict=True):
        assert torch.allclose(found, known, atol=1e-6)
    assert made == [(36, 8)]


@pytest.mark.parametrize("biased", [True, False])
def test_projections_that_no_longer_lie_together_are_still_right(biased: bool) -> None:
    """One is replaced, as loading with `assign=True` or a student's experiment does."""
    parts = [Linear(8, 12, bias=biased).requires_grad_(False) for _ in range(3)]
    put_together(parts)
    parts[1].weight = torch.nn.Parameter(torch.randn(12, 8), requires_grad=False)
    if biased:
        parts[2].bias = torch.nn.Parameter(torch.randn(12), requires_grad=False)
    x = torch.randn(2, 5, 8)
    for found, part in zip(together(parts, x), parts, strict=True):
        assert torch.allclose(found, F.linear(x, part.weight, part.bias), atol=1e-6)


def test_laying_out_changes_no_name_no_shape_and_no_value(kind: Checkpoint) -> None:
    moved = laid_out(kind)
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
    moved = laid_out(tiny)
    core.save(tmp_path / "model", moved.model, moved.source_tokenizer, moved.target_tokenizer, {}, "float32")
    again = core.load(tmp_path / "model", device="cpu").model
    copied = copy.deepcopy(moved.model)
    for model in (again, copied):
        assert all(
            torch.equal(a, b) for a, b in zip(model.parameters(), tiny.model.parameters(), strict=True)
        )
        assert torch.allclose(model(SOURCE, TARGET), tiny.model(SOURCE, TARGET), atol=1e-5)


def test_loading_puts_queries_keys_and_values_together(kind: Checkpoint) -> None:
    def shown(attention: MultiHeadAttention) -> list[Tensor]:
        return [attention.q_proj.weight, attention.k_proj.weight, attention.v_proj.weight]

    model = laid_out(kind).model
    layer = model.decoder_layers[0]
    assert products._joined(shown(layer.self_attention)) is not None
    assert products._joined(shown(layer.cross_attention)[1:]) is not None
    assert products._joined(shown(kind.model.decoder_layers[0].self_attention)) is None


@pytest.mark.parametrize("way", ["in place", "data", "numpy", "replaced"])
def test_a_changed_weight_is_used_at_once(tiny: Checkpoint, way: str) -> None:
    """However it is changed: there is no second copy of a weight anywhere."""
    model = laid_out(tiny).model
    with torch.inference_mode():
        before = model(SOURCE.repeat(1, 4), TARGET)
    projection = model.decoder_layers[1].self_attention.v_proj
    if way == "in place":
        with torch.no_grad():
            projection.weight.mul_(0)
    elif way == "data":
        projection.weight.data[:] = 0
    elif way == "numpy":
        projection.weight.detach().numpy()[:] = 0
    else:
        projection.weight = torch.nn.Parameter(torch.zeros_like(projection.weight), requires_grad=False)
    hooks = Hooks(["decoder.1.self.v"])
    with torch.inference_mode():
        after = model(SOURCE.repeat(1, 4), TARGET, hooks)
    (values,) = hooks.records.values()
    assert projection.bias is not None
    assert torch.allclose(values.transpose(1, 2).flatten(2), projection.bias.expand(2, 4, -1))
    assert not torch.allclose(before, after)
