"""`python -m core translate`, `trace` and `verify`, which open a checkpoint; `train`, `import` and `example`, which write one.

`python -m core.cli.checkpoint MEGABYTES` is the child process of a watched training (core.training.live_child). It is here,
and not in `core.training`, because a finished checkpoint is measured by `core.experiments`, which depends on training.
What only the second three need is imported where it is used: it takes two seconds.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from core.decoding.inputs import DEFAULT_RECORD, source_ids
from core.decoding.strategies import STRATEGIES, check_options
from core.errors import AtlasError, InputError
from core.files import add_checkpoint_arguments, check_out

if TYPE_CHECKING:
    from core.api import Checkpoint


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

    from core.api import trace

    record = tuple(args.record) if args.record else DEFAULT_RECORD
    recorded = trace(checkpoint, args.source, args.target, record, args.max_steps)
    if not recorded.records:
        raise InputError(
            f"--record {' '.join(record)} names no site of this model; write stack.layer.block.kind."
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

    from core.verify.checking import verify

    report = verify(checkpoint, args.source)
    if args.json:
        print(json.dumps(report.to_json(), indent=2, ensure_ascii=False))
    else:
        from rich.console import Console

        Console().print(report.table())
    return 0 if report.passed else 1


_TOGETHER = 64  # lines of stdin translated at once


def add_translate_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `python -m core translate`."""
    parser.add_argument(
        "text", nargs="+", metavar="TEXT", help="a sentence; - reads sentences from stdin, one a line"
    )
    add_checkpoint_arguments(parser)
    parser.add_argument(
        "--strategy",
        choices=STRATEGIES,
        help="how tokens are chosen (default: the one that the options below belong to, else greedy)",
    )
    parser.add_argument("--beam-size", type=int, metavar="N", help="hypotheses of a beam (default: 5)")
    parser.add_argument(
        "--length-penalty",
        type=float,
        metavar="A",
        help="a beam ranks by log-probability / length^A (default: 1)",
    )
    parser.add_argument("--temperature", type=float, metavar="X", help="of sampling (default: 1)")
    parser.add_argument(
        "--top-k",
        type=int,
        metavar="K",
        help="sample from the K most probable tokens (default: all)",
    )
    parser.add_argument(
        "--top-p",
        type=float,
        metavar="P",
        help="sample from the fewest tokens that reach probability P of what --top-k leaves (default: 1)",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="of sampling (default: 0)")
    parser.add_argument("--max-steps", type=int, metavar="N", help="write at most N tokens")
    parser.add_argument(
        "--json",
        action="store_true",
        help="print a JSON object a sentence, with tokens, ids and probabilities",
    )


_OPTIONS_OF: Final = {
    "beam": {"beam_size": 5, "length_penalty": 1.0},
    "sample": {"temperature": 1.0, "top_k": 0, "top_p": 1.0, "seed": 0},
}
"""The options of each strategy, with their defaults."""


def choose_strategy(args: argparse.Namespace) -> None:
    """Fill in the strategy that the given options belong to, and the defaults. Raises `InputError` for options of another."""
    given = {
        strategy: [name for name in options if getattr(args, name) is not None]
        for strategy, options in _OPTIONS_OF.items()
    }
    if args.strategy is None:
        args.strategy = next((strategy for strategy, names in given.items() if names), "greedy")
    for strategy, names in given.items():
        if names and args.strategy != strategy:
            flags = ", ".join(f"--{name.replace('_', '-')}" for name in names)
            raise InputError(
                f"{flags} belongs to --strategy {strategy}, and the strategy here is {args.strategy}; choose one of the two."
            )
    for options in _OPTIONS_OF.values():
        for name, default in options.items():
            if getattr(args, name) is None:
                setattr(args, name, default)


def translate_command(args: argparse.Namespace) -> int:
    """Run `python -m core translate`."""
    choose_strategy(args)
    check_options(
        args.strategy,
        args.temperature,
        args.top_k,
        args.top_p,
        args.beam_size,
        args.seed,
        args.length_penalty,
    )
    if args.text != ["-"]:
        for text in args.text:
            if not text.strip():
                raise InputError("The sentence is empty; give at least one word.")
    checkpoint = open_checkpoint(args)
    stepwise = args.json or args.strategy == "sample"
    for texts in _batched(_texts(args.text), 1 if stepwise else _TOGETHER):
        lines = (
            [_stepwise(checkpoint, text, args) for text in texts]
            if stepwise
            else _at_once(checkpoint, texts, args)
        )
        for line in lines:
            print(line)
        sys.stdout.flush()
    return 0


def _texts(given: list[str]) -> Iterator[str]:
    if given != ["-"]:
        yield from given
        return
    try:
        yield from (line.rstrip("\r\n") for line in sys.stdin)
    except UnicodeDecodeError as error:
        raise InputError(
            f"What comes from stdin is not UTF-8 text ({error.reason}); convert it first."
        ) from None


