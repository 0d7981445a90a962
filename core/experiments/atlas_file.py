"""The atlas of a checkpoint's example sentences, stored beside its weights so that the Heads page opens full."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from core.analysis.corpus_scores import ATLAS_SCORES, Running, scores_of
from core.analysis.roles import NO_ROLE_SCORE
from core.checkpoints import files
from core.errors import CheckpointError, InputError
from core.experiments.corpus import SAMPLE, Atlas
from core.files import damage_as, read_npz
from core.model.config import ModelConfig
from core.model.hooks import ATTENTION

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle

MAX_BYTES: Final = 2**28  # of a stored atlas, unpacked
LONGEST_TEXT: Final = 20_000  # characters of a stored sentence
_PARTS: Final = ("count", "mean", "squares")
_SLACK: Final = 1e-6


def write_atlas(
    checkpoint: Bundle,
    pairs: Sequence[tuple[str, str]] | None = None,
    folder: str | Path | None = None,
    seconds: float | None = None,
    step: Callable[[int, int], None] = lambda done, total: None,
) -> Path:
    """Measure `pairs` (default: what `probes` names, translated by the model) and store the atlas → the file.

    `folder` defaults to the checkpoint's own; its weights must be the checkpoint's. Sentences the model cannot read are
    passed over. After `seconds` no further sentence is begun; the atlas says over how many it is. Raises `InputError` if
    there is no sentence or no folder, or the file cannot be written. `step(done, total)` is called before the first
    sentence and after each.
    """
    from core.experiments.corpus_run import measure_corpus, readable
    from core.experiments.default_heads import probes

    target = Path(folder) if folder is not None else checkpoint.path
    if target is None:
        raise InputError("This checkpoint has no folder; save it first, or give the folder to write to.")
    begun, atlas = time.monotonic(), Atlas(checkpoint.config)
    texts = [(text, "") for text in probes(checkpoint, None)] if pairs is None else pairs
    kept = readable(checkpoint, texts)
    step(0, len(kept))
    for stage in measure_corpus(checkpoint, kept, atlas):
        step(stage.done, len(kept))
        if seconds is not None and time.monotonic() - begun > seconds:
            break
    path = target / files.ATLAS
    atlas.save(path, files.folder_digest(target))
    return path


def load_atlas(folder: Path, config: ModelConfig, digest: str) -> Atlas:
    """The stored atlas of a checkpoint folder whose digest is `digest`, every number of it checked.

    Raises `CheckpointError` with one sentence if there is none, or it is not one of this model.
    """
    path = files.file_in(folder, files.ATLAS)
    with damage_as(
        CheckpointError,
        lambda reason: (
            f"{path} is not an atlas of this model ({reason}); write it again with `core example`."
        ),
    ):
        arrays = read_npz(path, MAX_BYTES)
        _check_names(arrays, config)
        atlas = Atlas.of_arrays(arrays, config, digest)
        _check(atlas, config)
    return atlas


def _check_names(arrays: Mapping[str, np.ndarray], config: ModelConfig) -> None:
    """Every array belongs to a score of a kind that the model has, and has its shape; else ValueError."""
    drawn = arrays["sample"]
    if drawn.dtype != np.uint8 or drawn.ndim != 1:
        raise ValueError("its sentences are no text")
    listed = json.loads(drawn.tobytes())
    if not isinstance(listed, list) or not 0 < len(listed) <= SAMPLE:
        raise ValueError(f"it keeps more than {SAMPLE} sentences, or none")
    if not all(_is_sentence(row) for row in listed):
        raise ValueError("one of its sentences is none")
    expected: dict[str, tuple[int, ...]] = {}
    for attention in ATTENTION.values():
        shape = (config.layers(attention.stack), config.heads)
        for name in (*scores_of(attention.name), "divergence"):
            square = (shape[0] * shape[1],) * 2
            here = f"{attention.name}|{name}"
            expected |= {f"{here}|{part}": square if name == "divergence" else shape for part in _PARTS}
            if name != "divergence":
                expected[f"{here}|sample"] = (len(listed), *shape)
        for name in ("divergence", NO_ROLE_SCORE):
            if f"{attention.name}|{name}|mean" not in arrays:
                raise ValueError(f"it lacks the {name} of {attention.name}")
    for name, array in arrays.items():
        if name in ("form", "about", "sentences", "sample"):
            continue
        if name not in expected or array.shape != expected[name] or array.dtype.kind != "f":
            raise ValueError(f"{name[:60]} does not belong to this model")


def _is_sentence(row: object) -> bool:
    if not isinstance(row, list) or len(row) != 3:
        return False
    number, *texts = row
    known = type(number) is int and 0 <= number < 10**12
    return known and all(isinstance(text, str) and len(text) <= LONGEST_TEXT for text in texts)


def _check(atlas: Atlas, config: ModelConfig) -> None:
    """Every number lies where its score can; else ValueError."""
    if not 0 < atlas.sentences < 10**12 or len(atlas.sample) > atlas.sentences:
        raise ValueError("its number of sentences cannot be")
    for kind, table in atlas.scores.items():
        for name, running in table.items():
            score = ATLAS_SCORES[name]
            top = np.inf if score.high is None or name == "distance" else score.high
            _check_running(running, atlas.sentences, score.low, top, f"{kind} {name}")
            own = atlas.own_scores(kind, name)
            if np.isinf(own).any() or (own < score.low - _SLACK).any() or (own > top + _SLACK).any():
                raise ValueError(f"{kind} {name} of a sentence lies outside its range")
        apart = atlas.divergence[kind]
        _check_running(apart, atlas.sentences, 0.0, float(np.log(2.0)), f"{kind} divergence")
        if not np.allclose(apart.mean, apart.mean.T, atol=1e-9) or np.abs(np.diag(apart.mean)).max() > 1e-9:
            raise ValueError(f"the divergence of {kind} is no distance")


def _check_running(running: Running, most: int, low: float, high: float, name: str) -> None:
    for array in (running.count, running.mean, running.squares):
        if not np.isfinite(array).all():
            raise ValueError(f"{name} holds what is no number")
    if (running.count < 0).any() or (running.count > most).any() or (running.squares < 0).any():
        raise ValueError(f"{name} counts what cannot be")
    met = running.count > 0
    if (running.mean[met] < low - _SLACK).any() or (running.mean[met] > high + _SLACK).any():
        raise ValueError(f"{name} lies outside its range")
