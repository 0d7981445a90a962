"""`python -m core example`: store what the app opens with: a worked example, and the heads to show first."""

from __future__ import annotations

import argparse

from core.cli.arguments import add_checkpoint_arguments, open_checkpoint


def add_example_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `python -m core example`."""
    add_checkpoint_arguments(parser)
    parser.add_argument(
        "--source", metavar="TEXT", help="the sentence (default: the first example of the card)"
    )


def example_command(args: argparse.Namespace) -> int:
    """Run `python -m core example`."""
    checkpoint = open_checkpoint(args)

    from core.decoding.example import write_example
    from core.experiments.default_heads import write_default_heads

    path = write_example(checkpoint, args.source)
    print(f"{path}: {path.stat().st_size / 1000:.0f} kB")
    for kind, head in write_default_heads(checkpoint).items():
        print(f"{kind}: head {head['layer']}.{head['head']} opens first")
    return 0
