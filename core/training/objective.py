"""What is minimised, and by which steps: label-smoothed cross-entropy, with R-Drop's term on request; Adam or Muon.

Muon updates the matrices of the layers, Adam the rest.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

import torch
from torch import Tensor, nn

from core.model.transformer import Transformer
from core.training.config import LoopConfig
from core.training.prepared import IGNORED, Example, make_batch, plan_epoch

_SLICE = 1 << 20  # logits handled at once: 4 MiB in float32


class _SmoothedLoss(torch.autograd.Function):
    """Cross-entropy whose gradient is computed in the forward pass, a slice of rows at a time, while they are in the cache.

    On a CPU the plain chain (to float32, log-softmax, loss, and back) moves a (N, V) array through memory some
    ten times and costs a fifth of a training step; here the gradient simply replaces the logits.
    """

    @staticmethod
    def forward(ctx: Any, logits: Tensor, labels: Tensor, smoothing: float) -> Tensor:
        total = torch.zeros((), dtype=torch.float32, device=logits.device)
        rows = max(1, _SLICE // logits.shape[1])
        gradient = torch.empty_like(logits) if ctx.needs_input_grad[0] else None
        for start in range(0, len(labels), rows):
            chunk = logits[start : start + rows].to(torch.float32, copy=True)  # (n, V)
            picked = labels[start : start + rows, None]
            log_total = chunk.logsumexp(-1, keepdim=True)
            even = log_total - chunk.mean(-1, keepdim=True)
            total += ((1 - smoothing) * (log_total - chunk.gather(1, picked)) + smoothing * even).sum()
            if gradient is not None:
                # d loss / d logits = softmax − (smoothed target distribution)
                chunk.sub_(log_total).exp_().sub_(smoothing / chunk.shape[1])
                chunk.scatter_add_(1, picked, torch.full_like(log_total, smoothing - 1))
                gradient[start : start + rows] = chunk
        if gradient is not None:
            ctx.save_for_backward(gradient)
        return total

    @staticmethod
    def backward(ctx: Any, *outputs: Tensor) -> tuple[Tensor, None, None]:
        (gradient,) = ctx.saved_tensors
        return gradient.mul_(outputs[0]), None, None


def smoothed_loss(logits: Tensor, labels: Tensor, smoothing: float) -> Tensor:
    """Sum over positions of the cross-entropy in nats, computed in float32 whatever the logits' type.

    logits (N, V), labels (N,). `smoothing` spreads that much of the target distribution evenly over all V
    entries (Szegedy et al. 2016, section 7). Equal to torch's cross_entropy with reduction="sum".
    """
    loss: Tensor = _SmoothedLoss.apply(logits, labels, smoothing)  # type: ignore[no-untyped-call]
    return loss


class _Disagreement(torch.autograd.Function):
    """KL(p‖q) + KL(q‖p) of two arrays of logits, with its gradient computed in the forward pass as in `_SmoothedLoss`."""

    @staticmethod
    def forward(ctx: Any, first: Tensor, second: Tensor) -> Tensor:
        total = torch.zeros((), dtype=torch.float32, device=first.device)
        rows = max(1, _SLICE // first.shape[1])
        gradients = [torch.empty_like(first), torch.empty_like(second)]
        for start in range(0, len(first), rows):
            chunk = slice(start, start + rows)
            log_p = first[chunk].to(torch.float32).log_softmax(-1)  # (n, V)
            log_q = second[chunk].to(torch.float32).log_softmax(-1)
            ratio, p, q = log_p - log_q, log_p.exp(), log_q.exp()
            forward = (p * ratio).sum(-1, keepdim=True)  # KL(p‖q), (n, 1)
            backward = -(q * ratio).sum(-1, keepdim=True)  # KL(q‖p)
            total += (forward + backward).sum()
            gradients[0][chunk] = p * (ratio - forward) + p - q
            gradients[1][chunk] = q * (-ratio - backward) + q - p
        ctx.save_for_backward(*gradients)
        return total

    @staticmethod
    def backward(ctx: Any, *outputs: Tensor) -> tuple[Tensor, Tensor]:
        first, second = ctx.saved_tensors
        return first.mul_(outputs[0]), second.mul_(outputs[0])


def disagreement(first: Tensor, second: Tensor) -> Tensor:
    """Sum over positions of KL(p‖q) + KL(q‖p) in nats, in float32; logits `first` and `second` (N, V)."""
    divergence: Tensor = _Disagreement.apply(first, second)  # type: ignore[no-untyped-call]
    return divergence


def token_loss(
    model: Transformer, source: Tensor, target: Tensor, labels: Tensor, smoothing: float
) -> Tensor:
    """Summed loss of source (B, S) and decoder input target (B, T) against labels (B, T), a scalar.

    Only labelled positions are projected to the vocabulary, which is the widest product of the model.
    """
    states = model.decode_states(target, model.encode(source), source)
    keep = labels != IGNORED
    return smoothed_loss(model.project(states[keep]), labels[keep], smoothing)


def twice_read_loss(
    model: Transformer, source: Tensor, target: Tensor, labels: Tensor, smoothing: float, weight: float
) -> Tensor:
    """R-Drop (Liang et al. 2021, equation 4, halved): every sentence is read twice, each time with different dropout.

    The mean of the two summed losses (`token_loss`), plus `weight` / 4 times the divergence of the two distributions
    (`disagreement`). Shapes as in `token_loss`; without dropout the two agree and it is `token_loss`.
    """
    source, target, keep = source.repeat(2, 1), target.repeat(2, 1), (labels != IGNORED).repeat(2, 1)
    logits = model.project(model.decode_states(target, model.encode(source), source)[keep])  # (2 N, V)
    first, second = logits.chunk(2)
    loss = smoothed_loss(logits, labels.repeat(2, 1)[keep], smoothing) / 2
    return loss + disagreement(first, second) * (weight / 4)


class Objective(nn.Module):
    """Model and loss as one module, so that DistributedDataParallel sees one forward pass.

    `r_drop` is the weight of R-Drop's term (`twice_read_loss`); with 0 every sentence is read once.
    """

    def __init__(self, model: Transformer, smoothing: float, r_drop: float = 0.0) -> None:
        super().__init__()
        self.model = model
        self.smoothing = smoothing
        self.r_drop = r_drop

    def forward(self, source: Tensor, target: Tensor, labels: Tensor) -> Tensor:
        """source (B, S), target and labels (B, T) → the summed loss, a scalar."""
        if self.r_drop:
            return twice_read_loss(self.model, source, target, labels, self.smoothing, self.r_drop)
        return token_loss(self.model, source, target, labels, self.smoothing)


def compiled(objective: Objective, device: torch.device) -> nn.Module:
    """`objective` with its kernels fused by `torch.compile` on a GPU; unchanged elsewhere.

    On a CPU products take most of the time, fused or not, and a compiler may be missing.
    """
    if device.type != "cuda":
        return objective
    return cast(nn.Module, torch.compile(objective, dynamic=True))


def autocast(device: torch.device, precision: str) -> torch.autocast:
    """Matrix products in bfloat16 if requested; the master weights stay float32."""
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=precision == "bfloat16")


@contextmanager
def evaluating(model: nn.Module) -> Iterator[torch.device]:
    """The model without dropout while the block runs, in inference mode; gives its device."""
    training = model.training
    try:
        with torch.inference_mode():
            yield next(model.eval().parameters()).device
    finally:
        model.train(training)


def mean_loss(
    model: Transformer,
    examples: Sequence[Example],
    *,
    batch_tokens: int,
    precision: str,
) -> float:
    """Cross-entropy per target token in nats, end marks included, without smoothing and without dropout."""
    total, tokens = 0.0, 0
    with evaluating(model) as device:
        for rows in plan_epoch(examples, batch_tokens, seed=0, epoch=0):
            batch = make_batch(examples, rows, model.config).to(device)
            with autocast(device, precision):
                total += float(token_loss(model, batch.source, batch.target, batch.labels, 0.0))
            tokens += batch.tokens
    return total / tokens


def learning_rate(
    step: int, *, peak: float, warmup_steps: int, max_steps: int, cooldown: float = 0.0
) -> float:
    """The rate of update `step` (1-based). A pure function, so a resumed run needs no scheduler state.

    It rises linearly to `peak` at `warmup_steps`, then falls as 1/√step (Vaswani et al. 2017, section 5.3);
    over the last `cooldown` fraction of `max_steps` it is multiplied by a line that reaches 0 just after the
    last update.
    """
    rate = peak * min(step / warmup_steps, math.sqrt(warmup_steps / step))
    start = max_steps * (1 - cooldown)
    if cooldown > 0 and step > start:
        rate *= max(0.0, (max_steps + 1 - step) / (max_steps + 1 - start))
    return rate


def log_spaced_steps(count: int, max_steps: int) -> list[int]:
    """At least `count` distinct steps from 0 to `max_steps`, logarithmically spaced (all of them when few)."""
    if count <= 0:
        return []
    if max_steps + 1 <= count:
        return list(range(max_steps + 1))
    points = count - 1
    while True:
        ratio = math.log(max_steps) / max(1, points - 1)
        steps = sorted({0, *(round(math.exp(i * ratio)) for i in range(points)), max_steps})
        if len(steps) >= count:
            return steps
        points += 1


class Optimizer:
    """One or two of torch's optimisers as one.

    "adam": Adam for every parameter (Vaswani et al. 2017, section 5.3). "muon": Muon (Jordan 2024) for the matrices of the
    encoder and decoder layers, whose momentum is orthogonalised before it is applied; its update has Adam's size (Liu et al.
    2025, equation 4), so one learning rate serves both. Tables, norms and biases stay with Adam.
    """

    def __init__(self, model: nn.Module, settings: LoopConfig, device: torch.device) -> None:
        named = dict(model.named_parameters())
        matrices = [name for name in named if settings.optimizer == "muon" and is_layer_matrix(name, named)]
        others = [parameter for name, parameter in named.items() if name not in set(matrices)]
        adam = torch.optim.Adam(
            others,
            lr=0.0,
            betas=settings.betas,
            eps=settings.adam_eps,
            fused=device.type in ("cpu", "cuda"),
        )
        self.parts: list[torch.optim.Optimizer] = [adam]
        if matrices:
            self.parts.append(
                torch.optim.Muon(
                    [named[name] for name in matrices],
                    lr=0.0,
                    weight_decay=0.0,
                    adjust_lr_fn="match_rms_adamw",
                )
            )

    @property
    def learning_rate(self) -> float:
        """The learning rate of the last step."""
        return float(self.parts[0].param_groups[0]["lr"])

    def step(self, learning_rate: float) -> None:
        """Update the weights along their gradients, and reset these."""
        for optimizer in self.parts:
            for group in optimizer.param_groups:
                group["lr"] = learning_rate
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)

    def state_dict(self) -> dict[str, Any]:
        """The state that a resumed run needs."""
        return {"parts": [optimizer.state_dict() for optimizer in self.parts]}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore `state_dict()` of a run of the same recipe, or that of a lone Adam from older runs."""
        for optimizer, saved in zip(self.parts, state.get("parts", [state]), strict=True):
            optimizer.load_state_dict(saved)


def is_layer_matrix(name: str, named: Mapping[str, torch.Tensor]) -> bool:
    """Whether a parameter is a matrix of a layer, and neither a table nor a gain nor a shift."""
    return named[name].ndim == 2 and name.startswith(("encoder_layers.", "decoder_layers."))