def _batched(texts: Iterable[str], size: int) -> Iterator[list[str]]:
    source = iter(texts)
    while together := list(islice(source, size)):
        yield together


def _at_once(checkpoint: Checkpoint, texts: list[str], args: argparse.Namespace) -> list[str]:
    """Translations of `texts`; an empty line stays empty, so that the lines of both sides correspond."""
    from core.decoding.search import translate_batch

    filled = [index for index, text in enumerate(texts) if text.strip()]
    beam_size = args.beam_size if args.strategy == "beam" else 1
    sources = [source_ids(checkpoint, texts[index]) for index in filled]
    written = translate_batch(checkpoint.model, sources, beam_size, args.max_steps, args.length_penalty)
    lines = [""] * len(texts)
    for index, ids in zip(filled, written, strict=True):
        lines[index] = checkpoint.target_tokenizer.decode(ids)
    return lines


def _stepwise(checkpoint: Checkpoint, text: str, args: argparse.Namespace) -> str:
    from core.decoding.session import DecodeSession

    if not text.strip():
        return json.dumps({"source": text, "translation": ""}) if args.json else ""
    session = DecodeSession(
        checkpoint,
        text,
        args.strategy,
        args.temperature,
        args.top_k,
        args.top_p,
        beam_size=args.beam_size,
        length_penalty=args.length_penalty,
        seed=args.seed,
        max_steps=args.max_steps,
        record=(),
    )
    session.run()
    if not args.json:
        return session.text
    ids = session.ids
    answer: dict[str, Any] = {
        "source": text,
        "source_tokens": session.source_tokens,
        "source_ids": session.source_ids,
        "unknown": list(session.reading.unknown),
        "translation": session.text,
        "tokens": session.tokens,
        "ids": ids,
        "probabilities": [float(session.distribution_at(step)[token]) for step, token in enumerate(ids)],
        "finished": session.ended,
    }
    if args.strategy == "beam":
        answer["hypotheses"] = [
            {"text": each.text, "score": each.score, "log_probability": each.total, "finished": each.finished}
            for each in session.hypotheses
        ]
    return json.dumps(answer, ensure_ascii=False)


# -- commands that write a checkpoint, or what the app opens it with ------------------------------------------------


def add_train_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `python -m core train`."""
    from core.training.cli import add_train_arguments as add

    add(parser)


def train_command(args: argparse.Namespace) -> int:
    """Run `python -m core train`."""
    from core.training.cli import train_command as train

    return train(args, write_heads)


def write_heads(folder: Path) -> None:
    """Write the default heads and the atlas of a checkpoint that was just written."""
    from core.api import load
    from core.experiments.corpus_run import write_atlas
    from core.experiments.default_heads import write_default_heads
    from core.training.process import counting

    checkpoint = load(folder, device="cpu")
    with counting("choosing the heads that open") as step:
        write_default_heads(checkpoint, step)
    with counting("measuring all heads for the atlas") as step:
        write_atlas(checkpoint, step=step)


def add_import_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `python -m core import`."""
    from core.importing.cli import add_import_arguments as add

    add(parser)


def import_command(args: argparse.Namespace) -> int:
    """Run `python -m core import`."""
    from core.experiments.default_heads import default_heads
    from core.importing.cli import import_command as import_model

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


def example_command(args: argparse.Namespace) -> int:
    """Run `python -m core example`."""
    checkpoint = open_checkpoint(args)

    from core.analysis.alignment import WHEN
    from core.analysis.readout import how_many
    from core.analysis.roles import ALIGNMENT
    from core.decoding.example import write_example
    from core.experiments.corpus import load_atlas
    from core.experiments.corpus_run import readable, write_atlas
    from core.experiments.default_heads import example_sources, write_default_heads
    from core.experiments.importance import write_importance
    from core.training.process import counting

    # Raises for what the model cannot read, before anything is overwritten.
    readable(checkpoint, [(text, "") for text in example_sources(checkpoint)])

    path = write_example(checkpoint)
    print(f"{path}: {path.stat().st_size / 1000:.0f} kB")
    with counting("choosing the heads that open") as step:
        heads = write_default_heads(checkpoint, step)
    for kind, head in heads.items():
        does = f"aligns best {WHEN[head['reading']]}" if kind == ALIGNMENT else "opens first"
        print(f"{kind}: head {head['layer']}.{head['head']} {does}")
    with counting("measuring all heads for the atlas") as step:
        path = write_atlas(checkpoint, step=step)
    atlas = load_atlas(path.parent, checkpoint.config, checkpoint.digest)
    print(
        f"{path}: {path.stat().st_size / 1000:.0f} kB, all heads over {how_many(atlas.sentences, 'sentence')}"
    )
    with counting("ablating every head") as step:
        path = write_importance(checkpoint, step=step)
    print(f"{path}: {path.stat().st_size / 1000:.0f} kB, the importance of all heads on the card's sentences")
    return 0


if __name__ == "__main__":
    from core.training.live_child import begin

    begin(int(sys.argv[1]), write_heads)
