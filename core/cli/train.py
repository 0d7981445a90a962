"""`python -m core train`: a recipe to a checkpoint, and the heads that open first into its card."""

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
    """Choose the heads that open first and put them into the card of a checkpoint that was just written."""
    from core.api import load
    from core.experiments.default_heads import write_default_heads

    write_default_heads(load(folder, device="cpu"))
