"""The attribution measures that are compared, and the shares of hidden words at which each is evaluated.
`core.experiments.faithfulness` computes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from core.language import message

MEASURES: Final[Mapping[str, str]] = {
    "hiding": message("hiding one word"),
    "integrated": message("integrated gradients"),
    "gradient": message("gradient × input"),
    "alti": message("ALTI+"),
    "contribution": message("contributions, mean of heads"),
    "attention": message("attention, mean of heads"),
    "head": message("attention of one head"),
}
RANDOM: Final = "random"
GRID: Final = tuple(step / 10 for step in range(11))
"""Shares of the source words that are hidden."""
