"""The report of an import, as JSON and Markdown; and `write_import`, which writes it with the checkpoint's folder."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.api import Checkpoint
from core.checkpoints.bundle import save
from core.checkpoints.files import IMPORT_REPORTS
from core.importing.assign import parameters_of
from core.importing.plan import ImportPlan
from core.importing.trial import Trial, try_import
from core.verify import TrustReport
from core.verify.report import NOT_PROVED, PROVED

if TYPE_CHECKING:
    from core.importing.plan import ImportPlan


def import_report(
    plan: ImportPlan, checkpoint: Checkpoint, trust: TrustReport, trial: Trial
) -> dict[str, Any]:
    """Everything about one import as JSON values."""
    vocabularies = plan.vocabularies
    return {
        "layout": plan.layout.name,
        "title": plan.layout.title,
        "layout_reason": plan.layout_reason,
        "container": plan.weights.container,
        "notes": list(plan.weights.notes),
        "parameters": parameters_of(checkpoint.model),
        "not_finite": 0,  # a file with NaN or infinity is refused earlier
        "told": {name: value for name, value in plan.answers.items() if value is not None},
        "findings": [
            {"name": f.name, "value": f.value, "how": f.how, "reason": f.reason, "checked": not f.unsure}
            for f in plan.findings
        ],
        "vocabularies": [vocabulary.title for vocabulary in vocabularies] if vocabularies else [],
        "keys": [
            {"key": d.key, "shape": list(d.shape), "dtype": d.dtype, "to": list(d.to), "note": d.note}
            for d in plan.destinations
        ],
        "ignored": [d.key for d in plan.destinations if d.note.startswith("ignored")],
        "constants": dict(plan.assignment.constants) if plan.assignment else {},
        "config": checkpoint.config.to_json(),
        "trust": trust.to_json() | {"proves": PROVED, "does_not_prove": NOT_PROVED},
        "trial": trial.to_json(),
    }


def report_files(report: dict[str, Any]) -> dict[str, str]:
    """The text of both files, by file name in the new checkpoint's folder."""
    text = json.dumps(report, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return dict(zip(IMPORT_REPORTS, (text, markdown(report)), strict=True))


def markdown(report: dict[str, Any]) -> str:
    """The report as Markdown; names from the file are shown as code, never as markup."""
    trust = report["trust"]
    lines = [
        "# Import report",
        "",
        f"Layout: {report['title']} ({report['layout_reason']}). Read from: {report['container']}.",
        f"Parameters: {report['parameters']:,}. No NaN and no infinity.",
        *(f"Note: {note}." for note in report["notes"]),
        "",
        "## Configuration",
        "",
        *_table(
            ("option", "value", "from", "why", ""),
            [
                [f["name"], f["value"], f["how"], f["reason"], "" if f["checked"] else "not checked"]
                for f in report["findings"]
            ],
        ),
        "",
        f"Vocabulary: {', '.join(dict.fromkeys(report['vocabularies'])) or 'none'}.",
        "",
        "## What it writes",
        "",
        *_trial(report["trial"]),
        "",
        "## Trust report",
        "",
        f"All checks pass. {PROVED} {NOT_PROVED}" if trust["passed"] else "**Some checks fail.**",
        "",
        *_table(
            ("check", "passed", "deviation", "allowed"),
            [
                [c["sentence"], "yes" if c["passed"] else "no", c["value"], c["tolerance"]]
                for c in trust["checks"]
            ],
        ),
        "",
        "## Keys",
        "",
        *_table(
            ("key", "shape", "dtype", "fills", "how"),
            [[k["key"], k["shape"], k["dtype"], ", ".join(k["to"]), k["note"]] for k in report["keys"]],
        ),
    ]
    return "\n".join(lines) + "\n"


def _trial(trial: dict[str, Any]) -> list[str]:
    lines = ["A text made of the vocabulary's own tokens; give sentences to see more." if trial["made_up"] else
             "Greedy search, with the mean log-probability of a token it writes."]  # fmt: skip
    lines += [
        "",
        *_table(
            ("reads", "writes", "log-probability", "tokens", "unknown pieces"),
            [
                [
                    w["source"],
                    w["written"],
                    f"{w['mean_log_probability']:.3f}",
                    w["tokens"],
                    w["unknown_pieces"],
                ]
                for w in trial["written"]
            ],
        ),
    ]
    if trial["expected"]:
        rows = [[e["source"], e["matched"] or "no", e["difference"]] for e in trial["expected"]]
        lines += ["", *_table(("reads", "as expected", "[-expected-] {+written+}"), rows)]
    if tried := trial["settings"]:
        rows = [["as imported", f"{tried['mean']:.3f}"]]
        rows += [[f"{o['name']} = {_in_words(o['value'])}", f"{o['mean']:.3f}"] for o in tried["others"]]
        of = "what is expected" if tried["measured_on"] == "expected" else "what it writes"
        lines += ["", *_table(("with", f"log-probability of {of}"), rows)]
    if causality := trial["causality"]:
        rows = [[name, f"{causality[name]:.3f}"] for name in ("masked", "unmasked")]
        lines += ["", *_table(("decoder's self-attention", "log-probability of what is expected"), rows)]
    lines += [line for warning in trial["warnings"] for line in ("", f"**Warning:** {_cell(warning, 1000)}")]
    return lines


def _table(heads: tuple[str, ...], rows: list[list[Any]]) -> list[str]:
    return [
        f"| {' | '.join(heads)} |",
        f"|{'---|' * len(heads)}",
        *(f"| {' | '.join(_cell(value) for value in row)} |" for row in rows),
    ]


def _in_words(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "none" if value in (None, "") else str(value)


def _cell(value: Any, longest: int = 200) -> str:
    text = str(value).replace("|", "¦").replace("`", "'").replace("<", "‹").replace(">", "›")
    return " ".join(text.split())[:longest]


def write_import(
    plan: ImportPlan,
    out: str | Path,
    sources: list[str] | None = None,
    card: Mapping[str, Any] | None = None,
    expected: Sequence[str] = (),
) -> dict[str, Any]:
    """Write the checkpoint folder `out` with import-report.json and .md; returns the report.

    `sources` are the sentences of the trust report (see `ImportPlan.verify`) and the examples of the checkpoint's card,
    which has none without them; `card` adds to it. Raises CheckpointError for a plan that is not ready, or a folder
    that cannot be written.
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
