"""`python -m core example`: store what the app opens with.

A worked example, the heads to show first, and the atlas of all heads over the example sentences.
"""

from __future__ import annotations

import argparse

from core.analysis.alignment import STEPS
from core.analysis.readout import how_many
from core.analysis.roles import ALIGNMENT
from core.cli.arguments import add_checkpoint_arguments, open_checkpoint
from core.errors import InputError


def add_example_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `python -m core example`."""
    add_checkpoint_arguments(parser)
    parser.add_argument(
        "--source", metavar="TEXT", help="the sentence (default: the first example of the card)"
    )
    place = "one a line, or FILE:COLUMN of a tab-separated file"
    parser.add_argument(
        "--corpus", metavar="FILE", help=f"sentences of the atlas, {place} (default: the card's examples)"
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
    from core.experiments.atlas_file import load_atlas, write_atlas
    from core.experiments.corpus_run import readable
    from core.experiments.default_heads import example_sources, write_default_heads
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
    return 0
