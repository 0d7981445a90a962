"""A checkpoint's sets of contrasts, measured: which heads carry a difference over many sentence pairs, and how many
pairs flip without them. The results are stored beside the sentences, as contrasts.json beside contrasts.tsv.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from core.analysis.uncertainty import Interval, interval
from core.errors import CheckpointError, InputError
from core.experiments.edits import Head, Kind
from core.experiments.patching import CONTRASTS, Contrast, contrast_of, forgotten, patched, read_contrasts
from core.files import damage_as, read_object, replacing
from core.model.hooks import ATTENTION

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle
    from core.model.config import ModelConfig

RESULTS: Final = "contrasts.json"
TAKEN: Final = 5
"""Heads that are taken out of the model: the strongest of a kind."""
KINDS: Final[tuple[Kind, ...]] = ("cross", "encoder", "causal")
CONTROLS: Final = 12
"""Sets of as many random heads that the heads are held against."""
_FORMAT: Final = 1
_MAX_BYTES: Final = 2**20


@dataclass(frozen=True)
class SetResult:
    """One set of contrasts, measured on one kind of attention.

    `pairs`: sentence pairs of the set; `compared`: those with as many tokens and different translations. `effects`, `low`,
    `high` (layers, heads): the mean share of the difference that a head restores, and its 95 % interval over pairs. `heads`:
    (layer, head) of those with the largest effects, which were taken out, the strongest first. `turned`: pairs whose clean sentence gets the other one's word
    when these heads give zeros; `controls`: the same for sets of as many random heads, empty where nothing was taken out.
    """

    name: str
    kind: Kind
    clean: str
    corrupted: str
    pairs: int
    compared: int
    effects: tuple[tuple[float, ...], ...]
    low: tuple[tuple[float, ...], ...]
    high: tuple[tuple[float, ...], ...]
    heads: tuple[tuple[int, int], ...]
    turned: int
    controls: tuple[int, ...]

    @property
    def named(self) -> list[Head]:
        """The heads with their kind."""
        return [(self.kind, layer, head) for layer, head in self.heads]

    @property
    def share_turned(self) -> Interval:
        """The share of pairs that flip, with its 95 % interval over pairs."""
        turned = np.zeros(max(1, self.compared))
        turned[: self.turned] = 1
        return interval(turned)

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row for each head: its mean effect, the ends of its interval, the number of pairs, whether it was taken out."""
        for layer, head in np.ndindex(np.shape(self.effects)):
            yield {
                "set": self.name,
                "kind": ATTENTION[self.kind].name,
                "layer": layer,
                "head": head,
                "restored": self.effects[layer][head],
                "low": self.low[layer][head],
                "high": self.high[layer][head],
                "n": self.compared,
                "taken_out": int((layer, head) in self.heads),
            }


class Stage(NamedTuple):
    """How far the measurement of a set is: `done` of `total` pairs, and the results by kind once all are done."""

    results: tuple[SetResult, ...]
    done: int
    total: int


def measure_set(
    checkpoint: Bundle, name: str, pairs: Sequence[tuple[str, str]], kinds: Sequence[Kind] = KINDS
) -> Iterator[Stage]:
    """Measure one set on each kind of attention: a stage after each pair, the last one with the results.

    Pairs that cannot be compared are left out. Raises `InputError` where none is left.
    """
    kinds = [kind for kind in kinds if checkpoint.config.layers(ATTENTION[kind].stack)]
    contrasts: list[Contrast] = []
    tables: dict[Kind, list[np.ndarray]] = {kind: [] for kind in kinds}
    total = len(pairs) + len(kinds)
    for number, (clean, corrupted) in enumerate(pairs, start=1):
        try:
            contrast = contrast_of(checkpoint, clean, corrupted)
            effects = patched(checkpoint, contrast, [f"{kind}-heads" for kind in kinds]).effects
        except InputError:
            effects = {}
        else:
            contrasts.append(contrast)
        for kind in kinds if effects else ():
            tables[kind].append(effects[f"{kind}-heads"].restored)
        yield Stage((), number, total)
    if not contrasts:
        raise InputError(
            f"None of the {len(pairs)} pairs of “{name}” can be compared; a pair has two sentences of as many tokens with "
            "different translations."
        )
    results = []
    for number, kind in enumerate(kinds, start=1):
        mean = interval(np.stack(tables[kind]))
        heads, turned, controls = _taken_out(checkpoint, kind, mean, contrasts)
        measured = (_rounded(mean.value), _rounded(mean.low), _rounded(mean.high))
        first, second = pairs[0]
        results.append(
            SetResult(
                name, kind, first, second, len(pairs), len(contrasts), *measured, heads, turned, controls
            )
        )
        yield Stage(tuple(results) if number == len(kinds) else (), len(pairs) + number, total)


