"""`python -m core importance` and `propose`: what each head is worth, and which edits change a translation.

With `--groups`, what a role's heads are worth together: BLEU without them, beside random groups of the same size.

`propose` runs each edit of a list on each of the example sentences. A lesson whose edit leaves every word as it is
teaches that the edited part is superfluous; this measures where an edit shows, and how often it does not.
"""

from __future__ import annotations

import argparse
import copy
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import torch

from core.analysis.readout import decimal, how_many, word_difference
from core.analysis.roles import ROLES, Running
from core.errors import InputError
from core.experiments import corpus_run
from core.experiments.cli import (
    add_corpus_arguments,
    check_limit,
    corpus_pairs,
    shared_run,
    write_csv,
)
from core.experiments.contributions import sublayer
from core.experiments.corpus import Atlas
from core.experiments.edits import Edits, Head, all_heads
from core.experiments.importance import by_gradient, leave_one_out
from core.experiments.rankings import spearman
from core.experiments.what_if import rewrite, what_if
from core.files import add_checkpoint_arguments, check_out
from core.model.hooks import ATTENTION

if TYPE_CHECKING:
    from core.api import Checkpoint
    from core.checkpoints.bundle import Bundle
    from core.experiments.what_if import Pair
    from core.model.transformer import Transformer
    from core.training.process import Process


DRAWS: Final = 3
"""Random groups beside each group, of as many heads of each kind."""
NEAREST: Final = 3
"""Heads that stand for a role that no head of a kind has."""
_SEED: Final = 20_170_612


@dataclass(frozen=True)
class Removal:
    """Heads that are switched off together. `draw` counts the random groups from 1; 0 is the group itself."""

    group: str
    heads: tuple[Head, ...]
    draw: int = 0


def role_groups(atlas: Atlas) -> dict[str, tuple[Head, ...]]:
    """Heads by the role the atlas gives them: "alignment, cross"; a head may have several.

    Where no head of a kind reaches a role's threshold, the `NEAREST` heads with most of its score stand for it, and the
    group's name says so with their scores.
    """
    groups: dict[str, tuple[Head, ...]] = {}
    for role in ROLES:
        for key, attention in ATTENTION.items():
            table = atlas.scores.get(attention.name, {}).get(role.metric)
            if attention.name not in role.kinds or table is None or not np.isfinite(table.average).any():
                continue
            means = {
                (key, int(layer), int(head)): float(value)
                for (layer, head), value in np.ndenumerate(table.average)
                if np.isfinite(value)
            }
            name = f"{role.name}, {attention.name}"
            chosen = [head for head, value in means.items() if value >= role.threshold]
            if not chosen:
                chosen = sorted(means, key=lambda head: -means[head])[:NEAREST]
                least, most = min(means[head] for head in chosen), max(means[head] for head in chosen)
                name += f" (none from {role.threshold:g} on; the nearest, {least:.2f} to {most:.2f})"
            groups[name] = tuple(sorted(chosen))  # type: ignore[arg-type]
    return groups


def removals(atlas: Atlas) -> list[Removal]:
    """Nothing removed, then every role's heads, each followed by `DRAWS` random groups of as many heads of its kind.

    A random group is drawn from all heads of the kind, those of the role too, by a fixed seed.
    """
    removals = [Removal("none", ())]
    for number, (group, heads) in enumerate(role_groups(atlas).items()):
        removals.append(Removal(group, heads))
        kind = [head for head in all_heads(atlas.config) if head[0] == heads[0][0]]
        draw = np.random.default_rng((_SEED, number))
        for turn in range(1, DRAWS + 1):
            chosen = sorted(draw.choice(len(kind), size=len(heads), replace=False))
            removals.append(Removal(group, tuple(kind[index] for index in chosen), turn))
    return removals


def without(model: Transformer, heads: Sequence[Head]) -> Transformer:
    """A copy of the model whose `heads` add nothing: their columns of W_O are zero, the output's bias stays."""
    changed = copy.deepcopy(model)
    with torch.no_grad():
        for kind, layer, head in heads:
            weight = sublayer(changed, kind, layer)[0].output_proj.weight
            size = model.config.of(ATTENTION[kind].stack).d_head
            weight[:, head * size : (head + 1) * size] = 0.0
    return changed


