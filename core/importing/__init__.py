"""Import of other projects' checkpoints: read safely, recognised by their keys, and written in this project's format.

    plan = plan_import("model.pt", answers={"heads": 8}, source_vocabulary="src.txt", target_vocabulary="tgt.txt")
    plan.layout, plan.findings, plan.questions, plan.destinations, plan.problems
    write_import(plan.answer(norm_placement="pre"), "checkpoints/mine")

Weight maps are data: each family is one TOML file of rules in `families/`, and `--map` reads the same language.
Torch is imported with the first name that is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.importing.folders import sort_uploads, store_uploads
    from core.importing.options import Finding, Question
    from core.importing.plan import ImportPlan, plan_import
    from core.importing.rules import Layout, families, read_layout
    from core.importing.trial import Trial, try_import, write_import

__all__ = [
    "Finding",
    "ImportPlan",
    "Layout",
    "Question",
    "Trial",
    "families",
    "plan_import",
    "read_layout",
    "sort_uploads",
    "store_uploads",
    "try_import",
    "write_import",
]
_HOMES = {
    "Finding": "options",
    "Question": "options",
    "ImportPlan": "plan",
    "Trial": "trial",
    "plan_import": "plan",
    "sort_uploads": "folders",
    "store_uploads": "folders",
    "try_import": "trial",
    "write_import": "trial",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'rules')}"), name)
