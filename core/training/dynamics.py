"""Training dynamics: attention maps and head scores over the steps of a training, and sudden drops of their entropy.

`dynamics.npz` has (K recorded steps, P probe sentences, L layers, H heads; kinds are 'encoder-self',
'decoder-self' and 'cross'):

    format          ()          1
    steps           (K,)        int64; 0 are the initial weights: random, or a checkpoint's
    train_loss, valid_loss, bleu (K,) float32; NaN where not measured. Losses in nats per target token
    sources, targets (P,)       text of the probe sentences
    source_tokens   (ΣS,)       labels of all probes concatenated; source_lengths (P,) are their numbers
    target_tokens   (ΣT,)       likewise the decoder's input (⟨start⟩, y1, …); target_lengths (P,)
    written_tokens  (ΣT,)       likewise the token that each row should write (y1, …, ⟨end⟩)
    score_names     (M,)        names from core.analysis.glossary
    KIND.scores     (K, M, L, H) float16, mean over `scored_sentences` validation sentences
    KIND.maps       (K, N)      uint8, weight × 255 of all probes concatenated, each (L, H, Tq, Tk) in C order
    shapes: L and H are the last two axes of KIND.scores, which always exist

A file may come from an untrusted checkpoint: `stored_dynamics` checks it before a page draws it. Entropy drops: Zhai et
al. 2023. Numpy only, no torch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.analysis.glossary import SCORES
from core.analysis.scores import entropy, row_shares
from core.analysis.uncertainty import LEVEL, resamples
from core.checkpoints import files
from core.errors import CheckpointError, InputError
from core.files import damage_as, read_npz, replacing
from core.model.config import ModelConfig
from core.model.hooks import ATTENTION_NAMES

FORMAT = 1
MAX_BYTES = 2**25  # unpacked
KINDS = ATTENTION_NAMES
MAP_SCALE = 255


@dataclass(frozen=True)
class Probe:
    """One sentence whose maps are recorded during training, with one row per target (or source) token."""

    source: str
    target: str
    source_tokens: tuple[str, ...]
    target_tokens: tuple[str, ...]
    written_tokens: tuple[str, ...]

    def sides(self, kind: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Labels of the (query, key) axes of one kind of map."""
        query = self.source_tokens if kind == "encoder-self" else self.target_tokens
        key = self.target_tokens if kind == "decoder-self" else self.source_tokens
        return query, key


@dataclass(frozen=True)
class Dynamics:
    """The contents of dynamics.npz. `scores[kind]` is (K, M, L, H) float16, `packed[kind]` (K, N) uint8."""

    steps: NDArray[np.int64]
    train_loss: NDArray[np.float32]
    valid_loss: NDArray[np.float32]
    bleu: NDArray[np.float32]
    probes: tuple[Probe, ...]
    score_names: tuple[str, ...]
    scores: Mapping[str, NDArray[np.float16]]
    packed: Mapping[str, NDArray[np.uint8]]
    scored_sentences: int = 0

    @classmethod
    def of_records(
        cls,
        records: Sequence[Mapping[str, Any]],
        probes: tuple[Probe, ...],
        score_names: tuple[str, ...],
        scored_sentences: int,
    ) -> Dynamics:
        """From one record a step (`core.training.loop.Recorder`): step, losses, BLEU, and by kind the scores (M, L, H) and
        the packed maps, as arrays or tensors.
        """
        rows = sorted(records, key=lambda row: row["step"])
        train_loss, valid_loss, bleu = (
            np.array([row[name] for row in rows], dtype=np.float32)
            for name in ("train_loss", "valid_loss", "bleu")
        )
        return cls(
            np.array([row["step"] for row in rows], dtype=np.int64),
            train_loss,
            valid_loss,
            bleu,
            probes,
            score_names,
            {kind: np.stack([np.asarray(row[f"{kind}.scores"]) for row in rows]) for kind in KINDS},
            {kind: np.stack([np.asarray(row[f"{kind}.maps"]) for row in rows]) for kind in KINDS},
            scored_sentences,
        )

    def score(self, kind: str, name: str) -> NDArray[np.float32]:
        """One head score over the steps, (K, L, H)."""
        values: NDArray[np.float32] = self.scores[kind][:, self.score_names.index(name)].astype(np.float32)
        return values

    def maps(self, kind: str, probe: int) -> NDArray[np.float32]:
        """One probe's attention over the steps, (K, L, H, Tq, Tk); rows are rescaled to sum to 1."""
        layers, heads = self.scores[kind].shape[2:]
        sizes = [layers * heads * len(q) * len(k) for q, k in (p.sides(kind) for p in self.probes)]
        start = sum(sizes[:probe])
        query, key = self.probes[probe].sides(kind)
        flat = self.packed[kind][:, start : start + sizes[probe]].astype(np.float32)
        maps = flat.reshape(len(self.steps), layers, heads, len(query), len(key))
        return row_shares(maps)