def bleu_without(checkpoint: Checkpoint, pairs: Sequence[tuple[str, str]], heads: Sequence[Head]) -> float:
    """sacreBLEU of greedy translations without `heads`, against the pairs' second texts."""
    from core.training.evaluate import quick_bleu, translate_texts

    written = translate_texts(
        without(checkpoint.model, heads),
        checkpoint.source_tokenizer,
        checkpoint.target_tokenizer,
        [source for source, _ in pairs],
    )
    return quick_bleu(written, [target for _, target in pairs])


def markdown(plan: Sequence[Removal], bleu: Sequence[float]) -> str:
    """The table for a README: a row a group, its heads, BLEU without it, and the random groups' mean and range."""
    whole = bleu[0]
    random: dict[str, list[float]] = {}
    for removal, value in zip(plan, bleu, strict=True):
        if removal.draw:
            random.setdefault(removal.group, []).append(value)
    lines = [
        "| heads removed | how many | which | BLEU | change | as many at random: mean change (range) |",
        "|---|--:|---|--:|--:|--:|",
    ]
    for removal, value in zip(plan, bleu, strict=True):
        if removal.draw:
            continue
        change = _signed(value - whole) if removal.heads else ""
        control = _control(random.get(removal.group, []), whole)
        lines.append(
            f"| {removal.group} | {len(removal.heads)} | {_names(removal.heads)} | {value:.1f} | {change} | {control} |"
        )
    return "\n".join(lines)


def _names(heads: Sequence[Head], most: int = 8) -> str:
    listed = ", ".join(f"{layer}.{head}" for _, layer, head in heads[:most])
    return f"{listed}, …" if len(heads) > most else listed


def _control(values: Sequence[float], whole: float) -> str:
    if not values:
        return ""
    changes = [value - whole for value in values]
    return f"{_signed(float(np.mean(changes)))} ({_signed(min(changes))} to {_signed(max(changes))})"


def _signed(value: float) -> str:
    return decimal(value, 1, plus=True)


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
    if args.out is None and not args.groups:
        raise InputError("Nothing was asked for; give --out FILE for the table of heads, --groups, or both.")
    if args.groups and not args.target:
        raise InputError("--groups scores translations; give their references with --target.")
    check_limit(args.limit)
    if args.out is not None:
        check_out(args.out, ".csv")
    with shared_run(args) as (process, checkpoint):
        texts = corpus_run.readable(checkpoint, corpus_pairs(args.corpus, args.target, args.limit))
        out = Path(args.out) if args.out else Path("importance.groups")
        whole = _heads(checkpoint, texts, process, out) if args.out else None
        if args.groups:
            _groups(checkpoint, texts, process, out)
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


@dataclass
class _Scores:
    """BLEU without each of the groups so far."""

    bleu: list[float]

    @property
    def sentences(self) -> int:
        return len(self.bleu)

    def save(self, path: Path, about: str) -> None:
        corpus_run.save_arrays(path, about, {"bleu": np.array(self.bleu)})

    @classmethod
    def load(cls, path: Path, about: str) -> _Scores:
        return cls([float(value) for value in corpus_run.load_arrays(path, about).get("bleu", np.zeros(0))])


def _planned(checkpoint: Checkpoint, sources: Sequence[str], process: Process, out: Path) -> list[Removal]:
    """What is to be removed: the roles are measured once, each process its share of the sentences."""
    texts = [(source, "") for source in sources]
    about = corpus_run.about(f"{checkpoint.digest} roles", texts)
    target = out.with_name(f"{out.name}.roles")
    whole = corpus_run.atlas_together(process, checkpoint, texts, target, about, "roles")
    return process.from_main(None if whole is None else removals(whole))


def _groups(checkpoint: Checkpoint, texts: Sequence[tuple[str, str]], process: Process, out: Path) -> None:
    """BLEU without the heads of each role, as a Markdown table. Roles are those over the same sentences."""
    plan = _planned(checkpoint, [source for source, _ in texts], process, out)
    about = corpus_run.about(f"{checkpoint.digest} groups {plan}", texts)
    target = out.with_name(f"{out.name}.groups")

    def measure(scores: _Scores, own: Sequence[Removal]) -> Iterator[object]:
        for removal in own[scores.sentences :]:
            scores.bleu.append(bleu_without(checkpoint, texts, removal.heads))
            yield removal

    load = partial(_Scores.load, about=about)
    shares = corpus_run.measured_together(
        process, target, about, plan, load=load, measure=measure, name="groups", unit="groups", every=1
    )
    if shares is None:
        return
    bleu = corpus_run.in_order([share.bleu for share in shares])
    print(markdown(plan, bleu))
    print(
        f"\nsacreBLEU of greedy translations of {how_many(len(texts), 'sentence')}; roles as measured on them; at random: "
        f"{sum(removal.draw > 0 for removal in plan) // max(1, sum(removal.draw == 1 for removal in plan))} draws of as "
        "many heads of the same kind."
    )
    for each in (target, out.with_name(f"{out.name}.roles")):
        corpus_run.forget(each)


