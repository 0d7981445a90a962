"""Session state and the address bar are touched in `ui/session` and nowhere else."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
HOME = ROOT / "ui" / "session"


def touched(code: str) -> list[int]:
    """The lines that reach for `session_state` or `query_params` (an argument of that name is none)."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Attribute) and node.attr in ("session_state", "query_params")
    ]


def test_only_this_folder_touches_them() -> None:
    files = [*ROOT.glob("ui/**/*.py"), *ROOT.glob("pages/*.py"), ROOT / "app.py"]
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted(files)
        if not path.is_relative_to(HOME)
        for line in touched(path.read_text("utf-8"))
    ]
    assert not found, f"only ui/session may touch session state and address bar: {', '.join(found)}"


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("import streamlit as st\nst.session_state['a'] = 1", [2]),
        ("def late():\n    import streamlit\n    return streamlit.query_params.to_dict()", [3]),
        ("st.switch_page('pages/translate.py', query_params=state.link_params())", []),
    ],
)
def test_a_touch_is_seen(code: str, lines: list[int]) -> None:
    assert touched(code) == lines
