"""`python -m core trace`: everything the model computes for one sentence pair, as a file of arrays."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.cli.arguments import add_checkpoint_arguments, open_checkpoint
from core.decoding.inputs import DEFAULT_RECORD
from core.errors import InputError
from core.files import check_out


def add_trace_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `python -m core trace`."""
    add_checkpoint_arguments(parser)
    parser.add_argument("--source", required=True, metavar="TEXT", help="the sentence the encoder reads")
    parser.add_argument(
        "--target", metavar="TEXT", help="what the decoder writes (default: the model's greedy output)"
    )
    parser.add_argument("--out", required=True, metavar="FILE.npz", help="the file to write")
    parser.add_argument(
        "--record",
        action="append",
        metavar="SITE",
        help="a site such as decoder.0.cross.q, or a pattern such as '*.weights'; may be repeated "
        "(default: maps, norms and the residual stream)",
    )
    parser.add_argument("--max-steps", type=int, metavar="N", help="write at most N tokens")


def trace_command(args: argparse.Namespace) -> int:
    """Run `python -m core trace`."""
    check_out(args.out, ".npz")
    out = Path(args.out)
    checkpoint = open_checkpoint(args)

    from core.decoding.tracing import trace

    record = tuple(args.record) if args.record else DEFAULT_RECORD
    found = trace(checkpoint, args.source, args.target, record, args.max_steps)
    if not found.records:
        raise InputError(
            f"--record {' '.join(record)} names no place in this model; write stack.layer.block.kind."
        )
    found.save(out)
    source, target = len(found.source_ids), len(found.target_ids)
    print(f"{out}: {len(found.records)} sites, {source} source and {target} target tokens")
    return 0
