"""`python -m core heads`, `importance` and `align`: what the heads of a checkpoint do over a corpus, as tables."""

from __future__ import annotations

import argparse
import csv
import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from core.errors import AtlasError, InputError

if TYPE_CHECKING:
    from core.api import Checkpoint
    from core.experiments.corpus import Atlas
    from core.experiments.variants import Pair
    from core.training.distributed import Process

_SAVED: Final = 200  # sentences between two savings
_TOGETHER: Final = 64  # sentences translated at once


def add_heads_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `python -m core heads`."""
    parser.add_argument("--checkpoint", required=True, metavar="DIR", help="the checkpoint's folder")
    parser.add_argument(
        "--device", default="auto", metavar="NAME", help="cpu, cuda or mps (default: the first there is)"
    )
    parser.add_argument("--corpus", required=True, metavar="FILE", help="sentences, one a line (.gz too)")
    parser.add_argument(
        "--target", metavar="FILE", help="their translations (default: what the model writes)"
    )
    parser.add_argument(
        "--out", required=True, metavar="FILE", help="the table to write, one row a head (.csv)"
    )
    parser.add_argument("--limit", type=int, metavar="N", help="the first N sentences alone")


def heads_command(args: argparse.Namespace) -> int:
    """Run `python -m core heads`; under torchrun every process takes its share of the sentences."""
    from core.api import load
    from core.experiments.corpus import Atlas
    from core.training.distributed import join, leave

    process = join(args.device)
    try:
        checkpoint = load(args.checkpoint, device=str(process.device))
        pairs = _readable(checkpoint, _corpus(args))
        out = Path(args.out)
        about = _about(checkpoint, pairs)
        part = _measured(checkpoint, pairs[process.rank :: process.world], process, out, about)
        process.wait()
        if process.main:
            whole = Atlas(checkpoint.config)
            for rank in range(process.world):
                share = (
                    part
                    if rank == 0
                    else Atlas.load(_part(out, rank, process.world), checkpoint.config, about)
                )
                whole.join(share)
            if whole.sentences != len(pairs):
                raise InputError(
                    f"Only {whole.sentences} of {len(pairs)} sentences were measured; run it again."
                )
            _write(out, whole.rows())
            for rank in range(process.world):
                _part(out, rank, process.world).unlink(missing_ok=True)
            print(f"{out}: {len(whole.rows())} heads over {whole.sentences:,} sentences")
    finally:
        leave(process)
    return 0


def _measured(
    checkpoint: Checkpoint, pairs: Sequence[tuple[str, str]], process: Process, out: Path, about: str
) -> Atlas:
    """One process's share of the sentences; goes on where an earlier run of the same stopped."""
    from core.decoding.trace_stream import trace_many_ids
    from core.experiments.corpus import RECORD, Atlas
    from core.training.progress import Reporter

    path = _part(out, process.rank, process.world)
    atlas = Atlas.load(path, checkpoint.config, about)
    reporter = Reporter(len(pairs), main=process.main)
    if atlas.sentences:
        reporter.line(f"{atlas.sentences:,} of {len(pairs):,} sentences are done; going on")
    frequency = checkpoint.source_tokenizer.frequency
    try:
        left = _ids(checkpoint, pairs[atlas.sentences :])
        for trace in trace_many_ids(checkpoint, left, record=RECORD):
            atlas.meet(trace, [frequency(token) for token in trace.source_ids])
            saved = atlas.sentences % _SAVED == 0
            if saved:
                atlas.save(path, about)
            reporter.step(atlas.sentences, "heads", log=saved)
    finally:
        reporter.close()
    atlas.save(path, about)
    return atlas


def _part(out: Path, rank: int, world: int) -> Path:
    """Where one process keeps its share until all are done."""
    return out.with_name(f"{out.name}.{rank + 1}-of-{world}.part")


def _about(checkpoint: Checkpoint, pairs: Sequence[tuple[str, str]]) -> str:
    """What a share was measured on: the model, and every sentence."""
    digest = hashlib.sha256(checkpoint.digest.encode())
    for pair in pairs:
        digest.update("\t".join(pair).encode("utf-8", "replace") + b"\n")
    return digest.hexdigest()


def _corpus(args: argparse.Namespace) -> list[tuple[str, str]]:
    """The pairs of the files; a target that is not given is empty and written by the model."""
    from core.training.data import read_lines

    sources = read_lines(args.corpus)
    targets = read_lines(args.target) if args.target else [""] * len(sources)
    if len(sources) != len(targets):
        raise InputError(
            f"{args.corpus} has {len(sources):,} lines and {args.target} {len(targets):,}; give one translation a sentence."
        )
    if args.limit is not None and args.limit < 1:
        raise InputError(f"--limit is {args.limit}; give a whole number from 1 on.")
    return list(zip(sources, targets, strict=True))[: args.limit]


def _readable(checkpoint: Checkpoint, pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The pairs that the model can read. Raises `InputError` when there is none."""
    from core.decoding.inputs import target_ids

    kept = []
    for source, target in pairs:
        try:
            checkpoint.encode_source(source)
            if target.strip():
                target_ids(checkpoint, target)
        except AtlasError:
            continue
        kept.append((source, target))
    if not kept:
        raise InputError("The corpus holds no sentence that this model can read; give at least one.")
    return kept


def _ids(checkpoint: Checkpoint, pairs: Iterable[tuple[str, str]]) -> Iterator[Pair]:
    """The pairs as ids; where there is no target, what the model writes."""
    from core.decoding.batch import translate_batch
    from core.decoding.inputs import target_ids
    from core.experiments.variants import Pair

    waiting = iter(pairs)
    while some := list(islice(waiting, _TOGETHER)):
        missing = [checkpoint.encode_source(source) for source, target in some if not target.strip()]
        written = iter(translate_batch(checkpoint.model, missing) if missing else [])
        for source, target in some:
            ids = target_ids(checkpoint, target) if target.strip() else next(written)
            yield Pair(tuple(checkpoint.encode_source(source)), tuple(ids))


def _write(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """A table as CSV; a number that is not known is empty."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    try:
        with path.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream)
            writer.writerow(names)
            for row in rows:
                writer.writerow([_cell(row.get(name, "")) for name in names])
    except OSError as error:
        reason = error.strerror or "the disk refused it"
        raise InputError(f"{path} cannot be written ({reason}); choose a folder you can write to.") from error


