"""Activation patching between two sentences (Vig et al. 2020; Meng et al. 2022): which part of the model carries the
difference between two translations?

Two sources of one length are translated; `word` and `other` are the first words in which the translations differ, and the
words before them are the shared prefix. m = logit(word) − logit(other) after that prefix. One activation of the clean run is
put into the corrupted run, and the effect is the share of the difference that it brings back:

    restored  = (m(corrupted, patched from clean) − m(corrupted)) / (m(clean) − m(corrupted))
    disturbed = (m(clean) − m(clean, patched from corrupted)) / (m(clean) − m(corrupted))

The two differ where parts act together or stand in for each other (Heimersheim & Nanda 2024), so both are given. An effect of
1 is the whole difference; effects below 0 work against it, and effects need not sum to 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import torch
from torch import Tensor

from core.analysis.readout import decimal
from core.analysis.uncertainty import Interval, interval
from core.decoding import inputs
from core.decoding.search import translate_batch
from core.errors import InputError
from core.experiments.edits import Head, Kind, all_heads
from core.experiments.what_if import Pair, Variant, run_variants
from core.language import numeral
from core.model.hooks import ATTENTION, Edit, Hooks, Site

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle
    from core.model.config import ModelConfig

BATCH: Final = 32
"""Patches in one pass."""
SMALLEST: Final = 0.1
"""Differences of log-odds below this, in nats, are too small to take shares of."""


class Contrast(NamedTuple):
    """Two sources of one length, what both translations begin with, and the words in which they first differ.

    Token ids. `prefix` is what the decoder reads, the start token first.
    """

    clean: tuple[int, ...]
    corrupted: tuple[int, ...]
    prefix: tuple[int, ...]
    word: int
    other: int


class Family(NamedTuple):
    """Sites that are patched one at a time, as one table: rows are layers, columns heads or tokens."""

    name: str
    stack: str
    block: str
    kind: str
    by_head: bool


FAMILIES: Final[Mapping[str, Family]] = {
    family.name: family
    for family in (
        Family("encoder-stream", "encoder", "self", "residual_before", by_head=False),
        Family("decoder-stream", "decoder", "self", "residual_before", by_head=False),
        *(
            Family(f"{key}-heads", each.stack, each.block, "head_output", by_head=True)
            for key, each in ATTENTION.items()
        ),
        Family("cross-weights", "decoder", "cross", "weights", by_head=True),
    )
}
"""The tables by name. A stream has a row for what enters each layer and a last one for what leaves the stack."""


class Patch(NamedTuple):
    """One place that is patched: a head of a site, or a token of it. `part` None: the whole site."""

    site: Site
    part: int | None


@dataclass(frozen=True)
class Effects:
    """One family's effects: a table (layers, heads or tokens) for each direction, and all of its sites patched at once.

    `together` is (restored, disturbed). Of a stream (`by_head` False) that is the last row, whose tokens determine what is
    written: each row follows from the one before.
    """

    restored: np.ndarray
    disturbed: np.ndarray
    together: tuple[float, float]
    by_head: bool = True

    @property
    def alone(self) -> float:
        """The sum of what each site restores alone; of a stream, each token of the last row."""
        return float((self.restored if self.by_head else self.restored[-1]).sum())

    @property
    def interactions(self) -> float:
        """What all sites together restore beyond the sum of each alone; 0 where they only add up."""
        return self.together[0] - self.alone


@dataclass(frozen=True)
class Patching:
    """What each part of the model carries of the difference between two translations.

    `log_odds`: logit(word) − logit(other) of the clean and of the corrupted run, in nats.
    """

    contrast: Contrast
    log_odds: tuple[float, float]
    effects: Mapping[str, Effects]

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row for each patched site: family, layer, head or token (the other is None), restored, disturbed."""
        for name, effect in self.effects.items():
            by_head = FAMILIES[name].by_head
            for layer, index in np.ndindex(effect.restored.shape):
                yield {
                    "family": name,
                    "layer": layer,
                    "head": index if by_head else None,
                    "token": None if by_head else index,
                    "restored": float(effect.restored[layer, index]),
                    "disturbed": float(effect.disturbed[layer, index]),
                }

    def heads(self, kind: str = "cross", least: float = 0.05) -> list[Head]:
        """The heads of a kind that restore at least `least` each, the strongest first."""
        table = self.effects[f"{kind}-heads"].restored
        listed = sorted(np.ndindex(table.shape), key=lambda at: -table[at])
        return [(kind, *at) for at in listed if table[at] >= least]


