"""`Card`: one operation inside a head, with its formula, its tensor and the terms of every number in it.

`Run` is what cards are made from: the recorded numbers, the parameters, the head and the token. The last functions give
the terms of a number by the operation that makes it: a product, a sum, a softmax, a norm.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.analysis.norms import norm_divisor
from core.analysis.readout import quoted as quoted
from core.errors import InputError
from core.language import message, tr
from core.model.hooks import ATTENTION, Attention, Site
from core.model.trace import Trace

if TYPE_CHECKING:
    from torch import Tensor

    from core.model.config import ModelConfig


Look = Literal["signed", "share"]
Explain = Callable[[int, int], "Why"]
"""Row and column of a card → the terms of that number."""


@dataclass(frozen=True)
class Axis:
    """One axis of a matrix: its name, and the label of each index."""

    name: str
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Card:
    """One operation.

    `values` (rows, columns) is the tensor drawn; `shape` says in words of which tensor that is a part. `focus` is the row of
    the selected token, None where the rows are the other sequence's. `band` are the columns (from, to) of the selected
    head, where all heads are side by side. `reads` are the keys of the cards whose numbers it is computed from.
    """

    key: str
    part: str
    title: str
    formula: str
    says: str
    shape: str
    rows: Axis
    columns: Axis
    values: NDArray[np.floating]
    explain: Explain = field(repr=False)
    focus: int | None = None
    look: Look = "signed"
    band: tuple[int, int] | None = None
    reads: tuple[str, ...] = ()

    def why(self, row: int, column: int) -> Why:
        """The terms that make one number. Raises `InputError` for a cell that is not there."""
        rows, columns = self.values.shape
        if not (0 <= row < rows and 0 <= column < columns):
            raise InputError(
                f"The card “{self.title}” has {rows} rows and {columns} columns; it has no cell {row}, {column}."
            )
        return self.explain(row, column)


PART: Final = message("attention")


def dimensions(count: int) -> tuple[str, ...]:
    """Labels of the dimensions of a vector."""
    return tuple(map(str, range(count)))


def dimension(index: int) -> str:
    """The name of one dimension of a vector."""
    return tr("dimension {index}", index=index)


SIDE = {"encoder": "source", "decoder": "target"}


def divisor(config: ModelConfig) -> tuple[float, str]:
    """What dot products of queries and keys are divided by, and its name; 1 and "" where by nothing."""
    sizes = {"head": ("d_head", config.d_head), "model": ("d_model", config.d_model)}
    name, size = sizes.get(config.score_scale, ("", 1))
    return math.sqrt(size), f"√{name} = √{size}" if name else ""


@dataclass(frozen=True)
class Spot:
    """The selected head and token: row `token` of the queries."""

    kind: str
    layer: int
    head: int
    token: int

    @property
    def attention(self) -> Attention:
        """The kind of attention, with its stack and block."""
        return ATTENTION[self.kind]

    @property
    def site(self) -> tuple[str, int, str]:
        """The attention's stack, layer and block."""
        return self.attention.stack, self.layer, self.attention.block


