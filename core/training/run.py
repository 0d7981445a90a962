"""From a recipe to a checkpoint on disk."""

from __future__ import annotations

import enum
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from core.checkpoints.replace import check_replaceable
from core.training.config import TrainingConfig
from core.training.distributed import Process, join, leave
from core.training.finish import finish
from core.training.lock import locked
from core.training.loop import Trainer
from core.training.snapshots import forget_run


class Ending(enum.Enum):
    """How a call of `train` ended."""

    FINISHED = "the checkpoint is written"
    INTERRUPTED = "a signal came; the same call goes on from there"


def train(
    config: TrainingConfig, *, restart: bool = False, finished: Callable[[Path], None] | None = None
) -> Ending:
    """Train, or go on training, and write the checkpoint into `config.out`.

    Runs alone or as one of torchrun's processes, of which the first writes. `restart` forgets an unfinished run.
    `finished` gets the folder once it is written, in the process that wrote it.
    """
    check_replaceable(config.out)  # now, not after hours of training
    process = join(config.training.device, config.training.threads)
    try:
        with locked(config.work) if process.main else nullcontext():
            return _train(config, process, restart, finished)
    finally:
        leave(process)


def _train(
    config: TrainingConfig, process: Process, restart: bool, finished: Callable[[Path], None] | None
) -> Ending:
    if restart and process.main:
        forget_run(config.work)
    process.wait()
    trainer = Trainer(config, process)
    trainer.announce(trainer.resume())
    try:
        if not trainer.run():
            return Ending.INTERRUPTED
        if process.main:
            finish(trainer)
            if finished is not None:
                finished(config.out)
        process.wait()  # a process that leaves while another still works may end both
        return Ending.FINISHED
    finally:
        trainer.reporter.close()
