"""A page is read on one screen: it takes the selection, asks for data, and hands them to what draws."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).parents[2] / "pages").glob("*.py"))
LINES = 60


def test_there_are_pages() -> None:
    assert len(PAGES) >= 6


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_fits_a_screen(path: Path) -> None:
    count = len(path.read_text("utf-8").splitlines())
    assert count <= LINES, f"{path.name} has {count} lines; move what it draws to its folder in ui/"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_computes_nothing(path: Path) -> None:
    imported = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
        )
    }
    assert not imported & {"numpy", "torch", "pandas", "plotly"}
