"""`train`: from a recipe to a checkpoint on disk. At the end it averages, chooses, scores, and writes the card."""

from __future__ import annotations

import copy
import enum
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch

from core.checkpoints import files
from core.checkpoints.bundle import load_bundle, save
from core.checkpoints.files import check_replaceable
from core.decoding.example import write_example
from core.model.transformer import Transformer
from core.training.card import valid_loss, write_card
from core.training.config import TrainingConfig
from core.training.dynamics import save_dynamics
from core.training.loop import Trainer
from core.training.process import Process, join, leave, locked
from core.training.snapshots import forget_run


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


class Ending(enum.Enum):
    """How a call of `train` ended."""

    FINISHED = "the checkpoint is written"
    INTERRUPTED = "a signal was received; the same call resumes the run"


def train(
    config: TrainingConfig,
    *,
    restart: bool = False,
    finished: Callable[[Path], None] | None = None,
    follow: Callable[[Trainer], bool] = Trainer.run,
) -> Ending:
    """Train, or resume training, and write the checkpoint into `config.out`.

    Runs alone or as one of torchrun's processes, of which the first writes. `restart` discards an unfinished run.
    `finished` is called with the folder once it is written, in the process that wrote it. `follow` makes the steps and says
    whether training is over.
    """
    check_replaceable(config.out)  # now, not after hours of training
    process = join(config.training.device, config.training.threads)
    try:
        with locked(config.work) if process.main else nullcontext():
            return _train(config, process, restart, finished, follow)
    finally:
        leave(process)


def _train(
    config: TrainingConfig,
    process: Process,
    restart: bool,
    finished: Callable[[Path], None] | None,
    follow: Callable[[Trainer], bool],
) -> Ending:
    if restart and process.main:
        forget_run(config.work)
    process.wait()
    trainer = Trainer(config, process)
    trainer.announce(trainer.resume())
    try:
        if not follow(trainer):
            return Ending.INTERRUPTED
        if process.main:
            finish(trainer)
            if finished is not None:
                finished(config.out)
        process.wait()  # a process that exits while another still works may end both
        return Ending.FINISHED
    finally:
        trainer.reporter.close()
