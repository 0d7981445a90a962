"""What can be said of an attention module whose weights are its own: set to the identity, or by who reacts to whom."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from core.learning import calling
from core.learning.calling import normal
from core.learning.verdict import Verdict, fails, passes

LENGTH = 7
MOVED = 1e-6
_HEADS = ("heads", "num_heads", "n_heads", "nhead", "h", "n_head", "num_head")
_WIDTHS = ("d_model", "embed_dim", "embed_size", "hidden", "hid_dim", "emb_dim", "d")


def widths(module: nn.Module) -> list[int]:
    """Widths that the module may read: what it says of itself, else what its first projection does, times some heads."""
    named = [int(value) for name in _WIDTHS if isinstance(value := getattr(module, name, None), int)]
    first = next((part.in_features for part in module.modules() if isinstance(part, nn.Linear)), None)
    heads = [int(value) for name in _HEADS if isinstance(value := getattr(module, name, None), int)]
    found = [*named, *([first] if first else []), *(first * count for count in heads if first)]
    if not found:
        found = [parameter.shape[-1] for parameter in module.parameters() if parameter.dim() > 1][:1]
    return list(dict.fromkeys(found))


def identity_copies(module: nn.Module, width: int) -> Iterator[tuple[nn.Module, int]]:
    """Copies whose projections change nothing, and the width each reads; fused ones both whole and head by head."""
    linears = [part for part in module.modules() if isinstance(part, nn.Linear)]
    if not linears or isinstance(module, nn.MultiheadAttention):
        return
    for found in widths(module):
        heads = [int(value) for name in _HEADS if isinstance(value := getattr(module, name, None), int)]
        for count in dict.fromkeys([0, *heads, *(n for n in (2, 4, 8, 3) if found % n == 0)]):
            twin = copy.deepcopy(module)
            fused = False
            for part in twin.modules():
                if isinstance(part, nn.Linear):
                    fused |= part.out_features == 3 * part.in_features
                    _become_identity(part, count)
            yield twin, found
            if not fused:
                break


def _become_identity(part: nn.Linear, heads: int) -> None:
    """Square: the identity; d → 3d: three of them, or `heads` times three pieces of them."""
    with torch.no_grad():
        if part.bias is not None:
            part.bias.zero_()
        one = torch.eye(part.in_features)
        if part.out_features == part.in_features:
            part.weight.copy_(one)
        elif part.out_features == 3 * part.in_features:
            whole = torch.cat([one, one, one])
            if heads:
                pieces = one.reshape(heads, -1, part.in_features)
                whole = torch.cat([torch.cat([piece, piece, piece]) for piece in pieces])
            part.weight.copy_(whole)


def by_behaviour(module: nn.Module, width: int) -> Verdict:
    """Which tokens' outputs move when one token's query, or key and value, does."""
    for found in widths(module) or [width]:
        x = normal(3, 2, LENGTH, found)
        try:
            reacts = _reactions(module, x)
        except Exception as error:  # whatever somebody's code may raise belongs to the verdict
            told = f"{type(error).__name__}: {error}".splitlines()[0][:200]
            problem = fails("", f"Called with tensors of shape {tuple(x.shape)} it stops.", told)
            continue
        return _judged(*reacts)
    return problem


def _call(module: nn.Module, q: Tensor, kv: Tensor) -> Tensor:
    needed = calling.required(module)
    options: dict[str, Any] = {
        each.name: None
        for each in calling.parameters(module)
        if each.default is each.empty and "mask" in each.name
    }
    result = module(q, **options) if needed == 1 else module(q, kv, kv, **options)
    out = calling.of_shape(result, tuple(q.shape))
    if out is None:
        raise ValueError(f"the result has no tensor of shape {tuple(q.shape)}")
    return out


def _reactions(module: nn.Module, x: Tensor) -> tuple[Tensor, Tensor | None]:
    """(T, T) bool twice: output row i moves with token j's key and value; with its query (None: they are one input)."""
    if isinstance(module, nn.MultiheadAttention) and not module.batch_first:
        turned = x.transpose(0, 1).contiguous()
        return _moves(module, turned, 0)
    return _moves(module, x, 1)


def _moves(module: nn.Module, x: Tensor, axis: int) -> tuple[Tensor, Tensor | None]:
    start, alone = _call(module, x, x), calling.required(module) == 1
    by_key, by_query = (
        torch.zeros(LENGTH, LENGTH, dtype=torch.bool),
        torch.zeros(LENGTH, LENGTH, dtype=torch.bool),
    )
    for token in range(LENGTH):
        changed = x.clone()
        changed.select(axis, token).add_(normal(9, x.shape[-1]))
        for table, q, kv in ((by_key, x, changed), (by_query, changed, x)):
            moved = (_call(module, changed if alone else q, kv) - start).abs()
            table[:, token] = moved.amax(dim=[n for n in range(3) if n != axis]) > MOVED
    return by_key, None if alone else by_query


def _judged(by_key: Tensor, by_query: Tensor | None) -> Verdict:
    others = ~torch.eye(LENGTH, dtype=torch.bool)
    seen = int((by_key & others).sum())
    if not seen:
        return fails(
            "heads-attend-heads",
            "No token’s output depends on any other token, so nothing is attended to but the token’s own heads.",
            f"replacing one of {LENGTH} tokens moves its own output alone",
        )
    if not bool(by_key.all()):
        row, token = (int(n) for n in (~by_key).nonzero()[0])
        return fails(
            "head-split-view",
            "Some tokens never see some others although nothing is masked, as when heads are cut without a transpose.",
            f"the output of token {row} does not move with token {token}",
        )
    if by_query is not None and bool((by_query & others).any()):
        row, token = (int(n) for n in (by_query & others).nonzero()[0])
        return fails(
            "merge-without-transpose",
            "A token’s output depends on the query of another token, as when heads are merged without a transpose.",
            f"the output of token {row} moves with the query of token {token}",
        )
    return passes("Attention by its behaviour: every token sees all others, and asks for itself alone.")
