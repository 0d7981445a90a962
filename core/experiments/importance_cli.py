"""`python -m core importance`: the importance of each head, by ablation and by gradient, over a corpus."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from core.analysis.readout import decimal, how_many
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
from core.experiments.rankings import LITTLE, HeadIntervals, spearman
from core.files import check_out
from core.model.hooks import ATTENTION

if TYPE_CHECKING:
    from core.api import Checkpoint
    from core.experiments.what_if import Pair
    from core.model.config import ModelConfig
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
    """What each of the sentences so far gave of every head: the rise of the loss and the gradient's size, (2, heads) each."""

    each: list[np.ndarray] = field(default_factory=list)

    @property
    def sentences(self) -> int:
        return len(self.each)

    def save(self, path: Path, about: str) -> None:
        corpus_run.save_arrays(path, about, {"each": np.array(self.each)})

    @classmethod
    def load(cls, path: Path, about: str, heads: int) -> _Share:
        stored = corpus_run.load_arrays(path, about).get("each", np.zeros(0))
        return cls(list(stored)) if stored.shape[1:] == (2, heads) else cls()


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
            rows = [
                [found.tables[kind][layer, head] for kind, layer, head in heads] for found in (left, slopes)
            ]
            share.each.append(np.array(rows))
            yield pair

    load = partial(_Share.load, about=about, heads=len(heads))
    shares = corpus_run.measured_together(
        process, out, about, texts, load=load, measure=measure, name="importance", every=_SAVED
    )
    return None if shares is None else _Share(corpus_run.in_order([share.each for share in shares]))


def _report(checkpoint: Checkpoint, whole: _Share, out: Path) -> None:
    """The table, and whether the two rankings agree."""
    each = np.array(whole.each)  # (N, 2, heads)
    heads, config = all_heads(checkpoint.config), checkpoint.config
    rises, slopes = (_tables(config, each[:, side]) for side in (0, 1))
    found = HeadIntervals.of(rises, slopes)
    rows = []
    for index, (kind, layer, head) in enumerate(heads):
        row: dict[str, Any] = {"kind": ATTENTION[kind].name, "layer": layer, "head": head, "n": len(each)}
        for side, (name, intervals) in enumerate(
            (("left_out", found.left_out), ("gradient", found.gradient))
        ):
            ends = (float(end[layer, head]) for end in intervals[kind][:3])
            row |= dict(zip((name, f"{name}_low", f"{name}_high"), ends, strict=True))
            row[f"{name}_spread"] = float(each[:, side, index].std())
        first, last = found.ranks[kind]
        rows.append({**row, "rank_low": int(first[layer, head]), "rank_high": int(last[layer, head])})
    write_csv(out, sorted(rows, key=lambda row: -row["left_out"]))
    print(f"{out}: {len(rows)} heads over {how_many(whole.sentences, 'sentence')}, the most important first")
    corpus_run.forget(out)
    size = spearman(np.abs(each[:, 0].mean(axis=0)), each[:, 1].mean(axis=0))
    print(agreement_line({"signed": found.agreement["all"][0], "size": size}, len(rows), whole.sentences))
    print(within_kinds(found.agreement))
    little = [row for row in rows if row["left_out"] < LITTLE]
    lower = [row for row in little if row["left_out"] < 0]
    clearly = [row for row in lower if row["left_out_high"] < 0]
    print(
        f"{how_many(len(little), 'head')} of {len(rows)} cost less than {LITTLE} nats; {len(lower)} of them lower the loss, "
        f"{len(clearly)} with all of their 95 % interval."
    )


def within_kinds(agreement: Mapping[str, tuple[float, float, float]]) -> str:
    """ρ of the two rankings over all heads and within each kind, with its 95 % interval."""
    names = {"all": "all heads", **{kind: attention.name for kind, attention in ATTENTION.items()}}
    parts = [
        f"{names[name]} {decimal(value)} [{decimal(low)}, {decimal(high)}]"
        for name, (value, low, high) in agreement.items()
    ]
    return f"ρ with its 95 % interval: {', '.join(parts)}."


def _tables(config: ModelConfig, flat: np.ndarray) -> dict[Any, np.ndarray]:
    """(N, heads) in the order of `all_heads` as (N, L, H) a kind."""
    heads = all_heads(config)
    tables = {}
    for kind in dict.fromkeys(kind for kind, _, _ in heads):
        own = [index for index, head in enumerate(heads) if head[0] == kind]
        tables[kind] = flat[:, own].reshape(len(flat), *config.shape(ATTENTION[kind].stack))
    return tables
