"""The `train` and `evaluate` commands of `python -m core`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

from core.errors import InputError
from core.files import check_out, write_lines
from core.training.config import load_config

RECIPES = Path(__file__).parent / "recipes"
INTERRUPTED = 130


def add_train_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `python -m core train`."""
    names = ", ".join(sorted(file.stem for file in RECIPES.glob("*.toml")))
    parser.add_argument(
        "config",
        nargs="?",
        metavar="CONFIG.toml",
        help=f"the recipe's file, or a packaged recipe: {names}",
    )
    parser.add_argument(
        "--pairs",
        metavar="FILE",
        help="in place of a recipe: sentences and their translations, a pair a line (.tsv, .csv, .gz); everything else is "
        "chosen from them",
    )
    parser.add_argument(
        "--columns", metavar="A,B", help="with --pairs: the columns of sentence and translation, from 0"
    )
    parser.add_argument("--out", metavar="DIR", help="checkpoint folder to write (default: checkpoints/NAME)")
    parser.add_argument("--work", metavar="DIR", help="folder of the unfinished run (default: runs/NAME)")
    parser.add_argument("--data-dir", metavar="DIR", help="what {data} stands for in the recipe's paths")
    parser.add_argument(
        "--max-steps", type=int, metavar="N", help="train this many steps instead of the recipe's"
    )
    parser.add_argument("--device", metavar="NAME", help="auto, cpu, cuda or mps")
    parser.add_argument(
        "--start-from", metavar="DIR", help="go on from the weights and tokenizers of this checkpoint"
    )
    parser.add_argument("--restart", action="store_true", help="forget an unfinished run and start again")


def train_command(args: argparse.Namespace, finished: Callable[[Path], None] | None = None) -> int:
    """Run `python -m core train`: 0 when training is over, 130 when interrupted (the same command resumes it).

    `finished` is called with the checkpoint's folder once it is written, in the process that wrote it.
    """
    from core.training.run import Ending, train

    if args.pairs is not None:
        return _train_on_pairs(args, finished)
    if args.config is None:
        raise InputError("There is nothing to train; give a recipe, or your own pairs with --pairs FILE.")
    if args.columns is not None:
        raise InputError("--columns is about the file of --pairs; a recipe names its own columns.")
    packaged = RECIPES / f"{args.config}.toml"
    config = load_config(
        packaged if packaged.is_file() and not Path(args.config).is_file() else args.config,
        out=args.out,
        work=args.work,
        data_dir=args.data_dir,
        max_steps=args.max_steps,
        device=args.device,
        start_from=args.start_from,
    )
    return INTERRUPTED if train(config, restart=args.restart, finished=finished) is Ending.INTERRUPTED else 0


def _train_on_pairs(args: argparse.Namespace, finished: Callable[[Path], None] | None) -> int:
    """Train on the pairs of one file, with everything chosen from them."""
    for name in ("config", "data_dir", "start_from"):
        if getattr(args, name) is not None:
            raise InputError(
                "--pairs stands for a whole recipe; leave out the recipe, --data-dir and --start-from."
            )
    if args.out is None:
        raise InputError("--pairs needs --out DIR, the checkpoint folder to write.")
    from core.training.looks import followed, never_silent
    from core.training.own_pairs import own_recipe
    from core.training.run import Ending, train
    from core.training.snapshots import forget_run

    columns = _column_numbers(args.columns)
    work = Path(args.work) if args.work is not None else Path("runs") / Path(args.out).name
    with never_silent():
        if args.restart:
            forget_run(work)
        config, lines = own_recipe(args.pairs, args.out, work, columns, args.max_steps, args.device or "auto")
        print(*lines, "Reading the pairs and building the vocabulary.", sep="\n", flush=True)
        ending = train(config, finished=finished, follow=followed)
    return INTERRUPTED if ending is Ending.INTERRUPTED else 0


def _column_numbers(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    first, _, second = text.partition(",")
    if not (first.strip().isdecimal() and second.strip().isdecimal() and first.strip() != second.strip()):
        raise InputError(f"--columns {text!r} names no two columns; write A,B, such as 0,1.")
    return int(first), int(second)


def add_evaluate_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `python -m core evaluate`."""
    form = "one sentence a line, or FILE:COLUMN of a tab-separated file (columns from 0); .gz is read too"
    parser.add_argument("--checkpoint", required=True, metavar="DIR", help="the checkpoint's folder")
    parser.add_argument("--source", required=True, metavar="FILE", help=f"sentences to translate: {form}")
    parser.add_argument("--reference", required=True, metavar="FILE", help="their translations, likewise")
    parser.add_argument(
        "--beam", type=int, default=5, metavar="N", help="beam size; 1 is greedy (default: 5)"
    )
    parser.add_argument("--language", metavar="CODE", help="target language for Moses (default: the card's)")
    parser.add_argument("--device", metavar="NAME", help="cpu, cuda or mps (default: the first there is)")
    parser.add_argument("--write", metavar="FILE", help="also write the translations, one a line")
    parser.add_argument("--json", action="store_true", help="print the scores as JSON")


def evaluate_command(args: argparse.Namespace) -> int:
    """Run `python -m core evaluate`: translate a test set and print its scores."""
    from core.api import load
    from core.training.appraisal import score, score_of_sources
    from core.training.evaluate import read_test_set, stopwatch, table, translate_texts

    if args.beam < 1:
        raise InputError(f"--beam is {args.beam}; give 1 for greedy search or more for a beam.")
    if args.write:
        check_out(args.write, ".txt")
    sources, references = read_test_set(args.source, args.reference)
    ck = load(args.checkpoint, device=args.device)
    language = args.language or str(ck.card.get("target_language") or "en")
    seconds = stopwatch()
    written = translate_texts(
        ck.model, ck.source_tokenizer, ck.target_tokenizer, sources, beam_size=args.beam
    )
    took = seconds()
    if args.write:
        write_lines(args.write, written)
    quality = score(written, references, language)
    several = score_of_sources(sources, written, references, language)
    if args.json:
        scores = {**quality.to_json(), "beam": args.beam, "seconds": round(took, 2)}
        print(json.dumps({**scores, **({"multi_reference": several.to_json()} if several else {})}, indent=2))
    else:
        print(table(quality, beam_size=args.beam, seconds=took, several=several))
    return 0