def contrast_of(
    checkpoint: Bundle, clean: str, corrupted: str, target: str | None = None, other: str | None = None
) -> Contrast:
    """The contrast of two sources: their translations up to the first word in which they differ.

    `target` and `other`: translations to compare in place of the model's own. Raises `InputError` where the sources have
    different numbers of tokens, and where both are translated alike.
    """
    sources = [inputs.source_ids(checkpoint, text) for text in (clean, corrupted)]
    if len(sources[0]) != len(sources[1]):
        raise InputError.tr(
            "The sentences have {first} and {second} tokens. An activation is put at the same position of the other sentence, "
            "so give two of the same length, such as “The cat sleeps.” and “The dog sleeps.”",
            first=len(sources[0]),
            second=len(sources[1]),
        )
    own = translate_batch(checkpoint.model, sources)
    given = [target, other]
    written = [
        mine if text is None else inputs.target_ids(checkpoint, text)
        for mine, text in zip(own, given, strict=True)
    ]
    shared = next((n for n, (a, b) in enumerate(zip(*written, strict=False)) if a != b), None)
    if shared is None:
        raise InputError.tr(
            "Both sentences have the same translation, so there is no difference to carry over; change another word."
        )
    prefix = (checkpoint.config.bos_id, *written[0][:shared])
    return Contrast(tuple(sources[0]), tuple(sources[1]), prefix, written[0][shared], written[1][shared])


def patch(
    checkpoint: Bundle,
    clean: str,
    corrupted: str,
    target: str | None = None,
    other: str | None = None,
    families: Sequence[str] = tuple(FAMILIES),
) -> Patching:
    """Which sites carry the difference between the translations of two sentences of the same number of tokens.

    See the module's docstring for what is measured. `families` are names of `FAMILIES`. Raises `InputError` for sentences
    that cannot be compared, an unknown family, and a difference of log-odds too small to take shares of.
    """
    return patched(checkpoint, contrast_of(checkpoint, clean, corrupted, target, other), families)


def patched(checkpoint: Bundle, contrast: Contrast, families: Sequence[str] = tuple(FAMILIES)) -> Patching:
    """The same for a contrast of ids."""
    if unknown := sorted(set(families) - set(FAMILIES)):
        raise InputError(f"There is no family {unknown[0]!r}; choose from {', '.join(FAMILIES)}.")
    config = checkpoint.config
    tables = {
        name: _sites(config, FAMILIES[name], contrast) for name in families if _exists(config, FAMILIES[name])
    }
    wanted = {each.site for table in tables.values() for row in table for each in row}
    clean, clean_records = _run(checkpoint, contrast.clean, contrast, wanted)
    corrupted, corrupted_records = _run(checkpoint, contrast.corrupted, contrast, wanted)
    difference = clean - corrupted
    if abs(difference) < SMALLEST:
        raise InputError.tr(
            "The log-odds of the two words are {clean} and {corrupted} nats for the two sentences: too close to say what "
            "carries the difference. Change another word.",
            clean=decimal(clean),
            corrupted=decimal(corrupted),
        )
    sets = [[each] for table in tables.values() for row in table for each in row]
    sets += [_all_of(table, FAMILIES[name]) for name, table in tables.items()]
    into_corrupted = _patched_odds(checkpoint, contrast.corrupted, contrast, sets, clean_records)
    into_clean = _patched_odds(checkpoint, contrast.clean, contrast, sets, corrupted_records)
    restored = (into_corrupted - corrupted) / difference
    disturbed = (clean - into_clean) / difference
    effects, start, whole = {}, 0, len(sets) - len(tables)
    for name, table in tables.items():
        shape = len(table), len(table[0])
        end = start + shape[0] * shape[1]
        together = float(restored[whole]), float(disturbed[whole])
        effects[name] = Effects(
            restored[start:end].reshape(shape),
            disturbed[start:end].reshape(shape),
            together,
            FAMILIES[name].by_head,
        )
        start, whole = end, whole + 1
    return Patching(contrast, (clean, corrupted), effects)


def _exists(config: ModelConfig, family: Family) -> bool:
    return config.layers(family.stack) > 0


