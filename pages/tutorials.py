"""Tutorials: five public write-ups and the paper, what each chose, what it prints, and a small model of each."""

from __future__ import annotations

from ui.app import frame
from ui.learn.tutorials import views
from ui.shared import tables

shown = frame.current()
if shown is not None:
    tables.inject()
    views(shown)
