"""Import of other projects' checkpoints: read safely, recognised by their keys, and written in this project's format.

    from core.importing.plan import plan_import
    from core.importing.trial import write_import

    plan = plan_import("model.pt", answers={"heads": 8}, source_vocabulary="src.txt", target_vocabulary="tgt.txt")
    plan.layout, plan.findings, plan.questions, plan.destinations, plan.problems
    write_import(plan.answer(norm_placement="pre"), "checkpoints/mine")

Weight maps are data: each family is one TOML file of rules in `families/`, and `--map` reads the same language.
"""
