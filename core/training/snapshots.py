"""The start of a run from a checkpoint, and its files: the state to resume from, and the last weights to average."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from core.checkpoints.bundle import Bundle, load_bundle
from core.checkpoints.files import TOKENIZER, TOKENIZERS
from core.errors import TrainingError
from core.files import replacing
from core.model.config import ModelConfig
from core.model.transformer import Transformer
from core.training.config import LoopConfig

# Options of training only, in which a run may differ from the checkpoint it starts from.
_OF_TRAINING = frozenset({"dropout", "attention_dropout", "activation_dropout"})


@dataclass(frozen=True)
class Start:
    """The checkpoint a run starts from."""

    bundle: Bundle

    @classmethod
    def at(cls, folder: Path) -> Start:
        """The checkpoint in `folder`. Raises CheckpointError if there is none."""
        return cls(load_bundle(folder, device="cpu"))

    @property
    def shares_tokenizer(self) -> bool:
        """Whether one tokenizer serves both sides."""
        return self.bundle.source_tokenizer == self.bundle.target_tokenizer

    def give_weights(self, model: Transformer) -> None:
        """Copy the checkpoint's weights into `model`. Raises TrainingError if the two compute different functions."""
        theirs, ours = _computed(self.bundle.config), _computed(model.config)
        for name, value in theirs.items():
            if ours[name] != value:
                raise TrainingError(
                    f"The recipe's model has {name} = {ours[name]!r}, but the checkpoint it starts from has {value!r}; "
                    "write the checkpoint's into [model], or start from scratch."
                )
        model.load_state_dict(self.bundle.model.state_dict())

    def check_split(self, split_seed: int) -> None:
        """Raise TrainingError if the checkpoint held back other pairs, so that it was trained on those of this run."""
        recipe = self.bundle.card.get("recipe")
        if not isinstance(recipe, Mapping):
            return
        training = recipe.get("training")
        # Older cards have no split_seed; the pairs were drawn by the training's seed.
        before = training.get("seed") if isinstance(training, Mapping) else None
        theirs = recipe.get("split_seed", before)
        if theirs is not None and theirs != split_seed:
            raise TrainingError(
                f"The checkpoint it starts from drew its held-back pairs with split_seed = {theirs!r} and has read others, "
                f"the recipe says {split_seed}; write the checkpoint's into [data], or start from another."
            )

    def to_json(self) -> dict[str, Any]:
        """Name, digest, and the target tokens seen, if the checkpoint's card has them."""
        card = self.bundle.card
        figures = card.get("figures")
        seen = figures.get("target_tokens_seen") if isinstance(figures, Mapping) else None
        return {"name": card.get("name"), "digest": self.bundle.digest, "target_tokens_seen": seen}


def _computed(config: ModelConfig) -> dict[str, Any]:
    return {k: v for k, v in dataclasses.asdict(config).items() if k not in _OF_TRAINING}


STATE_FILE = "state.pt"
# A resumed run may change these, and nothing else.
FREE_TO_CHANGE = frozenset(
    {
        "max_steps",
        "max_hours",
        "keep_start",
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
    }
)


def save_state(work: Path, state: Mapping[str, Any]) -> None:
    """Write the state atomically: a kill leaves either the old file or the new one."""
    _write(work / STATE_FILE, state)


def load_state(work: Path) -> dict[str, Any] | None:
    """The saved state, or None when this run has not started."""
    file = work / STATE_FILE
    _remove_unfinished(work)
    if not file.exists():
        return None
    try:
        state: dict[str, Any] = _load(file)
    except Exception as error:  # torch raises many kinds for a damaged file
        raise TrainingError(
            f"The saved state {str(file)!r} cannot be read ({type(error).__name__}); start again with --restart."
        ) from error
    return state


def forget_run(work: Path) -> None:
    """Delete the files of a run in its work folder, and only those."""
    own = [
        work / STATE_FILE,
        *work.glob("*.held-back.tsv"),
        *work.glob("*.pairs.tsv"),
        *(work / "average").glob("step-*.pt"),
    ]
    own += [work / name for name in (TOKENIZER, *TOKENIZERS)]
    try:
        for file in own:
            file.unlink(missing_ok=True)
    except OSError as error:
        raise TrainingError(
            f"The unfinished run in {str(work)!r} cannot be deleted ({error.strerror}); give another --work folder."
        ) from error


def check_same_run(saved: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Raise TrainingError if a run would be resumed under a recipe that differs where it matters."""
    # A run older than a setting used its default.
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
        kept = [
            (int(m[1]), file)
            for file in self.folder.glob("step-*.pt")
            if (m := re.search(r"(\d+)", file.name))
        ]
        return sorted(item for item in kept if item[0] <= up_to)

    def add(self, step: int, weights: Mapping[str, Tensor]) -> None:
        """Keep these weights and drop the oldest beyond `count`."""
        self.folder.mkdir(parents=True, exist_ok=True)
        _write(self.folder / f"step-{step:07d}.pt", {k: v.detach().cpu() for k, v in weights.items()})
        for _, file in self.files(step)[: -self.count]:
            file.unlink(missing_ok=True)

    def mean(self, step: int) -> tuple[dict[str, Tensor], list[int]]:
        """The mean of the kept weights up to `step` (float32) and the steps of those weights."""
        files = self.files(step)[-self.count :]
        if not files:
            raise TrainingError("No weights to average have been saved yet.")
        total: dict[str, Tensor] = {}
        for _, file in files:
            for name, tensor in _load(file).items():
                wide = tensor.double() if tensor.is_floating_point() else tensor
                total[name] = total[name] + wide if name in total and tensor.is_floating_point() else wide
        mean = {k: (v / len(files)).float() if v.is_floating_point() else v for k, v in total.items()}
        return mean, [number for number, _ in files]


def _remove_unfinished(work: Path) -> None:
    """Delete what a killed run of this folder was writing; nothing of a process that is still there."""
    for folder in (work, work / "average"):
        for file in folder.glob(".*.pt.*.part"):
            process = file.name.split(".")[-2]
            if process.isdecimal() and not _is_alive(int(process)):
                with contextlib.suppress(OSError):
                    file.unlink()


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


def _load(file: Path) -> dict[str, Any]:
    """The content of a file of `_write`. Raises ValueError where a byte changed: torch does not look at the check sums."""
    with zipfile.ZipFile(file) as archive:
        if (damaged := archive.testzip()) is not None:
            raise ValueError(f"{damaged} is damaged")
    content: dict[str, Any] = torch.load(file, map_location="cpu", weights_only=True)
    return content


def _write(file: Path, content: Any) -> None:
    with replacing(file) as stream:
        torch.save(content, stream)
