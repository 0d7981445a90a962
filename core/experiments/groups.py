"""What removing a whole group of heads costs: translations of a corpus without them, scored, beside random groups."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import torch

from core.analysis.readout import decimal, how_many
from core.analysis.roles import ROLES
from core.experiments.corpus import Atlas
from core.experiments.corpus_run import attention_of
from core.experiments.edits import Head
from core.experiments.variants import all_heads
from core.model.sites import ATTENTION

if TYPE_CHECKING:
    from core.api import Checkpoint
    from core.model.transformer import Transformer

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
    found: dict[str, tuple[Head, ...]] = {}
    for role in ROLES:
        for key, place in ATTENTION.items():
            table = atlas.scores.get(place.name, {}).get(role.metric)
            if place.name not in role.kinds or table is None or not np.isfinite(table.average).any():
                continue
            means = {
                (key, int(layer), int(head)): float(value)
                for (layer, head), value in np.ndenumerate(table.average)
                if np.isfinite(value)
            }
            name = f"{role.name}, {place.name}"
            chosen = [head for head, value in means.items() if value >= role.threshold]
            if not chosen:
                chosen = sorted(means, key=lambda head: -means[head])[:NEAREST]
                least, most = min(means[head] for head in chosen), max(means[head] for head in chosen)
                name += f" (none from {role.threshold:g} on; the nearest, {least:.2f} to {most:.2f})"
            found[name] = tuple(sorted(chosen))  # type: ignore[arg-type]
    return found


def removals(atlas: Atlas, draws: int = DRAWS) -> list[Removal]:
    """Nothing removed, then every role's heads, each followed by `draws` random groups of as many heads of its kind.

    A random group is drawn from all heads of the kind, those of the role too, by a fixed seed.
    """
    found = [Removal("none", ())]
    for number, (group, heads) in enumerate(role_groups(atlas).items()):
        found.append(Removal(group, heads))
        kind = [head for head in all_heads(atlas.config) if head[0] == heads[0][0]]
        draw = np.random.default_rng((_SEED, number))
        for turn in range(1, draws + 1):
            chosen = sorted(draw.choice(len(kind), size=len(heads), replace=False))
            found.append(Removal(group, tuple(kind[place] for place in chosen), turn))
    return found


def without(model: Transformer, heads: Sequence[Head]) -> Transformer:
    """A copy of the model whose `heads` add nothing: their columns of W_O are zero, the output's bias stays."""
    changed = copy.deepcopy(model)
    with torch.no_grad():
        for kind, layer, head in heads:
            weight = attention_of(changed, kind, layer).output_proj.weight
            size = weight.shape[1] // model.config.heads
            weight[:, head * size : (head + 1) * size] = 0.0
    return changed


def bleu_without(checkpoint: Checkpoint, pairs: Sequence[tuple[str, str]], heads: Sequence[Head]) -> float:
    """sacreBLEU of greedy translations without `heads`, against the pairs' second texts."""
    from core.training.evaluate import translate_texts
    from core.training.quality import quick_bleu

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
