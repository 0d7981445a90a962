"""Heads: what every head does over a corpus, in a table and on a map."""

from __future__ import annotations

from ui.app import frame
from ui.heads.page import views

shown = frame.current()
if shown is not None:
    views(shown)
