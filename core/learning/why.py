"""Why a number is what it is: the terms that make it and the steps after their sum, each of which can be checked by hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

FUNCTIONS: Final[Mapping[str, Callable[[float], float]]] = {
    "relu": lambda x: max(x, 0.0),
    "gelu": lambda x: 0.5 * x * (1.0 + math.erf(x / math.sqrt(2.0))),
    "gelu_tanh": lambda x: 0.5 * x * (1.0 + math.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3))),
    "silu": lambda x: x * math.exp(-math.log1p(math.exp(-x))) if x > -700 else 0.0,
    "sin": math.sin,
    "cos": math.cos,
}
_OPERATORS: Final[Mapping[str, Callable[[float, float], float]]] = {
    "+": lambda x, y: x + y,
    "−": lambda x, y: x - y,
    "×": lambda x, y: x * y,
    "÷": lambda x, y: x / y,
    "of": lambda x, y: (
        y / x if x else 0.0
    ),  # y as a share of the sum x; a row that may attend to nothing gives 0
}


@dataclass(frozen=True)
class Step:
    """One operation on the number so far: `op` is + − × ÷, "of" (`number` as a share of it), or a function's name.

    `number` is what it is done with, None for a function; `result` what it gives.
    """

    op: str
    name: str
    number: float | None
    result: float


@dataclass(frozen=True)
class Why:
    """One number, as terms that add up and the steps after the sum.

    `terms (n,)` are the products `a · b` where those are given, `name(i)` says what term i is of, `what` what each of them is.
    `formula` is this number's own.
    """

    formula: str
    terms: Array
    name: Callable[[int], str]
    steps: tuple[Step, ...] = ()
    a: Array | None = None
    b: Array | None = None
    a_name: str = ""
    b_name: str = ""
    what: str = ""

    @property
    def total(self) -> float:
        """The sum of the terms."""
        return float(self.terms.sum())

    @property
    def value(self) -> float:
        """What the terms and the steps come to."""
        return self.steps[-1].result if self.steps else self.total


def steps(start: float, done: Sequence[tuple[str, str, float | None]]) -> tuple[Step, ...]:
    """The steps (operation, name, number) from `start` on, each with its result."""
    found, now = [], start
    for op, name, number in done:
        now = FUNCTIONS[op](now) if number is None else _OPERATORS[op](now, number)
        found.append(Step(op, name, number, now))
    return tuple(found)


def adding(formula: str, parts: Sequence[tuple[str, float]]) -> Why:
    """A plain sum of named numbers."""
    names = [name for name, _ in parts]
    return Why(formula, np.array([number for _, number in parts], dtype=np.float64), names.__getitem__)


def chain(formula: str, name: str, start: float, done: Sequence[tuple[str, str, float | None]] = ()) -> Why:
    """One number to which something is done, step by step."""
    return Why(formula, np.array([start], dtype=np.float64), lambda _: name, steps(float(start), done))


def product(
    formula: str,
    a: tuple[str, ArrayLike],
    b: tuple[str, ArrayLike],
    name: Callable[[int], str],
    done: Sequence[tuple[str, str, float | None]] = (),
) -> Why:
    """Σ a · b of two named vectors (n,), then the steps."""
    left, right = (np.asarray(each, dtype=np.float64) for each in (a[1], b[1]))
    terms = left * right
    return Why(formula, terms, name, steps(float(terms.sum()), done), left, right, a[0], b[0])


def softmax(formula: str, scores: ArrayLike, place: int, name: Callable[[int], str]) -> Why:
    """softmax(scores (n,))[place]: the exponentials over the largest score that add up, and the share of one of them."""
    row = np.asarray(scores, dtype=np.float64)
    largest = row.max()
    terms = np.exp(row - largest) if np.isfinite(largest) else np.zeros_like(row)
    share = ("of", f"of that, {name(place)}", float(terms[place]))
    done = steps(float(terms.sum()), [share])
    return Why(formula, terms, name, done, what="e^(score − largest)")


def normed(
    formula: str, row: ArrayLike, column: int, kind: str, eps: float, gain: float, shift: float | None
) -> Why:
    """Norm of a vector (d,) at one column, of a `kind` that `core.model.norms.Norm` names."""
    x = np.asarray(row, dtype=np.float64)
    done: list[tuple[str, str, float | None]] = []
    if kind == "rms":
        done.append(("÷", f"√(mean of the {len(x)} squares + ε)", math.sqrt(float((x**2).mean()) + eps)))
    else:
        mean = float(x.mean())
        spread = float(((x - mean) ** 2).sum()) / (len(x) - (kind == "layer_unbiased_std"))
        unbiased = kind == "layer_unbiased_std"
        done.append(("−", f"μ, the mean of the row’s {len(x)} numbers", mean))
        divisor = math.sqrt(spread) + eps if unbiased else math.sqrt(spread + eps)
        name = f"σ + ε, with σ over {len(x) - 1}" if unbiased else "√(σ² + ε) of the row"
        done.append(("÷", name, divisor))
    done.append(("×", f"γ of dimension {column}", gain))
    if shift is not None:
        done.append(("+", f"β of dimension {column}", shift))
    return chain(formula, f"dimension {column} of the row", float(x[column]), done)
