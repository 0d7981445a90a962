"""Hugging Face's folders as checkpoints, converted in memory; `core.checkpoints.files` calls this by its name."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, Final

from core.api import Checkpoint
from core.checkpoints import files
from core.checkpoints.summary import ForeignSummary
from core.errors import CheckpointError
from core.importing.plan import ImportPlan, plan_import
from core.tokenizer import Tokenizer

_MOST_BYTES: Final = 2**40  # one's own folder: what its memory holds is the limit
_WEIGHTS: Final = (".safetensors", ".bin", ".pt")


def convert(folder: Path) -> Checkpoint:
    """The folder's model and tokenizers, on the CPU. Raises CheckpointError with one sentence."""
    plan = _plan(folder)
    card = _card(folder, plan)
    return dataclasses.replace(plan.checkpoint, card=card, stored_digest=files.foreign_digest(folder))


def tokenizers(folder: Path) -> tuple[Tokenizer, Tokenizer]:
    """(source, target). Raises CheckpointError with one sentence."""
    return _plan(folder).tokenizers


def summary(folder: Path) -> ForeignSummary:
    """Configuration, card and sizes; the weights are not read. Raises CheckpointError with one sentence."""
    plan = _plan(folder)
    assert plan.config is not None
    return ForeignSummary(
        path=folder,
        config=plan.config,
        card=_card(folder, plan),
        parameters=plan.parameters,
        stored_bytes=sum(each.stat().st_size for each in folder.iterdir() if each.suffix in _WEIGHTS),
        has_example=False,
        has_atlas=False,
        has_importance=False,
        has_dynamics=False,
        converted=[plan.tokenizers],
    )


def _plan(folder: Path) -> ImportPlan:
    """The plan of an import that has no question. Raises CheckpointError with one sentence."""
    plan = plan_import(folder, max_bytes=_MOST_BYTES)
    if plan.open_questions and not plan.problems:
        names = [each.name.removesuffix("_id") for each in plan.open_questions]
        answers = ", ".join(f"{'tokenizer' if name == 'vocabulary' else name}=…" for name in names)
        raise CheckpointError(
            f"{files.folder_name(folder)} does not tell its {' and '.join(names)}; import it with "
            f"core.import_checkpoint(folder, {answers}, out=…) or on the page Models."
        )
    plan.require_ready()
    return plan


def _card(folder: Path, plan: ImportPlan) -> dict[str, Any]:
    name = files.repository(folder) or folder.name
    return {**plan.card, "name": name[:80], "origin": f"{plan.layout.title}, opened as Hugging Face saved it"}
