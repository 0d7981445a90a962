"""`python -m core train`: a recipe to a checkpoint, the heads that open first into its card, its atlas beside it."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.training.cli import add_train_arguments
from core.training.cli import train_command as train

__all__ = ["add_train_arguments", "train_command"]


def train_command(args: argparse.Namespace) -> int:
    """Run `python -m core train`."""
    return train(args, write_heads)


def write_heads(folder: Path) -> None:
    """What the app opens with, for a checkpoint that was just written: the heads to show first, and the atlas."""
    from core.api import load
    from core.experiments.atlas_file import write_atlas
    from core.experiments.default_heads import write_default_heads
    from core.training.process import counting

    checkpoint = load(folder, device="cpu")
    with counting("choosing the heads that open") as step:
        write_default_heads(checkpoint, step)
    with counting("measuring all heads for the atlas") as step:
        write_atlas(checkpoint, step=step)
