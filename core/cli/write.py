"""`python -m core train`, `import` and `example`: commands that write a checkpoint or what the app opens it with.

`python -m core.cli.write MEGABYTES` is the child process of a watched training (core.training.live_child). It is here, and
not in `core.training`, because a finished checkpoint is measured by `core.experiments`, which depends on training.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from core.analysis.alignment import STEPS
from core.analysis.readout import how_many
from core.analysis.roles import ALIGNMENT
from core.cli.checkpoint import add_checkpoint_arguments, open_checkpoint
from core.errors import AtlasError, InputError
from core.importing.cli import add_import_arguments
from core.importing.cli import import_command as import_model
from core.training.cli import add_train_arguments
from core.training.cli import train_command as train

if TYPE_CHECKING:
    from core.api import Checkpoint

__all__ = [
    "add_example_arguments",
    "add_import_arguments",
    "add_train_arguments",
    "example_command",
    "import_command",
    "train_command",
]


def train_command(args: argparse.Namespace) -> int:
    """Run `python -m core train`."""
    return train(args, write_heads)


def write_heads(folder: Path) -> None:
    """Write the default heads and the atlas of a checkpoint that was just written."""
    from core.api import load
    from core.experiments.corpus_run import write_atlas
    from core.experiments.omissions import write_default_heads
    from core.training.process import counting

    checkpoint = load(folder, device="cpu")
    with counting("choosing the heads that open") as step:
        write_default_heads(checkpoint, step)
    with counting("measuring all heads for the atlas") as step:
        write_atlas(checkpoint, step=step)


def import_command(args: argparse.Namespace) -> int:
    """Run `python -m core import`."""
    from core.experiments.omissions import default_heads

    return import_model(args, default_heads, write_atlas_of)


def write_atlas_of(checkpoint: Checkpoint, sentences: Sequence[str], folder: str) -> None:
    """Store the atlas of the imported model over its trial sentences; a failure is only a warning on stderr."""
    from core.experiments.corpus_run import write_atlas

    try:
        write_atlas(checkpoint, [(text, "") for text in sentences], folder)
    except AtlasError as error:  # the checkpoint itself is written
        print(f"warning: the atlas of all heads is not stored: {error}", file=sys.stderr)


def add_example_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `python -m core example`."""
    add_checkpoint_arguments(parser)
    parser.add_argument(
        "--source", metavar="TEXT", help="the sentence (default: the first example of the card)"
    )
    parser.add_argument(
        "--corpus",
        metavar="FILE",
        help="sentences of the atlas, one a line, or FILE:COLUMN of a tab-separated file "
        "(default: the card's examples)",
    )
    parser.add_argument(
        "--target", metavar="FILE", help="their translations (default: what the model writes)"
    )
    parser.add_argument("--limit", type=int, metavar="N", help="the first N sentences of the corpus alone")


def example_command(args: argparse.Namespace) -> int:
    """Run `python -m core example`."""
    from core.experiments.cli import check_limit, corpus_pairs

    check_limit(args.limit)
    if args.corpus is None and (args.target is not None or args.limit is not None):
        raise InputError(
            "--target and --limit are about the sentences of --corpus; give it too, or leave them out."
        )
    checkpoint = open_checkpoint(args)

    from core.decoding.example import write_example
    from core.experiments.corpus import load_atlas
    from core.experiments.corpus_run import readable, write_atlas
    from core.experiments.importance import write_importance
    from core.experiments.omissions import example_sources, write_default_heads
    from core.training.process import counting

    pairs = None if args.corpus is None else corpus_pairs(args.corpus, args.target, args.limit)
    # Before anything is overwritten.
    readable(checkpoint, [(text, "") for text in example_sources(checkpoint)] if pairs is None else pairs)

    path = write_example(checkpoint, args.source)
    print(f"{path}: {path.stat().st_size / 1000:.0f} kB")
    with counting("choosing the heads that open") as step:
        heads = write_default_heads(checkpoint, step)
    for kind, head in heads.items():
        does = f"aligns best {STEPS[head['reading']]}" if kind == ALIGNMENT else "opens first"
        print(f"{kind}: head {head['layer']}.{head['head']} {does}")
    with counting("measuring all heads for the atlas") as step:
        path = write_atlas(checkpoint, pairs, step=step)
    atlas = load_atlas(path.parent, checkpoint.config, checkpoint.digest)
    print(
        f"{path}: {path.stat().st_size / 1000:.0f} kB, all heads over {how_many(atlas.sentences, 'sentence')}"
    )
    with counting("ablating every head") as step:
        path = write_importance(checkpoint, step=step)
    print(f"{path}: {path.stat().st_size / 1000:.0f} kB, the importance of all heads on the card's examples")
    return 0


if __name__ == "__main__":
    from core.training.live_child import begin

    begin(int(sys.argv[1]), write_heads)
