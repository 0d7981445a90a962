"""Other people's checkpoints: read safely, recognised by their keys, and written in this project's format.

    plan = plan_import("model.pt", told={"heads": 8}, source_vocabulary="src.txt", target_vocabulary="tgt.txt")
    plan.layout, plan.findings, plan.questions, plan.destinations, plan.problems
    plan.answer(norm_placement="pre").write("checkpoints/mine")

Weight maps are data: each family is one TOML file of rules in `families/`, and `--map` reads the same language.
"""

from core.importing.plan import ImportPlan, plan_import
from core.importing.rules import Layout, families, read_layout

__all__ = ["ImportPlan", "Layout", "families", "plan_import", "read_layout"]
