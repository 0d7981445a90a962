"""Check the attention maps of a call: their axes, what the weights and the values depend on, and the masks."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import torch
from torch import Tensor

from core.learning import calling
from core.learning.calling import Argument, Verdict, fails, forms, remark
from core.learning.probing import CELL, Edit, Run, Softmax, Subject, frozen, score_changes


@dataclass(frozen=True)
class AttentionMap:
    """The n-th softmax of a call, with the axes of its queries and of its keys."""

    number: int
    queries: int
    keys: int


def maps(subject: Subject) -> list[AttentionMap] | Verdict:
    """Every softmax between tokens. Its scores may depend on one query and one key only."""
    inputs = subject.inputs()
    base = subject.run(inputs)
    asked = _touched(subject, base, inputs, ("query",), subject.queries)
    read = asked if subject.alone else _touched(subject, base, inputs, _keys(subject), subject.keys)
    between: list[AttentionMap] = []
    mixing_maps: list[int] = []
    for number, seen in enumerate(base.softmaxes):
        shape = seen.scores.shape
        pairs = [
            (a, b)
            for a, b in itertools.permutations(range(len(shape)), 2)
            if shape[a] == subject.queries and shape[b] == subject.keys
        ]
        fits = [
            pair
            for pair in pairs
            if _between(
                pair, [each[number] for each in asked], [each[number] for each in read], subject.alone
            )
        ]
        if fits:
            between.append(AttentionMap(number, *fits[0]))
        elif len(shape) > 1 and any(bool(each[number].any()) for each in (*asked, *read)):
            mixing_maps.append(number)
    keyless = not any(bool(moved.any()) for each in read for moved in each)
    if mixing_maps and "key" in subject.given and keyless:
        return _keyless(subject, base, inputs)
    mixing = base.softmaxes[0] if base.softmaxes else None
    # Nothing mixes tokens before the first of these maps.
    if mixing is not None and 0 in mixing_maps and _square(subject, mixing):
        return fails(
            "head-split-view.scores",
            f"the map {tuple(mixing.scores.shape)} of inputs {subject.shape('query')}: other numbers for one token move other rows and columns",
        )
    return [] if mixing_maps else between


def _keyless(subject: Subject, base: Run, inputs: Mapping[str, Tensor]) -> Verdict:
    """The scores do not depend on the input called key."""
    shapes = f"inputs {subject.shape('query')} and {subject.shape('key')}"
    touched = _touched(subject, base, inputs, ("value",), subject.keys) if "value" in subject.given else []
    if any(bool(moved.any()) for each in touched for moved in each):
        return fails("keys-from-values.only", f"{shapes}: other values move the scores, other keys do not")
    return fails("keys-not-read", f"{shapes}: other keys move no score")


def _square(subject: Subject, seen: Softmax) -> bool:
    """Whether a map has an axis as long as the queries and another as long as the keys."""
    shape = list(seen.scores.shape)
    return subject.queries in shape and subject.keys in (
        shape[: (n := shape.index(subject.queries))] + shape[n + 1 :]
    )


def _keys(subject: Subject) -> tuple[str, ...]:
    """The inputs that keys may come from: a key of its own, or the memory."""
    return ("key",) if "key" in subject.given else subject.readable


def _touched(
    subject: Subject, base: Run, inputs: Mapping[str, Tensor], roles: Sequence[str], count: int
) -> list[list[Tensor]]:
    """For each token, for each softmax: which scores move when it changes."""
    return [score_changes(base, subject.run(subject.change(inputs, roles, token))) for token in range(count)]


def _between(pair: tuple[int, int], asked: list[Tensor], read: list[Tensor], alone: bool) -> bool:
    """Whether scores move in the row of the query that changed and the column of the key that changed, and nowhere else."""
    rows, columns = pair
    whole = range(len(asked)), range(len(read))
    if not alone:
        confined = all(_within(each, rows, n) for n, each in enumerate(asked)) and all(
            _within(each, columns, n) for n, each in enumerate(read)
        )
        return confined and any(bool(each.any()) for each in asked) and any(bool(each.any()) for each in read)
    both = [False, False]
    for token in whole[0]:
        left = asked[token].clone()
        left.select(rows, token).fill_(False)
        both[1] |= bool(left.any())
        left.select(columns, token).fill_(False)
        if bool(left.any()):
            return False
        other = asked[token].clone()
        other.select(columns, token).fill_(False)
        both[0] |= bool(other.any())
    return all(both)


def _within(moved: Tensor, axis: int, index: int) -> bool:
    outside = moved.clone()
    outside.select(axis, index).fill_(False)
    return not bool(outside.any())


def rows(subject: Subject, between: list[AttentionMap]) -> Verdict | list[AttentionMap]:
    """Without one query's weights only that query's output may move; the softmax runs over the other axis.

    In self-attention this tells which axis is the queries: the maps are returned that way round.
    """
    oriented = []
    inputs = subject.inputs()
    base = subject.run(inputs)
    for each in between:
        seen = base.softmaxes[each.number]
        asking = [
            axis for axis in (each.queries, each.keys) if _asks(subject, inputs, base, each.number, axis)
        ]
        shape = tuple(seen.scores.shape)
        if not subject.alone and asking == [each.keys]:
            return fails("cross-qkv-swapped.map", f"inputs {subject.shape('query')}, attention map {shape}")
        if not asking:
            return fails("merge-without-transpose", f"inputs {subject.shape('query')}, attention map {shape}")
        reading = each.keys if asking[0] == each.queries else each.queries
        oriented.append(AttentionMap(each.number, asking[0], reading))
        if seen.axis != reading:
            names = {asking[0]: "the queries", 0: "the first axis, which is no axis of tokens"}
            return fails(
                "softmax-axis",
                f"softmax over axis {seen.axis} of {shape}, where the keys are axis {reading}",
                axis=names.get(seen.axis, "an axis that is not of tokens"),
            )
    return oriented


def _asks(subject: Subject, inputs: Mapping[str, Tensor], base: Run, number: int, axis: int) -> bool:
    """Whether index i of this axis of the weights affects the output of token i only."""
    letters = [letter for letter in subject.layout if letter != "d"]
    tokens = letters.index("t")
    any_moved = False
    for index in range(base.softmaxes[number].weights.shape[axis]):

        def without(n: int, seen: Softmax, index: int = index) -> Tensor:
            weights = base.softmaxes[n].weights.clone()
            if n == number:
                weights.select(axis, index).mul_(0.3)
            return weights

        moved = base.moved(subject.run(inputs, without))
        any_moved |= bool(moved.any())
        if not _within(moved, tokens, index):
            return False
    return any_moved


def values(subject: Subject, between: list[AttentionMap]) -> Verdict | list[str]:
    """With all weight on one key, no other token's value may reach the output."""
    inputs, only = subject.inputs(), {each.number: each.keys for each in between}

    def first(n: int, seen: Softmax) -> Tensor:
        if n not in only:
            return seen.weights
        weights = torch.zeros_like(seen.weights)
        weights.select(only[n], 0).fill_(1.0)
        return weights

    read = subject.rows(subject.reach(inputs, subject.readable, first))[1:]
    if subject.alone:  # a residual inside the module is no mistake
        read = read & ~torch.eye(subject.queries, dtype=torch.bool)[1:]
    if bool(read.any()):
        token, row = (int(n) for n in read.nonzero()[0])
        return fails(
            "head-split-view.values", f"all weight on token 0: row {row} moves with token {token + 1}"
        )
    return []


