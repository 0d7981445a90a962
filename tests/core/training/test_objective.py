"""The loss equals the textbook's, values and gradients; the quick dropout is dropout.

Which weights which optimiser moves, how far, and that a resumed run repeats the straight one.

The learning rate and the steps at which the heads are recorded.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F

from core.model.config import ModelConfig
from core.model.transformer import Transformer
from core.training import objective
from core.training.config import TrainingConfig
from core.training.loop import Trainer
from core.training.objective import (
    Objective,
    Optimizer,
    autocast,
    compiled,
    disagreement,
    is_layer_matrix,
    learning_rate,
    log_spaced_steps,
    mean_loss,
    smoothed_loss,
    token_loss,
)
from core.training.prepared import Example, make_batch
from core.training.process import kernels_for_training, quick_dropout
from tests.core.training.conftest import ALONE, MakeConfig


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_equals_cross_entropy(smoothing: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objective, "_SLICE", 7 * 50)  # several slices
    labels = torch.randint(0, 50, (40,), generator=torch.Generator().manual_seed(1))
    ours = torch.randn(40, 50, generator=torch.Generator().manual_seed(2)).mul_(5).requires_grad_()
    theirs = ours.detach().clone().requires_grad_()
    mine = smoothed_loss(ours, labels, smoothing)
    expected = F.cross_entropy(theirs, labels, reduction="sum", label_smoothing=smoothing)
    (mine * 0.3).backward()
    (expected * 0.3).backward()
    torch.testing.assert_close(mine, expected, rtol=1e-5, atol=1e-4)
    torch.testing.assert_close(ours.grad, theirs.grad, rtol=1e-4, atol=1e-6)


def test_the_caller_s_logits_are_left_alone() -> None:
    logits = torch.randn(3, 5)
    before = logits.clone()
    smoothed_loss(logits, torch.tensor([0, 1, 2]), 0.1)
    assert torch.equal(logits, before)


def test_disagreement_is_the_divergence_both_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objective, "_SLICE", 7 * 50)  # several slices
    draw = torch.Generator().manual_seed(3)
    ours = [torch.randn(40, 50, generator=draw).mul_(3).requires_grad_() for _ in range(2)]
    theirs = [logits.detach().clone().requires_grad_() for logits in ours]
    mine = disagreement(*ours)
    p, q = (logits.log_softmax(-1) for logits in theirs)
    expected = F.kl_div(q, p, reduction="sum", log_target=True) + F.kl_div(
        p, q, reduction="sum", log_target=True
    )
    (mine * 0.3).backward()
    (expected * 0.3).backward()
    torch.testing.assert_close(mine, expected, rtol=1e-5, atol=1e-4)
    for our, their in zip(ours, theirs, strict=True):
        torch.testing.assert_close(our.grad, their.grad, rtol=1e-4, atol=1e-5)


SMALL = ModelConfig(
    source_vocab_size=12, target_vocab_size=12, d_model=8, heads=2, d_ff=16, encoder_layers=1,
    decoder_layers=1, dropout=0.3,
)  # fmt: skip
DATA = [Example([5, 6, 7, 2], [8, 2]), Example([5, 2], [8, 9, 10, 2])]


def tiny() -> Transformer:
    torch.manual_seed(0)
    return Transformer(SMALL)


def test_padding_adds_nothing_to_the_loss() -> None:
    model = tiny().eval()
    alone = 0.0
    for row in (0, 1):
        batch = make_batch(DATA, [row], SMALL)
        alone += float(token_loss(model, batch.source, batch.target, batch.labels, 0.1).detach())
    batch = make_batch(DATA, [0, 1], SMALL)
    together = float(token_loss(model, batch.source, batch.target, batch.labels, 0.1).detach())
    assert together == pytest.approx(alone, rel=1e-5)


def test_r_drop_without_dropout_is_the_plain_loss() -> None:
    model = tiny().eval()
    batch = make_batch(DATA, [0, 1], SMALL)
    plain = Objective(model, 0.1)(batch.source, batch.target, batch.labels)
    twice = Objective(model, 0.1, r_drop=5.0)(batch.source, batch.target, batch.labels)
    torch.testing.assert_close(twice, plain, rtol=1e-5, atol=1e-5)


def test_r_drop_pulls_the_two_readings_of_one_token_together() -> None:
    """With dropout: half the two readings' losses, and a quarter of the weight of what lies between them, token by token."""
    batch = make_batch(DATA, [0, 1], SMALL)
    model = tiny().train()
    torch.manual_seed(4)
    found = Objective(model, 0.1, r_drop=5.0)(batch.source, batch.target, batch.labels)
    torch.manual_seed(4)
    pair = (batch.source.repeat(2, 1), batch.target.repeat(2, 1))
    first, second = model(*pair).chunk(2)  # (B, T, V) each
    keep = batch.labels != objective.IGNORED
    expected = torch.zeros(())
    for logits in (first, second):
        expected = expected + 0.5 * F.cross_entropy(
            logits[keep], batch.labels[keep], reduction="sum", label_smoothing=0.1
        )
    p, q = first[keep].softmax(-1), second[keep].softmax(-1)
    between = ((p - q) * (p.log() - q.log())).sum()
    assert between > 0.01
    torch.testing.assert_close(found, expected + 5 / 4 * between, rtol=1e-4, atol=1e-4)


