"""A training that never was: `dynamics.npz` written array by array, no two numbers alike, for views to be held against."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from core.model.config import ModelConfig

STEPS = (0, 1, 2, 4, 8, 16, 32, 64, 120)
PROBES = (
    ("birds sleep", "oiseau dort", 3, 3),
    ("quiet birds sleep while rain falls", "vent lune givre herbe brume", 7, 6),
)
SCORES = (
    "normalised_entropy",
    "entropy",
    "diagonality",
    "previous_share",
    "next_share",
    "bos_share",
    "eos_share",
)
FALLS = {("cross", 1, 1): 5, ("cross", 0, 0): 7, ("encoder-self", 1, 0): 3, ("decoder-self", 0, 1): 6}
"""At which record a head's entropy has fallen."""
KINDS = ("encoder-self", "decoder-self", "cross")


def layers_of(config: ModelConfig, kind: str) -> int:
    return config.encoder_layers if kind == "encoder-self" else config.decoder_layers


def sides(kind: str, source: int, target: int) -> tuple[int, int]:
    return (source if kind == "encoder-self" else target, target if kind == "decoder-self" else source)


def training_arrays(config: ModelConfig, seed: int = 4) -> dict[str, np.ndarray]:
    """Every array of the file. Maps are bytes that no rounding touches."""
    rng, count = np.random.default_rng(seed), len(STEPS)
    arrays: dict[str, Any] = {
        "format": np.array(1),
        "steps": np.array(STEPS),
        "train_loss": np.array(
            [np.nan, *np.linspace(6, 0.5, count - 1) + rng.random(count - 1) / 9], np.float32
        ),
        "valid_loss": np.array(np.linspace(6.5, 0.9, count) + rng.random(count) / 9, np.float32),
        "bleu": np.array([np.nan] * (count - 1) + [41.3], np.float32),
        "sources": np.array([probe[0] for probe in PROBES]),
        "targets": np.array([probe[1] for probe in PROBES]),
        "score_names": np.array(SCORES),
        "scored_sentences": np.array(37),
    }
    for side, place, first, last in (
        ("source", 0, "", "⟨end⟩"),
        ("target", 1, "⟨start⟩", ""),
        ("written", 1, "", "⟨end⟩"),
    ):
        rows = [[*filter(None, [first]), *probe[place].split(), *filter(None, [last])] for probe in PROBES]
        arrays[f"{side}_tokens"] = np.array([label for row in rows for label in row])
        arrays[f"{side}_lengths"] = np.array([len(row) for row in rows])
    for kind in KINDS:
        shape = (layers_of(config, kind), config.heads)
        values = rng.random((count, len(SCORES), *shape)) * 0.1 + 0.8
        for (at, layer, head), record in FALLS.items():
            if at == kind:
                values[record:, 0, layer, head] -= 0.65 - 0.15 * layer
        if kind != "cross":
            values[:, SCORES.index("diagonality")] = np.nan
        arrays[f"{kind}.scores"] = values.astype(np.float16)
        maps = []
        for _, _, source, target in PROBES:
            queries, keys = sides(kind, source, target)
            own = rng.integers(1, 200, (count, *shape, queries, keys))
            if kind == "decoder-self":
                own *= np.tri(queries, keys, dtype=int)
            maps.append(own.reshape(count, -1))
        arrays[f"{kind}.maps"] = np.concatenate(maps, axis=1).astype(np.uint8)
    return arrays


def write_training(folder: Path, config: ModelConfig, **changed: Any) -> dict[str, np.ndarray]:
    """`dynamics.npz` in `folder`, with some arrays `changed` (dots in their names as double underscores)."""
    arrays = training_arrays(config) | {name.replace("__", "."): array for name, array in changed.items()}
    np.savez_compressed(
        folder / "dynamics.npz", **{name: each for name, each in arrays.items() if each is not None}
    )
    return arrays


def weight(
    arrays: dict[str, np.ndarray], config: ModelConfig, kind: str, probe: int, at: tuple[int, ...]
) -> float:
    """One weight by plain indexing: `at` is (record, layer, head, query, key); a row's bytes are shares of their sum."""
    record, layer, head, query, key = at
    sizes = []
    for _, _, source, target in PROBES:
        queries, keys = sides(kind, source, target)
        sizes.append((queries, keys, layers_of(config, kind) * config.heads * queries * keys))
    begin = sum(size for _, _, size in sizes[:probe])
    queries, keys, _ = sizes[probe]
    first = begin + ((layer * config.heads + head) * queries + query) * keys
    row = [int(arrays[f"{kind}.maps"][record, first + j]) for j in range(keys)]
    return row[key] / sum(row)
