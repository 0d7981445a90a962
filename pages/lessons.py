"""Lessons: guided steps beside the real pages, and links to hand out."""

from __future__ import annotations

from ui.learn import catalogue
from ui.shell import frame

shown = frame.current()
if shown is not None:
    catalogue.draw(shown)
