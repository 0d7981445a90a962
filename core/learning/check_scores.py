"""What the attention maps of a call are made of: which axis asks, which is read, and who takes what from whom."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.learning.probing import Edit, Run, Softmax, Subject, changed, frozen
from core.learning.verdict import Verdict, fails


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
    found: list[AttentionMap] = []
    others: list[int] = []
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
            found.append(AttentionMap(number, *fits[0]))
        elif len(shape) > 1 and any(bool(each[number].any()) for each in (*asked, *read)):
            others.append(number)
    if others and "key" in subject.given and not any(bool(moved.any()) for each in read for moved in each):
        return _keyless(subject, base, inputs)
    if 0 in others and _square(subject, base.softmaxes[0]):  # no attention before it has mixed the tokens
        mixing = base.softmaxes[0]
        return fails(
            "head-split-view",
            "A score depends on more than one query and one key, as when heads are cut without a transpose.",
            f"the map {tuple(mixing.scores.shape)} of inputs {subject.shape('query')}: other numbers for one token move other rows and columns",
        )
    return [] if others else found


def _keyless(subject: Subject, base: Run, inputs: Mapping[str, Tensor]) -> Verdict:
    """The scores do not depend on the input called key."""
    shapes = f"inputs {subject.shape('query')} and {subject.shape('key')}"
    touched = _touched(subject, base, inputs, ("value",), subject.keys) if "value" in subject.given else []
    if any(bool(moved.any()) for each in touched for moved in each):
        return fails(
            "keys-from-values",
            "The keys are taken from the values.",
            f"{shapes}: other values move the scores, other keys do not",
        )
    return fails(
        "keys-not-read", "The scores do not depend on the keys.", f"{shapes}: other keys move no score"
    )


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
    found = []
    for token in range(count):
        run = subject.run(subject.change(inputs, roles, token))
        found.append(
            [changed(a.scores, b.scores) for a, b in zip(base.softmaxes, run.softmaxes, strict=True)]
        )
    return found


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


def rows(subject: Subject, found: list[AttentionMap]) -> Verdict | list[AttentionMap]:
    """Without one query's weights only that query's output may move; the softmax runs over the other axis.

    In self-attention this tells which axis is the queries: the maps are given back that way round.
    """
    oriented = []
    inputs = subject.inputs()
    base = subject.run(inputs)
    for each in found:
        seen = base.softmaxes[each.number]
        asking = [
            axis for axis in (each.queries, each.keys) if _asks(subject, inputs, base, each.number, axis)
        ]
        shape = tuple(seen.scores.shape)
        if not subject.alone and asking == [each.keys]:
            return fails(
                "cross-qkv-swapped",
                "The keys ask and the queries answer: a row of the output follows from one key and every query.",
                f"inputs {subject.shape('query')}, attention map {shape}",
            )
        if not asking:
            return fails(
                "merge-without-transpose",
                "A row of the output depends on the attention weights of another query, as when heads are merged without a transpose.",
                f"inputs {subject.shape('query')}, attention map {shape}",
            )
        reading = each.keys if asking[0] == each.queries else each.queries
        oriented.append(AttentionMap(each.number, asking[0], reading))
        if seen.axis != reading:
            names = {asking[0]: "the queries", 0: "the first axis, which is no axis of tokens"}
            return fails(
                "softmax-axis",
                f"The softmax runs over {names.get(seen.axis, 'an axis that is not of tokens')} and not over the keys, so a query’s weights do not sum to 1.",
                f"softmax over axis {seen.axis} of {shape}, where the keys are axis {reading}",
            )
    return oriented


def _asks(subject: Subject, inputs: Mapping[str, Tensor], base: Run, number: int, axis: int) -> bool:
    """Whether index i of this axis of the weights is used for the output of token i alone."""
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


def values(subject: Subject, found: list[AttentionMap]) -> Verdict | list[str]:
    """With all weight on one key, no other token's value may reach the output."""
    inputs, only = subject.inputs(), {each.number: each.keys for each in found}

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
            "head-split-view",
            "With all weight on one key other tokens’ values reach the output, as when values are cut into heads without a transpose.",
            f"all weight on token 0: row {row} moves with token {token + 1}",
        )
    return []


def roles(subject: Subject, found: list[AttentionMap]) -> Verdict | list[str]:
    """Keys decide the weights and values are what is fetched; neither may do the other's work."""
    if not {"key", "value"} <= set(subject.given):
        return []
    inputs = subject.inputs()
    keep: Edit = frozen(base := subject.run(inputs))
    if bool(subject.reach(inputs, ("key",), keep).any()):
        return fails(
            "values-from-keys",
            "The values are taken from the keys: with the attention weights held fixed, other keys still move the output.",
            f"inputs {subject.shape('query')} and {subject.shape('key')}",
        )
    for token in range(subject.keys):
        run = subject.run(subject.change(inputs, ("value",), token))
        if any(
            bool(changed(a.scores, b.scores).any())
            for a, b in zip(base.softmaxes, run.softmaxes, strict=True)
        ):
            return fails(
                "keys-from-values",
                "The scores depend on the values.",
                f"other numbers for value {token} move the scores",
            )
    return []
