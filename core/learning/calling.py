"""A user's code under `core.check`: how it is called, and the verdict on it.

The first half gives the role of each argument by its name, copies of modules, and the tensors of a result; the second the
`Verdict`, whose sentences are in mistakes.toml.
"""

from __future__ import annotations

import copy
import functools
import inspect
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import torch
from torch import Tensor, nn

from core.learning.mistakes import IDS, VERDICTS

# -- how it is called -----------------------------------------------------------------------------------------

Fn = Callable[..., Any]
CLOSE: Final = 1e-4  # of numbers around 1, in single precision
HEAD_COUNTS: Final = ("heads", "num_heads", "n_heads", "nhead", "h", "n_head", "num_attention_heads", "n_q")

_ROLES: Final[tuple[tuple[str, frozenset[str]], ...]] = (
    ("state", frozenset({"past", "cache", "state", "layer", "kvcache", "head"})),
    ("lengths", frozenset({"lens", "lengths"})),
    ("padding", frozenset({"pad", "padding", "padded"})),
    ("mask", frozenset({"mask", "masks", "attnmask", "bias", "masking"})),
    (
        "memory",
        frozenset(
            {"kv", "memory", "mem", "context", "ctx", "enc", "encoder", "encoded", "cond", "src", "source"}
        ),
    ),
    ("query", frozenset({"q", "query", "queries", "qs", "xq", "tgt", "trg", "target", "dec", "decoder"})),
    ("key", frozenset({"k", "key", "keys", "ks", "xk"})),
    ("value", frozenset({"v", "value", "values", "val", "vals", "vs", "xv"})),
)


@dataclass(frozen=True)
class Argument:
    """An argument of a call and what it is: query, key, value, memory, mask, padding, flag, state or unknown."""

    name: str
    role: str
    required: bool


def role(name: str) -> str:
    """The role of an argument of this name, or "unknown"."""
    words = re.findall(r"[a-z]+|[A-Z]+(?![a-z])|[A-Z][a-z]*", name)
    lowered = {word.lower() for word in words}
    if any(word.endswith("mask") for word in lowered) and not lowered & {"pad", "padding", "head", "layer"}:
        return "mask"
    return next((each for each, known in _ROLES if lowered & known), "unknown")


def arguments(fn: Fn, *, ids: bool = False) -> list[Argument]:
    """Every argument of a call with its role. Names decide; where they do not, places do.

    With one tensor it is the query; with two, the second is the memory; three without names are queries, keys and
    values. With `ids` the two tensors are a source ("memory") and a target ("query"), in this order.
    """
    try:
        signature = inspect.signature(fn.forward if isinstance(fn, nn.Module) else fn)
    except (TypeError, ValueError):
        return [Argument("", each, True) for each in ("query", "key", "value")]
    kept = [
        each
        for each in signature.parameters.values()
        if each.kind not in (each.VAR_KEYWORD, each.VAR_POSITIONAL)
    ]
    if not kept and signature.parameters:  # (*args)
        return [Argument("", each, True) for each in ("query", "key", "value")]
    listed = []
    for each in kept:
        flag = isinstance(each.default, (bool, int, float, str)) or each.annotation in (
            bool,
            "bool",
            int,
            "int",
        )
        name = "" if each.kind == each.POSITIONAL_ONLY else each.name
        kind = "flag" if flag else role(each.name)
        listed.append(Argument(name, kind, each.default is inspect.Parameter.empty))
    return _placed(listed, ids)


def _placed(listed: list[Argument], ids: bool) -> list[Argument]:
    """Give arguments of unknown role one by their position."""
    roles = [each.role for each in listed]
    open_places = [n for n, each in enumerate(listed) if each.role == "unknown" and each.required]
    has = set(roles)
    if not has & {"query", "key", "value", "memory"} and len(open_places) == 3:
        order = ["query", "key", "value"]
    elif (
        ids
        and (first := next((n for n, each in enumerate(listed) if each.name == "input_ids"), None))
        is not None
    ):
        order, both = [], any(each.name == "decoder_input_ids" for each in listed)
        roles = ["unknown" if each == "memory" else each for each in roles]
        roles[first] = "memory" if both else "query"
    elif ids:
        order = [name for name in ("memory", "query") if name not in has]
        if len(open_places) == 1 and not has & {"query", "memory"}:
            order = ["query"]
    else:
        order = [
            name
            for name in ("query", "memory")
            if name not in has and not (name == "memory" and "key" in has)
        ]
    for position, name in zip(open_places, order, strict=False):
        roles[position] = name
    if "query" not in roles and "memory" in roles:  # a lone source is what attends
        roles[roles.index("memory")] = "query"
    if "query" in roles:
        for n, each in enumerate(listed):  # an optional second argument of one role keeps its default
            again = roles.index(roles[n]) < n and roles[n] in ("query", "key", "value", "memory")
            if again and not each.required:
                roles[n] = "unknown"
    return [Argument(each.name, kind, each.required) for each, kind in zip(listed, roles, strict=True)]