def _sites(config: ModelConfig, family: Family, contrast: Contrast) -> list[list[Patch]]:
    """The patches of a family, a list a row."""
    layers, heads = config.shape(family.stack)
    sites = [Site(family.stack, layer, family.block, family.kind) for layer in range(layers)]
    if family.by_head:
        return [[Patch(site, head) for head in range(heads)] for site in sites]
    tokens = len(contrast.clean) if family.stack == "encoder" else len(contrast.prefix)
    sites.append(Site(family.stack, 0, "final", "output"))
    return [[Patch(site, token) for token in range(tokens)] for site in sites]


def _all_of(table: list[list[Patch]], family: Family) -> list[Patch]:
    """All sites of a family at once; of a stream its last row, since each row follows from the one before."""
    rows = table if family.by_head else table[-1:]
    return [Patch(row[0].site, None) for row in rows]


def _odds(logits: Tensor, contrast: Contrast) -> Tensor:
    """logit(word) − logit(other) after the prefix, (B,)."""
    last = logits[:, len(contrast.prefix) - 1].double()
    return last[:, contrast.word] - last[:, contrast.other]


def _run(
    checkpoint: Bundle, source: Sequence[int], contrast: Contrast, wanted: set[Site]
) -> tuple[float, Mapping[Site, Tensor]]:
    """One run's log-odds and its activations at the wanted sites, with a batch axis of 1."""
    hooks = Hooks(wanted)
    with torch.inference_mode():
        device = checkpoint.device
        logits = checkpoint.model(
            torch.tensor([list(source)], device=device),
            torch.tensor([list(contrast.prefix)], device=device),
            hooks,
        )
        return float(_odds(logits, contrast)[0]), hooks.records


def _patched_odds(
    checkpoint: Bundle,
    source: Sequence[int],
    contrast: Contrast,
    sets: Sequence[Sequence[Patch]],
    records: Mapping[Site, Tensor],
) -> np.ndarray:
    """The log-odds of a run over `source` under each set of patches, whose values come from `records`; (len(sets),)."""
    device, odds = checkpoint.device, []
    with torch.inference_mode():
        for start in range(0, len(sets), BATCH):
            batch = sets[start : start + BATCH]
            read = torch.tensor([list(source)], device=device).expand(len(batch), -1)
            prefix = torch.tensor([list(contrast.prefix)], device=device).expand(len(batch), -1)
            logits = checkpoint.model(read, prefix, Hooks(edit=_edits(batch, records)))
            odds.append(_odds(logits, contrast).cpu().numpy())
    return np.concatenate(odds)


def _edits(batch: Sequence[Sequence[Patch]], records: Mapping[Site, Tensor]) -> dict[Site | str, Edit]:
    """Edits that put the recorded values of each set into its row of the batch."""
    places: dict[Site, list[tuple[int, Patch]]] = {}
    for row, patches in enumerate(batch):
        for each in patches:
            places.setdefault(each.site, []).append((row, each))
    return {site: _putting(those, records[site], site) for site, those in places.items()}


def _putting(places: Sequence[tuple[int, Patch]], value: Tensor, site: Site) -> Edit:
    def put(tensor: Tensor) -> Tensor:
        changed = tensor.expand(max(len(tensor), 1), *tensor.shape[1:]).clone()
        for row, each in places:
            if each.part is None:
                changed[row] = value[0]
            else:
                changed[row, each.part] = value[0, each.part]  # a head (H, T, …) or a token (T, d_model)
        return changed

    return put


# -- many contrasts of one kind -----------------------------------------------------------------------------------

CONTRASTS: Final = "contrasts.tsv"
"""Of a checkpoint: pairs of sentences that differ in one thing, a line each: the name of the set, clean, corrupted."""
MOST_CONTRASTS: Final = 2_000
MOST_BYTES: Final = 2**20


def read_contrasts(path: Path) -> dict[str, list[tuple[str, str]]]:
    """The sentence pairs of a file of contrasts, by the name of their set. Raises `InputError` naming the line that is wrong."""
    if path.stat().st_size > MOST_BYTES:
        raise InputError.tr(
            "{file} has {size} bytes; at most {max_bytes} are read: make it smaller.",
            file=path.name,
            size=numeral(path.stat().st_size, ","),
            max_bytes=numeral(MOST_BYTES, ","),
        )
    try:
        lines = path.read_text("utf-8").splitlines()
    except UnicodeDecodeError:
        raise InputError.tr("{name} is not UTF-8 text; save it as UTF-8.", name=path.name) from None
    sets: dict[str, list[tuple[str, str]]] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        if len(cells) != 3 or not all(cells):
            raise InputError.tr(
                "{file}, line {number}: write the name of the set, the clean and the corrupted sentence, with tabs between.",
                file=path.name,
                number=number,
            )
        sets.setdefault(cells[0], []).append((cells[1], cells[2]))
    if sum(map(len, sets.values())) > MOST_CONTRASTS:
        raise InputError.tr(
            "{file} has more than {most} contrasts; leave some out.",
            file=path.name,
            most=numeral(MOST_CONTRASTS, ","),
        )
    return sets