def roles(subject: Subject, between: list[AttentionMap]) -> Verdict | list[str]:
    """Keys decide the weights and values are what is fetched; neither may do the other's work."""
    if not {"key", "value"} <= set(subject.given):
        return []
    inputs = subject.inputs()
    keep: Edit = frozen(base := subject.run(inputs))
    if bool(subject.reach(inputs, ("key",), keep).any()):
        return fails("values-from-keys", f"inputs {subject.shape('query')} and {subject.shape('key')}")
    for token in range(subject.keys):
        run = subject.run(subject.change(inputs, ("value",), token))
        if any(bool(each.any()) for each in score_changes(base, run)):
            return fails("keys-from-values", f"other numbers for value {token} move the scores")
    return []


# -- masks --------------------------------------------------------------------------------------------------

_HIDDEN: Final = -1e3  # scores below it take no weight


@dataclass
class _Tries:
    """The forms of a mask by what they did."""

    ignored: list[str] = field(default_factory=list)
    leaks: list[str] = field(default_factory=list)
    other: list[str] = field(default_factory=list)
    raised: list[str] = field(default_factory=list)


def masks_of(subject: Subject, maps: Sequence[AttentionMap]) -> Verdict | list[str]:
    """Whether each mask that the code takes hides what it says."""
    notes: list[str] = []
    ahead = _ahead(subject)
    if ahead:
        return fails(
            "mask-leaks.band",
            f"the output of token 0 moves with token {ahead}, and with none after it",
            ahead=ahead,
        )
    crossing = {"memory", "key"} & set(subject.given)
    ignored: list[Argument] = []
    for each in subject.arguments:
        if each.role not in ("mask", "padding", "lengths") or not each.name:
            continue
        if not crossing and any(word in each.name for word in ("encoder", "memory", "cross")):
            continue  # for an input that was not given
        finding = _mask(subject, maps, each)
        if isinstance(finding, Verdict):
            return finding
        ignored += [each] if not finding else []
        notes += finding
    if ignored and ((maps and not notes) or subject.mixes):
        return fails(
            "no-causal-mask.attention", f"the argument {ignored[0].name} of inputs {subject.shape('query')}"
        )
    return notes + (["A mask changed nothing in this call."] if ignored else [])


