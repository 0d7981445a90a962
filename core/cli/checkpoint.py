"""`python -m core trace` and `verify`, and the arguments of every command that opens a checkpoint."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from core.decoding.inputs import DEFAULT_RECORD
from core.errors import InputError
from core.files import check_out

if TYPE_CHECKING:
    from core.api import Checkpoint


def add_checkpoint_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare --checkpoint and --device."""
    parser.add_argument("--checkpoint", required=True, metavar="DIR", help="the checkpoint's folder")
    parser.add_argument("--device", metavar="NAME", help="cpu, cuda or mps (default: the first there is)")


def open_checkpoint(args: argparse.Namespace) -> Checkpoint:
    """The checkpoint named by the arguments."""
    from core.api import load

    return load(args.checkpoint, device=args.device)


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
    recorded = trace(checkpoint, args.source, args.target, record, args.max_steps)
    if not recorded.records:
        raise InputError(
            f"--record {' '.join(record)} names no place in this model; write stack.layer.block.kind."
        )
    recorded.save(out)
    source, target = len(recorded.source_ids), len(recorded.target_ids)
    print(f"{out}: {len(recorded.records)} sites, {source} source and {target} target tokens")
    return 0


def add_verify_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `python -m core verify`."""
    add_checkpoint_arguments(parser)
    parser.add_argument(
        "--source",
        action="append",
        metavar="TEXT",
        help="a sentence to check with; may be repeated (default: examples of the card)",
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def verify_command(args: argparse.Namespace) -> int:
    """Run `python -m core verify`: 0 when every check passes, 1 when one fails."""
    checkpoint = open_checkpoint(args)

    from core.verify import verify

    report = verify(checkpoint, args.source)
    if args.json:
        print(json.dumps(report.to_json(), indent=2, ensure_ascii=False))
    else:
        from rich.console import Console

        Console().print(report.table())
    return 0 if report.passed else 1
