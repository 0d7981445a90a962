"""Write again what follows from Python code: `python -m ui.web`.

After a change of ui/style/theme.py, of a view's dataclasses or of a model's options: `generated/`, the colours of pages that
stand by themselves (`ui/export/tokens.css`) and Streamlit's own colours (`.streamlit/config.toml`). With `--check` nothing is
written: the command fails where a file is not what the Python code gives.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.model.config import DECODERS
from ui.style.theme import DARK, LIGHT, OKABE_ITO, Palette, tokens_for_browser
from ui.web.contract import FOLDER, interfaces

GENERATED = FOLDER / "generated"
PAGE_COLOURS = FOLDER.parent / "export" / "tokens.css"
SETTINGS = FOLDER.parents[1] / ".streamlit" / "config.toml"

# Which colour of the palette a property of a page that stands by itself has.
PAGE_PROPERTIES = {
    "--st-background-color": "background",
    "--page-ink": "ink",
    "--page-muted": "muted",
    "--page-line": "line",
    "--page-panel": "panel",
    "--page-bar": "bar",
    "--page-soft": "soft",
    "--page-taken": "cross",
    "--page-taken-text": "cross_text",
}
# And a setting of Streamlit's theme.
SETTING_COLOURS = {
    "primaryColor": "cross",
    "backgroundColor": "background",
    "secondaryBackgroundColor": "soft",
    "textColor": "ink",
    "borderColor": "line",
    "linkColor": "encoder",
}


def tokens_module() -> str:
    """The design tokens as a module, as prettier would write it."""
    return (
        "/* The design tokens of ui/style/theme.py, written by `python -m ui.web`. */\n\n"
        f"export const TOKENS = {_literal(tokens_for_browser())};\n"
    )


def options_module() -> str:
    """The options of core/model/config.py that a stack may have of its own, for the engine of the live page."""
    return (
        "/* Written by `python -m ui.web` from core/model/config.py. */\n\n"
        "/** Options that the decoder may have otherwise than the encoder, as `decoder_heads` and so on. */\n"
        f"export const PER_STACK = {_literal(list(DECODERS.values()))} as const;\n"
    )


def page_colours() -> str:
    """The colours of pages that stand by themselves, light and dark, as a style sheet."""
    light, dark = _declarations(LIGHT, "light"), _declarations(DARK, "dark")
    return (
        "/* The colours of every page that stands by itself: those of ui/style/theme.py, written by `python -m ui.web`.\n"
        "   base/view.ts reads which mode this is. */\n"
        f":root {{ {light} }}\n"
        "@media (prefers-color-scheme: dark) {\n"
        f'  :root:not([data-mode="light"]) {{ {dark} }}\n'
        "}\n"
        f':root[data-mode="dark"] {{ {dark} }}\n'
    )


def _declarations(palette: Palette, mode: str) -> str:
    colours = asdict(palette)
    declared = [f"{name}: {colours[colour]};" for name, colour in PAGE_PROPERTIES.items()]
    return " ".join([*declared, f"color-scheme: {mode};"])


def settings(text: str) -> str:
    """Streamlit's settings with the palette's colours in its theme; every other line stays."""
    palettes = {"light": asdict(LIGHT), "dark": asdict(DARK)}
    chart_colours = json.dumps(OKABE_ITO[:-1])
    lines, palette = [], {}
    for line in text.splitlines(keepends=True):
        if section := re.match(r"\[(?:theme\.(light|dark))?", line):
            palette = palettes.get(section[1], {})
        name = line.partition(" = ")[0]
        if palette and name in SETTING_COLOURS:
            line = f'{name} = "{palette[SETTING_COLOURS[name]]}"\n'
        elif name == "chartCategoricalColors":
            line = f"{name} = {chart_colours}\n"
        lines.append(line)
    return "".join(lines)


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


def declared_views() -> list[tuple[str, type, Mapping[str, Any]]]:
    """Name, data and answers of every view that a module of `ui` declares."""
    import ui

    modules = [each.name for each in pkgutil.walk_packages(ui.__path__, "ui.") if "__main__" not in each.name]
    declared = [
        each
        for name in modules
        for each in vars(importlib.import_module(name)).values()
        if type(each).__name__ == "View"
    ]
    listed = {each.name: (each.name, each.data, each.answers) for each in declared}
    # These have no View: their page is made without Streamlit.
    page = importlib.import_module("ui.export.live.page")
    pages: list[tuple[str, type, Mapping[str, Any]]] = [
        (page.VIEW, page.LiveData, {}),
        ("ablation", page.AblationData, {}),
    ]
    return sorted([*listed.values(), *pages])


def generated() -> dict[Path, str]:
    """What every file that follows from Python code has to hold."""
    return {
        GENERATED / "tokens.ts": tokens_module(),
        GENERATED / "types.ts": interfaces(declared_views()),
        GENERATED / "options.ts": options_module(),
        PAGE_COLOURS: page_colours(),
        SETTINGS: settings(SETTINGS.read_text("utf-8")),
    }


def main(arguments: list[str]) -> int:
    """0 when all is written, or with `--check` when nothing has to be."""
    files = generated()
    stale = [path for path, text in files.items() if not path.exists() or path.read_text("utf-8") != text]
    if "--check" in arguments:
        if stale:
            names = ", ".join(path.name for path in stale)
            print(f"these are not what Python gives; run python -m ui.web: {names}")
        return 1 if stale else 0
    for path in stale:
        path.write_text(files[path], "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
