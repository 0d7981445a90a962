"""Arguments that several commands share.

`python -m core example`: store what the app opens with.

A worked example, the heads to show first, and the atlas of all heads over the example sentences.

`python -m core verify`: the trust report of a checkpoint.

`python -m core trace`: everything the model computes for one sentence pair, as a file of arrays.

`python -m core train`: a recipe to a checkpoint, the heads that open first into its card, its atlas beside it.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from core.analysis.alignment import STEPS
from core.analysis.readout import how_many
from core.analysis.roles import ALIGNMENT
from core.decoding.inputs import DEFAULT_RECORD
from core.errors import InputError
from core.files import check_out
from core.training.cli import add_train_arguments
from core.training.cli import train_command as train

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


__all__ = ["add_train_arguments", "train_command"]


def train_command(args: argparse.Namespace) -> int:
    """Run `python -m core train`."""
    return train(args, write_heads)


def write_heads(folder: Path) -> None:
    """What the app opens with, for a checkpoint that was just written: the heads to show first, and the atlas."""
    from core.api import load
    from core.experiments.atlas_file import write_atlas
    from core.experiments.default_heads import write_default_heads
    from core.training.process import counting

    checkpoint = load(folder, device="cpu")
    with counting("choosing the heads that open") as step:
        write_default_heads(checkpoint, step)
    with counting("measuring all heads for the atlas") as step:
        write_atlas(checkpoint, step=step)
