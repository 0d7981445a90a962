"""`python -m core importance`: what each head is worth, by leaving it out and by gradient, over a corpus."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from core.analysis.readout import decimal, how_many
from core.analysis.roles import Running
from core.experiments import corpus_run
from core.experiments.cli import (
    add_corpus_arguments,
    check_limit,
    corpus_pairs,
    shared_run,
    write_csv,
)
from core.experiments.edits import all_heads
from core.experiments.importance import by_gradient, leave_one_out
from core.experiments.rankings import spearman
from core.files import check_out
from core.model.hooks import ATTENTION

if TYPE_CHECKING:
    from core.api import Checkpoint
    from core.experiments.what_if import Pair
    from core.training.process import Process


def agreement_line(correlations: Mapping[str, float], heads: int, sentences: int) -> str:
    """Whether the two rankings agree, in a sentence."""
    one, two = (decimal(correlations[name]) for name in ("signed", "size"))
    return (
        f"Spearman's ρ of gradient importance and leaving one head out: {one}; with the size of the change, whatever its "
        f"sign: {two} ({how_many(heads, 'head')}, {how_many(sentences, 'sentence')})."
    )


_SAVED: Final = 10  # sentences between two savings: each is a hundred passes


def add_importance_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `python -m core importance`."""
    add_corpus_arguments(parser)
    parser.add_argument(
        "--out", required=True, metavar="FILE", help="the table to write, the most important head first"
    )


@dataclass
class _Share:
    """What was measured of every head (heads,), sums over the sentences so far."""

    left_out: Running
    gradient: Running
    sentences: int = 0

    def save(self, path: Path, about: str) -> None:
        arrays = self.left_out.arrays("left_out_") | self.gradient.arrays("gradient_")
        corpus_run.save_arrays(path, about, {**arrays, "sentences": np.array(self.sentences)})

    @classmethod
    def load(cls, path: Path, about: str, heads: int) -> _Share:
        stored = corpus_run.load_arrays(path, about)
        if stored.get("left_out_count", np.zeros(0)).shape != (heads,):
            return cls(Running.empty((heads,)), Running.empty((heads,)))
        left, gradient = (Running.of_arrays(stored, f"{name}_") for name in ("left_out", "gradient"))
        return cls(left, gradient, int(stored["sentences"]))

    def join(self, other: _Share) -> None:
        self.left_out.join(other.left_out)
        self.gradient.join(other.gradient)
        self.sentences += other.sentences


def importance_command(args: argparse.Namespace) -> int:
    """Run `python -m core importance`: each head left out, and its gradient, over a corpus; shared under torchrun."""
    check_limit(args.limit)
    check_out(args.out, ".csv")
    with shared_run(args) as (process, checkpoint):
        texts = corpus_run.readable(checkpoint, corpus_pairs(args.corpus, args.target, args.limit))
        out = Path(args.out)
        whole = _heads(checkpoint, texts, process, out)
        if whole is not None:
            _report(checkpoint, whole, out)
    return 0


def _heads(
    checkpoint: Checkpoint, texts: Sequence[tuple[str, str]], process: Process, out: Path
) -> _Share | None:
    """Measure every head by itself; the first process returns all of them."""
    heads, model = all_heads(checkpoint.config), checkpoint.model
    about = corpus_run.about(f"{checkpoint.digest} importance", texts)

    def measure(share: _Share, own: Sequence[tuple[str, str]]) -> Iterator[object]:
        pairs: Iterator[Pair] = corpus_run.as_ids(checkpoint, own[share.sentences :])
        for pair in pairs:
            *_, left = leave_one_out(model, [pair])
            *_, slopes = by_gradient(model, [pair])
            for running, shares in ((share.left_out, left), (share.gradient, slopes)):
                running.meet(np.array([shares.tables[kind][layer, head] for kind, layer, head in heads]))
            share.sentences += 1
            yield pair

    load = partial(_Share.load, about=about, heads=len(heads))
    shares = corpus_run.measured_together(
        process, out, about, texts, load=load, measure=measure, name="importance", every=_SAVED
    )
    if shares is None:
        return None
    whole = _Share(Running.empty((len(heads),)), Running.empty((len(heads),)))
    for share in shares:
        whole.join(share)
    return whole


def _report(checkpoint: Checkpoint, whole: _Share, out: Path) -> None:
    """The table, and whether the two rankings agree."""
    left, gradient = whole.left_out, whole.gradient
    rows = [
        {
            "kind": ATTENTION[kind].name,
            "layer": layer,
            "head": head,
            "left_out": float(left.average[index]),
            "left_out_spread": float(left.spread[index]),
            "gradient": float(gradient.average[index]),
            "gradient_spread": float(gradient.spread[index]),
        }
        for index, (kind, layer, head) in enumerate(all_heads(checkpoint.config))
    ]
    agree = {
        "signed": spearman(left.average, gradient.average),
        "size": spearman(np.abs(left.average), gradient.average),
    }
    write_csv(out, sorted(rows, key=lambda row: -row["left_out"]))
    print(f"{out}: {len(rows)} heads over {how_many(whole.sentences, 'sentence')}, the most important first")
    corpus_run.forget(out)
    print(agreement_line(agree, len(rows), whole.sentences))
