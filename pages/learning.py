"""Watch it learn: attention being born, replayed or live."""

from __future__ import annotations

from ui.app import frame
from ui.learn.watch import watching

shown = frame.current()
if shown is not None:
    watching(shown)
