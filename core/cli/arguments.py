"""Arguments that several commands share."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.api import Checkpoint


def add_checkpoint_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare --checkpoint and --device."""
    parser.add_argument("--checkpoint", required=True, metavar="DIR", help="the checkpoint's folder")
    parser.add_argument("--device", metavar="NAME", help="cpu, cuda or mps (default: the first there is)")


def open_checkpoint(args: argparse.Namespace) -> Checkpoint:
    """The checkpoint that the arguments name."""
    from core.api import load

    return load(args.checkpoint, device=args.device)
