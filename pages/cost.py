"""Cost: how many weights, how much memory and how many multiplications attention takes as the sentence grows."""

from __future__ import annotations

from ui.app import frame
from ui.inside.cost import draw_cost

frame.with_decode(draw_cost)
