"""`python -m core heads` and `align`: what the heads of a checkpoint do over a corpus, as tables; and the files of a corpus."""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial, reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from core.analysis.aligners import BASELINES
from core.analysis.alignment import SIGN, STEPS, Counted, GoldFile, read_gold
from core.analysis.readout import how_many
from core.analysis.roles import ALIGNMENT, card_heads
from core.checkpoints.bundle import folder_of
from core.errors import InputError
from core.files import add_checkpoint_arguments, check_out, read_lines, replacing, write_lines

if TYPE_CHECKING:
    from core.analysis.alignment import Counted, Gold, Reading
    from core.api import Checkpoint
    from core.experiments.aligner import Trained
    from core.training.process import Process


def add_corpus_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare --checkpoint, --device, --corpus, --target and --limit."""
    source = "one a line, or FILE:COLUMN of a tab-separated file (columns from 0); .gz is read too"
    add_checkpoint_arguments(parser)
    parser.add_argument("--corpus", required=True, metavar="FILE", help=f"sentences, {source}")
    parser.add_argument(
        "--target", metavar="FILE", help="their translations, likewise (default: what the model writes)"
    )
    parser.add_argument("--limit", type=int, metavar="N", help="the first N sentences alone")


@contextmanager
def shared_run(args: argparse.Namespace) -> Iterator[tuple[Process, Checkpoint]]:
    """Join the run; give this process and the checkpoint on its device; leave at the end."""
    from core.api import load
    from core.training.process import join, leave

    process = join(args.device)
    try:
        yield process, load(args.checkpoint, device=str(process.device))
    finally:
        leave(process)


def corpus_pairs(corpus: str, target: str | None, limit: int | None) -> list[tuple[str, str]]:
    """The pairs of the files; a target that is not given is empty and written by the model."""
    from core.training.evaluate import read_side

    check_limit(limit)
    sources = read_side(corpus)
    targets = read_side(target) if target else [""] * len(sources)
    if len(sources) != len(targets):
        raise InputError(
            f"{corpus} has {len(sources):,} lines and {target} {len(targets):,}; give one translation per sentence."
        )
    return list(zip(sources, targets, strict=True))[:limit]


def joined_pairs(path: str, limit: int | None) -> tuple[list[tuple[str, str]], list[str] | None]:
    """The pairs of lines `sentence ||| translation`, and the gold lines where each has one as a third part.

    Raises `InputError` naming the line that has neither two nor three parts, or another number than the first.
    """

    check_limit(limit)
    rows = [[part.strip() for part in line.split(SIGN)] for line in read_lines(path)[:limit]]
    for number, row in enumerate(rows, start=1):
        if len(row) not in (2, 3) or len(row) != len(rows[0]):
            raise InputError(
                f"Line {number} of {path} has {how_many(len(row), 'part')}; write: sentence {SIGN} translation, in every "
                f"line, or sentence {SIGN} translation {SIGN} 1-1 2p3; or give the translations with --target."
            )
    gold = [row[2] for row in rows] if rows and len(rows[0]) == 3 else None
    return [(row[0], row[1]) for row in rows], gold


def check_limit(limit: int | None) -> None:
    """Raise `InputError` for a number of sentences below 1."""
    if limit is not None and limit < 1:
        raise InputError(f"--limit is {limit}; give a whole number from 1 on.")


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a table as CSV in one replacement; unknown numbers are empty. Raises `InputError` where it cannot be written."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    with replacing(path) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        writer = csv.writer(text)
        writer.writerow(names)
        for row in rows:
            writer.writerow([_cell(row.get(name, "")) for name in names])
        text.flush()
        text.detach()


def _cell(value: Any) -> Any:
    if isinstance(value, float):
        return f"{value:.9g}" if math.isfinite(value) else ""
    return value


Texts = tuple[str, str]


def add_heads_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `python -m core heads`."""
    add_corpus_arguments(parser)
    parser.add_argument(
        "--out", required=True, metavar="FILE", help="the table to write, one row a head (.csv)"
    )