def masks_among(listed: Iterable[Argument], *roles: str, required: bool = False) -> list[Argument]:
    """The named arguments that take a mask, or only those of these roles; with `required`, those that a call must have."""
    wanted = [each for each in listed if each.name and each.role in (roles or ("mask", "padding"))]
    return [each for each in wanted if each.required or not required]


def bound(fn: Fn, call: Fn | None) -> Fn:
    """`fn`, or the user's own `call(module, …)`, whose other arguments have roles by their names."""
    return fn if call is None else functools.partial(call, fn)


def invoke(fn: Fn, listed: Iterable[Argument], given: Mapping[str, Any]) -> Any:
    """The result of a call; `given` is by role, or by the argument's name."""
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for each in listed:
        key = each.name if each.name in given else each.role
        if key not in given:
            if not each.required or each.role in ("query", "key", "value", "memory"):
                continue
            key, given = "", {**given, "": None}  # a mask, or something of an unknown name
        if each.name:
            named[each.name] = given[key]
        else:
            positional.append(given[key])
    return fn(*positional, **named)


def written(listed: Iterable[Argument], what: str) -> str:
    """The call to write for a module that could not be called: its own arguments, in its own order."""
    names = {"query": "x", "memory": "memory", "key": "k", "value": "v", "mask": "mask", "padding": "None"}
    wanted = [each for each in listed if each.required or each.role in ("query", "key", "value", "memory")]
    if any(each.role in ("key", "value") for each in wanted):
        names["query"] = "q"
    shown = [names.get(each.role, f"{each.name}=…") for each in wanted]
    taken = ", ".join(["m", *(each for each in shown if each.isidentifier() and each != "None")])
    return f"core.check.{what}(module, call=lambda {taken}: m({', '.join(shown)}))"


def error_line(error: Exception) -> str:
    """An exception as one bounded line."""
    line = str(error) if type(error).__name__ == "StoppedError" else f"{type(error).__name__}: {error}"
    return line.splitlines()[0][:200]


def quiet_copy(fn: Fn) -> Fn:
    """A module's copy in evaluation mode on the CPU, so that no dropout and no state of it matters; a function as it is."""
    return copied(fn).cpu().float().eval() if isinstance(fn, nn.Module) else fn


def copied(module: nn.Module) -> nn.Module:
    """A deep copy, also of a module that keeps results of its last call, which torch refuses to copy."""
    kept = [each for part in module.modules() for value in vars(part).values() for each in _kept(value)]
    return copy.deepcopy(module, {id(each): each.detach().clone() for each in kept if not each.is_leaf})


def _kept(value: Any) -> list[Tensor]:
    listed = (
        list(value.values())
        if isinstance(value, dict)
        else list(value)
        if isinstance(value, (list, tuple))
        else [value]
    )
    return [each for each in listed if isinstance(each, Tensor)]


def sizes_of(module: nn.Module, *words: str) -> list[int]:
    """Whole numbers among a module's own attributes whose name is one of `words`, outer modules first."""
    sizes = [
        value
        for part in module.modules()
        for name, value in vars(part).items()
        if name.lower() in words
        and isinstance(value, int)
        and not isinstance(value, bool)
        and 0 < value <= 65536
    ]
    return list(dict.fromkeys(sizes))


def square_tables(module: nn.Module) -> list[int]:
    """Lengths of square tables that modules keep, as buffers or as plain attributes: usually masks of a fixed length."""
    shapes = table_shapes(module)
    return list(dict.fromkeys(shape[-1] for shape in shapes if shape[-1] == shape[-2] > 1))


def table_shapes(module: nn.Module) -> list[torch.Size]:
    """Shapes of two axes or more of the tensors that modules keep, as buffers or as plain attributes."""
    return [
        value.shape
        for part in module.modules()
        for value in (*part._buffers.values(), *vars(part).values())
        if isinstance(value, Tensor) and value.dim() >= 2
    ]