def pack(weights: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Attention weights in [0, 1] as flat uint8."""
    packed: NDArray[np.uint8] = np.rint(np.clip(weights, 0, 1) * MAP_SCALE).astype(np.uint8)
    return packed.ravel()


def save_dynamics(path: str | Path, dynamics: Dynamics) -> None:
    """Write dynamics.npz atomically, with the layout of this module's docstring."""
    arrays: dict[str, NDArray[np.generic]] = {
        "format": np.array(FORMAT),
        "steps": dynamics.steps,
        "train_loss": dynamics.train_loss,
        "valid_loss": dynamics.valid_loss,
        "bleu": dynamics.bleu,
        "sources": np.array([probe.source for probe in dynamics.probes]),
        "targets": np.array([probe.target for probe in dynamics.probes]),
        "score_names": np.array(dynamics.score_names),
        "scored_sentences": np.array(dynamics.scored_sentences),
    }
    for side in ("source", "target", "written"):
        rows = [getattr(probe, f"{side}_tokens") for probe in dynamics.probes]
        arrays[f"{side}_tokens"] = np.array([label for row in rows for label in row])
        arrays[f"{side}_lengths"] = np.array([len(row) for row in rows])
    for kind in KINDS:
        arrays[f"{kind}.scores"] = dynamics.scores[kind]
        arrays[f"{kind}.maps"] = dynamics.packed[kind]
    with replacing(path) as stream:
        np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]


def stored_dynamics(folder: Path, config: ModelConfig) -> Dynamics:
    """The training dynamics in a checkpoint's folder. Raises `CheckpointError` with one sentence where there are none, or
    they are damaged or too large, or not of this model, or have impossible values.
    """
    path = files.file_in(folder, files.DYNAMICS)
    dynamics = read_dynamics(path)
    with damage_as(
        CheckpointError,
        lambda reason: f"{path} is not the training of this model ({reason}); copy the file again.",
    ):
        _check_steps(dynamics)
        _check_probes(dynamics, config)
        _check_scores(dynamics, config)
        _check_maps(dynamics, config.causal)
    return dynamics


def read_dynamics(path: Path) -> Dynamics:
    """The training dynamics in a file, whatever its model. Raises `CheckpointError` where it is damaged or too large."""
    with damage_as(
        CheckpointError, lambda reason: f"The training dynamics {str(path)!r} cannot be read: {reason}."
    ):
        arrays = read_npz(path, MAX_BYTES)
        if int(arrays["format"]) != FORMAT:
            raise CheckpointError(
                f"{str(path)!r} has format {int(arrays['format'])}; this reads format {FORMAT}."
            )
        dynamics = _unpack(arrays)
        _check_shapes(dynamics, path)
    return dynamics


def _check_shapes(dynamics: Dynamics, path: Path) -> None:
    """Raise ValueError that names a misfit, CheckpointError where it is between maps and sentences."""
    steps, scores = len(dynamics.steps), len(dynamics.score_names)
    for name in ("steps", "train_loss", "valid_loss", "bleu"):
        values = getattr(dynamics, name)
        if values.shape != (steps,) or values.dtype.kind not in "iuf":
            raise ValueError(f"{name} is not one number per step")
    for kind in KINDS:
        shape, packed = dynamics.scores[kind].shape, dynamics.packed[kind]
        if len(shape) != 4 or shape[:2] != (steps, scores) or dynamics.scores[kind].dtype.kind != "f":
            raise ValueError(f"the scores of {kind} have shape {shape}")
        cells = sum(len(q) * len(k) for q, k in (probe.sides(kind) for probe in dynamics.probes))
        if packed.dtype != np.uint8:
            raise ValueError(f"the maps of {kind} are not bytes")
        if packed.shape != (steps, cells * shape[2] * shape[3]):
            raise CheckpointError(f"The {kind} maps of {str(path)!r} do not fit its probe sentences.")


