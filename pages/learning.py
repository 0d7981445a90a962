"""Watch it learn: attention being born, replayed or live."""

from __future__ import annotations

from ui.learn.watching import watching
from ui.shell import frame

shown = frame.current()
if shown is not None:
    watching(shown)
