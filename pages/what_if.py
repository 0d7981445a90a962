"""What if: heads ablated, masks opened, weights and positions moved, and what the model writes then."""

from __future__ import annotations

from ui.app import frame
from ui.what_if.page import ablate_page

frame.with_decode(ablate_page)
