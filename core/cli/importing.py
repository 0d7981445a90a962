"""`python -m core import`: another project's model to a checkpoint, with the heads that open first and its atlas."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.errors import AtlasError
from core.importing.cli import add_import_arguments
from core.importing.cli import import_command as bring

if TYPE_CHECKING:
    from core.api import Checkpoint

__all__ = ["add_import_arguments", "import_command"]


def import_command(args: argparse.Namespace) -> int:
    """Run `python -m core import`."""
    from core.experiments.default_heads import default_heads

    return bring(args, default_heads, write_atlas_of)


def write_atlas_of(checkpoint: Checkpoint, sentences: Sequence[str], folder: str) -> None:
    """Store the atlas of the imported model over the sentences it was tried on; where that fails, say so on stderr."""
    from core.experiments.atlas_file import write_atlas

    try:
        write_atlas(checkpoint, [(text, "") for text in sentences], folder)
    except AtlasError as error:  # the checkpoint itself is written
        print(f"warning: the atlas of all heads is not stored: {error}", file=sys.stderr)