@dataclass(frozen=True)
class Run:
    """One pass over one sentence: `trace`, the model's `state` (its parameters by name), and the names of target tokens."""

    trace: Trace
    state: Mapping[str, Tensor]
    spot: Spot
    label: Callable[[int], str]

    @property
    def config(self) -> ModelConfig:
        return self.trace.config

    @property
    def own(self) -> ModelConfig:
        """The options of the stack that the attention belongs to."""
        return self.trace.config.of(self.spot.attention.stack)

    @property
    def queries(self) -> tuple[str, ...]:
        """Labels of the queries."""
        tokens = self.trace.tokens
        return tokens.source if self.spot.attention.stack == "encoder" else tokens.target

    @property
    def keys(self) -> tuple[str, ...]:
        """Labels of the keys."""
        return self.trace.tokens.target if self.spot.kind == "causal" else self.trace.tokens.source

    def seen(self, stack: str, layer: int, block: str, kind: str) -> NDArray[np.floating]:
        """What was recorded at a site."""
        return self.trace.array(Site(stack, layer, block, kind))

    def numbers(self, name: str, *index: Any) -> NDArray[np.float64]:
        """A part of a parameter, float64."""
        return np.asarray(self.state[name][index].detach().cpu().double().numpy())

    def number(self, name: str, *index: int) -> float | None:
        """One number of a parameter, None where the model has no such parameter."""
        return float(self.numbers(name, *index)) if name in self.state else None

    def bias_table(self) -> NDArray[np.float64] | None:
        """What the head adds for relative positions, (buckets,); None where nothing is added."""
        stack, layer, block = self.spot.site
        own = f".{layer}" if self.config.relative_bias_per_layer else ""
        name = f"{stack}_bias{own}.table"
        return self.numbers(name)[:, self.spot.head] if block == "self" and name in self.state else None

    def bias(self, name: str, index: int) -> list[tuple[str, str, float | None]]:
        """The step that adds a projection's bias; none where it has none."""
        number = self.number(name, index)
        return [] if number is None else [("+", tr("b of column {column}", column=index), number)]

    def linear(
        self,
        name: str,
        letters: tuple[str, str, str],
        x: tuple[str, NDArray[np.floating]],
        labels: Sequence[str],
        term: Callable[[int], str] | None = None,
        cut: int | None = None,
    ) -> Explain:
        """The terms of a projection `name` of x (T, n); `letters` are those of output, input and matrix in its formula.

        With `cut`, one matrix (cut, cut) reads each head's own part of x.
        """
        (out, source, matrix), (x_name, values) = letters, x
        plus = " + b" if f"{name}.bias" in self.state else ""

        def why(row: int, column: int) -> Why:
            index = column if cut is None else column % cut
            first = column - index if cut is not None else 0
            return product(
                f"{out}[{row}, {column}] = Σᵢ {source}[{row}, i] · {matrix}[i, {index}]{plus}",
                (
                    tr("{vector} of {token}", vector=x_name, token=quoted(labels[row])),
                    values[row][first : None if cut is None else first + cut],
                ),
                (
                    tr("column {column} of {matrix}", column=index, matrix=matrix),
                    self.numbers(f"{name}.weight", index),
                ),
                lambda i: (term or dimension)(first + i),
                self.bias(f"{name}.bias", index),
            )

        return why

    def norm(self, stack: str, layer: int, block: str, formula: str) -> Explain:
        """The terms of a norm's output."""
        prefix = {
            "embed": f"{SIDE[stack]}_embedding.norm",
            "final": f"{stack}_norm",
        }.get(block, f"{stack}_layers.{layer}.{block}_residual.norm")

        own = self.config.of(stack)

        def why(row: int, column: int) -> Why:
            x = self.seen(stack, layer, block, "norm_input")[row]
            gain = self.number(f"{prefix}.weight", column)
            assert gain is not None, f"{prefix} has no γ"
            shift = self.number(f"{prefix}.bias", column)
            return normed(formula, x, column, own.norm_formula, own.norm_eps, gain, shift)

        return why

    def check(self) -> None:
        """Raise `InputError` for a layer, head or token that is not there."""
        layers, heads = self.config.shape(self.spot.attention.stack)
        for name, value, count in (
            ("layer", self.spot.layer, layers),
            ("head", self.spot.head, heads),
            ("token", self.spot.token, len(self.queries)),
        ):
            if not 0 <= value < count:
                raise InputError(
                    f"There is no {name} {value} here; this {self.spot.attention.label} attention has {name}s "
                    f"0 to {count - 1}."
                )


Array = NDArray[np.float64]


def _logistic(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x)) if x > -700 else 0.0


def _softplus(x: float) -> float:
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


FUNCTIONS: Final[Mapping[str, Callable[[float], float]]] = {
    "relu": lambda x: max(x, 0.0),
    "gelu": lambda x: 0.5 * x * (1.0 + math.erf(x / math.sqrt(2.0))),
    "gelu_tanh": lambda x: 0.5 * x * (1.0 + math.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3))),
    "silu": lambda x: x * _logistic(x),
    "gelu_10": lambda x: min(max(0.5 * x * (1.0 + math.erf(x / math.sqrt(2.0))), -10.0), 10.0),
    "quick_gelu": lambda x: x * _logistic(1.702 * x),
    "mish": lambda x: x * math.tanh(_softplus(x)),
    "hardswish": lambda x: x * min(max(x + 3.0, 0.0), 6.0) / 6.0,
    "leaky_relu": lambda x: max(x, 0.01 * x),
    "relu2": lambda x: max(x, 0.0) ** 2,
    "relu6": lambda x: min(max(x, 0.0), 6.0),
    "sigmoid": lambda x: _logistic(x),
    "tanh": math.tanh,
    "laplace": lambda x: 0.5 * (1.0 + math.erf((x - 0.707107) / (0.282095 * math.sqrt(2.0)))),
    "sqrtsoftplus": lambda x: math.sqrt(_softplus(x)),
    "linear": lambda x: x,
    "sin": math.sin,
    "cos": math.cos,
}
_OPERATORS: Final[Mapping[str, Callable[[float, float], float]]] = {
    "+": lambda x, y: x + y,
    "−": lambda x, y: x - y,
    "×": lambda x, y: x * y,
    "÷": lambda x, y: x / y,
    # y as a share of the sum x; a row that may attend to nothing gives 0.
    "of": lambda x, y: y / x if x else 0.0,
}