def _taken_out(
    checkpoint: Bundle, kind: Kind, mean: Interval, contrasts: Sequence[Contrast]
) -> tuple[tuple[tuple[int, int], ...], int, tuple[int, ...]]:
    """The heads with the largest mean effect, and the pairs that flip without them and without as many random ones."""
    order = sorted(np.ndindex(mean.value.shape), key=lambda head: -float(mean.value[head]))
    heads = tuple((int(layer), int(head)) for layer, head in order[: min(TAKEN, mean.value.size // 2)])
    if not heads:
        return (), 0, ()
    lost = forgotten(checkpoint, contrasts, [(kind, *head) for head in heads], CONTROLS)
    return heads, int(lost.turned.sum()), tuple(int(each) for each in lost.controls.sum(axis=1))


def measure_contrasts(
    checkpoint: Bundle, name: str, pairs: Sequence[tuple[str, str]], kinds: Sequence[Kind] = KINDS
) -> tuple[SetResult, ...]:
    """The same at once: a result for each kind."""
    *_, last = measure_set(checkpoint, name, pairs, kinds)
    return last.results


def clearest(results: Sequence[SetResult]) -> SetResult:
    """The kind of attention whose ablated heads flip most pairs; the one with the strongest head where none does."""
    return max(results, key=lambda each: (each.turned, np.max(each.effects)))


def _rounded(table: np.ndarray) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(round(float(value), 4) for value in row) for row in table)


# -- stored beside the sentences ----------------------------------------------------------------------------------


def store_results(path: Path, digest: str, results: Sequence[SetResult], contrasts: Path) -> None:
    """Write results of the model `digest` on the sentences of the file `contrasts`."""
    kept = [asdict(each) for each in results]
    content = {"format": _FORMAT, "model": digest, "contrasts": _digest(contrasts), "results": kept}
    with replacing(path) as stream:
        stream.write((json.dumps(content, ensure_ascii=False) + "\n").encode())


def load_results(folder: Path, config: ModelConfig, digest: str) -> Mapping[str, tuple[SetResult, ...]]:
    """The stored results of a checkpoint folder by the name of their set, one a kind; empty where the folder has none.

    Raises `CheckpointError` where they are damaged, or of another model or other sentences.
    """
    path, contrasts = folder / RESULTS, folder / CONTRASTS
    if not path.is_file() or not contrasts.is_file():
        return {}
    with damage_as(
        CheckpointError,
        lambda reason: (
            f"{path} does not hold what was measured on this model's contrasts ({reason}); write it again with "
            f"`python -m core patch --checkpoint {folder.name} --contrasts {CONTRASTS} --store`."
        ),
    ):
        content = read_object(path, _MAX_BYTES)
        if (content["format"], content["model"]) != (_FORMAT, digest):
            raise ValueError("it is about another model")
        if content["contrasts"] != _digest(contrasts):
            raise ValueError("the sentences have changed")
        known = read_contrasts(contrasts)
        results = [_result(each, config, known) for each in content["results"]]
    return {
        name: tuple(each for each in results if each.name == name)
        for name in known
        if any(each.name == name for each in results)
    }


def _result(
    given: Mapping[str, Any], config: ModelConfig, known: Mapping[str, Sequence[object]]
) -> SetResult:
    """One stored result, checked against the model and the sentences. Raises ValueError, KeyError or TypeError."""
    kind = given["kind"]
    if kind not in ATTENTION or given["name"] not in known:
        raise ValueError(f"{str(given['name'])[:40]!r} is not a set of the file")
    shape = config.shape(ATTENTION[kind].stack)
    tables = {name: np.asarray(given[name], dtype=np.float64) for name in ("effects", "low", "high")}
    if any(table.shape != shape or not np.isfinite(table).all() for table in tables.values()):
        raise ValueError("its tables do not fit the model")
    heads = tuple((int(layer), int(head)) for layer, head in given["heads"])
    if any(not (0 <= layer < shape[0] and 0 <= head < shape[1]) for layer, head in heads):
        raise ValueError("it names heads that the model does not have")
    compared, turned = int(given["compared"]), int(given["turned"])
    controls = tuple(int(each) for each in given["controls"])
    pairs = int(given["pairs"])
    if not 0 < compared <= pairs or any(not 0 <= each <= compared for each in (turned, *controls)):
        raise ValueError("it counts more pairs than there are")
    return SetResult(
        str(given["name"]),
        kind,
        str(given["clean"]),
        str(given["corrupted"]),
        pairs,
        compared,
        _rounded(tables["effects"]),
        _rounded(tables["low"]),
        _rounded(tables["high"]),
        heads,
        turned,
        controls,
    )


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
