"""Training dynamics: attention maps and head scores over the steps of a training, in one small file.

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

Reading it needs no torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import CheckpointError
from core.files import damage_as, read_npz, replacing
from core.model.hooks import ATTENTION_NAMES

FORMAT = 1
MAX_BYTES = 2**29  # unpacked
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
        total = maps.sum(axis=-1, keepdims=True)
        rescaled: NDArray[np.float32] = np.divide(maps, total, out=np.zeros_like(maps), where=total > 0)
        return rescaled


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


def load_dynamics(path: str | Path, most_bytes: int = MAX_BYTES) -> Dynamics:
    """Read dynamics.npz, of at most `most_bytes` unpacked. Raises CheckpointError with one sentence when it is missing or
    damaged. `core.training.stored_dynamics` also checks that its values fit a model.
    """
    file = Path(path)
    if not file.exists():
        raise CheckpointError(f"There are no training dynamics at {str(file)!r}.")
    with damage_as(
        CheckpointError, lambda reason: f"The training dynamics {str(file)!r} cannot be read: {reason}."
    ):
        arrays = read_npz(file, most_bytes)
        if int(arrays["format"]) != FORMAT:
            raise CheckpointError(
                f"{str(file)!r} has format {int(arrays['format'])}; this reads format {FORMAT}."
            )
        dynamics = _unpack(arrays)
        _check(dynamics)
    for kind in KINDS:
        shape = dynamics.scores[kind].shape
        cells = sum(len(q) * len(k) for q, k in (probe.sides(kind) for probe in dynamics.probes))
        if dynamics.packed[kind].shape != (len(dynamics.steps), cells * shape[2] * shape[3]):
            raise CheckpointError(f"The {kind} maps of {str(file)!r} do not fit its probe sentences.")
    return dynamics


def _check(dynamics: Dynamics) -> None:
    """Raise ValueError that names a misfit."""
    steps, scores = len(dynamics.steps), len(dynamics.score_names)
    for name in ("steps", "train_loss", "valid_loss", "bleu"):
        values = getattr(dynamics, name)
        if values.shape != (steps,) or values.dtype.kind not in "iuf":
            raise ValueError(f"{name} is not one number a step")
    for kind in KINDS:
        shape = dynamics.scores[kind].shape
        if len(shape) != 4 or shape[:2] != (steps, scores) or dynamics.scores[kind].dtype.kind != "f":
            raise ValueError(f"the scores of {kind} have shape {shape}")
        if dynamics.packed[kind].dtype != np.uint8:
            raise ValueError(f"the maps of {kind} are not bytes")


def _unpack(arrays: Mapping[str, NDArray[np.generic]]) -> Dynamics:
    sides = {}
    for side in ("source", "target", "written"):
        lengths = [int(length) for length in arrays[f"{side}_lengths"]]
        if min(lengths, default=0) < 0 or sum(lengths) != len(arrays[f"{side}_tokens"]):
            raise ValueError(f"the {side} tokens are not as many as their lengths say")
        ends = np.cumsum(lengths)[:-1]
        sides[side] = [tuple(map(str, row)) for row in np.split(arrays[f"{side}_tokens"], ends)]
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
