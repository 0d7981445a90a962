"""The importance of all heads on a checkpoint's example sentences, stored beside its weights so that it need not be measured."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from core.checkpoints import files
from core.errors import CheckpointError, InputError
from core.files import damage_as, read_npz, replacing
from core.model.hooks import ATTENTION

if TYPE_CHECKING:
    from core.checkpoints.bundle import Bundle
    from core.experiments.edits import Kind
    from core.experiments.rankings import Kept, Survey
    from core.model.config import ModelConfig

MAX_BYTES: Final = 2**22  # of a stored survey, unpacked
_FORM: Final = "importance 1"
_TABLES: Final = ("left_out", "gradient")
_CURVE: Final = ("counts", "log_probability", "first")


def write_importance(
    checkpoint: Bundle,
    folder: str | Path | None = None,
    step: Callable[[int, int], None] = lambda done, total: None,
) -> Path:
    """Measure the importance of all heads on the card's example sentences and store it → the file.

    `folder` defaults to the checkpoint's own; its weights must be the checkpoint's. Raises `InputError` if there is no
    sentence or no folder, or the file cannot be written. `step(done, total)` is called after each pass.
    """
    from core.experiments.default_heads import example_sources
    from core.experiments.survey import survey, written_pairs

    target = Path(folder) if folder is not None else checkpoint.path
    if target is None:
        raise InputError("This checkpoint has no folder; save it first, or give the folder to write to.")
    sources = example_sources(checkpoint)
    last = None
    for last in survey(checkpoint.model, written_pairs(checkpoint, sources)):
        step(last.done, last.total)
    if last is None:
        raise InputError("There is no head to measure.")
    path = target / files.IMPORTANCE
    with replacing(path) as stream:
        np.savez_compressed(stream, **_arrays(last, sources, files.folder_digest(target)))
    return path


def _arrays(survey: Survey, sources: list[str], about: str) -> dict[str, Any]:
    words = np.frombuffer(json.dumps(sources).encode(), dtype=np.uint8)
    arrays: dict[str, Any] = {"form": np.array(_FORM), "about": np.array(about), "sources": words}
    arrays["sentences"] = np.array(survey.sentences)
    for name, tables in zip(_TABLES, (survey.left_out, survey.gradient), strict=True):
        arrays |= {f"{name}|{kind}": table.astype(np.float32) for kind, table in tables.items()}
    for name, curve in survey.kept.items():
        arrays |= {f"kept|{name}|{part}": np.asarray(getattr(curve, part)) for part in _CURVE}
    return arrays


def load_importance(folder: Path, config: ModelConfig, digest: str, sources: tuple[str, ...]) -> Survey:
    """The stored survey of the example sentences `sources` of a checkpoint folder whose digest is `digest`, checked.

    Raises `CheckpointError` with one sentence if there is none, or it is one of another model or other sentences.
    """
    path = files.file_in(folder, files.IMPORTANCE)
    with damage_as(
        CheckpointError,
        lambda reason: (
            f"{path} is not the importance of this model's heads ({reason}); write it again with `core example`."
        ),
    ):
        arrays = read_npz(path, MAX_BYTES)
        if (str(arrays["form"]), str(arrays["about"])) != (_FORM, digest):
            raise ValueError("it is about something else")
        if json.loads(arrays["sources"].tobytes()) != list(sources):
            raise ValueError("its sentences are others")
        return _survey(arrays, config)


def _survey(arrays: Mapping[str, np.ndarray], config: ModelConfig) -> Survey:
    """The survey that `_arrays` wrote; else ValueError or KeyError."""
    from core.experiments.rankings import Survey

    sentences = int(arrays["sentences"])
    if not 0 < sentences < 10**9:
        raise ValueError("its number of sentences cannot be")
    left_out, gradient = (_tables(arrays, name, config) for name in _TABLES)
    if any((table < 0).any() for table in gradient.values()):
        raise ValueError("a gradient's size is negative")
    total = sum(table.size for table in left_out.values())
    kept = {name: _curve(arrays, name, total, sentences) for name in _TABLES}
    return Survey(sentences, left_out, gradient, kept, 1, 1, complete=True)


def _tables(arrays: Mapping[str, np.ndarray], name: str, config: ModelConfig) -> dict[Kind, np.ndarray]:
    """One table (L, H) a kind, every number finite."""
    tables: dict[Kind, np.ndarray] = {}
    for kind, attention in ATTENTION.items():
        if not (layers := config.layers(attention.stack)):
            continue
        table = arrays[f"{name}|{kind}"]
        if table.shape != (layers, config.heads) or table.dtype.kind != "f" or not np.isfinite(table).all():
            raise ValueError(f"{name} of {kind} does not belong to this model")
        tables[kind] = table  # type: ignore[index]
    return tables


def _curve(arrays: Mapping[str, np.ndarray], name: str, heads: int, sentences: int) -> Kept:
    """The quality with only the best heads, every number in its range."""
    from core.experiments.rankings import Kept

    counts, logs, first = (arrays[f"kept|{name}|{part}"] for part in _CURVE)
    numbers = [int(count) for count in counts.ravel()]
    if numbers != sorted(set(numbers)) or not numbers or numbers[0] < 0 or numbers[-1] > heads:
        raise ValueError(f"the numbers of heads kept by {name} cannot be")
    if logs.shape != (len(numbers),) or first.shape != (len(numbers),):
        raise ValueError(f"the curve of {name} has another length")
    if not np.isfinite(logs).all() or (logs > 1e-6).any() or not ((first >= 0) & (first <= 1)).all():
        raise ValueError(f"the curve of {name} holds what cannot be")
    return Kept(tuple(numbers), logs, first, sentences, sentences)