def _cell(value: Any) -> Any:
    if isinstance(value, float):
        return f"{value:.9g}" if math.isfinite(value) else ""
    return value


# -- importance ---------------------------------------------------------------------------------------------------


def add_importance_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `python -m core importance`."""
    add_heads_arguments(parser)


def importance_command(args: argparse.Namespace) -> int:
    """Run `python -m core importance`: each head left out, and its gradient, over a corpus."""
    from core.api import load
    from core.experiments.survey import survey
    from core.model.sites import ATTENTION
    from core.training.progress import Reporter

    checkpoint = load(args.checkpoint, device=None if args.device == "auto" else args.device)
    pairs = list(_ids(checkpoint, _readable(checkpoint, _corpus(args))))
    reporter = Reporter(0)
    try:
        for found in survey(checkpoint.model, pairs):
            reporter.max_steps = found.total
            if reporter.bar is not None:
                reporter.bar.update(reporter.task, total=found.total)
            reporter.step(found.done, "importance", log=found.done % 100 == 0)
    finally:
        reporter.close()
    rows = [
        {
            "kind": ATTENTION[kind].name,
            "layer": layer,
            "head": head,
            "left_out": float(found.left_out[kind][layer, head]),
            "gradient": float(found.gradient[kind][layer, head]),
        }
        for kind, layer, head in found.ranking()
    ]
    _write(Path(args.out), rows)
    print(
        f"{args.out}: {len(rows)} heads over {len(pairs):,} sentences, the most important first; Spearman's rho of the two "
        f"rankings {found.agreement:.3f}, with the size of the change {found.agreement_in_size:.3f}"
    )
    return 0


# -- alignment ----------------------------------------------------------------------------------------------------


def add_align_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `python -m core align`."""
    parser.add_argument("--checkpoint", required=True, metavar="DIR", help="the checkpoint's folder")
    parser.add_argument("--device", metavar="NAME", help="cpu, cuda or mps (default: the first there is)")
    parser.add_argument("--source", required=True, metavar="FILE", help="sentences, one a line")
    parser.add_argument("--target", required=True, metavar="FILE", help="their translations")
    parser.add_argument(
        "--gold", metavar="FILE", help="their alignments: 3-4 sure, 3p4 possible, source first"
    )
    parser.add_argument(
        "--gold-from", type=int, default=1, choices=(0, 1), help="what the gold counts from (default: 1)"
    )
    parser.add_argument(
        "--head",
        metavar="L.H",
        help="links of this head (default: the one the card names, or with gold the best)",
    )
    parser.add_argument(
        "--reading",
        default="writing",
        choices=("writing", "reading"),
        help="the step that a word is aligned at",
    )
    parser.add_argument(
        "--out", required=True, metavar="FILE", help="with --gold a table of all heads, else the links"
    )


def align_command(args: argparse.Namespace) -> int:
    """Run `python -m core align`."""
    from core.api import load
    from core.experiments import aligning

    checkpoint = load(args.checkpoint, device=args.device)
    pairs = _corpus(argparse.Namespace(corpus=args.source, target=args.target, limit=None))
    if args.gold is None:
        lines = aligning.linked(checkpoint, pairs, _head(checkpoint, args.head), args.reading)
        count = aligning.write_lines(Path(args.out), lines)
        print(f"{args.out}: the links of {count:,} sentences, counted from 0, source first")
        return 0
    from core.analysis.alignment import read_gold
    from core.training.data import read_lines

    gold = read_gold(read_lines(args.gold), first=args.gold_from)
    rows = aligning.measured(checkpoint, pairs, gold)
    _write(Path(args.out), rows)
    best = rows[0]
    print(
        f"{args.out}: {len(rows)} heads and readings over {len(pairs):,} sentences; the best is head "
        f"{best['layer']}.{best['head']} at the step {best['reading']} the word: AER {best['aer']:.3f}, precision "
        f"{best['precision']:.3f}, recall {best['recall']:.3f}"
    )
    return 0


def _head(checkpoint: Checkpoint, given: str | None) -> tuple[int, int]:
    """The head that `--head` names, or the card's."""
    if given is None:
        stated = checkpoint.card.get("default_heads", {})
        stated = stated.get("cross", {}) if isinstance(stated, dict) else {}
        if not isinstance(stated, dict) or not {"layer", "head"} <= stated.keys():
            raise InputError("The card names no head for alignment; say which with --head L.H.")
        return int(stated["layer"]), int(stated["head"])
    layer, dot, head = given.partition(".")
    config = checkpoint.config
    if (
        not (dot and layer.isdecimal() and head.isdecimal())
        or int(layer) >= config.decoder_layers
        or int(head) >= config.heads
    ):
        raise InputError(
            f"--head is {given!r}; write layer.head, from 0.0 to {config.decoder_layers - 1}.{config.heads - 1}."
        )
    return int(layer), int(head)
