"""Why this word: what the log-odds of two words lose when one head or source word is removed."""

from __future__ import annotations

from ui.app import frame
from ui.what_if import why

frame.with_decode(why.why)