def _mask(subject: Subject, maps: Sequence[AttentionMap], argument: Argument) -> Verdict | list[str]:
    """What a mask does, in words; none where it changes nothing."""
    tries = _Tries()
    base = subject.run(subject.inputs())
    for read in [("query",), subject.readable] if subject.mixes else [subject.readable]:
        count = subject.queries if read == ("query",) else subject.keys
        square = "causal" if subject.queries == count else "rows"
        for kind in ("padding",) if argument.role in ("padding", "lengths") else (square, "padding"):
            trial = _Trial(subject, maps, argument.name, base, read, _allowed(subject, kind, read))
            shapes = _shapes(subject, kind, count)
            for shape in shapes if argument.role != "lengths" else [(subject.sizes["b"],)]:
                for form, mask in (
                    forms(trial.allowed) if argument.role != "lengths" else _lengths(subject, count)
                ):
                    if _works(trial, mask.expand(shape), tries, form):
                        return [
                            f"{argument.name} works ({form}, shape {shape}).",
                            *_empty_row(trial, form, shape),
                        ]
            if (tries.ignored or tries.leaks or tries.other) and not subject.mixes:
                break
    return _failed(subject, argument, tries)


@dataclass(frozen=True)
class _Trial:
    """A mask that is tried: the first call without it, the inputs it shall hide tokens of, and who may attend to whom."""

    subject: Subject
    maps: Sequence[AttentionMap]
    name: str
    base: Run
    read: tuple[str, ...]
    allowed: Tensor


def _ahead(subject: Subject) -> int:
    """How many later tokens every token sees, where the rest of the future is hidden; else 0."""
    if not subject.alone:
        return 0
    reads, count = subject.rows(subject.reach(subject.inputs(), subject.readable)).T, subject.queries
    bands = [torch.ones(count, count, dtype=torch.bool).tril(n) for n in range(1, count - 1)]
    return next((n for n, band in enumerate(bands, 1) if torch.equal(reads, band)), 0)


def _lengths(subject: Subject, count: int) -> Iterator[tuple[str, Tensor]]:
    """Numbers of real tokens, another one for the sentence that is looked at."""
    counts = torch.full((subject.sizes["b"],), count)
    counts[CELL] = count - 2
    yield "the number of real tokens", counts


def _allowed(subject: Subject, kind: str, read: tuple[str, ...]) -> Tensor:
    """(Tq, Tk) or (1, Tk) bool. A module that is causal by itself must see a difference, so key 0 is hidden too."""
    queries, keys = subject.queries, subject.queries if read == ("query",) else subject.keys
    if kind == "padding":
        return (torch.arange(keys) < keys - 2)[None]
    allowed = torch.ones(queries, keys, dtype=torch.bool).tril()
    free = subject.rows(subject.reach(subject.inputs(), read)).T
    if kind == "causal" and not bool(free[~allowed].any()):
        allowed[1:, 0] = False
    return allowed


