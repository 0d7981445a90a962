"""One head's map on one sentence, with the token that each decoder row reads and the one it writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import NDArray

from ui.shared.mount import View
from ui.style.theme import Kind


@dataclass(frozen=True)
class TypicalData:
    """Weights (rows, columns), NaN where attending is not allowed. `reads`: what each decoder row reads; else empty."""

    rows: Sequence[str]
    reads: Sequence[str]
    cols: Sequence[str]
    _: KW_ONLY
    kind: Kind
    label: str
    file: str
    values: NDArray[np.float32]


TYPICAL = View("typical", TypicalData)
