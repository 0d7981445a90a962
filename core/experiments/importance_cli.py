"""`python -m core importance`: what each head is worth, and with --groups what a role's heads are worth together."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from core.analysis.importance import spearman
from core.analysis.readout import how_many
from core.analysis.running import Running
from core.atomic_file import check_out
from core.errors import InputError
from core.experiments.command_files import (
    add_corpus_arguments,
    check_limit,
    corpus_pairs,
    write_csv,
)

if TYPE_CHECKING:
    from core.api import Checkpoint
    from core.experiments.groups import Removal
    from core.experiments.variants import Pair
    from core.training.distributed import Process

_SAVED: Final = 10  # sentences between two savings: each is a hundred passes


def add_importance_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `python -m core importance`."""
    add_corpus_arguments(parser)
    parser.add_argument("--out", metavar="FILE", help="the table to write, the most important head first")
    parser.add_argument(
        "--groups",
        action="store_true",
        help="translate the corpus without the heads of each role, beside random groups, and print BLEU as a "
        "Markdown table; needs --target. Without --out, heads are not left out one by one",
    )


@dataclass
class _Share:
    """What was measured of every head (heads,), sums over the sentences so far."""

    left_out: Running
    gradient: Running
    sentences: int = 0

    def save(self, path: Path, about: str) -> None:
        from core.experiments.shards import save_arrays

        arrays = {
            f"{name}_{part}": getattr(getattr(self, name), part)
            for name in ("left_out", "gradient")
            for part in ("count", "mean", "squares")
        }
        save_arrays(path, about, {**arrays, "sentences": np.array(self.sentences)})

    @classmethod
    def load(cls, path: Path, about: str, heads: int) -> _Share:
        from core.experiments.shards import load_arrays

        stored = load_arrays(path, about)
        if stored.get("left_out_count", np.zeros(0)).shape != (heads,):
            return cls(Running.empty((heads,)), Running.empty((heads,)))
        left, gradient = (
            Running(*(stored[f"{name}_{part}"] for part in ("count", "mean", "squares")))
            for name in ("left_out", "gradient")
        )
        return cls(left, gradient, int(stored["sentences"]))

    def join(self, other: _Share) -> None:
        self.left_out.join(other.left_out)
        self.gradient.join(other.gradient)
        self.sentences += other.sentences


def importance_command(args: argparse.Namespace) -> int:
    """Run `python -m core importance`: each head left out, and its gradient, over a corpus; shared under torchrun."""
    from core.api import load
    from core.experiments import corpus_run
    from core.training.distributed import join, leave

    if args.out is None and not args.groups:
        raise InputError("Nothing was asked for; give --out FILE for the table of heads, --groups, or both.")
    if args.groups and not args.target:
        raise InputError("--groups scores translations; give their references with --target.")
    check_limit(args.limit)
    if args.out is not None:
        check_out(args.out, ".csv")
    process = join(args.device)
    try:
        checkpoint = load(args.checkpoint, device=str(process.device))
        texts = corpus_run.readable(checkpoint, corpus_pairs(args.corpus, args.target, args.limit))
        out = Path(args.out) if args.out else Path("importance.groups")
        whole = _heads(checkpoint, texts, process, out) if args.out else None
        if args.groups:
            _groups(checkpoint, texts, process, out)
        if whole is not None:
            _report(checkpoint, whole, out)
    finally:
        leave(process)
    return 0


def _heads(
    checkpoint: Checkpoint, texts: Sequence[tuple[str, str]], process: Process, out: Path
) -> _Share | None:
    """Every head by itself; the whole for the first process."""
    from core.experiments import corpus_run, shards
    from core.experiments.importance import by_gradient, leave_one_out
    from core.experiments.variants import all_heads

    heads, model = all_heads(checkpoint.config), checkpoint.model
    about = corpus_run.about(f"{checkpoint.digest} importance", texts)

    def measure(share: _Share, own: Sequence[tuple[str, str]]) -> Iterator[object]:
        pairs: Iterator[Pair] = corpus_run.as_ids(checkpoint, own[share.sentences :])
        for pair in pairs:
            *_, left = leave_one_out(model, [pair])
            *_, slopes = by_gradient(model, [pair])
            for running, found in ((share.left_out, left), (share.gradient, slopes)):
                running.meet(np.array([found.tables[kind][layer, head] for kind, layer, head in heads]))
            share.sentences += 1
            yield pair

    load = partial(_Share.load, about=about, heads=len(heads))
    found = shards.measured_together(
        process, out, about, texts, load=load, measure=measure, name="importance", every=_SAVED
    )
    if found is None:
        return None
    whole = _Share(Running.empty((len(heads),)), Running.empty((len(heads),)))
    for share in found:
        whole.join(share)
    return whole