@dataclass(frozen=True)
class Measured:
    """One edit on one sentence: what greedy search writes without and with it.

    `words` are changed, counted as missing or extra ones, whichever are more; `kept` is what a token of the translation
    keeps of its probability, as the geometric mean.
    """

    edits: str
    text: str
    before: str
    after: str
    words: int
    kept: float


def candidates(checkpoint: Bundle) -> list[str]:
    """Edits of the lessons' kinds: masks opened, positions shuffled, layers and single heads of cross-attention ablated."""
    config = checkpoint.config
    heads = [
        f"zc{layer}-{head}"
        for layer in range(config.decoder_layers)
        for head in range(config.of("decoder").heads)
    ]
    layers = [f"zc{layer}" for layer in range(config.decoder_layers)]
    return ["n", "o4", "o8", *(f"r{seed}" for seed in range(4)), "ze", "zd", "zc", *layers, *heads]


def propose(checkpoint: Bundle, texts: Sequence[str], edits: Sequence[str]) -> Iterator[Measured]:
    """Every edit on every sentence. Raises `InputError` for an edit that no sentence of the model can have."""
    for text in texts:
        source = checkpoint.source_tokenizer.encode(text)
        written = rewrite(checkpoint, source, Edits())
        for each in edits:
            edited = what_if(checkpoint, source, written, Edits.parse(each))
            spell = checkpoint.target_tokenizer.decode
            before, after = spell(edited.unedited), spell(edited.rewritten)
            runs = word_difference(before, after)
            counts = [
                sum(len(words.split()) for kind, words in runs if kind == wanted)
                for wanted in ("missing", "extra")
            ]
            places = list(edited.choices)
            change = edited.next_word("after")[places] - edited.next_word("before")[places]
            yield Measured(each, text, before, after, max(counts), float(np.exp(change.mean())))


def add_propose_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `python -m core propose`."""
    add_checkpoint_arguments(parser)
    parser.add_argument(
        "--edits", nargs="+", metavar="EDIT", help="edits as links write them, such as n zc2 r7"
    )
    parser.add_argument(
        "--text", nargs="+", metavar="SENTENCE", help="sentences instead of the example sentences"
    )
    parser.add_argument("--most", type=int, default=12, help="example sentences to measure (default 12)")
    parser.add_argument("--show", type=int, default=3, help="sentences to list for each edit (default 3)")


def propose_command(args: argparse.Namespace) -> int:
    """For each edit: on how many sentences the translation changes, and those where it changes most."""
    from core.api import load

    for name in ("most", "show"):
        if (number := getattr(args, name)) < 1:
            raise InputError(f"--{name} is {number}; give a whole number from 1 on.")
    checkpoint = load(args.checkpoint, device=args.device)
    texts = args.text or list(checkpoint.card.get("probe_sentences", ()))[: args.most]
    if not texts:
        raise InputError("The checkpoint has no example sentences; give some with --text.")
    edits = args.edits or candidates(checkpoint)
    measured = []
    for number, each in enumerate(propose(checkpoint, texts, edits), 1):
        measured.append(each)
        print(f"\r{number} of {len(texts) * len(edits)}", end="", file=sys.stderr)
    print(file=sys.stderr)
    for edit in edits:
        own = [each for each in measured if each.edits == edit]
        changed = sorted((each for each in own if each.words), key=lambda each: (-each.words, each.kept))
        kept = float(np.median([each.kept for each in own]))
        print(f"{edit}: changes {len(changed)} of {len(own)} translations; a token keeps {kept:.0%} (median)")
        for each in changed[: args.show]:
            print(f"  {each.words} words, keeps {each.kept:.0%}: {each.text} | {each.before} → {each.after}")
    return 0
