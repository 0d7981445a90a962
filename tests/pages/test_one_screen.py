"""A page is read on one screen: it takes the selection, asks for data, and hands them to what draws."""

from __future__ import annotations

import ast
from pathlib import Path

PAGES = sorted((Path(__file__).parents[2] / "pages").glob("*.py"))
LINES = 60


def test_a_page_fits_a_screen_and_computes_nothing() -> None:
    assert len(PAGES) >= 6
    for path in PAGES:
        text = path.read_text("utf-8")
        assert len(text.splitlines()) <= LINES, f"{path.name}: move what it draws to its folder in ui/"
        imports = [
            node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)
        ]
        names = {getattr(node, "module", None) or each.name for node in imports for each in node.names}
        assert not {name.split(".")[0] for name in names} & {"numpy", "torch", "pandas", "plotly"}, path
