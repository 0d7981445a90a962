"""Twenty modules and functions with one mistake each, in other people's styles."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.core.learning.others_correct import (
    Annotated,
    MasksByHand,
    MinimalCausal,
    PositionsTokensFirst,
    ValuesFirst,
    WrappedTorch,
)


class FourAxes(nn.Module):
    """Correct but for what `wrong` names."""

    def __init__(self, dim: int = 32, heads: int = 4, wrong: str = "") -> None:
        super().__init__()
        self.heads, self.size, self.wrong = heads, dim // heads, wrong
        self.query, self.key, self.value, self.proj = (nn.Linear(dim, dim) for _ in range(4))

    def cut(self, x: Tensor) -> Tensor:
        return x.view(x.shape[0], x.shape[1], self.heads, self.size).transpose(1, 2)

    def forward(self, x: Tensor, attention_mask: Any = None) -> Tensor:
        wrong, (b, t, d) = self.wrong, x.shape
        q, k = self.cut(self.query(x)), self.cut(self.key(x))
        v = self.cut(self.key(x) if wrong == "values are keys" else self.value(x))
        scores = q @ k.transpose(2, 3) / math.sqrt(t if wrong == "by tokens" else self.size)
        if attention_mask if wrong == "truth of a mask" else attention_mask is not None:
            if wrong == "mask multiplied":
                scores = scores * attention_mask
            elif wrong == "mask not used":
                scores.masked_fill(attention_mask == 0, -1e9)
            elif wrong == "empty row":
                scores = scores.masked_fill(attention_mask == 0, -math.inf)
            else:
                scores = scores.masked_fill(attention_mask == 0, -1e9)
        axis = {"over heads": 1, "over queries": 2}.get(wrong, -1)
        mixed = torch.softmax(scores, dim=axis) @ v
        out = mixed.reshape(b, t, d) if wrong == "not merged back" else mixed.transpose(1, 2).reshape(b, t, d)
        return out if wrong == "no output projection" else self.proj(out)


class ValueOfKey(nn.Module):
    """The values are projected from the projected keys."""

    def __init__(self, dim: int = 48, heads: int = 4) -> None:
        super().__init__()
        self.heads = heads
        self.w_k, self.w_q, self.w_v, self.w_o = (nn.Linear(dim, dim) for _ in range(4))

    def forward(self, key: Tensor, query: Tensor, value: Tensor) -> Tensor:
        k, q = self.w_k(key), self.w_q(query)
        v = self.w_v(k)
        q, k, v = (x.unflatten(-1, (self.heads, -1)).transpose(1, 2) for x in (q, k, v))
        return self.w_o(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))


class FusedAndViewed(nn.Module):
    """Fused, and viewed as (3, B, H, T, d_h) at once."""

    def __init__(self, dim: int = 24, num_heads: int = 4) -> None:
        super().__init__()
        self.num_heads, self.qkv, self.proj = num_heads, nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)

    def forward(self, x: Tensor) -> Tensor:
        b, t, d = x.shape
        q, k, v = (part.reshape(b, self.num_heads, t, -1) for part in self.qkv(x).chunk(3, dim=-1))
        weights = (q @ k.transpose(-2, -1) * (d // self.num_heads) ** -0.5).softmax(dim=-1)
        return self.proj((weights @ v).transpose(1, 2).reshape(b, t, d))


class Leaking(nn.Module):
    """Folded as (B · H) and unfolded as (H · B): sentences read each other."""

    def __init__(self, emb: int = 20, heads: int = 2) -> None:
        super().__init__()
        self.heads = heads
        self.toqueries, self.tokeys, self.tovalues, self.unify = (nn.Linear(emb, emb) for _ in range(4))

    def forward(self, x: Tensor) -> Tensor:
        b, t, e = x.shape
        s = e // self.heads
        q, k, v = (
            to(x).view(b, t, self.heads, s).transpose(1, 2).reshape(b * self.heads, t, s)
            for to in (self.toqueries, self.tokeys, self.tovalues)
        )
        out = F.softmax(q @ k.transpose(1, 2) / s**0.5, dim=-1) @ v
        return self.unify(out.view(self.heads, b, t, s).permute(1, 2, 0, 3).reshape(b, t, e))


class MergedByView(MinimalCausal):
    """Causal by its buffer; the heads are put back together by a view alone."""

    def forward(self, x: Tensor) -> Tensor:
        rows, length, width = x.size()
        q, k, v = (
            each.view(rows, length, self.n_head, -1).transpose(1, 2)
            for each in self.c_attn(x).split(self.n_embd, dim=2)
        )
        bias: Any = self.bias
        att = (q @ k.mT / math.sqrt(k.size(-1))).masked_fill(bias[..., :length, :length] == 0, -1e9)
        return self.c_proj((att.softmax(-1) @ v).reshape(rows, length, width))


class SourceIgnored(MasksByHand):
    """The decoder's second attention reads the decoder again."""

    def forward(self, src: Tensor, tgt: Tensor, src_mask: Any = None, tgt_mask: Any = None) -> Tensor:
        y = self.tgt_tok(tgt) + self.pos(torch.arange(tgt.shape[1]))
        y = self.norms[1](y + self.dec(y, y, y, tgt_mask))
        return self.out(self.norms[2](y + self.cross(y, y, y, tgt_mask)))