def test_mean_loss_of_an_untrained_model_is_near_uniform() -> None:
    model = tiny().train()
    data = [Example([5, 6, 2], [8, 9, 2])] * 3
    loss = mean_loss(model, data, batch_tokens=6, precision="float32")
    assert model.training
    assert 1.5 < loss < 5  # log 12 = 2.48
    # Other batches take other kernels, which sum in another order.
    together = mean_loss(model, data, batch_tokens=100, precision="float32")
    assert loss == pytest.approx(together, rel=1e-5)


def test_quick_dropout_is_unbiased_and_scales_what_it_keeps() -> None:
    torch.manual_seed(0)
    x = torch.ones(1001, 333)
    dropped = quick_dropout(x, 0.15)
    assert (dropped == 0).float().mean() == pytest.approx(38 / 256, abs=0.003)
    assert dropped.mean() == pytest.approx(1.0, abs=0.003)
    assert dropped.unique().tolist() == pytest.approx([0, 256 / 218])
    # Each of the eight bytes of a draw is as likely to be dropped as the others.
    lanes = (dropped.flatten()[: 8 * 40000].view(-1, 8) == 0).float().mean(0)
    assert torch.all((lanes - 38 / 256).abs() < 0.01)
    assert torch.equal(quick_dropout(x, 0.0), x)
    assert not quick_dropout(x, 1.0).any()


def test_quick_dropout_passes_gradients_where_it_kept() -> None:
    x = torch.ones(100, requires_grad=True)
    y = quick_dropout(x, 0.5)
    y.sum().backward()
    assert torch.equal(x.grad, y.detach())


def test_kernels_only_inside_training_and_only_in_training_mode() -> None:
    x = torch.ones(4000)
    with kernels_for_training(torch.device("cpu")):
        assert F.dropout(x, 0.15, True).unique().tolist() == pytest.approx([0.0, 256 / 218])
        assert torch.equal(F.dropout(x, 0.15, False), x)
    assert pytest.approx(1 / 0.85) in F.dropout(x, 0.15, True).unique().tolist()
    with kernels_for_training(torch.device("meta")):
        assert pytest.approx(1 / 0.85) in F.dropout(x, 0.15, True).unique().tolist()


def test_the_training_kernels_give_the_same_loss_and_gradients() -> None:
    model = tiny().eval()
    batch = make_batch(DATA, [0, 1], SMALL)
    gradients = []
    for device in ("cpu", "meta"):
        model.zero_grad()
        with kernels_for_training(torch.device(device)):
            token_loss(model, batch.source, batch.target, batch.labels, 0.1).backward()
        gradients.append([parameter.grad.clone() for parameter in model.parameters()])
    for one, other in zip(*gradients, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


@pytest.mark.thorough
def test_what_torch_fuses_is_the_same_loss_and_the_same_gradients() -> None:
    """Followed by torch.compile in few pieces for batches of any shape; its code generator left out, so without a compiler."""
    pieces = []

    def keep(graph: torch.fx.GraphModule, _: object) -> object:
        pieces.append(graph)
        return graph.forward

    plain = Objective(tiny().eval(), 0.1)
    fused = torch.compile(plain, dynamic=True, backend=keep)
    for rows, sources, targets in ((4, 9, 7), (3, 12, 11), (2, 5, 6)):
        batch = [torch.randint(4, 12, size) for size in ((rows, sources), (rows, targets), (rows, targets))]
        found = []
        for each in (plain, fused):
            plain.zero_grad()
            loss = each(*batch)
            loss.backward()
            found.append((loss.detach(), [parameter.grad.clone() for parameter in plain.parameters()]))
        torch.testing.assert_close(found[1], found[0])
    assert 0 < len(pieces) <= 16  # a break at every site that can be recorded would make some sixty


def test_only_a_gpu_gets_fused_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, object]] = []
    monkeypatch.setattr(torch, "compile", lambda each, **options: asked.append(options) or each)
    plain = Objective(tiny(), 0.1)
    assert compiled(plain, torch.device("cpu")) is plain and not asked
    assert compiled(plain, torch.device("cuda")) is plain and asked == [{"dynamic": True}]


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA")
def test_training_in_bfloat16_with_fused_kernels_learns() -> None:
    """Without dropout and from fixed numbers, so that the loss falls on every machine as it does in plain float32."""
    device = torch.device("cuda")
    draw = torch.Generator().manual_seed(1)
    batch = [torch.randint(4, 12, size, generator=draw) for size in ((8, 9), (8, 7), (8, 7))]
    losses: dict[str, list[float]] = {}
    for name, precision in (("plain", "float32"), ("fused", "bfloat16")):
        torch.manual_seed(0)
        model = Transformer(replace(SMALL, dropout=0.0)).to(device)
        loss_of = Objective(model, 0.0)
        step = compiled(loss_of, device) if name == "fused" else loss_of
        optimizer = torch.optim.Adam(model.parameters(), 1e-2)
        losses[name] = []
        for _ in range(40):
            optimizer.zero_grad()
            with autocast(device, precision):
                loss = step(*(each.to(device) for each in batch))
            (loss / 56).backward()
            optimizer.step()
            losses[name].append(float(loss.detach()))
    assert losses["fused"][-1] < 0.7 * losses["fused"][0], losses
    assert losses["fused"][0] == pytest.approx(losses["plain"][0], rel=0.02), losses
    assert losses["fused"][-1] == pytest.approx(losses["plain"][-1], rel=0.15), losses


