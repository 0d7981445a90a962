"""`python -m core patch`: which part of the model carries the difference between two sentences, or over a file of them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from core.analysis.readout import decimal, quoted
from core.errors import InputError
from core.experiments.cli import write_csv
from core.files import add_checkpoint_arguments, check_out

if TYPE_CHECKING:
    from core.api import Checkpoint
    from core.experiments.contrast_sets import SetResult

_KINDS: Final = ("cross", "encoder", "causal")
_LISTED: Final = 8  # heads that are printed


def add_patch_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `python -m core patch`."""
    add_checkpoint_arguments(parser)
    parser.add_argument(
        "sentences", nargs="*", metavar="SENTENCE", help="two sentences with the same number of tokens"
    )
    parser.add_argument("--out", metavar="FILE", help="the table to write (.csv)")
    parser.add_argument(
        "--contrasts",
        metavar="FILE",
        help="a file of sentence pairs in place of two sentences: set, clean, corrupted, with tabs between",
    )
    parser.add_argument("--set", metavar="NAME", help="one set of that file (default: all)")
    parser.add_argument(
        "--kind",
        choices=_KINDS,
        help="whose heads are measured over a file (default: all three)",
    )
    parser.add_argument(
        "--store",
        action="store_true",
        help="keep what was measured beside the file, where the app shows it (contrasts.json)",
    )


def patch_command(args: argparse.Namespace) -> int:
    """Run `python -m core patch`."""
    from core.api import load

    if args.contrasts is None:
        if len(args.sentences) != 2:
            raise InputError(
                f"{len(args.sentences)} sentences were given; give two of the same length in quotes, or a file with --contrasts."
            )
        if args.set or args.store:
            raise InputError("--set and --store belong to --contrasts; give the file of pairs too.")
    elif args.sentences:
        raise InputError("Give two sentences or --contrasts FILE, not both.")
    if args.out:
        check_out(args.out, ".csv")
    checkpoint = load(args.checkpoint, device=args.device)
    if args.contrasts is None:
        rows = _one(checkpoint, *args.sentences)
    else:
        rows = _many(checkpoint, Path(args.contrasts), args.set, args.kind, args.store)
    if args.out:
        write_csv(Path(args.out), rows)
        print(f"{args.out}: {len(rows)} rows")
    return 0


def _one(checkpoint: Checkpoint, clean: str, corrupted: str) -> list[dict[str, Any]]:
    from core.experiments.patching import patch

    result = patch(checkpoint, clean, corrupted)
    word, other = checkpoint.target_tokenizer.labels([result.contrast.word, result.contrast.other])
    print(
        f"Log-odds of {quoted(word)} against {quoted(other)}: {decimal(result.log_odds[0])} nats for “{clean}”, "
        f"{decimal(result.log_odds[1])} for “{corrupted}”."
    )
    for kind in _KINDS:
        if (effect := result.effects.get(f"{kind}-heads")) is None:
            continue
        heads = [f"{at[1]}.{at[2]} {decimal(float(effect.restored[at[1:]]))}" for at in result.heads(kind)]
        print(
            f"{kind}: heads of at least .05: {', '.join(heads[:_LISTED]) or 'none'}; sum of all alone "
            f"{decimal(effect.alone)}, together {decimal(effect.together[0])}."
        )
    return list(result.rows())


def _many(
    checkpoint: Checkpoint, path: Path, name: str | None, kind: Any, store: bool
) -> list[dict[str, Any]]:
    from core.experiments.contrast_sets import KINDS, RESULTS, measure_contrasts, store_results
    from core.experiments.patching import read_contrasts

    path = path if path.is_file() else _beside(checkpoint, path)
    sets = read_contrasts(path)
    if name is not None and name not in sets:
        raise InputError(f"{path} has no set {name!r}; it has {', '.join(sets)}.")
    if store and (name is not None or kind is not None):
        raise InputError("--store keeps all sets and kinds of the file; leave --set and --kind out.")
    results = []
    for each in sets if name is None else (name,):
        for result in measure_contrasts(checkpoint, each, sets[each], KINDS if kind is None else (kind,)):
            print(summary(result))
            results.append(result)
    if store:
        store_results(path.with_name(RESULTS), checkpoint.digest, results, path)
        print(f"{path.with_name(RESULTS)}: written")
    return [row for result in results for row in result.rows()]


def _beside(checkpoint: Checkpoint, path: Path) -> Path:
    """A file of the checkpoint's own folder, where the name alone was given."""
    folder = getattr(checkpoint, "path", None)
    own = Path(folder) / path.name if folder else path
    if len(path.parts) != 1 or not own.is_file():
        raise InputError(
            f"There is no file {str(path)!r}; give a file of sentence pairs, such as contrasts.tsv."
        )
    return own


def summary(result: SetResult) -> str:
    """What was found of a set, in a line."""
    values: Sequence[Sequence[float]] = result.effects
    heads = ", ".join(
        f"{a}.{b} {decimal(values[a][b])} [{decimal(result.low[a][b])}, {decimal(result.high[a][b])}]"
        for a, b in result.heads[:_LISTED]
    )
    found = f"{result.name}, {result.kind}: {result.compared} of {result.pairs} pairs compared; strongest heads {heads or 'none'}"
    if not result.controls:
        return f"{found}."
    share = result.share_turned
    return (
        f"{found}; without these {len(result.heads)} heads {result.turned} of {result.compared} turn "
        f"[{decimal(float(share.low))}, {decimal(float(share.high))}], without as many random heads of the kind at most {max(result.controls)}."
    )
