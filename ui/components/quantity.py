"""What the maps of a view hold in place of weights: how it is called, its unit, and what its pictures are."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from core.errors import InputError


@dataclass(frozen=True)
class Quantity:
    """`name` stands in titles and legends ("ALTI+"); `top` is the largest number of all maps of the kind, drawn in full
    colour: 1 for shares.

    `pictures` name the small pictures where they are layers, not heads, and `rows` the lines they stand in. `aside`: the
    last column is no token but the rest that a row came from, and no causal mask hides it.
    """

    name: str
    unit: Literal["share", "length"] = "share"
    top: float = 1.0
    pictures: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    aside: bool = False

    def data(self) -> dict[str, Any]:
        """As the browser gets it. Raises `InputError` for a `top` that colours cannot be measured by."""
        if not self.top > 0 or (self.unit == "share" and self.top != 1.0):
            raise InputError(
                f"{self.name}: its largest number is {self.top:g}; give 1 for shares, else more than 0."
            )
        return asdict(self)
