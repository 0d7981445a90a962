"""Tokens as words in a Plotly figure."""

from __future__ import annotations


def short(label: str, most: int = 12) -> str:
    """The label, cut with … to at most that many characters."""
    return label if len(label) <= most else label[: most - 1] + "…"


def literal(label: str) -> str:
    """A label as Plotly shows it literally: its small HTML dialect must not read tags or entities in a token."""
    return label.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