@dataclass(frozen=True)
class Step:
    """One operation on the running number: `op` is + − × ÷, "of" (`number` as a share of it), or a function's name.

    `number` is the second operand, None for a function; `value` is the result.
    """

    op: str
    name: str
    number: float | None
    value: float


@dataclass(frozen=True)
class Why:
    """One number as a sum of terms, and the steps after the sum.

    `terms (n,)` are the products `a · b` where those are given; `name(i)` names term i, `what` says what every term is.
    `formula` is the formula of this number.
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
        """The result of the terms and steps."""
        return self.steps[-1].value if self.steps else self.total


def steps(start: float, done: Sequence[tuple[str, str, float | None]]) -> tuple[Step, ...]:
    """The steps (operation, name, number) from `start` on, each with its result."""
    results, now = [], start
    for op, name, number in done:
        now = FUNCTIONS[op](now) if number is None else _OPERATORS[op](now, number)
        results.append(Step(op, name, number, now))
    return tuple(results)


def adding(formula: str, parts: Sequence[tuple[str, float]]) -> Why:
    """A plain sum of named numbers."""
    names = [name for name, _ in parts]
    return Why(formula, np.array([number for _, number in parts], dtype=np.float64), names.__getitem__)


def summing(formula: str, parts: Sequence[tuple[str, NDArray[np.floating]]]) -> Explain:
    """The terms of a sum of named matrices; `formula` has gaps for row and column."""

    def why(row: int, column: int) -> Why:
        return adding(
            formula.format(row, column), [(name, float(values[row, column])) for name, values in parts]
        )

    return why


def chain(formula: str, name: str, start: float, done: Sequence[tuple[str, str, float | None]] = ()) -> Why:
    """One number and the steps applied to it."""
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


def softmax(formula: str, scores: ArrayLike, index: int, name: Callable[[int], str]) -> Why:
    """softmax(scores (n,))[index]: the exponentials over the largest score that add up, and the share of one of them."""
    row = np.asarray(scores, dtype=np.float64)
    largest = row.max()
    terms = np.exp(row - largest) if np.isfinite(largest) else np.zeros_like(row)
    share = ("of", tr("of that, {term}", term=name(index)), float(terms[index]))
    done = steps(float(terms.sum()), [share])
    return Why(formula, terms, name, done, what=tr("e^(score − largest)"))


def normed(
    formula: str,
    row: NDArray[np.floating],
    column: int,
    kind: str,
    eps: float,
    gain: float,
    shift: float | None,
) -> Why:
    """Norm of a vector (d,) at one column, of a `kind` that `core.model.layers.Norm` names."""
    x, count = np.asarray(row, dtype=np.float64), len(row)
    unbiased = kind == "layer_unbiased_std"
    mean = 0.0 if kind == "rms" else float(x.mean())
    variance = np.asarray(((x - mean) ** 2).sum() / (count - unbiased))
    names = {
        "rms": tr("√(mean of the {count} squares + ε)", count=count),
        "layer": tr("√(σ² + ε) of the row"),
        "layer_unbiased_std": tr("σ + ε, with σ over {count}", count=count - 1),
    }
    done: list[tuple[str, str, float | None]] = []
    if kind != "rms":
        done.append(("−", tr("μ, the mean of the row’s {count} numbers", count=count), mean))
    done.append(("÷", names[kind], float(norm_divisor(variance, eps, kind))))
    done.append(("×", tr("γ of dimension {index}", index=column), gain))
    if shift is not None:
        done.append(("+", tr("β of dimension {index}", index=column), shift))
    name = tr("dimension {index} of the row", index=column)
    return chain(formula, name, float(x[column]), done)
