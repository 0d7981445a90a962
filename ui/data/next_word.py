"""`NextWord`: one step's distribution, cut to what is drawn: the top candidates, the sampling cut-off, the rest summed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.decoding.strategies import CutOff, by_probability

TOP = 12


@dataclass(frozen=True)
class NextWord:
    """One step's distribution, cut to what is drawn.

    `chosen` is the id written at this step (None: nothing written yet), `forced` whether by the reader's hand,
    `cut` the limit in force as (number of words kept, its name, e.g. "nucleus p = 0.90"), `barred` the drawn ids
    that can never be written, such as padding, which the limit does not count, `fixed` the id that the model's
    configuration always writes at this step, `others` how many further words there
    are and their probability together, `extra` (label, probability, rank from 1) of the chosen word when it is
    below the top.
    """

    ids: tuple[int, ...]
    labels: tuple[str, ...]
    probabilities: tuple[float, ...]
    others: tuple[int, float]
    chosen: int | None = None
    forced: bool = False
    cut: tuple[int, str] | None = None
    barred: tuple[int, ...] = ()
    fixed: int | None = None
    extra: tuple[str, float, int] | None = None

    @classmethod
    def from_probabilities(
        cls,
        probabilities: npt.NDArray[np.floating],
        label: Callable[[int], str],
        *,
        chosen: int | None = None,
        forced: bool = False,
        kept: CutOff | None = None,
        limit: str = "",
        banned: Sequence[int] = (),
        fixed: int | None = None,
        top: int = TOP,
    ) -> NextWord:
        """Cut a full distribution (V,) to its top; `label` names a token id.

        `kept` are the words that may be written (`core.decoding.distribution.writable`; None: all). Where `limit`
        names what limits them, a line is drawn after the last of them. `banned` words can never be written.
        """
        values = np.asarray(probabilities, dtype=np.float64)
        order = by_probability(values)
        shown = order[:top]
        extra = None
        if chosen is not None and chosen not in shown:
            extra = (label(chosen), float(values[chosen]), int(np.flatnonzero(order == chosen)[0]) + 1)
        rest = len(values) - len(shown) - (extra is not None)
        rest_mass = max(0.0, 1.0 - float(values[shown].sum()) - (extra[1] if extra else 0.0))
        return cls(
            ids=tuple(int(i) for i in shown),
            labels=tuple(label(int(i)) for i in shown),
            probabilities=tuple(float(values[i]) for i in shown),
            others=(rest, rest_mass),
            chosen=chosen,
            forced=forced,
            cut=(len(kept), limit) if kept is not None and limit else None,
            barred=tuple(int(i) for i in shown if i in banned),
            fixed=fixed,
            extra=extra,
        )
