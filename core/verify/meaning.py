"""What the trust report proves and what it cannot, in words. Needs no torch."""

from __future__ import annotations

from typing import Final

PROVED: Final = "The maps agree with what this model computes."
NOT_PROVED: Final = (
    "Whether it is the model that was trained, these checks cannot tell: with wrong heads, norm placement, special "
    "tokens or order of the vocabulary they pass as well."
)