class TargetMaskUnused(MasksByHand):
    """The target's mask is taken and not handed on."""

    def forward(self, src: Tensor, tgt: Tensor, src_mask: Any = None, tgt_mask: Any = None) -> Tensor:
        return super().forward(src, tgt, src_mask, None)


class FirstKey(Annotated):
    """The queries are projected from the keys."""

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Tensor:
        return super().forward(key, query, value, mask)


class KeyOfQuery(Annotated):
    """The keys are projected from the queries; values and mask of one length hide it."""

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Tensor:
        return super().forward(query, query, value, mask)


class OneAhead(MinimalCausal):
    """Causal by its buffer, one step too late."""

    def __init__(self) -> None:
        super().__init__()
        self.bias: Tensor = torch.ones(32, 32).tril(1)[None, None]


def look_ahead_mask(size: int) -> Tensor:
    """Additive, one column too far."""
    return torch.triu(torch.full((size, size), -1e9), diagonal=2)


FAULTY: Final[dict[str, tuple[str, Callable[[], Any], str]]] = {
    "√ of the whole width, values first": (
        "attention", lambda: ValuesFirst(48, 4, 48**0.5), "scale-by-d-model",
    ),
    "softmax over heads": ("attention", lambda: FourAxes(wrong="over heads"), "softmax-axis"),
    "softmax over queries": ("attention", lambda: FourAxes(wrong="over queries"), "softmax-axis"),
    "values are the keys": ("attention", lambda: FourAxes(wrong="values are keys"), "values-from-keys"),
    "values projected from keys": ("attention", ValueOfKey, "values-from-keys"),
    "output projection unused": (
        "attention", lambda: FourAxes(wrong="no output projection"), "unused-projection",
    ),
    "√ of the tokens": ("attention", lambda: FourAxes(wrong="by tokens"), "scale-by-tokens"),
    "truth of a mask, 64 wide": ("attention", lambda: FourAxes(64, wrong="truth of a mask"), "mask-truth-value"),
    "causal, merged by view": ("attention", MergedByView, "merge-without-transpose"),
    "fused and viewed": ("attention", FusedAndViewed, "head-split-view"),
    "batch rows leak": ("attention", Leaking, "batch-leak"),
    "memory padding attended": ("model", lambda: WrappedTorch(memory_padding=False), "source-padding"),
    "source ignored": ("model", SourceIgnored, "source-ignored"),
    "target mask unused": ("model", TargetMaskUnused, "no-causal-mask"),
    "positions doubled, tokens first": (
        "positional", lambda: PositionsTokensFirst(power=2.0), "pe-exponent-doubled",
    ),
    "one column too far": ("mask", lambda: look_ahead_mask, "mask-leaks"),
    "keys are the queries": ("attention", KeyOfQuery, "keys-not-read"),
    "one step ahead": ("attention", OneAhead, "mask-leaks"),
    "keys ask": ("attention", FirstKey, "cross-qkv-swapped"),
}  # fmt: skip