def _report(checkpoint: Checkpoint, whole: _Share, out: Path) -> None:
    """The table, and whether the two rankings agree."""
    from core.experiments import shards
    from core.experiments.groups import agreement_line
    from core.experiments.variants import all_heads
    from core.model.sites import ATTENTION

    left, gradient = whole.left_out, whole.gradient
    rows = [
        {
            "kind": ATTENTION[kind].name,
            "layer": layer,
            "head": head,
            "left_out": float(left.average[place]),
            "left_out_spread": float(left.spread[place]),
            "gradient": float(gradient.average[place]),
            "gradient_spread": float(gradient.spread[place]),
        }
        for place, (kind, layer, head) in enumerate(all_heads(checkpoint.config))
    ]
    agree = {
        "signed": spearman(left.average, gradient.average),
        "size": spearman(np.abs(left.average), gradient.average),
    }
    write_csv(out, sorted(rows, key=lambda row: -row["left_out"]))
    print(f"{out}: {len(rows)} heads over {how_many(whole.sentences, 'sentence')}, the most important first")
    shards.forget(out)
    print(agreement_line(agree, len(rows), whole.sentences))


@dataclass
class _Scores:
    """BLEU without each of the groups so far."""

    bleu: list[float]

    @property
    def sentences(self) -> int:
        return len(self.bleu)

    def save(self, path: Path, about: str) -> None:
        from core.experiments.shards import save_arrays

        save_arrays(path, about, {"bleu": np.array(self.bleu)})

    @classmethod
    def load(cls, path: Path, about: str) -> _Scores:
        from core.experiments.shards import load_arrays

        return cls([float(value) for value in load_arrays(path, about).get("bleu", np.zeros(0))])


def _planned(checkpoint: Checkpoint, sources: Sequence[str], process: Process, out: Path) -> list[Removal]:
    """What is to be removed: the roles are measured once, each process its share of the sentences."""
    from core.experiments import corpus_run, shards
    from core.experiments.corpus import Atlas
    from core.experiments.groups import removals

    texts = [(source, "") for source in sources]
    about = corpus_run.about(f"{checkpoint.digest} roles", texts)
    place = out.with_name(f"{out.name}.roles")

    def measure(atlas: Atlas, own: Sequence[tuple[str, str]]) -> Iterator[object]:
        return corpus_run.measure_corpus(checkpoint, own, atlas, process.rank, process.world)

    def load(path: Path) -> Atlas:
        return Atlas.load(path, checkpoint.config, about)

    found = shards.measured_together(process, place, about, texts, load=load, measure=measure, name="roles")
    plan = None
    if found is not None:
        whole = Atlas(checkpoint.config)
        for share in found:
            whole.join(share)
        plan = removals(whole)
    return process.from_main(plan)


def _groups(checkpoint: Checkpoint, texts: Sequence[tuple[str, str]], process: Process, out: Path) -> None:
    """BLEU without the heads of each role, as a Markdown table. Roles are those over the same sentences."""
    from core.experiments import corpus_run, shards
    from core.experiments.groups import bleu_without, markdown

    plan = _planned(checkpoint, [source for source, _ in texts], process, out)
    about = corpus_run.about(f"{checkpoint.digest} groups {plan}", texts)
    place = out.with_name(f"{out.name}.groups")

    def measure(scores: _Scores, own: Sequence[Removal]) -> Iterator[object]:
        for removal in own[scores.sentences :]:
            scores.bleu.append(bleu_without(checkpoint, texts, removal.heads))
            yield removal

    load = partial(_Scores.load, about=about)
    found = shards.measured_together(
        process, place, about, plan, load=load, measure=measure, name="groups", unit="groups", every=1
    )
    if found is None:
        return
    bleu = [found[number % len(found)].bleu[number // len(found)] for number in range(len(plan))]
    print(markdown(plan, bleu))
    print(
        f"\nsacreBLEU of greedy translations of {how_many(len(texts), 'sentence')}; roles as measured on them; at random: "
        f"{sum(removal.draw > 0 for removal in plan) // max(1, sum(removal.draw == 1 for removal in plan))} draws of as "
        "many heads of the same kind."
    )
    for each in (place, out.with_name(f"{out.name}.roles")):
        shards.forget(each)
