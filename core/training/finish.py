"""The end of a run: average, choose, score, and write the checkpoint with its card."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import torch

from core.checkpoints import files
from core.checkpoints.bundle import load_bundle, save
from core.decoding.example import write_example
from core.model.transformer import Transformer
from core.training.card import valid_loss, write_card
from core.training.dynamics import save_dynamics
from core.training.loop import Trainer


def finish(trainer: Trainer) -> dict[str, Any]:
    """Write the checkpoint folder of a finished run and return its card (the main process only)."""
    config = trainer.config
    model, weights_from = choose_weights(trainer)
    trainer.reporter.line(f"Writing {config.out} with {weights_from}.")
    card = write_card(trainer, model, weights_from)
    save(config.out, model, *trainer.data.tokenizers, card, dtype="float16")
    save_dynamics(config.out / files.DYNAMICS, trainer.recorder.dynamics())
    write_example(load_bundle(config.out, device="cpu"))
    return card


def choose_weights(trainer: Trainer) -> tuple[Transformer, str]:
    """The better, by validation loss, of the last weights and the mean of the last kept ones.

    Both are compared as they will be stored, in half precision.
    """
    mean, steps = trainer.average.mean(trainer.step)
    last = {name: tensor.cpu() for name, tensor in trainer.model.state_dict().items()}
    candidates: list[tuple[str, Mapping[str, torch.Tensor]]] = [(f"the weights of step {trainer.step}", last)]
    if len(steps) > 1:
        candidates.append((f"the mean of the weights at {len(steps)} steps, {steps[0]} to {steps[-1]}", mean))
    losses = []
    for name, weights in candidates:
        model = _with_weights(trainer.model, weights)
        losses.append(valid_loss(trainer, model))
        trainer.reporter.line(f"{name}: valid loss {losses[-1]:.4f}")
    best = min(range(len(losses)), key=losses.__getitem__)
    return _with_weights(trainer.model, candidates[best][1]), candidates[best][0]


def _with_weights(model: Transformer, weights: Mapping[str, torch.Tensor]) -> Transformer:
    fresh = copy.deepcopy(model)
    halved = {k: v.half().to(v.dtype) if v.is_floating_point() else v for k, v in weights.items()}
    fresh.load_state_dict(halved)
    return fresh.eval()
