"""The report of an import, as JSON and as a page to read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from core.checkpoint import Checkpoint
from core.importing.assign import parameters_of
from core.stored import IMPORT_REPORTS
from core.verify import TrustReport

if TYPE_CHECKING:
    from core.importing.plan import ImportPlan


def import_report(plan: ImportPlan, checkpoint: Checkpoint, trust: TrustReport) -> dict[str, Any]:
    """Everything about one import as JSON values."""
    vocabularies = plan.vocabularies
    return {
        "layout": plan.layout.name,
        "title": plan.layout.title,
        "layout_reason": plan.layout_reason,
        "container": plan.weights.container,
        "notes": list(plan.weights.notes),
        "parameters": parameters_of(checkpoint.model),
        "not_finite": 0,  # a file with NaN or infinity is refused before it gets here
        "told": {name: value for name, value in plan.told.items() if value is not None},
        "findings": [
            {"name": f.name, "value": f.value, "how": f.how, "reason": f.reason} for f in plan.findings
        ],
        "vocabularies": [vocabulary.title for vocabulary in vocabularies] if vocabularies else [],
        "keys": [
            {"key": d.key, "shape": list(d.shape), "dtype": d.dtype, "to": list(d.to), "note": d.note}
            for d in plan.destinations
        ],
        "ignored": [d.key for d in plan.destinations if d.note.startswith("ignored")],
        "constants": dict(plan.assignment.constants) if plan.assignment else {},
        "config": checkpoint.config.to_json(),
        "trust": trust.to_json(),
    }


def report_files(report: dict[str, Any]) -> dict[str, str]:
    """The text of both files, by the name each has in the folder of the new checkpoint."""
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
            ("option", "value", "from", "why"),
            [[f["name"], f["value"], f["how"], f["reason"]] for f in report["findings"]],
        ),
        "",
        f"Vocabulary: {', '.join(dict.fromkeys(report['vocabularies'])) or 'none'}.",
        "",
        "## Trust report",
        "",
        "All checks pass." if trust["passed"] else "**Some checks fail.**",
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


def _table(heads: tuple[str, ...], rows: list[list[Any]]) -> list[str]:
    return [
        f"| {' | '.join(heads)} |",
        f"|{'---|' * len(heads)}",
        *(f"| {' | '.join(_cell(value) for value in row)} |" for row in rows),
    ]


def _cell(value: Any) -> str:
    text = str(value).replace("|", "¦").replace("`", "'").replace("<", "‹").replace(">", "›")
    return " ".join(text.split())[:200]
