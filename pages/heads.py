"""Heads: what every head does over a corpus, in a table and on a map."""

from __future__ import annotations

from ui.heads.views import views
from ui.shell import frame

shown = frame.current()
if shown is not None:
    views(shown)