def _unpack(arrays: Mapping[str, NDArray[np.generic]]) -> Dynamics:
    sides = {}
    for side in ("source", "target", "written"):
        lengths = [int(length) for length in arrays[f"{side}_lengths"]]
        if min(lengths, default=0) < 0 or sum(lengths) != len(arrays[f"{side}_tokens"]):
            raise ValueError(f"the {side} tokens are not as many as their lengths say")
        ends = np.cumsum(lengths)[:-1]
        sides[side] = [tuple(map(str, row)) for row in np.split(arrays[f"{side}_tokens"], ends)]
    if len({len(arrays["sources"]), len(arrays["targets"]), *map(len, sides.values())}) > 1:
        raise ValueError("its sentences are not as many as their translations and tokens")
    probes = zip(arrays["sources"], arrays["targets"], *sides.values(), strict=True)
    return Dynamics(
        steps=arrays["steps"],  # type: ignore[arg-type]
        train_loss=arrays["train_loss"],  # type: ignore[arg-type]
        valid_loss=arrays["valid_loss"],  # type: ignore[arg-type]
        bleu=arrays["bleu"],  # type: ignore[arg-type]
        probes=tuple(Probe(str(text), str(target), *rest) for text, target, *rest in probes),
        score_names=tuple(map(str, arrays["score_names"])),
        scores={kind: arrays[f"{kind}.scores"] for kind in KINDS},  # type: ignore[misc]
        packed={kind: arrays[f"{kind}.maps"] for kind in KINDS},  # type: ignore[misc]
        scored_sentences=int(arrays["scored_sentences"]),
    )


SUDDEN: Final = 0.15
"""The share of the largest possible entropy that a head must lose, within one doubling of the steps, to be marked."""


@dataclass(frozen=True)
class Drop:
    """The steepest fall of one head: from record `start` to record `end`, normalised entropy `before` → `after`."""

    layer: int
    head: int
    start: int
    end: int
    before: float
    after: float

    @property
    def fall(self) -> float:
        """The loss of entropy, 0 to 1."""
        return self.before - self.after


def sudden_drops(steps: ArrayLike, entropy: ArrayLike, least: float = SUDDEN) -> tuple[Drop, ...]:
    """For each head its largest fall of normalised entropy within one doubling of the steps, where that is at least `least`.

    `steps (K,)` rise from 0; `entropy (K, L, H)` is H / log(keys) in 0..1, NaN where unknown. Training is recorded at
    logarithmically spaced steps, so "sudden" is measured on that axis: between step t and step 2t, and between
    the untrained model and step 1. Of equal falls the first, and of those the shortest. Earliest end first.
    Raises `InputError` for shapes that do not fit.
    """
    at, values = np.asarray(steps, dtype=np.int64), np.asarray(entropy, dtype=np.float64)
    if values.ndim != 3 or values.shape[0] != len(at) or (np.diff(at) <= 0).any():
        raise InputError(
            f"Entropies {values.shape} need as many rising steps, one per record; these are {at.shape}."
        )
    drops = [
        drop
        for layer, head in np.ndindex(values.shape[1:])
        if (drop := _steepest(at, values[:, layer, head], layer, head)) is not None and drop.fall >= least
    ]
    return tuple(sorted(drops, key=lambda drop: (drop.end, drop.start, drop.layer, drop.head)))


def _steepest(at: NDArray[np.int64], values: NDArray[np.float64], layer: int, head: int) -> Drop | None:
    best: Drop | None = None
    for start in range(len(at) - 1):
        for end in range(start + 1, len(at)):
            if at[end] > max(1, 2 * at[start]) or not np.isfinite(values[[start, end]]).all():
                continue
            drop = Drop(layer, head, start, end, float(values[start]), float(values[end]))
            if best is None or drop.fall > best.fall + 1e-12:
                best = drop
    return best