def heads_command(args: argparse.Namespace) -> int:
    """Run `python -m core heads`; under torchrun every process takes its share of the sentences."""
    from core.experiments import corpus_run

    check_limit(args.limit)
    check_out(args.out, ".csv")
    with shared_run(args) as (process, checkpoint):
        pairs = corpus_run.readable(checkpoint, corpus_pairs(args.corpus, args.target, args.limit))
        out, about = Path(args.out), corpus_run.about(checkpoint.digest, pairs)
        whole = corpus_run.atlas_together(process, checkpoint, pairs, out, about, "heads")
        if whole is not None:
            write_csv(out, whole.rows())
            corpus_run.forget(out)
            print(f"{out}: {len(whole.rows())} heads over {how_many(whole.sentences, 'sentence')}")
    return 0


# -- alignment ----------------------------------------------------------------------------------------------------


def add_align_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `python -m core align`."""
    add_checkpoint_arguments(parser)
    parser.add_argument("--limit", type=int, metavar="N", help="the first N sentences alone")
    parser.add_argument(
        "--source",
        required=True,
        metavar="FILE",
        help=f"sentences, one a line; or, without --target, lines of sentence {SIGN} translation, where a third part "
        f"{SIGN} 1-1 2p3 is the gold alignment",
    )
    parser.add_argument("--target", metavar="FILE", help="their translations")
    parser.add_argument(
        "--gold", metavar="FILE", help="their alignments: 3-4 sure, 3p4 possible, source first"
    )
    parser.add_argument(
        "--gold-from", type=int, default=1, choices=(0, 1), help="what the gold counts from (default: 1)"
    )
    parser.add_argument(
        "--head",
        metavar="L.H",
        help="links of this head (default: the one the card names); not with --gold, which measures every head",
    )
    parser.add_argument(
        "--reading",
        choices=("writing", "reading"),
        help="the row that a word is aligned in: writing, which predicts it, or reading, in which it is fed back (default: "
        "the card's for the head it names, else writing); not with --gold, which measures both",
    )
    parser.add_argument(
        "--more",
        nargs=2,
        action="append",
        default=[],
        metavar=("SOURCE", "TARGET"),
        help="with a gold alignment: sentences and their translations (FILE, FILE:COLUMN; may be repeated) from which IBM model 1 "
        "learns too",
    )
    parser.add_argument(
        "--store",
        metavar="TEXT",
        help="with --more: keep how IBM model 1 aligns the gold file in the checkpoint, where the app shows it; TEXT names what "
        "it learnt from",
    )
    parser.add_argument(
        "--out", required=True, metavar="FILE", help="with --gold a table of all heads, else the links"
    )


@dataclass
class _Links:
    """The links of the sentences so far, a line each."""

    lines: list[str] = field(default_factory=list)

    @property
    def sentences(self) -> int:
        return len(self.lines)

    def save(self, path: Path, about: str) -> None:
        with replacing(path) as stream:
            stream.write(json.dumps({"about": about, "lines": self.lines}).encode())

    @classmethod
    def load(cls, path: Path, about: str) -> _Links:
        try:
            stored = json.loads(path.read_bytes())
            return cls(stored["lines"]) if stored["about"] == about else cls()
        except (OSError, ValueError, KeyError, TypeError):
            return cls()


_FIELDS = ("heads", "layers", "whole")


@dataclass
class _Counts:
    """The counts of links of each of the sentences so far: of every head, layer and all layers."""

    each: list[Counted] = field(default_factory=list)

    @property
    def sentences(self) -> int:
        return len(self.each)

    def save(self, path: Path, about: str) -> None:
        from core.experiments.corpus_run import save_arrays

        stacked = (
            {name: np.stack([getattr(one, name) for one in self.each]) for name in _FIELDS}
            if self.each
            else {}
        )
        save_arrays(path, about, stacked)

    @classmethod
    def load(cls, path: Path, about: str, layers: int, heads: int) -> _Counts:
        from core.experiments.corpus_run import load_arrays

        stored = load_arrays(path, about)
        shapes = {"heads": (2, layers, heads, 4), "layers": (2, layers, 4), "whole": (2, 4)}
        if any(stored.get(name, np.zeros(0)).shape[1:] != shape for name, shape in shapes.items()):
            return cls()
        return cls([Counted(*rows) for rows in zip(*(stored[name] for name in _FIELDS), strict=True)])


def align_command(args: argparse.Namespace) -> int:
    """Run `python -m core align`; under torchrun every process takes its share of the sentences."""
    if args.gold is not None and (args.head is not None or args.reading is not None):
        raise InputError(
            "With --gold every head is measured at both steps; leave out --head and --reading, or --gold."
        )
    pairs, gold = _aligned_texts(args)
    measured = gold is not None and args.head is None and args.reading is None
    if (args.more or args.store) and not measured:
        raise InputError(
            "--more and --store are for the aligner that heads are compared with; give a gold alignment too."
        )
    if args.store is not None and not (args.more and 0 < len(args.store.strip()) <= 200):
        raise InputError("--store names the text that --more gives, in at most 200 characters; give both.")
    check_out(args.out, ".csv" if measured else ".txt")
    with shared_run(args) as (process, checkpoint):
        _check_pairs(checkpoint, pairs)
        if measured and gold is not None:
            _write_measured(args, process, checkpoint, pairs, gold)
        else:
            _write_links(args, process, checkpoint, pairs)
    return 0


def _aligned_texts(args: argparse.Namespace) -> tuple[list[Texts], list[str] | None]:
    """The pairs, and the lines of their gold alignment: of files of their own, or all of one file."""

    given = None if args.gold is None else read_lines(args.gold)
    if args.target is not None:
        pairs = corpus_pairs(args.source, args.target, args.limit)
        return pairs, None if given is None else given[: args.limit]
    pairs, own = joined_pairs(args.source, args.limit)
    if given is not None and own is not None:
        raise InputError(f"{args.source} holds a gold alignment already; leave out --gold.")
    return pairs, own if given is None else given[: args.limit]


def _check_pairs(checkpoint: Checkpoint, pairs: Sequence[Texts]) -> None:
    """Raise `InputError`, with the number of the line, for a pair that the model cannot read."""
    from core.decoding.inputs import source_ids, target_ids

    for number, (source, target) in enumerate(pairs, start=1):
        try:
            source_ids(checkpoint, source)
            target_ids(checkpoint, target)
        except InputError as error:
            raise InputError(f"Pair {number}: {error}") from None


def _write_links(
    args: argparse.Namespace, process: Process, checkpoint: Checkpoint, pairs: Sequence[Texts]
) -> None:
    from core.experiments import contributions, corpus_run

    (head, reading), out = _head_and_reading(checkpoint, args.head, args.reading), Path(args.out)
    about = f"{corpus_run.about(checkpoint.digest, pairs)} {head} {reading}"

    def measure(links: _Links, own: Sequence[Texts]) -> Iterator[object]:
        for line in contributions.linked(checkpoint, own[links.sentences :], head, reading):
            links.lines.append(line)
            yield line

    load = partial(_Links.load, about=about)
    shares = corpus_run.measured_together(
        process, out, about, pairs, load=load, measure=measure, name="align"
    )
    if shares is None:
        return
    lines = corpus_run.in_order([share.lines for share in shares])
    write_lines(out, lines)
    corpus_run.forget(out)
    print(f"{out}: the links of {how_many(len(lines), 'sentence')}, counted from 0, source first")


def _write_measured(
    args: argparse.Namespace,
    process: Process,
    checkpoint: Checkpoint,
    pairs: Sequence[Texts],
    lines: Sequence[str],
) -> None:
    from core.experiments import contributions, corpus_run

    gold, out, config = read_gold(lines, first=args.gold_from), Path(args.out), checkpoint.config
    contributions.check_gold(gold, pairs)
    about = (
        f"{corpus_run.about(checkpoint.digest, [*pairs, *((line, '') for line in lines)])} {args.gold_from}"
    )

    def measure(counts: _Counts, own: Sequence[tuple[Texts, Gold]]) -> Iterator[object]:
        left = own[counts.sentences :]
        texts, answers = [pair for pair, _ in left], [one for _, one in left]
        for counted in contributions.measure_contributions(checkpoint, texts, answers):
            counts.each.append(counted)
            yield counted

    load = partial(_Counts.load, about=about, layers=config.decoder_layers, heads=config.of("decoder").heads)
    work = list(zip(pairs, gold, strict=True))
    shares = corpus_run.measured_together(process, out, about, work, load=load, measure=measure, name="align")
    if shares is None:
        return
    each = corpus_run.in_order([share.each for share in shares])
    trained = _trained_aligner(args, checkpoint, GoldFile("", tuple(pairs), tuple(gold)))
    rows = contributions.best_first(each, contributions.baseline_counts(pairs, gold, trained))
    write_csv(out, rows)
    corpus_run.forget(out)
    heads = [row for row in rows if row["reading"] in STEPS]
    print("\n".join(contributions.by_layer(reduce(add, each))))
    best = heads[0]
    print(
        f"{out}: {len(heads)} heads and readings over {how_many(len(pairs), 'sentence')}; the best is head "
        f"{best['layer']}.{best['head']} {STEPS[best['reading']]}: AER {_with_interval(best, 'aer')}, precision "
        f"{_with_interval(best, 'precision')}, recall {_with_interval(best, 'recall')} (95 % intervals)"
    )
    for row in rows:
        if row["reading"] in BASELINES:
            better = sum(head[f"beats_{row['reading']}"] for head in heads)
            learnt = (
                f", of {trained.text} ({trained.pairs:,} pairs)"
                if trained and row["reading"] == "ibm1"
                else ""
            )
            print(
                f"{BASELINES[row['reading']]}{learnt}: AER {_with_interval(row, 'aer')}; {better} of {len(heads)} heads and "
                "readings align better (Benjamini-Hochberg, 5 %)"
            )


def _trained_aligner(args: argparse.Namespace, checkpoint: Checkpoint, file: GoldFile) -> Trained | None:
    """IBM model 1 trained on the text of `--more`, stored where that is asked for; else the stored one of this gold file."""
    from core.experiments import aligner, contributions

    if not args.more:
        return contributions.trained_aligner(checkpoint, file)
    more = [pair for source, target in args.more for pair in corpus_pairs(source, target, None)]
    found = aligner.trained(file, more, (args.store or "more text").strip())
    if args.store:
        path = folder_of(checkpoint, remedy="save it first") / aligner.RESULTS
        aligner.store(path, file, found)
        print(f"{path}: written")
    return found


def _with_interval(row: Mapping[str, Any], name: str) -> str:
    """A rate and its interval: 0.160 [0.120, 0.201]."""
    return f"{row[name]:.3f} [{row[f'{name}_low']:.3f}, {row[f'{name}_high']:.3f}]"


def _head_and_reading(
    checkpoint: Checkpoint, given: str | None, reading: Reading | None
) -> tuple[tuple[int, int], Reading]:
    """The head that `--head` names, or the card's, and the step at which it aligns."""
    config = checkpoint.config.of("decoder")
    if given is None:
        named = card_heads(checkpoint.card, {"cross": config.shape("decoder")})
        stated = named.get(ALIGNMENT) or named.get("cross")
        if stated is None:
            raise InputError("The card names no head for alignment; say which with --head L.H.")
        return (stated.layer, stated.head), reading or stated.reading or "writing"
    match = re.fullmatch(r"(\d{1,4})\.(\d{1,4})", given, re.ASCII)
    layer, head = map(int, match.groups()) if match else (-1, -1)
    if not (0 <= layer < config.decoder_layers and 0 <= head < config.heads):
        raise InputError(
            f"--head is {given[:80]!r}; write layer.head, from 0.0 to {config.decoder_layers - 1}.{config.heads - 1}."
        )
    return (layer, head), reading or "writing"
