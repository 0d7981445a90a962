"""Runs what is around it again when the reader switches between light and dark, so that its figures follow at once."""

from __future__ import annotations

from ui.components.base import register

_mount = register("theme_watch")


def theme_watch(key: str = "theme_watch") -> None:
    """Put this beside Plotly figures; inside a fragment only the fragment runs again."""
    _mount(key=key, data={}, on_switched_change=lambda: None)
