"""Writes what a plan describes: the checkpoint's folder and the report of the import, whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.checkpoints.bundle import save
from core.importing.plan import ImportPlan
from core.importing.report import import_report, report_files
from core.importing.trial import try_import


def write_import(
    plan: ImportPlan,
    out: str | Path,
    sources: list[str] | None = None,
    card: Mapping[str, Any] | None = None,
    expected: Sequence[str] = (),
) -> dict[str, Any]:
    """Write the checkpoint folder `out` with import-report.json and .md; returns the report.

    `sources` are the sentences of the trust report (see `ImportPlan.verify`) and the examples of the checkpoint's
    card, which names none where none are given; `card` adds to it.
    Raises CheckpointError for a plan that is not ready, or a folder that cannot be written.
    """
    checkpoint = plan.checkpoint
    trial = try_import(plan, sources, expected)
    trust = plan.verify(sources)
    report = import_report(plan, checkpoint, trust, trial)
    examples = {} if trial.made_up else {"examples": trial.examples}
    save(
        out,
        checkpoint.model,
        checkpoint.source_tokenizer,
        checkpoint.target_tokenizer,
        {**checkpoint.card, **examples, **(card or {})},
        str(checkpoint.card["weights"]),
        beside=report_files(report),
    )
    return report
