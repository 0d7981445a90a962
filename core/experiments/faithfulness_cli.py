"""`python -m core faithfulness`: which measure of attribution finds the source words that the model needs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from core.analysis.readout import decimal, how_many
from core.analysis.roles import card_heads
from core.errors import InputError
from core.experiments.cli import check_limit, write_csv
from core.files import add_checkpoint_arguments, check_out

if TYPE_CHECKING:
    from core.api import Checkpoint
    from core.experiments.faithfulness import Faithfulness


def add_faithfulness_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `python -m core faithfulness`."""
    add_checkpoint_arguments(parser)
    parser.add_argument(
        "--corpus",
        metavar="FILE",
        help="sentences, one a line (default: those that come with the checkpoint)",
    )
    parser.add_argument("--limit", type=int, metavar="N", help="the first N sentences alone")
    parser.add_argument("--out", metavar="FILE", help="the table to write (.csv)")
    parser.add_argument(
        "--store",
        action="store_true",
        help="keep what was measured in the checkpoint, where the app shows it",
    )


def faithfulness_command(args: argparse.Namespace) -> int:
    """Run `python -m core faithfulness`."""
    from core.api import load

    check_limit(args.limit)
    if args.out:
        check_out(args.out, ".csv")
    checkpoint = load(args.checkpoint, device=args.device)
    found = _measured(checkpoint, _sentences(checkpoint, args.corpus)[: args.limit])
    print(summary(found))
    if args.out:
        rows = list(found.rows())
        write_csv(Path(args.out), rows)
        print(f"{args.out}: {len(rows)} rows")
    if args.store:
        from core.experiments.faithfulness import RESULTS, store

        path = Path(args.checkpoint) / RESULTS if checkpoint.path is None else checkpoint.path / RESULTS
        store(path, checkpoint.digest, found)
        print(f"{path}: written")
    return 0


def _sentences(checkpoint: Checkpoint, corpus: str | None) -> list[str]:
    from core.experiments.default_heads import probes
    from core.training.evaluate import read_side

    texts = probes(checkpoint, None) if corpus is None else read_side(corpus)
    if not texts:
        raise InputError("This checkpoint comes without sentences; give a file of them with --corpus FILE.")
    return list(texts)


def _measured(checkpoint: Checkpoint, texts: list[str]) -> Faithfulness:
    from core.experiments.corpus_run import as_ids, readable
    from core.experiments.faithfulness import sentence_curves, together

    pairs = list(as_ids(checkpoint, readable(checkpoint, [(text, "") for text in texts])))
    head = opened_head(checkpoint)
    curves = [sentence_curves(checkpoint, pair, head) for pair in pairs]
    return together([each for each in curves if each is not None], head)


def opened_head(checkpoint: Checkpoint) -> tuple[int, int]:
    """The cross-attention head that stands for "one head": the card's default, else the first of the last layer."""
    shape = checkpoint.config.shape("decoder")
    stated = card_heads(checkpoint.card, {"cross": shape}).get("cross")
    return (shape[0] - 1, 0) if stated is None else (stated.layer, stated.head)


def summary(found: Faithfulness) -> str:
    """Each measure's area and how far it is below that of random orders, the best first."""
    lines = [
        f"Probability of the written word while source words are hidden, mean over the curve; "
        f"{how_many(found.steps, 'word')} of {how_many(found.sentences, 'sentence')}, 95 % intervals over sentences:"
    ]
    for index in sorted(range(len(found.measures)), key=lambda index: float(found.areas[index, 0])):
        area, low, high = (decimal(float(each), 3) for each in found.areas[index])
        below, least, most = (decimal(float(each), 3) for each in found.below[index])
        line = f"  {found.measures[index]}: {area} [{low}, {high}]"
        lines.append(
            line if index == len(found.measures) - 1 else f"{line}, {below} [{least}, {most}] below random"
        )
    return "\n".join(lines)