def tensors(value: Any) -> list[Tensor]:
    """Every tensor in a return value, in order; nested tuples, lists and dicts are searched."""
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, list) and value and isinstance(value[0], list):
        return [torch.tensor(value)]  # a table in plain Python
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [tensor for each in value for tensor in tensors(each)]
    try:
        return [torch.as_tensor(value)] if value is not None else []
    except (TypeError, ValueError, RuntimeError):
        return []


def forms(allowed: Tensor) -> Iterator[tuple[str, Tensor]]:
    """A mask in every usual form."""
    yield "bool, True may attend", allowed
    yield "1 may attend", allowed.int()
    yield "1.0 may attend", allowed.float()
    yield "bool, True is hidden", ~allowed
    yield "1 is hidden", (~allowed).int()
    yield "1.0 is hidden", (~allowed).float()
    yield "added, −inf hides", torch.zeros(allowed.shape).masked_fill(~allowed, -math.inf)
    yield "added, −1e9 hides", torch.zeros(allowed.shape).masked_fill(~allowed, -1e9)


def close(a: Tensor, b: Tensor) -> bool:
    """Whether two tensors are equal up to rounding."""
    return a.shape == b.shape and bool(torch.allclose(a.float(), b.float(), atol=CLOSE, rtol=CLOSE))


def normal(seed: int, *shape: int) -> Tensor:
    """Seeded normal numbers."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def short(values: Tensor) -> str:
    """A few numbers as text."""
    shown = ", ".join(f"{float(each):.4g}" for each in values.flatten()[:6])
    return f"[{shown}{']' if values.numel() <= 6 else ', …]'}"


# -- what is said of it ---------------------------------------------------------------------------------------

Outcome = Literal["correct", "faulty", "undecided"]
_SIGNS: Final = {"correct": "✓", "faulty": "✗", "undecided": "?"}


@dataclass(frozen=True)
class Verdict:
    """The result of checking a user's code. True only when the code is correct. Prints itself as sentences.

    `fault` is the id of the mistake, and `pitfall` the same where it has a page, each empty where there is none. An
    undecided verdict reports no mistake: the code could not be called, or what it does could not be measured; `example`
    is then the call to write, or what stopped. `remarks` are choices that some models make and others call a mistake.
    """

    outcome: Outcome
    message: str
    fault: str = ""
    pitfall: str = ""
    example: str = ""
    remarks: tuple[Remark, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether nothing was found wrong and everything could be called."""
        return self.outcome == "correct"

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        known = f" This is the pitfall {self.pitfall}." if self.pitfall else ""
        shown = f"\n  for example: {self.example}" if self.example else ""
        remarks = "".join(f"\n  remark: {each}" for each in self.remarks)
        return f"{_SIGNS[self.outcome]} {self.message}{known}{shown}{remarks}"


class Remark(str):
    """A sentence on a choice that is no mistake in itself, among the sentences on what was checked."""


def remark(fault: str, **words: object) -> Remark:
    """The sentence of `VERDICTS` as a remark, with the page that shows what can come of it."""
    name = fault.partition(".")[0]
    return Remark(VERDICTS[fault].format(**words) + (f" See the pitfall {name}." if name in IDS else ""))


def passes(*notes: str) -> Verdict:
    """The verdict “correct”: what was checked, and the remarks on their own."""
    message, remarks = _sorted(notes)
    return Verdict("correct", message, remarks=remarks)


def fails(fault: str, example: str = "", **words: object) -> Verdict:
    """The verdict on a mistake, `id` or `id.way` of `VERDICTS`; `words` fill the gaps of its sentence."""
    name = fault.partition(".")[0]
    return Verdict("faulty", VERDICTS[fault].format(**words), name, name if name in IDS else "", example)


def undecided(*notes: str, example: str = "") -> Verdict:
    """The verdict “undecided”; `example` is the call to write, or what stopped."""
    message, remarks = _sorted(notes)
    return Verdict("undecided", message, example=example, remarks=remarks)


def _sorted(notes: Iterable[str]) -> tuple[str, tuple[Remark, ...]]:
    """One message of the sentences on what was checked, and the remarks."""
    listed = list(dict.fromkeys(notes))
    message = " ".join(each for each in listed if not isinstance(each, Remark))
    return message, tuple(each for each in listed if isinstance(each, Remark))
