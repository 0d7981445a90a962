"""Tutorials: five public write-ups and the paper, what each chose, what it prints, and a small model of each."""

from __future__ import annotations

from ui.app import frame
from ui.learn.tutorials import tutorials_page

shown = frame.current()
if shown is not None:
    tutorials_page(shown)
