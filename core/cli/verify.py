"""`python -m core verify`: the trust report of a checkpoint."""

from __future__ import annotations

import argparse
import json

from core.cli.arguments import add_checkpoint_arguments, open_checkpoint


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
    """Run `python -m core verify`: 0 when everything holds, 1 when something does not."""
    checkpoint = open_checkpoint(args)

    from core.verify import verify

    report = verify(checkpoint, args.source)
    if args.json:
        print(json.dumps(report.to_json(), indent=2, ensure_ascii=False))
    else:
        from rich.console import Console

        Console().print(report.table())
    return 0 if report.passed else 1
