"""Inside a head: every operation from the token table to the next token, and the terms of every number."""

from __future__ import annotations

from ui.app import frame
from ui.inside.head import inside_page

frame.with_decode(inside_page)