@dataclass(frozen=True)
class Survey:
    """The effects of one kind's heads over many contrasts: `restored` (N, layers, heads)."""

    kind: Kind
    contrasts: tuple[Contrast, ...]
    restored: np.ndarray

    def mean(self) -> Interval:
        """The mean effect of each head with its 95 % interval over contrasts; arrays (layers, heads)."""
        return interval(self.restored)

    def strongest(self, count: int) -> list[Head]:
        """The heads with the largest mean effect."""
        means = self.restored.mean(axis=0)
        listed = sorted(np.ndindex(means.shape), key=lambda at: -means[at])
        return [(self.kind, layer, head) for layer, head in listed[:count]]


def survey(
    checkpoint: Bundle,
    pairs: Sequence[tuple[str, str]],
    kind: Kind = "cross",
    wanted: Callable[[str, str], bool] | None = None,
) -> Survey:
    """What each head of a kind carries over many sentence pairs; pairs that cannot be compared are left out.

    `wanted` takes the two words that differ, as the tokenizer labels them, and says whether the pair is counted. Raises
    `InputError` where no pair is left.
    """
    contrasts, tables = [], []
    for clean, corrupted in pairs:
        try:
            contrast = contrast_of(checkpoint, clean, corrupted)
            if wanted is not None and not wanted(
                *checkpoint.target_tokenizer.labels([contrast.word, contrast.other])
            ):
                continue
            effect = patched(checkpoint, contrast, (f"{kind}-heads",)).effects[f"{kind}-heads"]
        except InputError:
            continue
        contrasts.append(contrast)
        tables.append(effect.restored)
    if not tables:
        raise InputError.tr(
            "None of the {count} pairs can be compared; give pairs of sentences with as many tokens and different translations.",
            count=len(pairs),
        )
    return Survey(kind, tuple(contrasts), np.stack(tables))


# -- what a model forgets without the heads that carry a difference ------------------------------------------------


@dataclass(frozen=True)
class Forgotten:
    """How many contrasts flip when heads give zeros: the model then prefers the other sentence's word.

    `turned` (N,) bool, one a contrast; `controls` (draws, N): the same for sets of as many other heads of the same kinds, drawn
    at random.
    """

    heads: tuple[Head, ...]
    turned: np.ndarray
    controls: np.ndarray


def forgotten(
    checkpoint: Bundle, contrasts: Sequence[Contrast], heads: Sequence[Head], draws: int = 12, seed: int = 0
) -> Forgotten:
    """Without these heads, in how many contrasts does the clean sentence get the word of the corrupted one?

    Contrasts in which the clean sentence's word is not ahead to begin with raise `InputError`: build them by `contrast_of`.
    """
    config = checkpoint.config
    generator = np.random.default_rng(seed)
    kinds = {kind for kind, _, _ in heads}
    others = [head for head in all_heads(config) if head[0] in kinds and head not in set(heads)]
    drawn = [
        frozenset(others[n] for n in generator.choice(len(others), len(heads), replace=False))
        for _ in range(draws)
    ]
    variants = [Variant(), Variant(heads=frozenset(heads)), *(Variant(heads=each) for each in drawn)]
    turned = np.zeros((len(variants), len(contrasts)), dtype=bool)
    for number, contrast in enumerate(contrasts):
        pair = Pair(contrast.clean, (*contrast.prefix[1:], contrast.word))

        def odds(logs: Tensor, contrast: Contrast = contrast) -> Tensor:
            return _odds(logs, contrast)

        turned[:, number] = np.concatenate(list(run_variants(checkpoint.model, pair, variants, odds))) < 0
    if turned[0].any():
        raise InputError(
            f"In {int(turned[0].sum())} of {len(contrasts)} contrasts the clean sentence's word is not ahead; leave them out."
        )
    return Forgotten(tuple(heads), turned[1], turned[2:])