MUON = 'optimizer = "muon"\n'


def trained(config: TrainingConfig, steps: int) -> Trainer:
    trainer = Trainer(config, ALONE)
    trainer.resume()
    batches = trainer.batches()
    trainer.model.train()
    while trainer.step < steps:
        trainer.update(next(batches))
    return trainer


def test_muon_moves_the_matrices_of_the_layers_and_nothing_else(make_config: MakeConfig) -> None:
    trainer = Trainer(make_config(extra=MUON), ALONE)
    adam, muon = trainer.optimizer.parts
    named = dict(trainer.model.named_parameters())
    names = {id(parameter): name for name, parameter in named.items()}
    by_muon = {names[id(p)] for group in muon.param_groups for p in group["params"]}
    by_adam = {names[id(p)] for group in adam.param_groups for p in group["params"]}
    assert by_muon | by_adam == set(named)
    assert not by_muon & by_adam
    # One encoder layer: q, k, v, output, up, down; one decoder layer: the same and cross-attention's four.
    assert len(by_muon) == 6 + 10
    assert all(name.endswith("_proj.weight") for name in by_muon)
    assert not any(is_layer_matrix(name, named) for name in by_adam)


def test_an_update_of_muon_is_orthogonal_and_has_the_size_of_one_of_adam(make_config: MakeConfig) -> None:
    """A first update is 0.2 · lr · √max(rows, columns) times a matrix whose singular values are all near 1."""
    trainer = Trainer(make_config(extra=MUON), ALONE)
    weight = trainer.model.encoder_layers[0].feed_forward.up_proj.weight
    before = weight.detach().clone()
    torch.manual_seed(0)
    for parameter in trainer.model.parameters():
        parameter.grad = torch.randn_like(parameter)
    trainer.optimizer.step(0.01)
    step = (before - weight.detach()) / (0.2 * 0.01 * max(weight.shape) ** 0.5)
    values = torch.linalg.svdvals(step)
    # Five iterations of Newton and Schulz, in half precision, come no nearer to 1.
    assert values.min() > 0.6 and values.max() < 1.3
    assert weight.grad is None


def test_adam_alone_is_the_default(make_config: MakeConfig) -> None:
    trainer = Trainer(make_config(), ALONE)
    assert [type(part).__name__ for part in trainer.optimizer.parts] == ["Adam"]


def test_a_run_with_muon_resumes_bit_for_bit(make_config: MakeConfig) -> None:
    straight = trained(make_config("straight", extra=MUON), 6)
    halfway = trained(make_config("halves", extra=MUON), 3)
    halfway.save()
    resumed = trained(make_config("halves", extra=MUON), 6)
    ours, theirs = resumed.model.state_dict(), straight.model.state_dict()
    assert all(torch.equal(ours[name], theirs[name]) for name in theirs)


def test_the_state_of_a_lone_adam_is_read(make_config: MakeConfig) -> None:
    trainer = trained(make_config(), 2)
    other = Optimizer(trainer.model, trainer.settings, torch.device("cpu"))
    other.load_state_dict(trainer.optimizer.parts[0].state_dict())
    assert other.learning_rate == trainer.optimizer.learning_rate > 0


def rate(step: int, cooldown: float = 0.0, max_steps: int = 1000) -> float:
    return learning_rate(step, peak=2.0, warmup_steps=100, max_steps=max_steps, cooldown=cooldown)


def test_warm_up_then_inverse_square_root() -> None:
    assert rate(1) == pytest.approx(0.02)
    assert rate(50) == pytest.approx(1.0)
    assert rate(100) == pytest.approx(2.0)
    assert rate(400) == pytest.approx(1.0)


def test_cool_down_ends_just_above_zero() -> None:
    assert rate(750, cooldown=0.25) == rate(750)
    assert rate(875, cooldown=0.25) == pytest.approx(rate(875) / 2, rel=0.01)
    assert 0 < rate(1000, cooldown=0.25) < 0.01 * rate(1000)
    falling = [rate(step, cooldown=0.25) for step in range(100, 1001)]
    assert falling == sorted(falling, reverse=True)


@pytest.mark.parametrize(
    ("count", "steps"), [(28, 9000), (24, 30), (6, 5), (24, 100_000), (3, 100), (1, 10), (2, 1)]
)
def test_log_spaced_steps(count: int, steps: int) -> None:
    chosen = log_spaced_steps(count, steps)
    assert chosen[0] == 0
    assert chosen[-1] == steps
    assert len(chosen) >= min(count, steps + 1)
    assert chosen == sorted(set(chosen))
    assert log_spaced_steps(0, steps) == []