def _shapes(subject: Subject, kind: str, keys: int) -> list[tuple[int, ...]]:
    """How such a mask may lie, of the shapes that expand from (Tq, Tk), or from (1, Tk) for padding."""
    queries, batch = subject.queries, subject.sizes["b"]
    if kind == "padding":
        return [
            (batch, keys),
            (batch, 1, 1, keys),
            (batch, 1, keys),
            (batch, queries, keys),
            (batch, 1, queries, keys),
            (queries, keys),
        ]
    return [
        (queries, keys),
        (batch, queries, keys),
        (batch, 1, queries, keys),
        (1, queries, keys),
        (1, 1, queries, keys),
    ]


def _works(trial: _Trial, mask: Tensor, tries: _Tries, form: str) -> bool:
    """Whether exactly the allowed keys reach each query; other outcomes are added to `tries`."""
    subject, given = trial.subject, {trial.name: mask.clone()}
    inputs = subject.inputs()
    try:
        masked = subject.run(inputs, None, bool(trial.maps), **given)
        if not bool(trial.base.moved(masked).any()):
            tries.ignored.append(form)
            return False
        if bool(masked.out.isnan().any()):
            tries.other.append(form)
            return False
        reads = subject.rows(subject.reach(inputs, trial.read, None, **given)).T
    except Exception as error:  # the next form may fit
        tries.raised.append(calling.error_line(error))
        return False
    goal = trial.allowed.expand(reads.shape)
    if trial.read == ("query",):  # a residual inside the module is no mistake
        same = torch.eye(subject.queries, dtype=torch.bool)
        reads, goal = reads | same, goal | same
    if not bool((reads & ~goal).any()) and bool((reads & goal).any()):
        return True
    (tries.leaks if _weakly(trial, masked) else tries.other).append(form)
    return False


def _weakly(trial: _Trial, masked: Run) -> bool:
    """Whether the scores of all maps change on one side of the mask only, and by too little to hide a key; or not at all."""
    for each in trial.maps:
        one, two = (
            run.softmaxes[each.number].scores.movedim((each.queries, each.keys), (-2, -1))
            for run in (trial.base, masked)
        )
        if one.shape != two.shape:
            return False
        hidden = ~trial.allowed.expand(one.shape[-2:])
        moved = (one - two).abs() > 1e-4
        if (bool(moved[..., ~hidden].any()) and bool(moved[..., hidden].any())) or bool(
            (two < _HIDDEN).any() | (two > -_HIDDEN).any()
        ):
            return False
    return bool(trial.maps)


def _failed(subject: Subject, argument: Argument, tries: _Tries) -> Verdict | list[str]:
    """No form hides what it should."""
    where = f"the argument {argument.name} of inputs {subject.shape('query')}"
    if tries.leaks:
        return fails("mask-leaks.attention", f"{where}, with the form “{tries.leaks[0]}”")
    ambiguous = [each for each in tries.raised if "ambiguous" in each]
    if ambiguous and not tries.other:
        return fails("mask-truth-value.attention", ambiguous[0])
    if tries.ignored and not tries.other:
        return []
    return [f"What {argument.name} does could not be decided: no usual form of a mask hides keys."]


def _empty_row(trial: _Trial, form: str, shape: tuple[int, ...]) -> list[str]:
    """The output of a row that may attend to nothing; what is added to scores is the caller's own."""
    if form.startswith("added") or len(shape) == 1:
        return []
    allowed = trial.allowed.clone()
    allowed[-1] = False
    mask = dict(forms(allowed))[form].expand(shape).clone()
    try:
        out = trial.subject.run(trial.subject.inputs(), None, False, **{trial.name: mask}).out
    except Exception:  # code that refuses such a mask says so itself
        return []
    return [remark("masked-row-nan.attention", name=trial.name)] if bool(out.isnan().any()) else []
