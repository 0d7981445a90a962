"""What a run keeps on disk: the state to resume from, and the last weights to average."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from core.atomic_file import replacing
from core.checkpoints.files import TOKENIZER, TOKENIZERS
from core.errors import TrainingError
from core.training.config import LoopConfig

STATE_FILE = "state.pt"
# A resumed run may change these; anything else would make it another run.
FREE_TO_CHANGE = frozenset(
    [
        "max_steps",
        "max_hours",
        "evaluate_every",
        "evaluate_pairs",
        "log_every",
        "save_seconds",
        "device",
        "threads",
        "precision",
        "compile",
        "cooldown",
        "average_last",
        "average_every",
        "dynamics_steps",
    ]
)


def save_state(work: Path, state: Mapping[str, Any]) -> None:
    """Write the state so that a kill at any moment leaves either the old file or the new one."""
    _write(work / STATE_FILE, state)


def load_state(work: Path) -> dict[str, Any] | None:
    """The saved state, or None when this run has not started."""
    file = work / STATE_FILE
    if not file.exists():
        return None
    try:
        state: dict[str, Any] = torch.load(file, map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises many kinds for a damaged file
        raise TrainingError(
            f"The saved state {str(file)!r} cannot be read ({type(error).__name__}); start again with --restart."
        ) from error
    return state


def forget_run(work: Path) -> None:
    """Delete what a run left in its work folder. Anything else there is not the run's, and stays."""
    own = [work / STATE_FILE, *work.glob("*.held-back.tsv"), *(work / "average").glob("step-*.pt")]
    own += [work / name for name in (TOKENIZER, *TOKENIZERS)]
    try:
        for file in own:
            file.unlink(missing_ok=True)
    except OSError as error:
        raise TrainingError(
            f"The unfinished run in {str(work)!r} cannot be deleted ({error.strerror}); give another --work folder."
        ) from error


def check_same_run(saved: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Refuse to resume a run under a recipe that differs where it matters."""
    # A run begun before there was a setting did what its default does.
    known = {**_flat({"training": asdict(LoopConfig(max_steps=1))}), **_flat(saved)}
    for name, value in _flat(now).items():
        if name.rsplit(".", 1)[-1] in FREE_TO_CHANGE:
            continue
        before = known.get(name)
        if before != value:
            raise TrainingError(
                f"The unfinished run has {name} = {before!r} but the recipe says {value!r}; "
                "restore it, give another --work folder, or start again with --restart."
            )


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            flat.update(_flat(value, f"{prefix}{key}."))
        else:
            flat[prefix + key] = list(value) if isinstance(value, tuple) else value
    return flat


class RollingAverage:
    """The last `count` sets of weights, one file each, and their mean."""

    def __init__(self, work: Path, count: int) -> None:
        self.folder = work / "average"
        self.count = count

    def files(self, up_to: int) -> list[tuple[int, Path]]:
        """(step, file) of the kept sets not after step `up_to`, oldest first."""
        found = [
            (int(m[1]), file)
            for file in self.folder.glob("step-*.pt")
            if (m := re.search(r"(\d+)", file.name))
        ]
        return sorted(item for item in found if item[0] <= up_to)

    def add(self, step: int, weights: Mapping[str, Tensor]) -> None:
        """Keep these weights and drop those that fall out of the window."""
        self.folder.mkdir(parents=True, exist_ok=True)
        _write(self.folder / f"step-{step:07d}.pt", {k: v.detach().cpu() for k, v in weights.items()})
        for _, file in self.files(step)[: -self.count]:
            file.unlink(missing_ok=True)

    def mean(self, step: int) -> tuple[dict[str, Tensor], list[int]]:
        """The mean of the kept weights up to `step` (float32) and the steps it is made of."""
        files = self.files(step)[-self.count :]
        if not files:
            raise TrainingError("No weights to average have been saved yet.")
        total: dict[str, Tensor] = {}
        for _, file in files:
            for name, tensor in torch.load(file, map_location="cpu", weights_only=True).items():
                wide = tensor.double() if tensor.is_floating_point() else tensor
                total[name] = total[name] + wide if name in total and tensor.is_floating_point() else wide
        mean = {k: (v / len(files)).float() if v.is_floating_point() else v for k, v in total.items()}
        return mean, [number for number, _ in files]


def _write(file: Path, content: Any) -> None:
    with replacing(file) as stream:
        torch.save(content, stream)
