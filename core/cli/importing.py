"""`python -m core import`: another project's model to a checkpoint, and the heads that open first into its card."""

from __future__ import annotations

import argparse

from core.importing.cli import add_import_arguments
from core.importing.cli import import_command as bring

__all__ = ["add_import_arguments", "import_command"]


def import_command(args: argparse.Namespace) -> int:
    """Run `python -m core import`."""
    from core.experiments.default_heads import default_heads

    return bring(args, default_heads)
