"""Writes generated/tokens.ts again after a change of ui/style/theme.py: `python -m ui.web`."""

from __future__ import annotations

import json

from ui.style.theme import tokens_for_browser
from ui.web.bundles import FOLDER

TOKENS = FOLDER / "generated" / "tokens.ts"


def tokens_module() -> str:
    """The design tokens as a module, as prettier would write it."""
    return (
        "/* The design tokens of ui/style/theme.py, written by `python -m ui.web`. */\n\n"
        f"export const TOKENS = {_literal(tokens_for_browser())};\n"
    )


def _literal(value: object, indent: str = "") -> str:
    if isinstance(value, dict):
        inner = indent + "  "
        lines = "".join(f"{inner}{name}: {_literal(each, inner)},\n" for name, each in value.items())
        return f"{{\n{lines}{indent}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_literal(each) for each in value)}]"
    if not isinstance(value, str):
        return json.dumps(value)
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


if __name__ == "__main__":
    TOKENS.write_text(tokens_module(), "utf-8")
