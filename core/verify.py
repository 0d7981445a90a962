"""The trust report: does what the maps show really happen in this model, and does nothing else?

`verify` runs a checkpoint on a few of its own sentences, in one padded batch together with a source that is
padding only, and checks what every view relies on. What is measured, and how, is in `core.deviations`.

Two ways to the same numbers may differ by rounding, 1e-5 at most. Where a model's scores are wide, single precision
alone differs by more: a softmax passes on what its largest score was rounded by. Such a check is then made again in
double precision, where rounding is out of the question and an error of the decoding is not, and must hold there to the
same 1e-5; in single precision it must stay within what rounding of scores so wide explains.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import torch

from core import deviations
from core.deviations import Edits
from core.errors import InputError

if TYPE_CHECKING:
    from rich.table import Table

    from core.checkpoint import Checkpoint
    from core.model import Transformer

SENTENCES: Final = 3
_ROUNDING: Final = 1e-5  # single precision, a whole model deep
_EXACT: Final = 0.0
_PER_SCORE: Final = 1e-6  # a few roundings of single precision (6e-8 each) of the largest score
_REPEATED: Final = ("future", "batch", "stepwise", "recorded")

# Name, allowed deviation, and what must hold.
PROMISES: Final = (
    ("rows", _ROUNDING, "Every row of weights sums to 1, or to 0 where nothing may be attended."),
    ("causal", _EXACT, "No decoder position gives any weight to a later one."),
    ("future", _ROUNDING, "Changing later target tokens changes no earlier prediction."),
    ("padding", _EXACT, "Padding gets no weight."),
    ("batch", _ROUNDING, "A sentence in a padded batch is decoded as it is alone."),
    ("stepwise", _ROUNDING, "Decoding step by step gives the predictions and maps of one full forward pass."),
    ("recorded", _ROUNDING, "The pass that records the maps predicts what the fast pass predicts."),
    ("norms", _ROUNDING, "The recorded means and variances rebuild the output of every norm."),
    ("saved", _EXACT, "Saved and loaded again, the model is the same bit for bit."),
)


@dataclass(frozen=True)
class Check:
    """One thing that must hold. `value` is the largest deviation found, passed if at most `tolerance`."""

    name: str
    passed: bool
    value: float
    tolerance: float
    sentence: str


@dataclass(frozen=True)
class TrustReport:
    """All checks of one checkpoint, and the sentences they ran on."""

    checkpoint: str
    sources: tuple[str, ...]
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether every check holds."""
        return all(check.passed for check in self.checks)

    def to_json(self) -> dict[str, Any]:
        """The report as plain JSON values; a deviation that is not a number becomes null."""
        checks = [asdict(check) for check in self.checks]
        for check in checks:
            check["value"] = check["value"] if abs(check["value"]) < float("inf") else None
        return {
            "checkpoint": self.checkpoint,
            "passed": self.passed,
            "sources": list(self.sources),
            "checks": checks,
        }

    def table(self) -> Table:
        """The report for a terminal."""
        from rich.markup import escape
        from rich.table import Table

        verdict = "all checks pass" if self.passed else "[bold red]not to be trusted[/]"
        table = Table(title=f"{escape(self.checkpoint)}: {verdict}", title_justify="left")
        for column, justify in (
            ("", "left"),
            ("Check", "left"),
            ("Deviation", "right"),
            ("Allowed", "right"),
        ):
            table.add_column(column, justify=justify)  # type: ignore[arg-type]
        for check in self.checks:
            mark = "[green]✓[/]" if check.passed else "[red]✗[/]"
            table.add_row(mark, escape(check.sentence), _short(check.value), _short(check.tolerance))
        return table


def _short(value: float) -> str:
    return f"{value:.0e}" if value else "0"


def verify(
    checkpoint: Checkpoint, sources: Sequence[str] | None = None, edit: Edits | None = None
) -> TrustReport:
    """Check `checkpoint` on `sources` (default: the first examples of its card).

    `edit` puts edits on the recorded pass, as `Hooks` does: the report then shows which promises the edited
    model breaks. Raises `InputError` if there is no sentence to run, or one that the model cannot read.
    """
    texts = _sources(checkpoint, sources)
    model = checkpoint.model
    ids = [checkpoint.encode_source(text) for text in texts]
    with torch.inference_mode():
        run, measured = _measured(model, ids, edit)
        measured |= {
            "norms": deviations.norm_error(model, run),
            "saved": deviations.round_trip(checkpoint, run),
        }
        checks = [
            Check(name, measured[name] <= allowed, measured[name], allowed, sentence)  # NaN is never <=
            for name, allowed, sentence in PROMISES
        ]
        if edit is None and any(_doubtful(check) for check in checks):
            checks = _repeated(checks, model, ids)
    return TrustReport(str(checkpoint.path or "the model in memory"), tuple(texts), tuple(checks))


def _measured(
    model: Transformer, ids: Sequence[Sequence[int]], edit: Edits | None
) -> tuple[deviations.Run, dict[str, float]]:
    decoded = [deviations.decode_stepwise(model, row) for row in ids]
    run = deviations.run_batch(model, ids, [step.inputs for step in decoded], edit)
    return run, {
        "rows": deviations.row_sums(run),
        "causal": deviations.causal_leak(run),
        "future": deviations.future_leak(model, run, edit),
        "padding": deviations.padding_leak(run),
        "batch": deviations.batch_gap(run, decoded),
        "stepwise": deviations.worst([step.gap for step in decoded]),
        "recorded": deviations.relative_gap(run.recorded, run.fused),
    }


def _doubtful(check: Check) -> bool:
    """Whether rounding may be all that is wrong."""
    return check.name in _REPEATED and not check.passed and math.isfinite(check.value)


def _repeated(checks: Sequence[Check], model: Transformer, ids: Sequence[Sequence[int]]) -> list[Check]:
    """The checks with the doubtful ones made again in double precision."""
    exact = deviations.in_double(model)
    run, again = _measured(exact, ids, None)
    widest = deviations.largest_score(exact, run)
    judged = []
    for check in checks:
        if _doubtful(check):
            explained = check.value <= max(check.tolerance, _PER_SCORE * widest)
            value = again[check.name] if explained else check.value
            note = f" Judged in double precision: scores reach {widest:,.0f}, and single precision gives {check.value:.0e}."
            sentence = check.sentence + (note if explained else "")
            check = replace(check, passed=value <= check.tolerance, value=value, sentence=sentence)
        judged.append(check)
    return judged


def _sources(checkpoint: Checkpoint, sources: Sequence[str] | None) -> list[str]:
    if sources is None:
        examples = checkpoint.card.get("examples")
        listed = examples if isinstance(examples, list) else []
        sources = [str(each["source"]) for each in listed if isinstance(each, dict) and each.get("source")][
            :SENTENCES
        ]
    if not sources:
        raise InputError("The checkpoint's card has no examples to verify it on; give a sentence.")
    return list(sources)