def date_intervals(dynamics: Dynamics, kind: str, drops: Sequence[Drop]) -> tuple[tuple[int, int], ...]:
    """For each drop of `sudden_drops`, the 95 % interval of its end, as records: (first, last).

    The probes are drawn again with replacement, and in each draw the steepest fall of their mean entropy is looked for: they are
    the sentences whose maps are kept at every step. The end that was measured always lies within. Empty with fewer than two probes.
    """
    if not drops or len(dynamics.probes) < 2:
        return ()
    causal = kind == "decoder-self"
    each = [
        entropy(dynamics.maps(kind, probe), normalised=True, causal=causal)
        for probe in range(len(dynamics.probes))
    ]
    values = np.stack(each)  # (P, K, L, H)
    steps, records = dynamics.steps, np.arange(len(dynamics.steps))
    within = (records[:, None] < records) & (steps <= np.maximum(1, 2 * steps[:, None]))
    starts, ends = np.nonzero(within)
    shares = resamples(len(values)) / len(values)
    found = []
    for drop in drops:
        means = shares @ values[:, :, drop.layer, drop.head]
        steepest = ends[(means[:, starts] - means[:, ends]).argmax(axis=1)]
        low, high = np.quantile(steepest, ((1 - LEVEL) / 2, (1 + LEVEL) / 2), method="nearest")
        found.append((min(int(low), drop.end), max(int(high), drop.end)))
    return tuple(found)


MOST_RECORDS: Final = 500
MOST_PROBES: Final = 64
LONGEST_TEXT: Final = 20_000  # characters
LONGEST_LABEL: Final = 400
LAST_STEP: Final = 10**9
_SLACK: Final = 2e-2  # scores are kept in half precision


def _check_steps(dynamics: Dynamics) -> None:
    steps = dynamics.steps
    if steps.dtype.kind != "i" or not 0 < len(steps) <= MOST_RECORDS:
        raise ValueError(f"it has {len(steps)} records, or steps that are not whole numbers")
    if (np.diff(steps) <= 0).any() or steps[0] < 0 or steps[-1] > LAST_STEP:
        raise ValueError("its steps do not rise")
    for name, high in (("train_loss", np.inf), ("valid_loss", np.inf), ("bleu", 100.0)):
        values = getattr(dynamics, name).astype(np.float64)
        if np.isinf(values).any() or (values < 0).any() or (values > high + 1e-3).any():
            raise ValueError(f"its {name} cannot be")
    if not 0 <= dynamics.scored_sentences < 10**9:
        raise ValueError("its number of sentences cannot be")


def _check_probes(dynamics: Dynamics, config: ModelConfig) -> None:
    if not 0 < len(dynamics.probes) <= MOST_PROBES:
        raise ValueError(f"it follows {len(dynamics.probes)} sentences")
    for probe in dynamics.probes:
        if len(probe.target_tokens) != len(probe.written_tokens):
            raise ValueError("not every row of a sentence wrote a token")
        for row in (probe.source_tokens, probe.target_tokens):
            if not 0 < len(row) <= config.max_length + 1:
                raise ValueError(f"a sentence has {len(row)} tokens")
        for text in (probe.source, probe.target):
            if len(text) > LONGEST_TEXT:
                raise ValueError("a sentence is too long")
        labels = (*probe.source_tokens, *probe.target_tokens, *probe.written_tokens)
        if max(map(len, labels)) > LONGEST_LABEL:
            raise ValueError("a token is too long")
        "".join((probe.source, probe.target, *labels)).encode("utf-8")  # half a character is a ValueError


def _check_scores(dynamics: Dynamics, config: ModelConfig) -> None:
    names = dynamics.score_names
    if len(set(names)) != len(names) or not set(names) <= set(SCORES) or "normalised_entropy" not in names:
        raise ValueError("its scores are not known here")
    for kind in KINDS:
        stack = "encoder" if kind == "encoder-self" else "decoder"
        if dynamics.scores[kind].shape[2:] != config.shape(stack):
            raise ValueError(f"the heads of {kind} are {dynamics.scores[kind].shape[2:]}")
        for name in names:
            values, score = dynamics.score(kind, name), SCORES[name]
            high = np.inf if score.high is None else score.high
            if (
                np.isinf(values).any()
                or (values < score.low - _SLACK).any()
                or (values > high + _SLACK).any()
            ):
                raise ValueError(f"{kind} {name} lies outside its range")


def _check_maps(dynamics: Dynamics, causal: bool) -> None:
    for number in range(len(dynamics.probes)):
        for kind in KINDS:
            maps = dynamics.maps(kind, number)
            if not (maps.sum(axis=-1) > 0).all():
                raise ValueError(f"a row of {kind} looks at nothing")
            if causal and kind == "decoder-self" and np.triu(maps, 1).any():
                raise ValueError("a decoder row looks ahead")
