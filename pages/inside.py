"""Inside a head: every operation from the token table to the next token, and the terms of every number."""

from __future__ import annotations

from ui.learn.inside import views
from ui.shell import frame

frame.with_decode(views)
