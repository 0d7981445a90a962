"""From a recipe to a checkpoint on disk."""

from __future__ import annotations

import shutil
from typing import Any

from core.training.config import TrainingConfig
from core.training.distributed import join, leave
from core.training.loop import Trainer


def train(config: TrainingConfig, *, restart: bool = False) -> dict[str, Any] | None:
    """Train, or go on training, and write the checkpoint; returns its card.

    None when interrupted by a signal (the same call goes on from there), and in all processes but the first.
    """
    process = join(config.training.device, config.training.threads)
    try:
        if restart and process.main:
            shutil.rmtree(config.work, ignore_errors=True)
        process.wait()
        trainer = Trainer(config, process)
        trainer.announce(trainer.resume())
        try:
            if not trainer.run() or not process.main:
                return None
            from core.training.finish import finish

            return finish(trainer)
        finally:
            trainer.reporter.close()
    finally:
        leave(process)
